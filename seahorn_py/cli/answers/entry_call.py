"""The call of an entry that violates a check, as C writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.compiling.arbitrary import PREFIX
from seahorn_py.frontend.compiling.entries import ALL
from seahorn_py.result import InputValue, Violation

_READ = pattern(rf"{PREFIX}(?:\d+_\d+_)?")


def called(entries: Sequence[str], violation: Violation) -> tuple[str, ...]:
    """The entry that a run begins with, as far as it can be told."""
    if len(entries) == 1 and entries[0] != ALL:
        return tuple(entries)
    places = (step.place for step in violation.trace)
    return tuple(islice((p.function for p in places if not p.file.startswith("<")), 1))


def call_lines(entries: Sequence[str], inputs: Sequence[InputValue]) -> Iterator[str]:
    """Statements that make the arguments, by the inputs that were read, and the call."""
    read = {_READ.sub("", i.name): i.value for i in inputs if _READ.match(i.name)}
    made = list(dict.fromkeys(filter(None, map(_object, read))))
    for name in made:
        yield f"{_shown(name)} = {_value(name, read)};"
    if len(entries) == 1:
        arguments = ", ".join(_shown(name) for name in made if name.endswith("_"))
        yield f"{entries[0]}({arguments});"


def _object(read: str) -> str:
    kind, _, name = read.partition("_")
    return name if kind in ("null", "value", "count") else ""


def _value(name: str, read: dict[str, int]) -> str:
    if f"value_{name}" in read:
        return str(read[f"value_{name}"])
    same = f"same_{name}_"
    for other in (k.removeprefix(same) for k, v in read.items() if v and k.startswith(same)):
        return _shown(other)
    if read.get(f"null_{name}"):
        return "NULL"
    count = read.get(f"count_{name}")
    size = f"sizeof *{_shown(name)}"
    return f"malloc({size})" if count is None else f"malloc({count} * {size})"


def _shown(name: str) -> str:
    """`head__next` is a member of what the parameter `head` leads to."""
    head, _, path = name.partition("__")
    return f"{head}->{path}" if path else name.removesuffix("_")
