"""What follows from equations between polynomials: remainders and their certificates."""

from __future__ import annotations

import random
from fractions import Fraction

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.ideals import Ideal
from seahorn_py.logic.terms.polynomials import Polynomial, constant, polynomial, variable
from seahorn_py.logic.text.smtlib import parse_term

NAMES = {name: terms.symbol(f"ideal.{name}", terms.INT) for name in "xyzw"}


def read(text: str) -> Polynomial:
    found = polynomial(parse_term(text, NAMES))
    assert found is not None
    return found


def test_a_multiple_leaves_nothing() -> None:
    ideal = Ideal([read("(- (* x x) y)")])
    assert not ideal.reduced(read("(- (* x x x) (* x y))")).coefficients
    assert ideal.reduced(read("(+ (* x x) 1)")).coefficients


def test_pairs_of_equations_are_looked_at() -> None:
    """Neither product alone rewrites the difference; `x * (x*w - y*z)` and the like do."""
    ideal = Ideal([read("(- (* x z) (* y w))"), read("(- (* y z) (* x x))")])
    assert not ideal.reduced(read("(- (* x x x) (* y y w))")).coefficients


def test_the_multiples_are_a_certificate() -> None:
    equations = [read("(- (* x z) (* y w))"), read("(- (* y z) (* x x))")]
    ideal, given = Ideal(equations), read("(- (* x x x) (* y y w))")
    factors = {ideal.equations[k] is equations[k] for _, k in ideal.reduction(given).multiples}
    assert factors == {True}
    assert is_combination(
        given,
        [
            equations[k].times(Polynomial({m: Fraction(1)}))
            for m, k in ideal.reduction(given).multiples
        ],
    )


def is_combination(given: Polynomial, parts: list[Polynomial]) -> bool:
    """Whether factors make the sum of parts the polynomial: Gauss, over monomials."""
    rest, left = given, list(parts)
    while left:
        pivot = left.pop()
        if not pivot.coefficients:
            continue
        monomial, coefficient = next(iter(pivot.coefficients.items()))
        left = [
            p.plus(pivot, -p.coefficients.get(monomial, Fraction(0)) / coefficient) for p in left
        ]
        rest = rest.plus(pivot, -rest.coefficients.get(monomial, Fraction(0)) / coefficient)
    return not rest.coefficients


def test_remainders_agree_where_the_equations_hold() -> None:
    rng = random.Random(3)
    x, y, z, w = NAMES.values()
    ideal = Ideal([variable(z).plus(read("(* x y)"), -1), variable(w).plus(read("(* x x)"), -1)])
    for _ in range(60):
        given = constant(rng.randint(-3, 3))
        for _ in range(4):
            factor = constant(rng.randint(-3, 3))
            for symbol in rng.choices((x, y, z, w), k=rng.randint(1, 3)):
                factor = factor.times(variable(symbol))
            given = given.plus(factor)
        a, b = rng.randint(-5, 5), rng.randint(-5, 5)
        point = {x: constant(a), y: constant(b), z: constant(a * b), w: constant(a * a)}
        assert given.at(point) == ideal.reduced(given).at(point)
