"""Counters of rounds: their checks fail in the runs that go round too often, and in no other."""

from __future__ import annotations

import pytest
from programs import (
    Branch,
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
from seahorn_py.ir.program import IntConst, Program
from seahorn_py.ir.program import Predicate as Compared
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.termination.counted import Bound, Entered, counted, leaves_first
from seahorn_py.passes.termination.entering import Condition, entered_only_if
from seahorn_py.passes.termination.loops import natural_loops

WHILE = program(
    function(
        "main",
        block("entry", read("n", 0), read("first", 1), Jump("head")),
        block(
            "head",
            phi("i", ("entry", reg("first")), ("body", reg("j"))),
            compare("c", Predicate.SLT, reg("i"), reg("n")),
            Branch(bit("c"), "body", "done"),
        ),
        block("body", add("j", reg("i"), const(2)), Jump("head")),
        block("done", Return(())),
    )
)
"""`for (i = first; i < n; i += 2)`."""

DO = program(
    function(
        "main",
        block("entry", read("n", 0), Jump("head")),
        block(
            "head",
            phi("i", ("entry", const(0)), ("head", reg("j"))),
            add("j", reg("i"), const(1)),
            compare("c", Predicate.SLT, reg("j"), reg("n")),
            Branch(bit("c"), "head", "done"),
        ),
        block("done", Return(())),
    )
)
"""`i = 0; do i++; while (i < n);`."""


def bound(constant: int, step: int, least: int, **factors: int) -> Bound:
    summands = tuple(Entered(f, reg(name), True) for name, f in factors.items())
    return Bound(summands, constant, step, least)


def ending(changed: Program, *inputs: int) -> Ending:
    assert verify(changed) == ()
    feed = {site: (value % (1 << 32),) for site, value in enumerate(inputs)}
    return Interpreter(changed).run(feed, RunLimits(steps=5_000)).ending


EXACT = bound(1, 2, 0, n=1, i=-1)


@pytest.mark.parametrize(
    ("asked", "n", "first", "expected"),
    [
        (EXACT, 9, 0, Ending.ENDED),
        (EXACT, 10, 3, Ending.ENDED),
        (EXACT, -3, 8, Ending.ENDED),
        (EXACT, (1 << 31) - 1, (1 << 31) - 40, Ending.FAILED),
        (bound(0, 2, 0, n=1, i=-1), 9, 0, Ending.FAILED),
        (bound(0, 2, 0, n=1, i=-1), 10, 0, Ending.ENDED),
        (bound(0, 2, 1, n=1, i=-1), 9, 0, Ending.ENDED),
        (bound(5, 1, 0), 10, 0, Ending.ENDED),
        (bound(5, 1, 0), 11, 0, Ending.FAILED),
    ],
)
def test_a_loop_that_tests_first(asked: Bound, n: int, first: int, expected: Ending) -> None:
    main = WHILE.functions["main"]
    (loop,) = natural_loops(main)
    assert leaves_first(main, loop)
    assert ending(counted(WHILE, "main", loop, asked, "a bound"), n, first) is expected


@pytest.mark.parametrize(
    ("constant", "least", "n", "expected"),
    [
        (0, 1, 5, Ending.ENDED),
        (-1, 1, 5, Ending.ENDED),
        (-1, 1, -5, Ending.ENDED),
        (0, 0, 5, Ending.ENDED),
        (0, 0, -5, Ending.FAILED),
        (-1, 0, 5, Ending.FAILED),
    ],
)
def test_a_loop_with_its_body_first(constant: int, least: int, n: int, expected: Ending) -> None:
    """It goes round once even where its condition never holds: `max(1, n)` times."""
    main = DO.functions["main"]
    (loop,) = natural_loops(main)
    assert not leaves_first(main, loop)
    asked = bound(constant, 1, least, n=1)
    assert ending(counted(DO, "main", loop, asked, "a bound"), n) is expected


@pytest.mark.parametrize(
    ("condition", "n", "first", "expected"),
    [
        (Condition(reg("n"), Compared.SGT, reg("i")), 5, 0, Ending.ENDED),
        (Condition(reg("n"), Compared.SGT, reg("i")), 0, 5, Ending.BLOCKED),
        (Condition(reg("i"), Compared.SLE, IntConst(0, IntType(32))), 5, 0, Ending.ENDED),
        (Condition(reg("i"), Compared.SLE, IntConst(0, IntType(32))), 5, 1, Ending.BLOCKED),
    ],
)
def test_a_condition_is_asked_at_the_entry_alone(
    condition: Condition, n: int, first: int, expected: Ending
) -> None:
    (loop,) = natural_loops(WHILE.functions["main"])
    assert ending(entered_only_if(WHILE, "main", loop, condition), n, first) is expected
