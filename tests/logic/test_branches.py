"""The cases of a formula over integers together say what the formula says."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import product

import pytest

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.branches import Comparison, branches
from seahorn_py.logic.terms.evaluate import Value, compile_term, evaluate
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.processes.deadline import NEVER, Deadline

X, Y = (terms.symbol(f"case.{name}", terms.INT) for name in "xy")
P = terms.symbol("case.p", terms.BOOL)
NAMES = {"x": X, "y": Y, "p": P}
RANGE = range(-4, 5)


def number(rng: random.Random, depth: int) -> Term:
    """A random term over x and y."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice((X, Y, terms.int_const(rng.randint(-3, 3))))
    one, other = number(rng, depth - 1), number(rng, depth - 1)
    match rng.randrange(6):
        case 0:
            return terms.plus(one, other)
        case 1:
            return terms.minus(one, other)
        case 2:
            return terms.times(one, other)
        case 3:
            return terms.ite(truth(rng, depth - 1), one, other)
        case 4:
            return terms.mod(one, terms.int_const(rng.choice((2, 3, -2))))
    return terms.div(one, terms.int_const(rng.choice((2, 3, -3))))


def truth(rng: random.Random, depth: int) -> Term:
    """A random formula over x, y and p."""
    if depth == 0 or rng.random() < 0.3:
        compare = rng.choice((terms.le, terms.lt, terms.eq))
        return rng.choice((P, compare(number(rng, 1), number(rng, 1))))
    one, other = truth(rng, depth - 1), truth(rng, depth - 1)
    match rng.randrange(6):
        case 0:
            return terms.and_((one, other))
        case 1:
            return terms.or_((one, other))
        case 2:
            return terms.not_(one)
        case 3:
            return terms.implies(one, other)
        case 4:
            return terms.iff(one, other)
    return terms.ite(one, other, truth(rng, depth - 1))


@pytest.mark.parametrize("seed", range(6))
def test_what_a_formula_allows_some_case_allows(seed: int) -> None:
    """Kept symbols are those of the formula; new ones are quotients, remainders, choices."""
    rng = random.Random(seed)
    counted = 0
    for _ in range(40):
        formula = truth(rng, 3)
        found = branches([formula], NEVER, (X, Y))
        if found is None:
            continue
        counted += 1
        holds = compile_term(formula, (X, Y, P))
        cases = [allowing(case.comparisons) for case in found]
        for x, y, p in product(RANGE, RANGE, (False, True)):
            if holds((x, y, p)):
                assert any(all(part((x, y)) for part in case) for case in cases), formula
    assert counted > 20


def allowing(comparisons: Sequence[Comparison]) -> list[Callable[[Sequence[Value]], Value]]:
    """The comparisons of x and y alone; others have symbols that are to be found."""
    known = [one.term() for one in comparisons if one.polynomial.symbols <= {X, Y}]
    return [compile_term(term, (X, Y)) for term in known]


@pytest.mark.parametrize(
    "text",
    [
        "(and (< x y) (< y x))",
        "(and (= x 3) (= y (* x x)) (not (= y 9)))",
        "(and (= (mod x 2) 1) (= x (* 2 y)))",
        "(and p (= p (< x y)) (= p (< y x)))",
        "(and (<= x y) (<= y x) (not (= x y)))",
    ],
)
def test_contradictions_have_no_case_or_one_that_a_solver_sees(text: str) -> None:
    found = branches([parse_term(text, NAMES)], NEVER)
    assert found is not None
    for case in found:
        for x, y, q in product(RANGE, RANGE, RANGE):
            symbols = {s for c in case.comparisons for s in c.polynomial.symbols}
            values = dict(zip(terms.by_name(symbols), (x, y, q), strict=False))
            assert not all(evaluate(c.term(), values) for c in case.comparisons)


def test_too_many_cases() -> None:
    symbols = [terms.symbol(f"case.{k}", terms.INT) for k in range(8)]
    zero = terms.int_const(0)
    parts = [terms.or_((terms.lt(s, zero), terms.lt(terms.int_const(1), s))) for s in symbols]
    assert branches(parts, NEVER) is None


def test_too_many_terms() -> None:
    total = terms.plus(*(terms.times(X, terms.int_const(k)) for k in range(2, 4000)))
    assert branches([terms.eq(total, Y)], NEVER) is None


def test_without_time_there_are_none() -> None:
    assert branches([terms.lt(X, Y)], Deadline.after(0)) is None
