"""Whether the text of C files says a name where something is done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.compiling.compiler import read

_NO_CODE = pattern(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_BRACE_OR_MACRO = pattern(rb"[{}]|^[ \t]*#[ \t]*define\b(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)
_WORD = pattern(rb"[A-Za-z_]\w*")


def mentions(
    files: Sequence[Path], names: Iterable[str], edited: Mapping[Path, bytes] | None = None
) -> bool:
    """Whether a word in the body of a function or macro of some file is one of `names`.

    `edited` has texts in the place of files.  A call that clang finds unreachable leaves no trace
    in its output.
    """
    wanted = {name.encode() for name in names}
    given = edited or {}
    texts = (_NO_CODE.sub(b" ", given.get(file) or read(file)) for file in files)
    return any(not wanted.isdisjoint(_WORD.findall(_bodies(text))) for text in texts)


def _bodies(text: bytes) -> bytes:
    """What is in braces, and macros; all of a text whose braces do not match."""
    found, depth, begin = [], 0, 0
    for match in _BRACE_OR_MACRO.finditer(text):
        match match[0]:
            case b"{":
                begin = match.start() if depth == 0 else begin
                depth += 1
            case b"}":
                depth -= 1
                if depth == 0:
                    found.append(text[begin : match.end()])
            case macro:
                found.append(macro)
        if depth < 0:
            return text
    return text if depth else b" ".join(found)
