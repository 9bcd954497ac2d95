"""Loops around loops: what rounds of an inner loop lower, and what holds between two heads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.logic.presburger.presburger import Presburger, drifting, seen_from, union
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.options import Overflow, VerifyOptions
from seahorn_py.result import Answer

X, Y, XX, YY = (terms.symbol(f"nested.{name}", terms.INT) for name in ("x", "y", "xx", "yy"))
ONE = terms.int_const(1)
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


HEAD = "extern int __VERIFIER_nondet_int(void);\n#define I __VERIFIER_nondet_int()\n"
INNER = "while (x > 0 && y > 0) {{ if (I) {{ x--; {one} y--; }} else {{ {two} y--; }} }}"


@pytest.mark.parametrize(
    ("one", "two", "answer"),
    [
        ("while (y > 0 && I) y--;", "while (x > 5 && I) x = x - 2;", Answer.SAFE),
        ("while (x > 3 && I) x--;", "while (x > 5 && I) { x -= 2; y--; }", Answer.SAFE),
        ("while (y < 9 && I) y++;", "while (x < 5 && I) x = x + 1;", Answer.UNKNOWN),
    ],
)
def test_an_inner_loop_lowers_what_the_outer_one_counts(
    one: str, two: str, answer: Answer, tmp_path: Path
) -> None:
    file = tmp_path / "a.c"
    text = INNER.format(one=one, two=two)
    file.write_text(f"{HEAD}int main(void) {{ int x = I, y = I; {text} return 0; }}\n")
    options = VerifyOptions(overflow=Overflow.ASSUME)
    timeout = 60 if answer is Answer.SAFE else 8
    result = seahorn_py.verify(file, options, property="termination", timeout=timeout)
    assert result.answer is answer, result
