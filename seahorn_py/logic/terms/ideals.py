"""What follows from equations between polynomials, as far as multiples of these tell.

Buchberger 1965, after Cox, Little, O'Shea: Ideals, varieties, and algorithms, chapter 2.  The
basis is completed within limits only, so a remainder other than 0 says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms.polynomials import Monomial, Polynomial, constant, times

MOST_MEMBERS = 24
"""Of a basis that is completed."""

MOST_PAIRS = 60

HIGHEST = 6
"""Pairs whose least common multiple has a higher degree are left out."""

Multiple = tuple[Monomial, int]
"""A monomial, and the number of the equation that is multiplied by it."""


@dataclass(frozen=True)
class Member:
    """A polynomial that is 0, with the multiples of equations of which it is a combination."""

    polynomial: Polynomial
    multiples: tuple[Multiple, ...]

    @cached_property
    def leading(self) -> Monomial:
        """The greatest monomial."""
        return leading(self.polynomial)

    def times(self, monomial: Monomial) -> Member:
        """The member multiplied by a monomial."""
        product = self.polynomial.times(Polynomial({monomial: Fraction(1)}))
        return Member(product, tuple((times(monomial, m), one) for m, one in self.multiples))

    def plus(self, other: Member, factor: Fraction) -> Member:
        """The sum with a multiple of another member."""
        both = dict.fromkeys((*self.multiples, *other.multiples))
        return Member(self.polynomial.plus(other.polynomial, factor), tuple(both))


class Ideal:
    """The polynomials that are 0 where some equations hold."""

    def __init__(self, equations: Iterable[Polynomial]) -> None:
        self.equations = [one for one in equations if one.coefficients]
        self._members = [Member(one, (((), k),)) for k, one in enumerate(self.equations)]
        self._complete()

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """The remainder: the polynomial less multiples of those that are 0."""
        return self.reduction(polynomial).polynomial

    def reduction(self, polynomial: Polynomial) -> Member:
        """The remainder, and the multiples of equations that were taken away."""
        return _reduction(Member(polynomial, ()), self._members)

    def _complete(self) -> None:
        """Add what pairs of members give whose leading monomials have a factor in common."""
        pairs = [(a, b) for b in range(len(self._members)) for a in range(b)]
        for _ in range(MOST_PAIRS):
            if not pairs or len(self._members) >= MOST_MEMBERS:
                return
            one, other = (self._members[k] for k in pairs.pop(0))
            whole = _common(one.leading, other.leading)
            degree = _degree(whole)
            if degree > HIGHEST or degree == _degree(one.leading) + _degree(other.leading):
                continue
            rest = _reduction(_pair(one, other, whole), self._members)
            if rest.polynomial.coefficients:
                pairs += [(k, len(self._members)) for k in range(len(self._members))]
                self._members.append(rest)


def _pair(one: Member, other: Member, whole: Monomial) -> Member:
    """The S-polynomial: both raised to the common multiple, which cancels."""
    first = one.times(_divided(whole, one.leading))
    second = other.times(_divided(whole, other.leading))
    factor = first.polynomial.coefficients[whole] / second.polynomial.coefficients[whole]
    return first.plus(second, -factor)


def _reduction(given: Member, members: Sequence[Member]) -> Member:
    rest, result = given, constant(0)
    while rest.polynomial.coefficients:
        monomial = leading(rest.polynomial)
        coefficient = rest.polynomial.coefficients[monomial]
        by = next((one for one in members if divides(one.leading, monomial)), None)
        if by is None:
            taken = Member(Polynomial({monomial: coefficient}), ())
            rest, result = rest.plus(taken, Fraction(-1)), result.plus(taken.polynomial)
        else:
            multiple = by.times(_divided(monomial, by.leading))
            rest = rest.plus(multiple, -coefficient / multiple.polynomial.coefficients[monomial])
    return Member(result, rest.multiples)


# -------------------------------------------------------------------------------------- monomials


def leading(whole: Polynomial) -> Monomial:
    """The greatest monomial, by degree and then by the names of its symbols."""
    return max(whole.coefficients, key=_order)


def _order(monomial: Monomial) -> tuple[int, list[str]]:
    """The degree, and the factors from the last name on: graded and lexicographic."""
    factors = [symbol.symbol_name() for symbol, power in monomial for _ in range(power)]
    return len(factors), sorted(factors, reverse=True)


def _degree(monomial: Monomial) -> int:
    return sum(power for _, power in monomial)


def divides(divisor: Monomial, monomial: Monomial) -> bool:
    """Whether a monomial is a multiple of another."""
    powers = dict(monomial)
    return all(powers.get(symbol, 0) >= power for symbol, power in divisor)


def _divided(monomial: Monomial, divisor: Monomial) -> Monomial:
    powers = dict(divisor)
    left = ((symbol, power - powers.get(symbol, 0)) for symbol, power in monomial)
    return tuple((symbol, power) for symbol, power in left if power)


def _common(one: Monomial, other: Monomial) -> Monomial:
    """The least common multiple."""
    powers = dict(one)
    for symbol, power in other:
        powers[symbol] = max(powers.get(symbol, 0), power)
    return tuple(sorted(powers.items(), key=lambda item: item[0].symbol_name()))
