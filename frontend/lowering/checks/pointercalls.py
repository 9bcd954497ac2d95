"""Calls of what need not be a function, in LLVM text.

A call of a constant that is no function (null, a number, an object, an address inside a function)
becomes one through a register, which is checked as others are.  A native run asks `sea.called`
before each call through a register: a pointer to none of the functions whose address is taken ends
the run, so that no data of the program is executed.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import read_call, references
from seahorn_py.frontend.llvmtext.module import ModuleText, split_module
from seahorn_py.frontend.llvmtext.tokens import NAME, closing

CALLED = "sea.called"
_DECLARED = pattern(r"^declare \w+ @sea\.(?:called|valid\.call)\(ptr\).*\n", re.MULTILINE)
_VALID = "define internal i1 @sea.valid.call(ptr %pointer) {\n  ret i1 true\n}\n"
_ENDS = "declare void @sea.defined(i1)\n"
_CONSTANT = pattern(
    rf' +(?:%{NAME} = )?(?:(?:must|no)?tail )?call (?:[^@%"]|(?>%{NAME})(?!\())*?'
    r"\b(null|undef|poison|inttoptr|getelementptr|blockaddress)\b"
)


def through_register(line: str, module: ModuleText, inputs: Inputs) -> list[str]:
    """The line; a call of a constant that is no function of the module has a register for it."""
    found = _constant_callee(line, module)
    if found is None:
        return [line]
    start, end = found
    pointer = inputs.name()
    copy = f"  {pointer} = getelementptr i8, ptr {line[start:end]}, i32 0"
    return [copy, f"{line[:start]}{pointer}{line[end:]}"]


def _constant_callee(line: str, module: ModuleText) -> tuple[int, int] | None:
    """Where in the line the constant stands."""
    found = _CONSTANT.match(line)
    if found is not None:
        start, end = found.span(1)
        if found[1] in ("null", "undef", "poison"):
            return start, end
        return start, closing(line, line.index("(", end)) + 1
    call = read_call(line) if "@" in line else None
    if call is None or not _is_object(call.callee, module):
        return None
    start = line.index(f"@{call.callee}(")
    return start, start + 1 + len(call.callee)


def _is_object(name: str, module: ModuleText) -> bool:
    """Whether a symbol is data, also by another name."""
    seen: set[str] = set()
    while name in module.aliases and name not in seen:
        seen.add(name)
        named = references(module.aliases[name])
        name = named[0] if named else name
    return name in module.globals


def with_called(native: str) -> str:
    """The text with definitions of `sea.called` and `sea.valid.call`, if it calls the former."""
    if f"call void @{CALLED}(" not in native:
        return native
    module = split_module(native)
    known = (*module.declarations, *module.functions)
    names = sorted(taken(module, {name for name in known if not name.startswith("llvm.")}))
    tests = [f"  %is.{k} = icmp eq ptr %pointer, @{name}" for k, name in enumerate(names)]
    joined = [
        f"  %one.{k + 1} = or i1 %one.{k}, %is.{k}" if k else "  %one.1 = or i1 false, %is.0"
        for k in range(len(names))
    ]
    found = f"%one.{len(names)}" if names else "false"
    end = f"  call void @sea.defined(i1 {found})"
    head = f"define internal void @{CALLED}(ptr %pointer) {{"
    body = "\n".join([head, *tests, *joined, end, "  ret void", "}", ""])
    declared = "" if "\ndeclare void @sea.defined(" in native else _ENDS
    return _DECLARED.sub("", native) + declared + _VALID + body


def taken(module: ModuleText, names: Collection[str]) -> dict[str, None]:
    """Those of the functions whose address the text has in another place than a call of them."""
    found: dict[str, None] = {}
    for text in (*module.globals.values(), *module.aliases.values()):
        found.update(dict.fromkeys(references(text)))
    for function in module.functions.values():
        for line in function.lines:
            if "@" in line:
                found.update(dict.fromkeys(_values(line, names)))
    return {name: None for name in found if name in names}


def _values(line: str, names: Collection[str]) -> list[str]:
    """Those of the names that a line has as symbols, without the one that it calls."""
    found = [name for name in references(line) if name in names]
    call = read_call(line) if found and " call " in line else None
    if call is not None and call.callee in found:
        found.remove(call.callee)
    return found
