"""The entry `sea.main`: extern globals get any value, constructors run, then `main`, its end.

Constructors of one priority run in the order of their definitions, destructors in the reverse one,
as the linker of GNU puts them; the ledger says so.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.frontend.lowering.arguments import SHORT_LINES, arguments
from seahorn_py.frontend.lowering.jumps.jumps import arrived
from seahorn_py.frontend.lowering.library.endings import AT_EXIT, CONSTRUCTORS, DESTRUCTORS
from seahorn_py.ir.program import SiteKind

ENTRY = "sea.main"
_RUN_DESTRUCTORS = "sea.destructors"

_DEBUG = pattern(r"!dbg !(\d+)")
_ACT = pattern(r'\{ i32 (\d+), ptr @((?:[-\w.$]+|"[^"]*")), ptr')


def entry_body(
    module: ModuleText,
    inputs: Inputs,
    debug: DebugText,
    externals: Mapping[str, str],
    used: Container[str],
    line_length: int = 0,
) -> list[str]:
    """The lines of `sea.main`; InputError without a `main`.

    With `line_length` its arguments have at most so many characters, and so have lines (models).
    """
    if line_length:
        inputs.assume(f"{SHORT_LINES} {line_length} characters")
    main = module.functions.get("main")
    if main is None:
        raise InputError("no main function in the program")
    lines: list[str] = []
    for name, kind in externals.items():
        if name in used and inputs.size(kind):
            dbg = _DEBUG.search(module.globals[name])
            c_type, signed = debug.global_type(dbg[1]) if dbg else ("", None)
            cause = (SiteKind.EXTERN, name, c_type, signed)
            lines.extend(inputs.fill(f"@{name}", kind, cause, ""))
    lines.extend(_calls(module, constructors(module)))
    lines.extend(arrived(module, inputs))
    given, before = arguments(main, inputs, line_length)
    lines.extend(before)
    result = "" if main.result == "void" else f"{inputs.name()} = "
    lines.append(f"  {result}call {main.prefix} @main({given})")
    lines.extend(arrived(module, inputs))
    if AT_EXIT in module.functions:
        lines.append(f"  call void @{AT_EXIT}()")
        lines.extend(arrived(module, inputs))
    return [*lines, "  ret void"]


def constructors(module: ModuleText) -> list[str]:
    """Constructor functions, lower priorities first."""
    return [name for _, name in _prioritised(module, CONSTRUCTORS)]


def with_destructors(module: ModuleText, inputs: Inputs) -> ModuleText:
    """The module with the function that models call to run destructors, higher priorities first."""
    for table in (CONSTRUCTORS, DESTRUCTORS):
        priorities = [priority for priority, _ in _prioritised(module, table)]
        if len(set(priorities)) < len(priorities):
            inputs.assume("constructors and destructors of one priority run in the order of GNU")
    if _RUN_DESTRUCTORS not in module.declarations:
        return module
    names = [name for _, name in reversed(_prioritised(module, DESTRUCTORS))]
    body = (*_calls(module, names), "  ret void")
    function = replace(module.declarations[_RUN_DESTRUCTORS], lines=body, debug="")
    return replace(module, functions={**module.functions, _RUN_DESTRUCTORS: function})


def _prioritised(module: ModuleText, table: str) -> list[tuple[int, str]]:
    """Priorities and names, lower priorities first, else in the order of the text."""
    found = [
        (int(priority), name) for priority, name in _ACT.findall(module.globals.get(table, ""))
    ]
    return sorted(found, key=lambda act: act[0])


def _calls(module: ModuleText, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        function = module.signature(name)
        yield f"  call {function.prefix if function else 'void'} @{name}()"
