"""Loops around loops: what rounds of an inner loop lower, and what holds between two heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.engines.termination.cycles import Cycle, Inner
from seahorn_py.engines.termination.drawn import Rounded
from seahorn_py.engines.termination.ranking import Row
from seahorn_py.engines.termination.searches import inside, of_all
from seahorn_py.horn.system import Atom, HornSystem, Model, Parameter, Relation, Rule
from seahorn_py.logic.presburger.presburger import Presburger, drifting, seen_from, union
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.options import FrontendOptions, Overflow, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer

X, Y, XX, YY = (terms.symbol(f"nested.{name}", terms.INT) for name in ("x", "y", "xx", "yy"))
ONE, ZERO = terms.int_const(1), terms.int_const(0)
DOWN_X = terms.and_([terms.eq(XX, terms.minus(X, ONE)), terms.eq(YY, Y)])
DOWN_Y = terms.and_([terms.le(YY, terms.minus(Y, ONE)), terms.eq(XX, X)])
SWAP = terms.and_([terms.eq(XX, Y), terms.eq(YY, X)])
BOTH = terms.and_([terms.eq(XX, terms.plus(X, ONE)), terms.eq(YY, terms.plus(Y, ONE))])


@pytest.mark.parametrize(
    ("formulas", "kept"),
    [
        ((DOWN_X, DOWN_Y), lambda x, y, xx, yy: xx <= x and yy <= y),
        ((SWAP,), lambda x, y, xx, yy: x + y == xx + yy),
        ((BOTH,), lambda x, y, xx, yy: xx - yy == x - y and xx >= x),
        ((BOTH, DOWN_X), lambda x, y, xx, yy: yy >= y and xx - yy <= x - y),
    ],
)
def test_sums_that_no_round_lowers(
    formulas: tuple[Term, ...], kept: Callable[[int, int, int, int], bool]
) -> None:
    """They are all that a relation keeps which has these pairs again and again."""
    arithmetic = Presburger()
    step = arithmetic.relation(terms.or_(formulas), [X, Y], [XX, YY])
    drift = drifting(step)
    assert step.is_subset(drift)
    assert drift.apply_range(drift).is_equal(drift)
    for x, y, xx, yy in product(range(-2, 3), repeat=4):
        values = zip((X, Y, XX, YY), (x, y, xx, yy), strict=True)
        point = terms.and_(terms.eq(symbol, terms.int_const(v)) for symbol, v in values)
        one = arithmetic.relation(point, [X, Y], [XX, YY])
        assert one.is_subset(drift) == kept(x, y, xx, yy)


def test_few_polyhedra_have_all_pairs() -> None:
    arithmetic = Presburger()
    step = arithmetic.relation(terms.or_([DOWN_X, SWAP, BOTH]), [X, Y], [XX, YY])
    for most in (1, 5):
        parts = seen_from(step, frozenset({0}), most)
        assert len(parts) <= most
        assert step.is_subset(union(parts))


def step(name: str, at: str, to: str, guard: Term, x: Term, y: Term) -> Rule:
    return Rule(name, (Atom(at, (X, Y)),), guard, Atom(to, (x, y)))


def nested(inner: Rule) -> Rounded:
    """`while (x > 0 && y > 0) { y--; inner loop }`."""
    relations = {name: Relation(name, (Parameter(X), Parameter(Y))) for name in ("head", "inner")}
    both = terms.and_([terms.lt(ZERO, X), terms.lt(ZERO, Y)])
    into = step("into", "head", "inner", both, X, terms.minus(Y, ONE))
    out = step("out", "inner", "head", terms.TRUE, X, Y)
    cycle = Cycle("head", (Inner("inner", frozenset()),))
    return Rounded(HornSystem(relations, (into, inner, out)), cycle, Model({}))


@pytest.mark.parametrize(
    ("inner", "ends"),
    [
        (step("round", "inner", "inner", terms.lt(ZERO, Y), X, terms.minus(Y, ONE)), True),
        (step("round", "inner", "inner", terms.lt(ONE, X), terms.minus(X, ONE), Y), True),
        (step("round", "inner", "inner", terms.lt(ZERO, Y), X, terms.plus(Y, ONE)), False),
    ],
)
def test_an_inner_loop_lowers_what_the_outer_one_counts(inner: Rule, ends: bool) -> None:
    """It is not arbitrary what it changes."""
    asked = nested(inner)
    limit = Deadline.after(30)
    assert of_all(asked, False, (0, 1), limit) is None
    rank = of_all(replace(asked, drifts=True), False, (0, 1), limit)
    assert (rank is not None) == ends


def test_what_holds_inside_is_told_of_both_heads() -> None:
    """There `y` is less than at the head before, which only rounds that drift know."""
    rounded = nested(step("round", "inner", "inner", terms.lt(ZERO, Y), X, terms.minus(Y, ONE)))
    for drifts in (False, True):
        told = inside(replace(rounded, drifts=drifts), frozenset({1}))["inner"]
        assert all(any(holds(row, 5, 4) for row in one) for one in told)
        is_below = all(any(not holds(row, 5, 6) for row in one) for one in told)
        assert is_below == drifts


def holds(row: Row, before: int, after: int) -> bool:
    """Of `y` at both heads, with `x` as it was."""
    total = row.before[1] * before + row.after[1] * after + row.constant + row.after[0] * 3
    return total == 0 if row.is_equation else total >= 0


def test_a_loop_around_two(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    one, two = "while (y > 0 && I) y--;", "while (x > 5 && I) x = x - 2;"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void);\n#define I __VERIFIER_nondet_int()\n"
        "int main(void) { int x = I, y = I; while (x > 0 && y > 0) {"
        f" if (I) {{ x--; {one} y--; }} else {{ {two} y--; }} }} return 0; }}\n"
    )
    options = VerifyOptions(FrontendOptions(overflow=Overflow.ASSUME))
    result = seahorn_py.verify(file, options, property="termination", timeout=60)
    assert result.answer is Answer.SAFE, result
