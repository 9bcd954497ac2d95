"""Colours of a terminal, and the line of C that an answer is about, with a caret below it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seahorn_py.base.errors import Span, visible

_RESET, _BOLD, _DIM = "\033[0m", "\033[1m", "\033[2m"
_RED, _GREEN, _YELLOW, _CYAN = "\033[1;31m", "\033[1;32m", "\033[1;33m", "\033[36m"
_ANSWERS = {"unsafe": _RED, "safe": _GREEN, "unknown": _YELLOW}
_LABELS = {"input": _BOLD, "trace": _CYAN, "call": _BOLD, "warning": _YELLOW, "try": _BOLD}
MOST_COLUMNS = 160
"""Longer lines of C are cut."""


def painted(line: str) -> str:
    """A visible line of an answer, its label in the colour of what it says."""
    label, colon, rest = line.partition(": ")
    if not colon or not label.replace(" ", "").isalpha():
        return line
    if label in _ANSWERS:
        return f"{_ANSWERS[label]}{label}:{_RESET} {_BOLD}{rest}{_RESET}"
    return f"{_LABELS.get(label, _DIM)}{label}:{_RESET} {_of_row(rest)}"


def _of_row(rest: str) -> str:
    """The answer in a line about one check or property."""
    for answer, colour in _ANSWERS.items():
        for before, after in ((": ", ":"), (": ", ""), ("  ", ":"), ("  ", "")):
            word = f"{before}{answer}{after}"
            if word in rest and (after or rest.endswith(word)):
                head, _, tail = rest.rpartition(word)
                return f"{head}{before}{colour}{answer}{_RESET}{after}{tail}"
    return rest


def excerpt(place: Span | None) -> Iterator[str]:
    """The line of C at a place, and a caret below its column; nothing if it cannot be read."""
    if place is None or place.line <= 0:
        return
    from seahorn_py.evidence.trace.source import source_lines

    lines = source_lines(Path(place.file))
    if place.line > len(lines):
        return
    line = lines[place.line - 1]
    if len(line) > MOST_COLUMNS:
        return
    before = _shown(line[: max(place.column - 1, 0)])
    number = f"{place.line:>5} | "
    yield f"{_DIM}{number}{_RESET}{_shown(line)}"
    if place.column > 0:
        margin = " " * (len(number) - 2) + "| "
        yield f"{_DIM}{margin}{_RESET}{' ' * len(before)}{_GREEN}^{_RESET}"


def _shown(text: bytes) -> str:
    return visible(text.decode("utf-8", "replace").expandtabs(8))
