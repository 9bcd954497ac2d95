"""Polynomials that are 0 at all of some points.

Buchberger, Moeller: The construction of multivariate polynomials with preassigned zeros, EUROCAM
1982; Sharma, Gupta, Hariharan, Aiken, Liang, Nori: A data driven approach for algebraic loop
invariants, ESOP 2013.

All is computed modulo a prime.  A polynomial is read back if its coefficients are small fractions,
and kept if it is 0 at the points without the modulus, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb, prod

from seahorn_py.logic.terms.polynomials import Polynomial
from seahorn_py.logic.terms.terms import Term

PRIME = (1 << 61) - 1

LARGEST = 1 << 20
"""Numerators and denominators of coefficients are smaller."""

MORE_POINTS = 8
"""So many more points than monomials are needed for the highest degree."""

Exponents = tuple[int, ...]
"""The powers of all symbols in a monomial, in order."""


def monomials(symbols: int, degree: int) -> int:
    """How many monomials of at most this degree there are."""
    return comb(symbols + degree, degree)


def vanishing(
    symbols: Sequence[Term], points: Sequence[Sequence[int]], degree: int
) -> list[Polynomial]:
    """Polynomials of at most this degree, none with a multiple of another's leading monomial."""
    while degree and len(points) < monomials(len(symbols), degree) + MORE_POINTS:
        degree -= 1
    space = _Space(len(points))
    leading: list[Exponents] = []
    found: list[Polynomial] = []
    for powers in _monomials(len(symbols), degree):
        if any(all(a <= b for a, b in zip(one, powers, strict=True)) for one in leading):
            continue
        relation = space.added(powers, [_at(powers, point) for point in points])
        if relation is not None:
            leading.append(powers)
            found += _read(symbols, relation, points)
    return found


def _monomials(symbols: int, degree: int) -> Iterator[Exponents]:
    """Monomials by degree; those of one degree begin with the powers of the last symbols."""
    for total in range(degree + 1):
        yield from _of_degree(symbols, total)


def _of_degree(symbols: int, total: int) -> Iterator[Exponents]:
    if symbols == 0:
        if total == 0:
            yield ()
        return
    for first in range(total + 1):
        for rest in _of_degree(symbols - 1, total - first):
            yield (first, *rest)


def _at(powers: Exponents, point: Sequence[int]) -> int:
    factors = (
        pow(value, power, PRIME) for value, power in zip(point, powers, strict=True) if power
    )
    return prod(factors) % PRIME


class _Space:
    """Values of monomials at the points, in echelon form, each row with its combination."""

    def __init__(self, points: int) -> None:
        self._points = points
        self._rows: list[tuple[int, list[int], dict[Exponents, int]]] = []

    def added(self, powers: Exponents, values: list[int]) -> dict[Exponents, int] | None:
        """The combination with rows before that is 0 at all points, if there is one."""
        combination = {powers: 1}
        for place, row, other in self._rows:
            factor = values[place]
            if factor:
                values = [(a - factor * b) % PRIME for a, b in zip(values, row, strict=True)]
                for key, coefficient in other.items():
                    combination[key] = (combination.get(key, 0) - factor * coefficient) % PRIME
        pivot = next((k for k, value in enumerate(values) if value), None)
        if pivot is None:
            return combination
        inverse = pow(values[pivot], -1, PRIME)
        row = [value * inverse % PRIME for value in values]
        scaled = {key: c * inverse % PRIME for key, c in combination.items()}
        self._rows.append((pivot, row, scaled))
        return None


def _read(
    symbols: Sequence[Term], relation: dict[Exponents, int], points: Sequence[Sequence[int]]
) -> Iterator[Polynomial]:
    """The polynomial over the rational numbers, if that is what was found."""
    fractions = {powers: _fraction(c) for powers, c in relation.items() if c}
    known = {powers: c for powers, c in fractions.items() if c is not None}
    if len(known) < len(fractions) or any(_sum(known, point) for point in points):
        return
    named = {
        tuple((s, p) for s, p in zip(symbols, powers, strict=True) if p): c
        for powers, c in known.items()
    }
    ordered = {
        tuple(sorted(m, key=lambda item: item[0].symbol_name())): c for m, c in named.items()
    }
    yield Polynomial(ordered)


def _sum(relation: dict[Exponents, Fraction], point: Sequence[int]) -> Fraction:
    return sum(
        (
            c * prod(v**p for v, p in zip(point, powers, strict=True))
            for powers, c in relation.items()
        ),
        Fraction(0),
    )


def _fraction(residue: int) -> Fraction | None:
    """The small fraction of this residue: Wang's algorithm, after Euclid's."""
    above, below = (PRIME, 0), (residue, 1)
    while below[0] >= LARGEST:
        quotient = above[0] // below[0]
        above, below = below, (above[0] - quotient * below[0], above[1] - quotient * below[1])
    numerator, denominator = below
    if denominator == 0 or abs(denominator) >= LARGEST:
        return None
    return Fraction(numerator, denominator)
