"""Data races in the product: a thread stops before an access, another one makes one of its own.

Two accesses race if they are of the same bytes, one of them writes, one is not atomic, and both can
be the next of their threads (C17, 5.1.2.4).  Before an access that is not atomic an input may stop
the thread there for ever; where it stands is control, its pointer is data.  An access of another
thread that meets it is a check that fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.threads.accesses import ANY, overlap
from seahorn_py.frontend.lowering.threads.cutting import TOUCH, Touch
from seahorn_py.options import Property

STOPPED = "sea.stopped."
"""Begins the place of a thread that stands before an access."""

POINTER = "sea.stopped.at"
"""The variable with the pointer of that access."""

_GLOBAL = re.compile(rf"@({NAME})$")
_PART = re.compile(rf"getelementptr [^(]*\(i8, ptr @({NAME}), i\d+ (\d+)\)$")


class Races:
    """What marks of accesses mean; `touches` has them by the names of marks."""

    def __init__(self, touches: Mapping[str, Touch], escaped: frozenset[str], inputs: Inputs):
        self._touches = touches
        self._escaped = escaped
        self._inputs = inputs

    def may_race(self, mark: str, other: str) -> bool:
        """Whether two marked accesses may race."""
        one, two = self._touches[mark], self._touches[other]
        if one.thread == two.thread or (one.is_atomic and two.is_atomic):
            return False
        if not (one.access.writes or two.access.writes):
            return False
        spans = self._span(one), self._span(two)
        if spans[0] and spans[1]:
            return spans[0][0] == spans[1][0] and _meet(*spans[0][1:], *spans[1][1:])
        return any(overlap(a, b, self._escaped) for a in one.bases for b in two.bases)

    def can_stop(self, mark: str) -> bool:
        """Whether a thread may stop before the access, to meet one that races with it."""
        is_plain = not self._touches[mark].is_atomic
        return is_plain and any(self.may_race(mark, other) for other in self._touches)

    @property
    def marks(self) -> Iterable[str]:
        """The marks of all accesses that may race."""
        return self._touches

    def check(self, mark: str, stopped: str, pointer: str, debug: str) -> Iterator[str]:
        """The check that an access does not race with that of a stopped thread."""
        for lines, apart, text in self.meeting(mark, stopped, pointer, debug):
            yield from lines
            yield from self._inputs.check(apart, text, debug, Property.NO_DATA_RACE)

    def meeting(
        self, mark: str, stopped: str, pointer: str, debug: str
    ) -> Iterator[tuple[list[str], str, str]]:
        """If two accesses may race: lines, which bit says that they do not, and what to say."""
        if not self.may_race(mark, stopped):
            return
        one, two = self._touches[mark], self._touches[stopped]
        lines, apart = list[str](), "false"
        if not (self._span(one) and self._span(two)):
            other, apart = self._inputs.name(), self._inputs.name()
            lines.append(f"  {other} = load ptr, ptr %{POINTER}, align 8{debug}")
            lines += self._apart(apart, (pointer, one), (other, two), debug)
        bases = sorted((one.bases | two.bases) - {ANY})
        what = bases[0][1:] if bases else "the same bytes"
        yield lines, apart, f"two threads access {what} at once, a data race"

    def _apart(
        self, result: str, one: tuple[str, Touch], two: tuple[str, Touch], debug: str
    ) -> Iterator[str]:
        """Whether the bytes at two pointers are others."""
        sizes = self._size(one[1]), self._size(two[1])
        aligned = all(
            touch.alignment >= size for (_, touch), size in zip((one, two), sizes, strict=True)
        )
        if sizes[0] == sizes[1] and aligned:
            yield f"  {result} = icmp ne ptr {one[0]}, {two[0]}{debug}"
            return
        word = self._inputs.word
        first, second, below, above, behind, before = (self._inputs.name() for _ in range(6))
        yield f"  {first} = ptrtoint ptr {one[0]} to {word}{debug}"
        yield f"  {second} = ptrtoint ptr {two[0]} to {word}{debug}"
        yield f"  {below} = add {word} {first}, {sizes[0]}{debug}"
        yield f"  {above} = add {word} {second}, {sizes[1]}{debug}"
        yield f"  {before} = icmp ule {word} {below}, {second}{debug}"
        yield f"  {behind} = icmp ule {word} {above}, {first}{debug}"
        yield f"  {result} = or i1 {before}, {behind}{debug}"

    def _size(self, touch: Touch) -> int:
        return self._inputs.size(touch.access.type)

    def _span(self, touch: Touch) -> tuple[str, int, int] | None:
        """The global, the first byte and the number of bytes, where the text says so."""
        if touch.access.type == "bytes":
            return None
        pointer = touch.access.pointer
        if (found := _GLOBAL.match(pointer)) is not None:
            return found[1], 0, self._size(touch)
        found = _PART.match(pointer)
        return (found[1], int(found[2]), self._size(touch)) if found else None


def _meet(one: int, count: int, two: int, other: int) -> bool:
    return one < two + other and two < one + count


def mark_of(place: str) -> str:
    """The mark of the access before which a thread stands."""
    return TOUCH + place[len(STOPPED) :]


def is_stopped(place: str) -> bool:
    """Whether a place is that of a thread that stands before an access."""
    return place.startswith(STOPPED) and place != POINTER
