"""Calls through pointers, where there are threads, as choices between direct calls.

What a thread calls must be known before its steps are cut.  A call through a pointer becomes one of
a function that compares the pointer with each function of that type whose address the program uses
other than to begin a thread.  No proof stands where a run may call something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import argument, read_call, references, result_type
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME, closing, split_top
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.library.claims import POINTER, room
from seahorn_py.frontend.lowering.threads.steps import STOP
from seahorn_py.options import Property

_CHOICE = "sea.product.call."
_CALL = re.compile(rf"  (?:%{NAME} = )?(?:(?:tail|musttail|notail) )?call ([^(]*) (%{NAME})\(")


@dataclass(frozen=True, slots=True)
class _Type:
    """The type of a function."""

    result: str
    parameters: tuple[str, ...]


def with_choices(module: ModuleText, inputs: Inputs, asked: Property) -> ModuleText | None:
    """The module in which no call is through a pointer, if there is one; None if nothing changes.

    A call whose type has no fixed parameters stays as it is.
    """
    taken = _taken(module)
    targets: dict[_Type, list[FunctionText]] = {}
    for name in sorted(taken):
        function = module.signature(name)
        if function is not None and not function.variadic:
            of = _Type(function.result, function.parameter_types)
            targets.setdefault(of, []).append(function)
    names: dict[_Type, str] = {}

    def direct(line: str) -> str:
        found = _through(line)
        if found is None:
            return line
        kind, pointer, at = found
        name = names.setdefault(kind, f"{_CHOICE}{len(names)}")
        more = "" if line[at + 1] == ")" else ", "
        begin = line[: at - len(pointer)]
        return f"{begin}@{name}(ptr {pointer}{more}{line[at + 1 :]}"

    bodies = module.functions.items()
    functions = {n: replace(f, lines=tuple(map(direct, f.lines))) for n, f in bodies}
    if not names:
        return None
    for kind, name in names.items():
        functions[name] = _choosing(name, kind, targets.get(kind, []), inputs, asked)
    return replace(module, functions=functions)


def _through(line: str) -> tuple[_Type, str, int] | None:
    """The type of a call through a pointer, the pointer, and where its arguments begin."""
    found = _CALL.match(line)
    if found is None:
        return None
    at = found.end() - 1
    given = split_top(line[at + 1 : closing(line, at)])
    parameters = tuple(argument(text)[0] for text in given)
    return _Type(result_type(found[1]), parameters), found[2], at


def _taken(module: ModuleText) -> frozenset[str]:
    """The functions whose address is used other than to call them, or to begin a thread with."""
    found = {name for body in module.globals.values() for name in references(body)}
    for function in module.functions.values():
        for line in function.lines:
            if "@" in line and not line.startswith("    #"):
                found.update(_used(line))
    return frozenset(name for name in found if module.signature(name) is not None)


def _used(line: str) -> Iterator[str]:
    call = read_call(line) if " call " in line else None
    if call is None:
        yield from references(line)
    elif call.callee != primitives.CREATE:
        for each in call.arguments:
            yield from references(each)


def _choosing(
    name: str, kind: _Type, targets: list[FunctionText], inputs: Inputs, asked: Property
) -> FunctionText:
    """The function that calls one of the targets by a pointer, its first parameter."""
    given = [f"{each} %given.{k}" for k, each in enumerate(kind.parameters)]
    lines = ["entry:"]
    for k, target in enumerate(targets):
        result = "" if kind.result == "void" else f"%result.{k} = "
        lines += (
            f"  %is.{k} = icmp eq ptr %callee, @{target.name}",
            f"  br i1 %is.{k}, label %call.{k}, label %other.{k}",
            f"call.{k}:",
            f"  {result}call {kind.result} @{target.name}({', '.join(given)})",
            f"  ret {kind.result}" + (f" %result.{k}" if result else ""),
            f"other.{k}:",
        )
    lines += (*room(inputs, "false", POINTER, "", asked), *STOP)
    parameters = ("ptr %callee", *given)
    return FunctionText(name, kind.result, parameters, " alwaysinline nounwind", "", tuple(lines))
