"""The string literals of a module: texts of failed assertions, formats of output functions."""

from __future__ import annotations

import re
from functools import cached_property

from seahorn_py.frontend.llvmtext.irtext import NAME, CallText, ModuleText

_LITERAL = re.compile(r'c"((?:[^"\\]|\\[0-9A-Fa-f]{2})*)"')
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")
_COUNTING = re.compile(r"%[-+ #0-9.*hlLqjzt]*n")
_FORMATS = {"printf": 0, "vprintf": 0, "fprintf": 1, "vfprintf": 1}


class Strings:
    """What arguments of calls say."""

    def __init__(self, module: ModuleText) -> None:
        self._module = module

    def text(self, argument: str) -> str:
        """The constant string that an argument points to, "" if it is none."""
        found = re.search(rf"@({NAME})$", argument)
        content = _LITERAL.search(self._module.globals.get(found[1], "")) if found else None
        if content is None:
            return ""
        raw = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), content[1])
        return raw.rstrip("\0").encode("latin-1", "replace").decode("utf-8", "replace")

    def may_count(self, call: CallText) -> bool:
        """Whether the call's format may contain `%n`; an unknown one is some string of ours."""
        position = _FORMATS.get(call.callee, len(call.arguments))
        if position >= len(call.arguments):
            return False
        text = self.text(call.arguments[position])
        return bool(_COUNTING.search(text)) if text else self._some_count

    @cached_property
    def _some_count(self) -> bool:
        strings = (s for body in self._module.globals.values() for s in _LITERAL.findall(body))
        return any(_COUNTING.search(string) for string in strings)
