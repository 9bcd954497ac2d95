"""Where `argv[0]` is passed on: it is a string as long as nothing else is done with `argv`.

Its first element is never null, and no other pointer of the program leads to its characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.library.contracts import contracts
from seahorn_py.frontend.llvmtext.lines import REGISTER, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME

_STORED = pattern(rf"  store ptr (%{NAME}), ptr (%{NAME}),")
_LOADED = pattern(rf"  (%{NAME}) = load ptr, ptr (%{NAME}),")
_ELEMENT = pattern(rf"  (%{NAME}) = getelementptr (?:\w+ )*?ptr, ptr (%{NAME}), i\d+ (\d+)(?!\d)")
_NO_USE = ("    #dbg_", "  call void @llvm.lifetime.")


def program_names(function: FunctionText, module: ModuleText) -> frozenset[str]:
    """The registers of `main` that are `argv[0]`, if its strings are only written out."""
    if function.name != "main" or len(function.parameters) != 2 or _calls_main(module):
        return frozenset()
    uses = _uses(function)
    parameter = function.parameters[1].rpartition(" ")[2]
    stores = [m for line in uses.get(parameter, ()) if (m := _STORED.match(line))]
    if len(stores) != 1 or len(uses[parameter]) != 1:
        return frozenset()
    slot = stores[0][2]
    loads = [_LOADED.match(line) for line in uses[slot] if line != stores[0].string]
    names: set[str] = set()
    for load in loads:
        if load is None or not _reads_strings(load[1], uses, names):
            return frozenset()
    return frozenset(names)


def _reads_strings(argv: str, uses: Mapping[str, list[str]], names: set[str]) -> bool:
    """Whether this value of `argv` only serves to read its elements and write them out."""
    for line in uses.get(argv, ()):
        element = _ELEMENT.match(line)
        if element is None:
            return False
        for use in uses.get(element[1], ()):
            string = _LOADED.match(use)
            if string is None or not all(map(_writes_out, uses.get(string[1], ()))):
                return False
            if element[3] == "0":
                names.add(string[1])
    return True


def _writes_out(line: str) -> bool:
    call = read_call(line) if " call " in line else None
    contract = None if call is None else contracts().get(call.callee)
    return contract is not None and contract.is_output


def _uses(function: FunctionText) -> dict[str, list[str]]:
    """The lines that read each register, but for debug records and marks of its life."""
    found: dict[str, list[str]] = {}
    for line in function.lines:
        if line.startswith(_NO_USE):
            continue
        for register in _read_registers(line):
            found.setdefault(register, []).append(line)
    return found


def _read_registers(line: str) -> Iterator[str]:
    defined = re.match(rf"  (%{NAME}) = ", line)
    return (r for r in REGISTER.findall(line[defined.end() if defined else 0 :]))


def _calls_main(module: ModuleText) -> bool:
    lines = (line for f in module.functions.values() for line in f.lines)
    return any("@main" in line for line in lines) or any(
        "@main" in body for body in module.globals.values()
    )
