"""Symbols that begin with `sea.` are ours: no program may define, declare or alias one.

The run time would take such a function for its own entry, the reader such a call for an event.  In
C they come from assembler labels; only a static variable of a function that is called `sea` gets
such a name by itself, and another one here.
"""

from __future__ import annotations

import re
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern

_LINE = pattern(r"^(?:define|declare|@).*sea\..*$", re.MULTILINE)
_TEXT = pattern(r'(?<!@)"[^"]*"')
_NAMED = pattern(r'@(?:"(?:\\01)?(?P<quoted>[^"]*)"|(?P<plain>[\w.$-]+))(?P<rest>[^\n]*)')
_STATIC = pattern(r" = (?:internal|private) (?:[a-z_]\w*(?:\(\w*\))? )*?(?:global|constant) ")
_PLAIN_NAME = pattern(r'"[^"]*"|@(sea\.[\w.$-]+)')


def without_ours(file: Path, text: str) -> str:
    """The module of a file, with its static variables named apart from ours.

    InputError where it has any other symbol with a name of ours.
    """
    if "sea." not in text:
        return text
    static = set()
    for line in _LINE.finditer(text):
        found = _NAMED.search(_TEXT.sub('""', line[0]))
        name = (found["plain"] or found["quoted"]) if found else ""
        if found is None or not name.startswith("sea."):
            continue
        if not found["plain"] or not _STATIC.match(found["rest"]):
            raise InputError(f"{file}: the symbol {name} has a name that is kept for sea-py")
        static.add(name)
    return _renamed(text, static) if static else text


def _renamed(text: str, names: set[str]) -> str:
    mark = "_"
    while f"@{mark}sea." in text:
        mark += "_"

    def new(found: re.Match[str]) -> str:
        return f"@{mark}{found[1]}" if found[1] in names else found[0]

    return _PLAIN_NAME.sub(new, text)
