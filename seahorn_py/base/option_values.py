"""What the values of options may be.

A rule takes any value and returns the one to use, or raises ValueError with what it expects:
strings become paths and members of enumerations, lists become tuples.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

Rule: TypeAlias = Callable[[object], object]

MOST_SECONDS = 1_000_000
"""Eleven days: waiting for processes counts milliseconds in 32 bits."""
MOST_MEMORY_MIB = 1 << 30
NAME = r"[A-Za-z_$.][\w$.]*"
"""The name of a function or a label."""
DEFINITION = r"[A-Za-z_$][\w$]*(\([^()]*\))?(=[^\n\0]*)?"
"""NAME[=VALUE] or NAME(PARAMETERS)[=VALUE], as after `-D`."""
CHOICE = r"(-?\d{1,18})?"
"""A number, or nothing."""


def settle(options: object, **rules: Rule) -> None:
    """Give each named field of a frozen dataclass its value; a ValueError names the field."""
    for name, rule in rules.items():
        given = getattr(options, name)
        try:
            value = rule(given)
        except ValueError as expected:
            shown = repr(given)
            shown = shown if len(shown) <= 80 else f"{shown[:80]}..."
            owner = type(options).__name__
            raise ValueError(f"{owner}: {name}={shown}: expected {expected}") from None
        if value is not given:
            object.__setattr__(options, name, value)


def flag(value: object) -> object:
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError("True or False")
    return value


def one_of(*allowed: int) -> Rule:
    """One of some numbers."""

    def rule(value: object) -> object:
        if type(value) is not int or value not in allowed:
            raise ValueError(" or ".join(map(str, allowed)))
        return value

    return rule


def whole(least: int, most: int | None = None) -> Rule:
    """A whole number in a range."""

    def rule(value: object) -> object:
        if type(value) is not int or value < least or (most is not None and value > most):
            until = "" if most is None else f" and {most} at most"
            raise ValueError(f"a whole number, {least} at least{until}")
        return value

    return rule


def number(least: float, most: float, *, is_open: bool = False) -> Rule:
    """A number in a range, without its lower end if `is_open`; never NaN."""

    def rule(value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool):
            above = least < value or (least == value and not is_open)
            if above and value <= most:
                return value
        begin = f" above {least}" if is_open else f", {least} at least"
        end = "" if math.isinf(most) else f" and {most} at most"
        raise ValueError(f"a number{begin}{end}")

    return rule


SECONDS = number(0, MOST_SECONDS, is_open=True)


def optional(rule: Rule) -> Rule:
    """None, or what the rule allows."""
    return lambda value: None if value is None else rule(value)


def member(kind: type[Enum]) -> Rule:
    """A member of an enumeration, or its value."""

    def rule(value: object) -> object:
        if isinstance(value, kind):
            return value
        for one in kind:
            if isinstance(value, str) and one.value == value:
                return one
        raise ValueError(f"one of {', '.join(str(one.value) for one in kind)}")

    return rule


def members(kind: type[Enum]) -> Rule:
    """A set of members of an enumeration, or of their values."""
    each = member(kind)

    def rule(value: object) -> object:
        if not _is_series(value, set, frozenset):
            raise ValueError(f"a set of {kind.__name__}")
        return frozenset(each(one) for one in _series(value))

    return rule


def tuple_of(each: Rule, what: str) -> Rule:
    """A tuple, of what the rule allows."""

    def rule(value: object) -> object:
        if not _is_series(value):
            raise ValueError(f"a tuple of {what}")
        found = tuple(each(one) for one in _series(value))
        return value if isinstance(value, tuple) and found == value else found

    return rule


def _is_series(value: object, *others: type) -> bool:
    return isinstance(value, (tuple, list, *others))


def _series(value: object) -> Iterable[Any]:
    assert isinstance(value, Iterable)
    return value


def path(value: object) -> object:
    """A path, not empty."""
    if isinstance(value, Path):
        return value
    if not isinstance(value, str | os.PathLike) or not (text := os.fspath(value)) or "\0" in text:
        raise ValueError("a path")
    return Path(text)


def text(value: object) -> object:
    """A string."""
    if not isinstance(value, str):
        raise ValueError("a string")
    return value


def matching(pattern: str, what: str) -> Rule:
    """A string of a certain look."""
    known = re.compile(pattern)

    def rule(value: object) -> object:
        if not isinstance(value, str) or not known.fullmatch(value):
            raise ValueError(what)
        return value

    return rule


def instance(kind: type) -> Rule:
    """An object of a class."""

    def rule(value: object) -> object:
        if not isinstance(value, kind):
            raise ValueError(kind.__name__)
        return value

    return rule


def area(value: object) -> tuple[int, int]:
    """An area of memory at a fixed address: its first address, above 0, and its size in bytes."""
    match value:
        case (int(first), int(size)) if first > 0 and size > 0 and first + size <= 1 << 64:
            return (first, size)
    raise ValueError("pairs of an address above 0 and a size in bytes, below 2^64")


def edit(value: object) -> object:
    """A file, and the text to read in its place."""
    match value:
        case (file, bytes(contents)):
            return value if isinstance(file, Path) else (path(file), contents)
    raise ValueError("pairs of a path and bytes")
