"""Abstract values as least sets that contain points: joined with one point at a time.

Every domain here is a lattice whose least element is the empty set.  `join` adds a point to the
set and says whether the set grew; `constraints` describes the set.  Only joins with points are
needed where images under rules are found as assignments (`fixpoint`).

    affine hulls over the rationals     Karr: Affine relationships among variables of a program,
                                        Acta Informatica 1976; Mueller-Olm, Seidl, ICALP 2004
    congruences                         Granger: Static analysis of arithmetical congruences, 1989
    bounds on linear terms              Cousot, Cousot, POPL 1977; octagons: Mine, HOSC 2006

Bounds move along thresholds only, numbers that occur in the program, which makes the lattice
finite: there is no widening, and the fixpoint is the best one for the thresholds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Protocol

from seahorn_py.base.records import dataclass

Vector = Sequence[int]


@dataclass(frozen=True, slots=True)
class Equation:
    """`coefficients * x = constant`."""

    coefficients: tuple[int, ...]
    constant: int


@dataclass(frozen=True, slots=True)
class AtMost:
    """`coefficients * x <= constant`."""

    coefficients: tuple[int, ...]
    constant: int


@dataclass(frozen=True, slots=True)
class Congruent:
    """`coefficients * x = remainder` modulo `modulus`."""

    coefficients: tuple[int, ...]
    modulus: int
    remainder: int


Constraint = Equation | AtMost | Congruent


class Domain(Protocol):
    """A set of vectors that grows by points; at first it is empty.

    It may contain more than the points that were added, never less.
    """

    def join(self, vector: Vector) -> bool:
        """Add a point; whether the set has grown."""

    def constraints(self) -> Sequence[Constraint]:
        """What holds for all vectors of the set, which has one at least."""


class MakesDomain(Protocol):
    """Makes the empty set.

    `linear` are the coefficients of terms that the system speaks of, `thresholds` its numbers.
    """

    def __call__(self, linear: Sequence[tuple[int, ...]], thresholds: Sequence[int]) -> Domain:
        """The empty set of vectors of some dimension."""


def dot(coefficients: Sequence[int], vector: Vector) -> int:
    """The value of a linear term."""
    return sum(c * v for c, v in zip(coefficients, vector, strict=True) if c)


class AffineHull:
    """A point and directions in reduced row echelon form; `None` for the empty set."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._origin: tuple[int, ...] | None = None
        self._rows: dict[int, list[Fraction]] = {}

    def join(self, vector: Vector) -> bool:
        """Add a point."""
        if self._origin is None:
            self._origin = tuple(vector)
            return True
        rest = [Fraction(v - o) for v, o in zip(vector, self._origin, strict=True)]
        for pivot, row in self._rows.items():
            if rest[pivot]:
                rest = _minus(rest, row, rest[pivot])
        pivot = next((k for k, value in enumerate(rest) if value), -1)
        if pivot < 0:
            return False
        rest = [value / rest[pivot] for value in rest]
        for other, row in self._rows.items():
            if row[pivot]:
                self._rows[other] = _minus(row, rest, row[pivot])
        self._rows[pivot] = rest
        return True

    def constraints(self) -> list[Constraint]:
        """One equation for each coordinate that is no pivot: a basis of what is orthogonal."""
        assert self._origin is not None
        found: list[Constraint] = []
        for free in range(self._size):
            if free in self._rows:
                continue
            normal = [Fraction(0)] * self._size
            normal[free] = Fraction(1)
            for pivot, row in self._rows.items():
                normal[pivot] = -row[free]
            scale = lcm(*(n.denominator for n in normal))
            coefficients = tuple(int(n * scale) for n in normal)
            found.append(Equation(coefficients, dot(coefficients, self._origin)))
        return found


def _minus(left: list[Fraction], right: list[Fraction], factor: Fraction) -> list[Fraction]:
    return [a - factor * b if b else a for a, b in zip(left, right, strict=True)]


class Congruences:
    """For each linear term the greatest modulus for which all points agree, a divisor of `within`.

    0 is a multiple of every modulus.
    """

    def __init__(self, linear: Sequence[tuple[int, ...]], within: int = 0) -> None:
        self._terms = linear
        self._first: list[int] = []
        self._moduli = [within] * len(linear)

    def join(self, vector: Vector) -> bool:
        """Add a point."""
        values = [dot(term, vector) for term in self._terms]
        if not self._first:
            self._first = values
            return bool(values)
        moduli = [gcd(m, v - f) for m, v, f in zip(self._moduli, values, self._first, strict=True)]
        grew = moduli != self._moduli
        self._moduli = moduli
        return grew

    def constraints(self) -> list[Constraint]:
        """A congruence for each term that has a modulus greater than 1; constants are equations."""
        triples = zip(self._terms, self._moduli, self._first, strict=False)
        return [
            Congruent(term, modulus, first % modulus)
            for term, modulus, first in triples
            if modulus > 1
        ]


class Bounds:
    """For each linear term the least and the greatest value, moved outward to a threshold."""

    def __init__(self, linear: Sequence[tuple[int, ...]], thresholds: Sequence[int]) -> None:
        self._terms = linear
        self._thresholds = sorted(set(thresholds))
        self._least: list[int | None] = []
        self._greatest: list[int | None] = []

    def join(self, vector: Vector) -> bool:
        """Add a point."""
        values = [dot(term, vector) for term in self._terms]
        if not self._least:
            self._least = [self._below(v) for v in values]
            self._greatest = [self._above(v) for v in values]
            return bool(values)
        grew = False
        for k, value in enumerate(values):
            least, greatest = self._least[k], self._greatest[k]
            if least is not None and value < least:
                self._least[k], grew = self._below(value), True
            if greatest is not None and value > greatest:
                self._greatest[k], grew = self._above(value), True
        return grew

    def constraints(self) -> list[Constraint]:
        """Upper bounds; lower ones are those of the negated terms."""
        found: list[Constraint] = []
        for term, least, greatest in zip(self._terms, self._least, self._greatest, strict=False):
            if greatest is not None:
                found.append(AtMost(term, greatest))
            if least is not None:
                found.append(AtMost(tuple(-c for c in term), -least))
        return found

    def _below(self, value: int) -> int | None:
        at = bisect_right(self._thresholds, value)
        return self._thresholds[at - 1] if at else None

    def _above(self, value: int) -> int | None:
        at = bisect_left(self._thresholds, value)
        return self._thresholds[at] if at < len(self._thresholds) else None
