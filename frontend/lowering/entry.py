"""The entry `sea.main`: extern globals get any value, constructors run, then `main`."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import leading_type
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.frontend.lowering.arguments import arguments
from seahorn_py.ir.program import SiteKind

ENTRY = "sea.main"
AT_EXIT = "sea.at_exit"
"""The model that runs what `atexit` registered."""

_EXTERN = re.compile(r"external (?:[\w()]+ )*?(?:global|constant) (.*)")
_DEBUG = re.compile(r"!dbg !(\d+)")
_CONSTRUCTOR = re.compile(r'\{ i32 (\d+), ptr @((?:[-\w.$]+|"[^"]*")), ptr')


def extern_globals(module: ModuleText) -> dict[str, str]:
    """Globals that no file defines, with their types."""
    found: dict[str, str] = {}
    for name, body in module.globals.items():
        match = _EXTERN.match(body)
        if match:
            found[name] = leading_type(match[1])[0]
    return found


def entry_body(
    module: ModuleText,
    inputs: Inputs,
    debug: DebugText,
    externals: Mapping[str, str],
    used: Container[str],
) -> list[str]:
    """The lines of `sea.main`; InputError without a `main`."""
    main = module.functions.get("main")
    if main is None:
        raise InputError("no main function in the program")
    if "llvm.global_dtors" in module.globals:
        raise UnsupportedError("destructor functions are not supported")
    lines: list[str] = []
    for name, kind in externals.items():
        if name in used and inputs.size(kind):
            dbg = _DEBUG.search(module.globals[name])
            c_type, signed = debug.global_type(dbg[1]) if dbg else ("", None)
            cause = (SiteKind.EXTERN, name, c_type, signed)
            lines.extend(inputs.fill(f"@{name}", kind, cause, ""))
    lines.extend(f"  call void @{name}()" for name in constructors(module))
    given, before = arguments(main, inputs)
    lines.extend(before)
    result = "" if main.result == "void" else f"{inputs.name()} = "
    lines.append(f"  {result}call {main.prefix} @main({given})")
    if AT_EXIT in module.functions:
        lines.append(f"  call void @{AT_EXIT}()")
    return [*lines, "  ret void"]


def constructors(module: ModuleText) -> list[str]:
    """Constructor functions, lower priorities first."""
    found = _CONSTRUCTOR.findall(module.globals.get("llvm.global_ctors", ""))
    return [name for _, name in sorted(found, key=lambda pair: int(pair[0]))]
