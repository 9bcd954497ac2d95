"""Loops that are entered at several blocks: hubs change no run, and their cycles are natural."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from programs import (
    Branch,
    Fail,
    Jump,
    Predicate,
    Return,
    Terminator,
    add,
    bit,
    block,
    check,
    compare,
    const,
    function,
    phi,
    program,
    read,
    reg,
)

import seahorn_py
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Block, Program
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.traverse import targets
from seahorn_py.ir.verifier import verify
from seahorn_py.options import FrontendOptions, Overflow, VerifyOptions
from seahorn_py.passes.termination.hubs import with_hubs
from seahorn_py.passes.termination.loops import HUB, Irreducible, is_parted, natural_loops
from seahorn_py.result import Answer


def tangled(seed: int, size: int) -> Program:
    """Blocks that lead to any others; each changes two numbers and tests one of them."""
    draw = random.Random(seed)
    ends: list[Terminator] = [Branch(bit("c0"), "b1", f"b{size - 1}")]
    for k in range(1, size):
        ways = [f"b{draw.randrange(1, size)}" for _ in range(2)]
        ends.append(draw.choice([Branch(bit(f"c{k}"), *ways)] * 6 + [Jump(ways[0]), Return(())]))
    ends[draw.randrange(1, size)] = Fail(check())
    return program(function("main", *(_tangled(k, ends, draw) for k in range(size))))


def _tangled(k: int, ends: list[Terminator], draw: random.Random) -> Block:
    before = [j for j, end in enumerate(ends) if f"b{k}" in targets(end)]
    x, y = reg(f"x{k}"), reg(f"y{k}")
    if k == 0:
        start = (read("x0", 0), read("y0", 1))
    elif before:
        start = tuple(phi(f"{v}{k}", *((f"b{j}", reg(f"{v}n{j}")) for j in before)) for v in "xy")
    else:
        return block(f"b{k}", Return(()))
    steps = (
        add(f"xn{k}", x, const(draw.randrange(-3, 3))),
        add(f"yn{k}", y, x if draw.random() < 0.3 else const(1)),
        compare(f"c{k}", Predicate.SLT, draw.choice([x, y]), const(draw.randrange(-4, 9))),
    )
    return block(f"b{k}", *start, *steps, ends[k])


def compare_runs(before: Program, after: Program, seed: int) -> None:
    draw = random.Random(seed)
    first, second = Interpreter(before), Interpreter(after)
    for _ in range(12):
        feed = {k: (draw.randrange(-9, 20) % (1 << 32),) for k in range(2)}
        outcome = first.run(feed, RunLimits(steps=5_000))
        if outcome.ending is not Ending.LIMIT:
            assert second.run(feed, RunLimits(steps=40_000)).ending is outcome.ending


@pytest.mark.parametrize("size", [5, 7, 9])
def test_hubs_change_no_run(size: int) -> None:
    changed = 0
    for seed in range(100):
        before = tangled(seed, size)
        if verify(before):
            continue  # a block that nothing leads to is left by an edge
        after = with_hubs(before)
        assert verify(after) == ()
        loops = natural_loops(after.functions["main"])
        changed += after != before
        compare_runs(before, after, seed)
        for loop in loops:
            assert is_parted(after.functions["main"], loop) == loop.head.startswith(HUB)
    assert changed > 4


def test_natural_loops_have_no_hub() -> None:
    for seed in range(60):
        text = tangled(seed, 5)
        try:
            natural_loops(text.functions["main"])
        except Irreducible:
            continue
        assert with_hubs(text) == text


HEAD = "extern int __VERIFIER_nondet_int(void);\n#define I __VERIFIER_nondet_int()\n"
TWO = """int main(void) {{ int x = I, y = I; if (y > 0) goto mid;
top: if (x <= 0) return 0; {top}
mid: {mid} if (I) goto top; return 0; }}
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("top", "mid", "answer"),
    [
        ("x--;", "if (x > 0) x--;", Answer.SAFE),
        ("x--;", "if (y > 3) x++;", Answer.UNSAFE),
        ("", "if (x == 7) x = 6;", Answer.UNSAFE),
    ],
)
def test_a_loop_that_is_entered_in_the_middle(
    top: str, mid: str, answer: Answer, tmp_path: Path
) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + TWO.format(top=top, mid=mid))
    overflow = Overflow.ASSUME if answer is Answer.SAFE else Overflow.WRAP
    options = VerifyOptions(FrontendOptions(overflow=overflow))
    result = seahorn_py.verify(file, options, property="termination", timeout=60)
    assert result.answer is answer, result
