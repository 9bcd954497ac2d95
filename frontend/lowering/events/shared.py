"""What functions without a body share with the program: the globals that no file defines.

Such a function may use them by their names, so they are arbitrary behind a call of one that is
given numbers only.  Where the program may have left an address of its own in one of them, the call
stays a call, as that of a function that is given pointers does: the environment says what may
change then (`passes.environment`), and no run goes through it.
"""

from __future__ import annotations

from functools import cached_property

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, references
from seahorn_py.frontend.llvmtext.module import ModuleText, extern_globals
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.ir.program import SiteKind

_CHANGES = pattern(r"external (?:[\w()]+ )*?global ")
_NO_ADDRESS = pattern(rf"  (?:%{NAME} = load |store i\d+ -?\d+, )")
"""Reads, and writes of constants; the symbol in such a line is that of the place.

Any other number may be an address or a part of one.
"""

_DEBUG = pattern(r"!dbg !(\d+)")
_MOST = 16
"""Beyond so many of them, their values would make more of the program than the program."""


class Shared:
    """The globals of a module that no file defines and that may change."""

    def __init__(self, module: ModuleText, inputs: Inputs, debug: DebugText) -> None:
        self._module = module
        self._inputs = inputs
        self._debug = debug

    @cached_property
    def keep_addresses(self) -> bool:
        """Whether an address may be written to one of them; or they are too many to say."""
        other = {
            name
            for function in self._module.functions.values()
            for line in function.lines
            if "@" in line and not _NO_ADDRESS.match(line)
            for name in references(line)
        }
        other.update(name for body in self._module.globals.values() for name in references(body))
        return len(self._kinds) > _MOST or any(
            name in other and self._has_room(kind) for name, kind in self._kinds.items()
        )

    def changed(self, call: CallText) -> list[str]:
        """Lines that make all of them arbitrary."""
        lines: list[str] = []
        for name, kind in self._kinds.items():
            declared = _DEBUG.search(self._module.globals[name])
            c_type, signed = self._debug.global_type(declared[1]) if declared else ("", None)
            cause = (SiteKind.EXTERN, name, c_type, signed)
            lines.extend(self._inputs.fill(f"@{name}", kind, cause, call.debug))
        return lines

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """Those that some function names, with their types."""
        kinds = {
            name: kind
            for name, kind in extern_globals(self._module).items()
            if _CHANGES.match(self._module.globals[name]) and self._inputs.size(kind)
        }
        if not kinds:
            return {}
        lines = (line for f in self._module.functions.values() for line in f.lines if "@" in line)
        named = {name for line in lines for name in references(line)}
        named.update(name for body in self._module.globals.values() for name in references(body))
        return {name: kind for name, kind in kinds.items() if name in named}

    def _has_room(self, kind: str) -> bool:
        """Whether an address fits into an object of the type."""
        return self._inputs.size(kind) >= self._inputs.size("ptr")
