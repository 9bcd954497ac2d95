"""Ranks as checks: they fail in the runs in which a rank does not fall, and in no other."""

from __future__ import annotations

import pytest
from programs import (
    Branch,
    Call,
    Jump,
    Predicate,
    Return,
    add,
    bit,
    block,
    compare,
    const,
    function,
    phi,
    program,
    read,
    reg,
)

from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Program
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.termination.loops import Irreducible, natural_loops
from seahorn_py.passes.termination.ranked import CALLS, Measure, Rank, Ranks, Summand, ranked

UP = program(
    function(
        "main",
        block("entry", read("n", 0), read("step", 1), Jump("head")),
        block(
            "head",
            phi("i", ("entry", const(0)), ("body", reg("j"))),
            compare("c", Predicate.SLT, reg("i"), reg("n")),
            Branch(bit("c"), "body", "done"),
        ),
        block("body", add("j", reg("i"), reg("step")), Jump("head")),
        block("done", Return(())),
    )
)
"""`for (i = 0; i < n; i += step)`."""

DOWN = program(
    function(
        "main",
        block("e", read("n", 0), Jump("c")),
        block("c", Call((), "f", (reg("n"),)), Return(())),
    ),
    function(
        "f",
        block("e", compare("c", Predicate.SGT, reg("x"), const(0)), Branch(bit("c"), "m", "r")),
        block("m", add("y", reg("x"), const(-1)), Jump("again")),
        block("again", Call((), "f", (reg("y"),)), Jump("r")),
        block("r", Return(())),
        parameters=(reg("x"),),
    ),
)
"""`f(x)` calls `f(x - 1)` while `x > 0`."""


def measure(constant: int, **factors: int) -> Measure:
    return Measure(tuple(Summand(f, reg(name), True) for name, f in factors.items()), constant)


def ending(text: Program, ranks: Ranks, *inputs: int) -> Ending:
    checked = ranked(text, ranks, dict.fromkeys(ranks, "a rank"))
    assert verify(checked) == ()
    feed = {site: (value % (1 << 32),) for site, value in enumerate(inputs)}
    return Interpreter(checked).run(feed, RunLimits(steps=5_000)).ending


UPWARDS = Rank((measure(0, n=1, i=-1),))


@pytest.mark.parametrize(
    ("rank", "n", "step", "expected"),
    [
        (UPWARDS, 3, 1, Ending.ENDED),
        (UPWARDS, 30, 7, Ending.ENDED),
        (UPWARDS, -3, 0, Ending.ENDED),
        (UPWARDS, 3, 0, Ending.FAILED),
        (UPWARDS, 3, -1, Ending.FAILED),
        (Rank((measure(-2, n=1, i=-1),)), 3, 1, Ending.FAILED),
        (Rank((measure(0, n=1), measure(0, n=1, i=-1))), 3, 1, Ending.ENDED),
        (Rank((measure(0, i=1), measure(0, n=1, i=-1))), 3, 1, Ending.FAILED),
        (Rank(()), 3, 1, Ending.FAILED),
        (Rank(()), 0, 1, Ending.ENDED),
        (Rank((measure(0, i=-1),)), 1, 1, Ending.FAILED),
        (Rank((measure(0, i=-1),), lags=True), 1, 1, Ending.ENDED),
        (Rank((measure(0, i=-1),), lags=True), 2, 1, Ending.FAILED),
    ],
)
def test_a_loop(rank: Rank, n: int, step: int, expected: Ending) -> None:
    assert ending(UP, {("main", "head"): rank}, n, step) is expected


def test_the_largest_numbers_do_not_wrap() -> None:
    least, most = -(1 << 31), (1 << 31) - 1
    assert ending(UP, {("main", "head"): UPWARDS}, most, most) is Ending.ENDED
    far = Rank((measure(0, n=1000, i=-1000), measure(0, i=1)))
    assert ending(UP, {("main", "head"): far}, most, most) is Ending.ENDED
    assert ending(UP, {("main", "head"): UPWARDS}, most, least) is Ending.FAILED


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        (Rank((measure(0, x=1),)), Ending.ENDED),
        (Rank((measure(-1, x=1),)), Ending.FAILED),
        (Rank((measure(0, x=-1),)), Ending.FAILED),
    ],
)
def test_a_recursion(rank: Rank, expected: Ending) -> None:
    assert ending(DOWN, {("f", CALLS): rank}, 4) is expected


def test_a_cycle_with_two_entries_has_no_rank() -> None:
    irreducible = function(
        "main",
        block(
            "entry",
            read("n", 0),
            compare("c", Predicate.SLT, reg("n"), const(0)),
            Branch(bit("c"), "a", "b"),
        ),
        block("a", Jump("b")),
        block("b", Jump("a")),
    )
    with pytest.raises(Irreducible):
        natural_loops(irreducible)
