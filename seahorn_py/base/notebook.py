"""Records as a notebook shows them: HTML without scripts, made of their fields.

All texts are hostile: each is made visible and escaped.  Nothing refers to the network.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar

from seahorn_py.base.errors import Origin, Span, visible

MOST_ROWS, MOST_LETTERS, DEEPEST = 200, 2000, 5

_TABLE = "border-spacing:0.7em 0.1em;font-family:monospace;white-space:pre-wrap"
_CELL = "text-align:left;vertical-align:top"

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
"""The module `html` has this too, and takes a millisecond to load."""

Item = TypeVar("Item", covariant=True)


class Shown:
    """A record that a notebook shows as a table of those of its fields that say something."""

    __slots__ = ()

    def shown(self) -> Mapping[str, object]:
        """What is shown, under its names."""
        return _fields(self)

    def _repr_html_(self) -> str:
        return f"<div><b>{escape(type(self).__name__)}</b>{_of_mapping(self.shown(), 0)}</div>"


class Rows(tuple[Item, ...], Shown):
    """A tuple of records that a notebook shows as a table, a record a row."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _of_sequence(self, 0)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) if self else "()"


def _fields(record: Any) -> Mapping[str, object]:
    """The fields of a dataclass that are neither empty nor what they are by default."""
    found = {}
    for one in dataclasses.fields(record):
        value = getattr(record, one.name)
        if not _is_empty(value) and value != one.default:
            found[one.name] = value
    return found


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | Sequence | Mapping) and not value)


def escape(text: str) -> str:
    """The text as HTML."""
    return text.translate(_ESCAPES)


def text_of(value: object) -> str:
    """A value as visible text of limited length."""
    if isinstance(value, Enum):
        value = value.value
    shown = "\n".join(visible(line) for line in str(value).split("\n"))
    return shown if len(shown) <= MOST_LETTERS else f"{shown[:MOST_LETTERS]} ..."


def _html(value: object, depth: int) -> str:
    """A value as HTML, the parts of records down to a depth."""
    is_record = dataclasses.is_dataclass(value) and not isinstance(value, Span | Origin)
    if depth >= DEEPEST:
        return escape(text_of("..." if is_record else value))
    if isinstance(value, Mapping):
        return _of_mapping(value, depth)
    if isinstance(value, tuple | list | frozenset):
        return _of_sequence(value, depth)
    if isinstance(value, Shown):
        return _of_mapping(value.shown(), depth)
    return _of_mapping(_fields(value), depth) if is_record else escape(text_of(value))


def _of_mapping(entries: Mapping[Any, object], depth: int) -> str:
    rows = [[escape(text_of(name)), _html(value, depth + 1)] for name, value in entries.items()]
    return _table(rows)


def _of_sequence(items: Iterable[object], depth: int) -> str:
    """Records as rows of one table, other things as lines."""
    values = list(items)
    if not values or not all(map(dataclasses.is_dataclass, values)):
        return "<br>".join(_html(one, depth + 1) for one in values[:MOST_ROWS]) + _rest(values)
    if any(isinstance(one, Span | Origin) for one in values):
        return "<br>".join(escape(text_of(one)) for one in values)
    shown = [one.shown() if isinstance(one, Shown) else _fields(one) for one in values[:MOST_ROWS]]
    names = list(dict.fromkeys(name for row in shown for name in row))
    rows = [[_html(row[name], depth + 1) if name in row else "" for name in names] for row in shown]
    return _table(rows, ["", *map(escape, names)]) + _rest(values)


def _rest(values: Sequence[object]) -> str:
    more = len(values) - MOST_ROWS
    return f"<div>and {more} more</div>" if more > 0 else ""


def _table(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    """A table of escaped cells; with a head, its rows are numbered."""
    lines = [f'<table style="{_TABLE}">']
    if head:
        lines.append("<tr>" + "".join(f'<th style="{_CELL}">{one}</th>' for one in head) + "</tr>")
    for number, row in enumerate(rows):
        cells = [str(number), *row] if head else row
        lines.append("<tr>" + "".join(f'<td style="{_CELL}">{one}</td>' for one in cells) + "</tr>")
    return "".join([*lines, "</table>"])
