"""What can be told of a run, in its order, and the two kinds of witnesses that are made of it.

The formats differ in where they tell the value of an input: YAML 2.0 at a statement, GraphML 1.0 on
the line where the value is read.  So both places are kept until the format is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import assert_never

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.witness.witness import (
    About,
    Assumption,
    Branching,
    Place,
    Returned,
    Segment,
    Target,
    ViolationWitness,
    Waypoint,
)

_SMALLEST = pattern(r"\(-(\d+)(?:LL)? - 1\)")
_SUFFIX = pattern(r"\b(\d+)(?:ULL|LL|U)\b")


@dataclass(frozen=True, slots=True)
class Holding:
    """Comparisons in C that hold just before the statement at `place`.

    Each tells the value of one input, with the place where the value is read; that is None if a
    `Returning` in front of it tells the value too.  Without comparisons, a run just comes there.
    """

    place: Place
    facts: tuple[tuple[str, Place | None], ...]


@dataclass(frozen=True, slots=True)
class Returning:
    """The call of `callee` has just returned `value`; its closing parenthesis is at `place`.

    `read` is where the call begins.  `again` says that a `Holding` behind it tells the value too.
    """

    place: Place
    callee: str
    value: str
    read: Place
    again: bool = False


Told = Holding | Returning | Branching | Target


def by_statements(
    about: About, path: Sequence[Told], cycle: Sequence[Told] = ()
) -> ViolationWitness:
    """The witness with waypoints at statements; it tells no value of a call and a variable both."""
    return replace(_witness(about, _at_statements(path)), cycle=_segments(_at_statements(cycle)))


def _at_statements(path: Sequence[Told]) -> Iterator[Waypoint | Target]:
    told = (t for t in path if not (isinstance(t, Returning) and t.again))
    return map(_at_statement, told)


def by_lines(about: About, path: Sequence[Told]) -> ViolationWitness:
    """The witness with values and the target by line, without decisions, with plain constants."""
    witness = _witness(about, (waypoint for told in path for waypoint in _in_lines(told)))
    return replace(witness, is_dense=False)


def _witness(about: About, path: Iterable[Waypoint | Target]) -> ViolationWitness:
    return ViolationWitness(about, _segments(path))


def _segments(path: Iterable[Waypoint | Target]) -> tuple[Segment, ...]:
    return tuple(Segment((), waypoint) for waypoint in path)


def _at_statement(told: Told) -> Waypoint | Target:
    match told:
        case Holding(place, facts):
            return Assumption(place, (" && ".join(text for text, _ in facts) or "1",))
        case Returning(place, callee, value):
            return Returned(place, f"\\result == {value}", callee)
        case Branching() | Target():
            return told
        case _:
            assert_never(told)


def _in_lines(told: Told) -> Iterator[Waypoint | Target]:
    match told:
        case Holding(_, facts):
            read = [(text, place) for text, place in facts if place is not None]
            # a second edge for a line would mean another visit of the line
            for _, group in groupby(read, key=lambda fact: (fact[1].line, fact[1].function)):
                texts, places = zip(*group, strict=True)
                yield Assumption(_line(places[0]), tuple(_plain(text) for text in texts))
        case Returning(_, callee, value, read):
            yield Returned(_line(read), f"\\result == {_plain(value)}", callee)
        case Branching():
            return
        case Target(place):
            yield replace(told, place=_line(replace(place, function="")))
        case _:
            assert_never(told)


def _line(place: Place) -> Place:
    return Place("", place.line, place.last, None, place.function)


def _plain(text: str) -> str:
    """Constants without suffixes, as validators of GraphML read them."""
    smallest = _SMALLEST.sub(lambda found: str(-int(found[1]) - 1), text)
    return _SUFFIX.sub(r"\1", smallest)
