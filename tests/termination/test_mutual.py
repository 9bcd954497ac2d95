"""Functions that call each other have ranks of as many measures, and no wrong answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import one_in
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
    program,
    read,
    reg,
)

import seahorn_py
from seahorn_py.base.errors import InternalError
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Function
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions, Overflow, VerifyOptions
from seahorn_py.passes.termination.ranked import CALLS, Measure, Rank, Summand, ranked
from seahorn_py.result import Answer


def calling(name: str, other: str, step: int) -> Function:
    """`name(x)` calls `other(x + step)` while `x > 0`."""
    return function(
        name,
        block("e", compare("c", Predicate.SGT, reg("x"), const(0)), Branch(bit("c"), "m", "r")),
        block("m", add("y", reg("x"), const(step)), Jump("again")),
        block("again", Call((), other, (reg("y"),)), Jump("r")),
        block("r", Return(())),
        parameters=(reg("x"),),
    )


def ending(steps: tuple[int, int], constants: tuple[int, int], n: int) -> Ending:
    text = program(
        function("main", block("e", read("n", 0), Call((), "f", (reg("n"),)), Return(()))),
        calling("f", "g", steps[0]),
        calling("g", "f", steps[1]),
    )
    x = (Summand(2, reg("x"), True),)
    names = zip("fg", constants, strict=True)
    ranks = {(name, CALLS): Rank((Measure(x, constant),)) for name, constant in names}
    checked = ranked(text, ranks, dict.fromkeys(ranks, "a rank"))
    assert verify(checked) == ()
    return Interpreter(checked).run({0: (n,)}, RunLimits(steps=5_000)).ending


@pytest.mark.parametrize(
    ("steps", "constants", "n", "expected"),
    [
        ((-1, -1), (0, 0), 9, Ending.ENDED),
        ((0, -1), (1, 0), 9, Ending.ENDED),
        ((0, -1), (0, 0), 9, Ending.FAILED),
        ((1, -2), (3, 0), 9, Ending.ENDED),
        ((1, -2), (2, 0), 9, Ending.FAILED),
        ((1, -1), (3, 0), 9, Ending.FAILED),
        ((0, 0), (1, 0), 0, Ending.ENDED),
    ],
)
def test_each_call_in_a_circle_is_checked(
    steps: tuple[int, int], constants: tuple[int, int], n: int, expected: Ending
) -> None:
    assert ending(steps, constants, n) is expected


def test_all_of_a_circle_have_ranks_of_one_length() -> None:
    text = program(calling("f", "g", -1), calling("g", "f", -1), entry="f")
    one = Measure((Summand(1, reg("x"), True),), 0)
    ranks = {("f", CALLS): Rank((one,)), ("g", CALLS): Rank((one, one))}
    with pytest.raises(InternalError):
        ranked(text, ranks, dict.fromkeys(ranks, "a rank"))
    with pytest.raises(InternalError):
        ranked(text, {("f", CALLS): Rank((one,))}, {("f", CALLS): "a rank"})


HEAD = """extern int __VERIFIER_nondet_int(void);
#define I __VERIFIER_nondet_int()
#define N __attribute__((noinline))
int f(int x, int y); int g(int x, int y);
"""

CIRCLES = {
    "even": ("return x > 0 ? g(x - 1, y) : 0;", "return x > 0 ? f(x - 1, y) : 1;", True),
    "waits": ("if (x > 0) g(x, y); return y;", "f(x - 1, y + 3); return 0;", True),
    "two": (
        "if (x > 0) { if (I) g(x - 1, y); else f(x - 1, I); } return 0;",
        "if (I) f(x, y); return 0;",
        True,
    ),
    "up": ("if (x > 0) g(x - 1, y); return 0;", "f(x + 1, y); return 0;", False),
    "second call": (
        "if (x > 0) { g(x - 1, y); g(x, y); } return 0;",
        "if (x > 0) f(x, y); return 0;",
        False,
    ),
    "result": ("return x > 0 ? g(x - 1, y) : 7;", "return x > 0 ? f(f(x - 1, y), y) : 7;", False),
}


@pytest.mark.full
@pytest.mark.parametrize("name", one_in(2, CIRCLES))
def test_functions_that_call_each_other(name: str, tmp_path: Path) -> None:
    one, two, ends = CIRCLES[name]
    file = tmp_path / "a.c"
    functions = f"N int f(int x, int y) {{ {one} }}\nN int g(int x, int y) {{ {two} }}\n"
    file.write_text(f"{HEAD}{functions}int main(void) {{ return f(I, I); }}\n")
    options = VerifyOptions(FrontendOptions(overflow=Overflow.ASSUME))
    result = seahorn_py.verify(file, options, property="termination", timeout=60 if ends else 5)
    assert (result.answer is Answer.SAFE) == ends, result
