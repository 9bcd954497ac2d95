"""Comparisons of a term with constants, as bounds of it: `k < n` for k = 0, 1, 2, ...

A loop whose end is symbolic makes one comparison of the same term for each iteration.  Read as
bounds, all comparisons but the last are implied by it, and the exits `n = 3`, `n = 4`, ... make up
an interval.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Protocol, Self, TypeVar

from pysmt import operators as op

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

_STRICT = {op.BV_ULT, op.BV_SLT, op.LT}
_SIGNED = {op.BV_SLT, op.BV_SLE}
COMPARISONS = _STRICT | _SIGNED | {op.BV_ULE, op.LE}


@dataclass(frozen=True, slots=True)
class Axis:
    """A term, by identity, and the order in which it is compared."""

    term: Hashable
    signed: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """The number on the axis is at most (`upper`) or at least the limit."""

    axis: Axis
    upper: bool
    limit: int

    @property
    def negated(self) -> Bound:
        """The complement."""
        return Bound(self.axis, not self.upper, self.limit + (1 if self.upper else -1))

    def tighter(self, other: Bound) -> bool:
        """Says more than another bound of the same side."""
        return self.limit < other.limit if self.upper else self.limit > other.limit


class Literal(Protocol):
    """A Boolean that may be a bound."""

    bound: Bound | None

    def __hash__(self) -> int: ...


L = TypeVar("L", bound=Literal)


@dataclass(frozen=True)
class Comparison:
    """How the comparison at the top of a term bounds its other side when one is a constant."""

    strict: bool
    signed: bool
    width: int | None

    @classmethod
    def of(cls, node: Term) -> Self | None:
        """None where numbers are not integers."""
        kind, sort = node.node_type(), terms.sort_of(node.args()[0]) if node.args() else None
        if kind not in COMPARISONS or sort is None or not (sort is terms.INT or sort.is_bv_type()):
            return None
        return cls(kind in _STRICT, kind in _SIGNED, None if sort is terms.INT else sort.width)

    def bound(self, term: Hashable, constant: int, *, constant_first: bool) -> Bound | bool:
        """What `constant < term` or `term < constant` says; `bool` where it is decided."""
        upper = not constant_first
        if self.signed and self.width is not None and constant >> (self.width - 1):
            constant -= 1 << self.width
        limit = constant + self.strict * (-1 if upper else 1)
        if self.width is not None:
            least = -(1 << (self.width - 1)) if self.signed else 0
            most = least + (1 << self.width) - 1
            if limit < least or limit > most:
                return (limit > most) is upper
            if limit == (most if upper else least):
                return True
        return Bound(Axis(term, self.signed), upper, limit)


def reduced(literals: frozenset[L]) -> frozenset[L] | None:
    """The conjunction without bounds that others imply; None where bounds exclude each other."""
    tightest: dict[tuple[Axis, bool], L] = {}
    bounds = 0
    for literal in literals:
        bound = literal.bound
        if bound is not None:
            bounds += 1
            side = bound.axis, bound.upper
            known = tightest.get(side)
            if known is None or known.bound is None or bound.tighter(known.bound):
                tightest[side] = literal
    if bounds < 2:
        return literals
    for (axis, upper), literal in tightest.items():
        other = tightest.get((axis, False)) if upper else None
        if other is not None and _limit(other) > _limit(literal):
            return None
    if len(tightest) == bounds:
        return literals
    return frozenset(x for x in literals if x.bound is None) | frozenset(tightest.values())


def united(one: frozenset[L], other: frozenset[L]) -> frozenset[L] | None:
    """The disjunction of two conjunctions that differ in touching intervals of one term."""
    axes = {x.bound.axis if x.bound else None for x in one ^ other}
    if len(axes) != 1 or None in axes:
        return None
    (axis,) = axes
    assert axis is not None
    (low, high), (low_other, high_other) = _interval(one, axis), _interval(other, axis)
    if _apart(high, low_other) or _apart(high_other, low):
        return None
    kept = {x for x in one if x.bound is None or x.bound.axis != axis}
    if low is not None and low_other is not None:
        kept.add(min(low, low_other, key=_limit))
    if high is not None and high_other is not None:
        kept.add(max(high, high_other, key=_limit))
    return frozenset(kept)


def _interval(literals: Iterable[L], axis: Axis) -> tuple[L | None, L | None]:
    """The bounds of a reduced conjunction on an axis."""
    low = high = None
    for literal in literals:
        if literal.bound is not None and literal.bound.axis == axis:
            if literal.bound.upper:
                high = literal
            else:
                low = literal
    return low, high


def _apart(high: Literal | None, low: Literal | None) -> bool:
    return high is not None and low is not None and _limit(high) + 1 < _limit(low)


def _limit(literal: Literal) -> int:
    assert literal.bound is not None
    return literal.bound.limit
