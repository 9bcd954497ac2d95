"""Ranks of rounds that are drawn one at a time: they are those of all rounds."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.engines.termination.cycles import Cycle, Inner
from seahorn_py.engines.termination.drawn import Rounded
from seahorn_py.engines.termination.ranking import Linear
from seahorn_py.engines.termination.searches import of_all, of_drawn
from seahorn_py.horn.system import Atom, HornSystem, Model, Parameter, Relation, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.options import FrontendOptions, Overflow, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer

X, Y, XX, YY = (terms.symbol(f"drawn.{name}", terms.INT) for name in ("x", "y", "xx", "yy"))
ONE, ZERO = terms.int_const(1), terms.int_const(0)
POSITIVE = terms.lt(ZERO, X)


def step(name: str, at: str, to: str, guard: Term, x: Term, y: Term) -> Rule:
    return Rule(name, (Atom(at, (X, Y)),), guard, Atom(to, (x, y)))


def system(*rules: Rule) -> HornSystem:
    names = ("head", "inner")
    return HornSystem({n: Relation(n, (Parameter(X), Parameter(Y))) for n in names}, rules)


DOWN = step("down", "head", "head", POSITIVE, terms.minus(X, ONE), Y)
RESET = step("reset", "head", "head", POSITIVE, terms.minus(X, ONE), YY)
SECOND = step("second", "head", "head", terms.lt(ZERO, Y), X, terms.minus(Y, ONE))
CASES = step(
    "cases",
    "head",
    "head",
    POSITIVE,
    terms.ite(terms.lt(YY, ZERO), terms.minus(X, ONE), terms.minus(X, terms.int_const(2))),
    terms.ite(terms.lt(X, Y), terms.plus(Y, X), YY),
)
UP = step("up", "head", "head", terms.and_([POSITIVE, terms.lt(YY, XX)]), terms.plus(X, ONE), Y)
STILL = step("still", "head", "head", terms.eq(X, Y), X, Y)
INTO = step("into", "head", "inner", POSITIVE, X, ZERO)
ROUND = step("round", "inner", "inner", terms.lt(Y, X), X, terms.plus(Y, ONE))
OUT = step("out", "inner", "head", terms.le(X, Y), terms.minus(X, ONE), Y)

PLAIN = Cycle("head")
OVER = Cycle("head", (Inner("inner", frozenset({0})),))


def loop(cycle: Cycle, *rules: Rule) -> Rounded:
    return Rounded(system(*rules), cycle, Model({}))


def value(f: Linear, state: tuple[int, ...]) -> int:
    total = sum(c * x for c, x in zip(f.coefficients, state, strict=True))
    return max(total + f.constant, 0)


@pytest.mark.parametrize(
    "asked",
    [
        loop(PLAIN, DOWN),
        loop(PLAIN, RESET, SECOND),
        loop(PLAIN, CASES),
        loop(OVER, INTO, ROUND, OUT),
    ],
)
def test_a_rank_of_some_rounds_is_one_of_all(asked: Rounded) -> None:
    """Both searches find one, of as many measures; here it falls where `x` does, or else `y`."""
    ranks = [f(asked, False, (0, 1), Deadline.after(20)) for f in (of_all, of_drawn)]
    assert None not in ranks
    for rank in ranks:
        assert rank is not None
        assert len(rank) == len(ranks[0] or ())
        for x, y, new in product(range(1, 5), range(-3, 4), range(-3, 4)):
            old = [value(f, (x, y)) for f in rank]
            assert [value(f, (x - 1, new if len(rank) > 1 else y)) for f in rank] < old


@pytest.mark.parametrize(
    "asked",
    [
        loop(PLAIN, DOWN, UP),
        loop(PLAIN, STILL),
        loop(OVER, INTO, ROUND, step("back", "inner", "head", terms.le(X, Y), X, Y)),
    ],
)
def test_no_rank_of_a_loop_without_end(asked: Rounded) -> None:
    assert of_drawn(asked, False, (0, 1), Deadline.after(20)) is None


MANY = "".join(f"if (I) {{ x--; b += {k}; }} else if (b > {k}) c += b;" for k in range(7))


@pytest.mark.full
def test_a_loop_of_many_paths(tmp_path: Path) -> None:
    """Its body has 3^7 of them."""
    file = tmp_path / "a.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void);\n#define I __VERIFIER_nondet_int()\n"
        f"int main(void) {{ int x = I, b = I, c = I; while (x > 0) {{ {MANY} x--; }} return c; }}\n"
    )
    options = VerifyOptions(FrontendOptions(overflow=Overflow.ASSUME))
    result = seahorn_py.verify(file, options, property="termination", timeout=60)
    assert result.answer is Answer.SAFE, result
