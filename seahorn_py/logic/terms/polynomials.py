"""Polynomials over symbols with rational coefficients, and sums of their values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import comb, lcm
from typing import TypeAlias

from pysmt import operators as op

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import Term

Monomial: TypeAlias = tuple[tuple[Term, int], ...]
"""Symbols with their powers, each symbol once, in the order of their names."""

MAX_MONOMIALS = 200


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials with coefficients other than 0."""

    coefficients: Mapping[Monomial, Fraction]

    @cached_property
    def symbols(self) -> frozenset[Term]:
        """The symbols that occur."""
        return frozenset(symbol for monomial in self.coefficients for symbol, _ in monomial)

    @property
    def degree(self) -> int:
        """The greatest sum of powers in a monomial."""
        return max((sum(p for _, p in monomial) for monomial in self.coefficients), default=0)

    @property
    def denominator(self) -> int:
        """The least number by which it has to be multiplied to get integer coefficients."""
        return lcm(*(c.denominator for c in self.coefficients.values()))

    def plus(self, other: Polynomial, factor: Fraction | int = 1) -> Polynomial:
        """`self + factor * other`."""
        sums = dict(self.coefficients)
        for monomial, coefficient in other.coefficients.items():
            sums[monomial] = sums.get(monomial, Fraction(0)) + factor * coefficient
        return Polynomial({m: c for m, c in sums.items() if c})

    def times(self, other: Polynomial) -> Polynomial:
        """The product."""
        result = constant(0)
        for monomial, coefficient in self.coefficients.items():
            shifted = {times(monomial, m): c for m, c in other.coefficients.items()}
            result = result.plus(Polynomial(shifted), coefficient)
        return result

    def at(self, values: Mapping[Term, Polynomial]) -> Polynomial:
        """The polynomial with symbols replaced."""
        result = constant(0)
        for monomial, coefficient in self.coefficients.items():
            part = constant(1)
            for symbol, power in monomial:
                for _ in range(power):
                    part = part.times(values.get(symbol, variable(symbol)))
            result = result.plus(part, coefficient)
        return result

    def summed(self, symbol: Term) -> Polynomial:
        """The sum of the values at 0, 1, .. up to the symbol's value, that one left out."""
        result = constant(0)
        for monomial, coefficient in self.coefficients.items():
            power = dict(monomial).get(symbol, 0)
            rest = Polynomial({tuple(p for p in monomial if p[0] is not symbol): coefficient})
            result = result.plus(rest.times(_power_sum(symbol, power)))
        return result

    def term(self, scale: int = 1) -> Term:
        """`scale` times the polynomial as a term; the coefficients become integers."""
        summands = []
        for monomial, coefficient in self.coefficients.items():
            part = terms.int_const(int(coefficient * scale))
            for symbol, power in monomial:
                for _ in range(power):
                    part = terms.times(part, symbol)
            summands.append(part)
        return terms.plus(*summands, terms.int_const(0))


def constant(value: int) -> Polynomial:
    """A number."""
    return Polynomial({(): Fraction(value)} if value else {})


def variable(symbol: Term) -> Polynomial:
    """A symbol."""
    return Polynomial({((symbol, 1),): Fraction(1)})


def given_by(
    equation: Polynomial, kept: frozenset[Term] = frozenset()
) -> dict[Term, Polynomial] | None:
    """A symbol with what it is where the polynomial is 0: one with coefficient 1 or -1, by itself.

    None where there is no such symbol that is not `kept`.
    """
    others = [m for m in equation.coefficients if len(m) != 1 or m[0][1] != 1]
    used = {symbol for monomial in others for symbol, _ in monomial}
    for monomial, coefficient in equation.coefficients.items():
        if len(monomial) == 1 and monomial[0][1] == 1 and abs(coefficient) == 1:
            symbol = monomial[0][0]
            if symbol not in used and symbol not in kept:
                return {symbol: variable(symbol).plus(equation, -1 / coefficient)}
    return None


def polynomial(term: Term) -> Polynomial | None:
    """The polynomial that a term is over its symbols; None when it is none, or a large one."""
    found: dict[Term, Polynomial] = {}
    for node in nodes(term):
        value = _of(node, found)
        if value is None or len(value.coefficients) > MAX_MONOMIALS:
            return None
        found[node] = value
    return found[term]


def _of(node: Term, found: Mapping[Term, Polynomial]) -> Polynomial | None:
    kind = node.node_type()
    if kind == op.INT_CONSTANT:
        return constant(int(node.constant_value()))
    if kind == op.SYMBOL and terms.sort_of(node) is terms.INT:
        return variable(node)
    if kind == op.MINUS:
        return found[node.arg(0)].plus(found[node.arg(1)], -1)
    if kind == op.PLUS:
        total = constant(0)
        for argument in node.args():
            total = total.plus(found[argument])
        return total
    if kind == op.TIMES:
        total = constant(1)
        for argument in node.args():
            total = total.times(found[argument])
        return total
    return None


def times(left: Monomial, right: Monomial) -> Monomial:
    """The product of monomials."""
    powers = dict(left)
    for symbol, power in right:
        powers[symbol] = powers.get(symbol, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: item[0].symbol_name()))


def _power_sum(symbol: Term, power: int) -> Polynomial:
    """`0^p + 1^p + .. + (n-1)^p` for the symbol n, by Pascal's recurrence:
    n^(p+1) is the sum of comb(p+1, i) times the power sums of i up to p.
    """
    sums: list[Polynomial] = []
    raised = constant(1)
    for exponent in range(power + 1):
        raised = raised.times(variable(symbol))
        total = raised
        for lower, found in enumerate(sums):
            total = total.plus(found, -comb(exponent + 1, lower))
        sums.append(constant(0).plus(total, Fraction(1, exponent + 1)))
    return sums[power]
