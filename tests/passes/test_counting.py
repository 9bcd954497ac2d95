"""Loops that only count go, and loops that may never end stay."""

from __future__ import annotations

import pytest
from programs import (
    FAIL,
    Binary,
    BinaryOp,
    Block,
    Branch,
    Cast,
    CastOp,
    Jump,
    Operand,
    Predicate,
    Program,
    Return,
    Statement,
    add,
    binary,
    bit,
    block,
    compare,
    const,
    endings,
    function,
    phi,
    program,
    read,
    reg,
)

from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.slicing.counting import drop_counting

SMALL = IntType(16)


def looping(
    bound: Operand,
    step: int = 1,
    goes_on: Predicate = Predicate.ULT,
    inside: tuple[Statement, ...] = (),
    seen: str = "n",
) -> Program:
    """A loop from 0 in steps to a bound, behind which something of `seen` is checked."""
    return program(
        function(
            "main",
            block(
                "e",
                read("n", 1),
                read("short", 2, SMALL),
                Cast(reg("wide"), CastOp.ZEXT, reg("short", SMALL)),
                Binary(reg("times"), BinaryOp.MUL, reg("wide"), const(4)),
                Jump("head"),
            ),
            block(
                "head",
                phi("k", ("e", const(0)), ("body", reg("next"))),
                compare("on", goes_on, reg("k"), bound),
                Branch(bit("on"), "body", "out"),
            ),
            block("body", *inside, add("next", reg("k"), const(step)), Jump("head")),
            block(
                "out", compare("c", Predicate.EQ, reg(seen), const(3)), Branch(bit("c"), "f", "end")
            ),
            block("f", FAIL),
            block("end", Return(())),
        )
    )


GO = {
    "to any bound by one": looping(reg("n")),
    "until it is equal": looping(reg("n"), goes_on=Predicate.NE),
    "signed": looping(reg("n"), goes_on=Predicate.SLT),
    "by four to a bound of 18 bits": looping(reg("times"), step=4),
    "by four to a constant": looping(const(40), step=4),
    "computes": looping(reg("n"), inside=(binary("t", BinaryOp.MUL, reg("k"), const(3)),)),
}
STAY = {
    "by four to any bound": looping(reg("n"), step=4),
    "by four until it is equal": looping(const(40), step=4, goes_on=Predicate.NE),
    "to the greatest number": looping(reg("n"), goes_on=Predicate.ULE),
    "not at all": looping(reg("n"), step=0),
    "the counter is used behind": looping(reg("n"), seen="k"),
    "reads an input": looping(reg("n"), inside=(read("x", 3),)),
    "divides": looping(reg("n"), inside=(binary("d", BinaryOp.UDIV, const(1), reg("wide")),)),
}


def labels(found: Program) -> list[str]:
    blocks: tuple[Block, ...] = found.functions["main"].blocks
    return [b.label for b in blocks]


@pytest.mark.parametrize("name", GO)
def test_a_loop_that_only_counts_goes(name: str) -> None:
    left = drop_counting(GO[name])
    assert verify(left) == ()
    assert labels(left) == ["e", "head", "out", "f", "end"]


@pytest.mark.parametrize("name", STAY)
def test_other_loops_stay(name: str) -> None:
    assert drop_counting(STAY[name]) is STAY[name]


def test_the_same_inputs_fail() -> None:
    before = GO["by four to a constant"]
    runs = endings(before, drop_counting(before), seed=2, runs=40)
    assert runs and all(a == b for a, b in runs)
