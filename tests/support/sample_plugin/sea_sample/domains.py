"""The parity of linear terms, and a domain that forgets points."""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.invariants.domains import AtMost, Congruent, Constraint, Domain, dot

Linear = Sequence[tuple[int, ...]]


class Parities:
    def __init__(self, linear: Linear) -> None:
        self._linear = linear
        self._known: dict[int, int] | None = None

    def join(self, vector: Sequence[int]) -> bool:
        now = {k: dot(term, vector) % 2 for k, term in enumerate(self._linear)}
        before = self._known
        kept = now if before is None else {k: p for k, p in before.items() if now[k] == p}
        self._known = kept
        return kept != before

    def constraints(self) -> list[Constraint]:
        return [Congruent(self._linear[k], 2, p) for k, p in (self._known or {}).items()]


def parities(linear: Linear, thresholds: Sequence[int]) -> Domain:
    return Parities(linear)


class First:
    """Knows the first point only."""

    def __init__(self, linear: Linear) -> None:
        self._linear = linear
        self._first: Sequence[int] | None = None

    def join(self, vector: Sequence[int]) -> bool:
        is_new = self._first is None
        self._first = vector if self._first is None else self._first
        return is_new

    def constraints(self) -> list[Constraint]:
        first = self._first or ()
        return [AtMost(term, dot(term, first)) for term in self._linear]


def first(linear: Linear, thresholds: Sequence[int]) -> Domain:
    return First(linear)
