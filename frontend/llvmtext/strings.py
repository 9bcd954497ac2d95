"""The string literals of a module: texts of failed assertions, formats of output functions."""

from __future__ import annotations

from functools import cached_property

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.lines import CallText
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME, string_bytes

_LITERAL = pattern(r'c"[^"]*"')
_ENDED = pattern(r'(?:\w+(?:\([^)]*\))? )*?constant \[\d+ x i8\] (c"[^"]*\\00")(?![^,])')
"""A string that nothing may write to, and that ends in 0."""

_ARRAY = pattern(r"(?:\w+(?:\([^)]*\))? )*?global ")
_POINTED = pattern(rf"@({NAME})$")
_COUNTING = pattern(r"%[-+ #'I0-9.*$hlLqjzt]*n")
_FORMATS = {"printf": 0, "vprintf": 0, "fprintf": 1, "vfprintf": 1}


class Strings:
    """What arguments of calls say."""

    def __init__(self, module: ModuleText) -> None:
        self._module = module

    def text(self, argument: str) -> str:
        """The constant string that an argument points to, "" if it is none."""
        found = _POINTED.search(argument)
        literal = _ENDED.match(self._module.globals.get(found[1], "")) if found else None
        return _characters(literal[1]) if literal else ""

    def may_count(self, call: CallText) -> bool:
        """Whether the call's format may contain `%n`; an unknown one is some string of ours."""
        position = _FORMATS.get(call.callee, len(call.arguments))
        if position >= len(call.arguments):
            return False
        text = self.text(call.arguments[position])
        return bool(_COUNTING.search(text)) if text else self._may_change(call, position)

    def _may_change(self, call: CallText, position: int) -> bool:
        """Whether an unknown format may count: an array of the program may become any."""
        found = _POINTED.search(call.arguments[position])
        is_array = found and _ARRAY.match(self._module.globals.get(found[1], ""))
        return bool(is_array and call.arguments[position + 1 :]) or self._some_count

    @cached_property
    def _some_count(self) -> bool:
        strings = (s for body in self._module.globals.values() for s in _LITERAL.findall(body))
        return any(_COUNTING.search(_characters(string)) for string in strings)


def _characters(literal: str) -> str:
    return string_bytes(literal).rstrip(b"\0").decode("utf-8", "replace")
