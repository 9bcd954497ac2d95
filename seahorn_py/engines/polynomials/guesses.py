"""Comparisons that all states which runs reach satisfy.

Equations are polynomials that vanish at the states.  What the rules compare is an equation,
too, where all states make it 0.  Bounds are of parameters, of differences and sums of two, and of
what the rules compare; they are those that the states have, near 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import combinations
from typing import TypeAlias, TypeVar

from seahorn_py.engines.polynomials.integer_ways import IntegerWay, is_about_ranges, numbers_of
from seahorn_py.engines.polynomials.random_states import States
from seahorn_py.engines.polynomials.vanishing import monomials, vanishing
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.branches import Comparison, Relation
from seahorn_py.logic.terms.evaluate import Value, compile_term
from seahorn_py.logic.terms.ideals import Ideal
from seahorn_py.logic.terms.polynomials import Polynomial, constant, variable
from seahorn_py.logic.terms.terms import Term

NEAR = 16
"""Bounds of parameters, and of what rules compare, are at most so far from 0."""

VERY_NEAR = 2
"""Bounds of differences and sums are."""

MOST_MONOMIALS = 180


Fact = TypeVar("Fact")

Facts: TypeAlias = dict[str, list[Fact]]
"""What may hold of each relation, over its parameters."""


def degree_for(symbols: int, degree: int) -> int:
    """The degree, or a lower one with fewer monomials."""
    while degree > 1 and monomials(symbols, degree) > MOST_MONOMIALS:
        degree -= 1
    return degree


def facts_of(
    system: HornSystem, ways: Sequence[IntegerWay], states: States, degree: int
) -> Facts[Comparison]:
    """For each relation the comparisons that its states satisfy, equations first."""
    return {
        name: [*_facts(system, name, [way for way in ways if way.premise == name], states, degree)]
        for name in system.relations
    }


def _facts(
    system: HornSystem, name: str, ways: Sequence[IntegerWay], states: States, degree: int
) -> Iterator[Comparison]:
    symbols = numbers_of(system, name)
    positions = [k for k, s in enumerate(system.relations[name].symbols) if s in symbols]
    points = [[int(state[k]) for k in positions] for state in states[name]]  # type: ignore[arg-type]
    if not points:
        return
    found = vanishing(symbols, points, degree_for(len(symbols), degree))
    equations = [constant(0).plus(one, one.denominator) for one in found]
    bounds: dict[object, Polynomial] = {}
    ideal = Ideal(equations)
    for polynomial, near in _bounded(symbols, ways):
        low, high = _range(polynomial, symbols, points)
        rest = ideal.reduced(polynomial)
        if low == high == 0 and rest.coefficients:
            equations.append(rest)
            ideal = Ideal(equations)
        elif low != high:
            found_here = _near(polynomial, low, high, near)
            bounds |= {frozenset(one.coefficients.items()): one for one in found_here}
    yield from (Comparison(one, Relation.ZERO) for one in equations)
    yield from (Comparison(one, Relation.NONNEGATIVE) for one in bounds.values())


def congruences_of(system: HornSystem, states: States, degree: int) -> Facts[Term]:
    """For each relation over bit-vectors the equations that its states satisfy as signed numbers.

    Narrower bit-vectors are extended to the width of the widest.
    """
    return {name: [*_congruences(system, name, states, degree)] for name in system.relations}


def _congruences(system: HornSystem, name: str, states: States, degree: int) -> Iterator[Term]:
    symbols = bits_of(system, name)
    positions = [k for k, s in enumerate(system.relations[name].symbols) if s in symbols]
    points = [
        [_signed(state[k], s) for k, s in zip(positions, symbols, strict=True)]
        for state in states[name]
    ]
    if not points or not symbols:
        return
    width = max(map(terms.bv_width, symbols))
    numbers = [terms.symbol(f"polynomials!number{k}", terms.INT) for k in range(len(symbols))]
    back = {n: _extended(s, width) for n, s in zip(numbers, symbols, strict=True)}
    for one in vanishing(numbers, points, degree_for(len(numbers), degree)):
        yield terms.eq(_bits(one, back, width), terms.bv_const(0, width))


def bits_of(system: HornSystem, relation: str) -> list[Term]:
    """The parameters that are bit-vectors."""
    return [s for s in system.relations[relation].symbols if terms.sort_of(s).is_bv_type()]


def _signed(value: Value, symbol: Term) -> int:
    bits, width = int(value), terms.bv_width(symbol)  # type: ignore[arg-type]
    return bits - (1 << width) if bits >> (width - 1) else bits


def _extended(symbol: Term, width: int) -> Term:
    more = width - terms.bv_width(symbol)
    return terms.bv_sext(symbol, more) if more else symbol


def _bits(polynomial: Polynomial, back: Mapping[Term, Term], width: int) -> Term:
    """A multiple with integer coefficients, modulo a power of two."""
    summands = list[Term]()
    for monomial, coefficient in polynomial.coefficients.items():
        scaled = int(coefficient * polynomial.denominator) % (1 << width)
        factors = [back[symbol] for symbol, power in monomial for _ in range(power)]
        if scaled != 1 or not factors:
            factors.insert(0, terms.bv_const(scaled, width))
        summands.append(reduce(partial(terms.bv, "bvmul"), factors))
    return reduce(partial(terms.bv, "bvadd"), summands)


def _bounded(
    symbols: Sequence[Term], ways: Sequence[IntegerWay]
) -> Iterator[tuple[Polynomial, int]]:
    """What may have a bound, and how near to 0."""
    for way in ways:
        back = {own: variable(parameter) for parameter, own in way.given.items()}
        for compared in way.branch.comparisons:
            if compared.polynomial.symbols <= back.keys() and not is_about_ranges(compared):
                yield compared.polynomial.at(back), NEAR
    for symbol in symbols:
        yield variable(symbol), NEAR
    for one, other in combinations(symbols, 2):
        for sign in (-1, 1):
            yield variable(one).plus(variable(other), sign), VERY_NEAR


def _range(
    polynomial: Polynomial, symbols: Sequence[Term], points: Sequence[Sequence[int]]
) -> tuple[int, int]:
    """The least and the greatest value, times the denominator."""
    value = compile_term(polynomial.term(polynomial.denominator), symbols)
    values = [int(value(point)) for point in points]  # type: ignore[arg-type]
    return min(values), max(values)


def _near(polynomial: Polynomial, low: int, high: int, near: int) -> Iterator[Polynomial]:
    """The bounds that are near 0, and 0 itself, as polynomials that are not negative."""
    scale = polynomial.denominator
    for least in {low, min(low, 0)} if low >= 0 else {low}:
        if abs(least) <= near * scale:
            yield constant(-least).plus(polynomial, scale)
    for most in {high, max(high, 0)} if high <= 0 else {high}:
        if abs(most) <= near * scale:
            yield constant(most).plus(polynomial, -scale)
