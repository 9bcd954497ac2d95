"""Functions without a body whose address is used, in LLVM text.

A call through a pointer is a choice between functions with bodies.  So that it may lead to one
without, such a function gets a body that calls it by its name, and its address becomes that of the
body.  A function with `...` gets none, since nothing hands such arguments on.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.lines import read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.checks.pointercalls import taken
from seahorn_py.frontend.lowering.events.events import Meaning
from seahorn_py.ir.operands import OUTSIDE
from seahorn_py.options import FrontendOptions

_SYMBOL = pattern(rf'@({NAME})|"[^"]*"')
_RESERVED = ("llvm.", "sea.", '"')


def with_bodies(module: ModuleText, options: FrontendOptions) -> ModuleText:
    """The module with a body for each of them; events have bodies of their own."""
    known = {
        name
        for name, function in module.declarations.items()
        if not (function.variadic or name in module.weak or name.startswith(_RESERVED))
    }
    used = taken(module, known) if known else {}
    if used:
        meaning = Meaning(module, options)
        used = {name: None for name in used if not meaning.stands_alone(name)}
    if not used:
        return module
    functions = {
        name: replace(f, lines=tuple(_redirected(line, used) for line in f.lines))
        for name, f in module.functions.items()
    }
    bodies = [_body(module.declarations[name]) for name in used]
    globals_ = {name: _renamed(text, used) for name, text in module.globals.items()}
    return replace(module, functions={**functions, **{f.name: f for f in bodies}}, globals=globals_)


def _redirected(line: str, used: Collection[str]) -> str:
    """The line, with bodies for the functions but the one that it calls."""
    if "@" not in line:
        return line
    call = read_call(line) if " call " in line else None
    if call is None or call.callee not in used:
        return _renamed(line, used)
    head, callee, tail = line.partition(f" @{call.callee}(")
    return f"{head}{callee}{_renamed(tail, used)}"


def _renamed(text: str, used: Collection[str]) -> str:
    return _SYMBOL.sub(lambda m: f"@{m[1]}{OUTSIDE}" if m[1] in used else m[0], text)


def _body(function: FunctionText) -> FunctionText:
    """The call of a function, which returns what that returns."""
    given = tuple(f"{kind} %{k}" for k, kind in enumerate(function.parameters))
    call = f"call {function.prefix} @{function.name}({', '.join(given)})"
    lines = (f"  {call}", "  ret void")
    if function.result != "void":
        lines = (f"  %result = {call}", f"  ret {function.result} %result")
    attributes = " nounwind null_pointer_is_valid"
    name = f"{function.name}{OUTSIDE}"
    return FunctionText(name, function.prefix, given, attributes, "", lines)
