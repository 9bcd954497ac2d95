"""The policy: numbers that steer turns, shares of the time, seconds and effort, from `policy.json`.

None of them is part of what an answer means: with other numbers other problems stay unknown.  In
the file each has `why` it is there and what measurement would be `overturned_by`.  Schedules are in
the format of `--schedule`.

JSON is read within 0.6 ms; to import PyYAML alone takes a hundred times as long.  The sections are
frozen as dataclasses are, which take 6 ms to be made, more than all the rest.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from seahorn_py.policy.sections import Count, Limit, Policy, Seconds, Share, Turns

FILE = Path(__file__).with_name("policy.json")

MOST_SECONDS = 1_000_000
"""The most that a number of seconds may be, as of a time limit."""

_NUMBERS = (int, float)
_SECONDS = (
    lambda v: type(v) in _NUMBERS and 0 < v <= MOST_SECONDS,
    f"a number above 0, {MOST_SECONDS} at most",
)
_ALLOWED: dict[Any, tuple[Callable[[Any], bool], str]] = {
    Share: (lambda v: type(v) in _NUMBERS and 0 < v <= 1, "a number above 0, 1 at most"),
    Seconds: _SECONDS,
    Limit: _SECONDS,
    Count: (lambda v: type(v) is int and v > 0, "a whole number above 0"),
    Turns: (lambda v: type(v) is list and bool(v), "a list of turns"),
}
"""What a value of each kind may be, and in words."""

_ENTRY = {"value", "why", "overturned_by"}


@cache
def policy() -> Policy:
    """The policy, read when it is asked for first."""
    return policy_in(FILE.read_text(encoding="utf-8"))


def policy_in(text: str) -> Policy:
    """The policy in a text; ValueError names the key that is unknown, missing or out of range."""
    data = json.loads(text)
    kinds = Policy.__annotations__
    _check_keys(data, set(kinds), "the policy")
    return Policy(**{name: _section(kind, data[name], name) for name, kind in kinds.items()})


def _section(kind: Any, data: Any, where: str) -> Any:
    kinds = kind.__annotations__
    _check_keys(data, set(kinds), where)
    values = {name: _value(kinds[name], data[name], f"{where}.{name}") for name in kinds}
    limits = {name: values.pop(name) for name in kinds if kinds[name] is Limit}
    return kind(limits, **values)


def _value(kind: Any, data: Any, where: str) -> Any:
    _check_keys(data, _ENTRY | {"of_run"} if kind is Limit else _ENTRY, where)
    value = data["value"]
    _check_value(kind, value, where)
    if kind is Limit:
        _check_value(Share, data["of_run"], f"{where}.of_run")
        return value, data["of_run"]
    return tuple(value) if kind is Turns else value


def _check_value(kind: Any, value: Any, where: str) -> None:
    allowed, in_words = _ALLOWED[kind]
    if not allowed(value):
        raise ValueError(f"{where}: {value!r} is not {in_words}")


def _check_keys(data: Any, expected: set[str], where: str) -> None:
    if not isinstance(data, dict):
        raise ValueError(f"{where}: not an object")
    if wrong := sorted(data.keys() ^ expected):
        kind = "unknown" if wrong[0] in data else "missing"
        raise ValueError(f"{where}: {wrong[0]} is {kind}")
