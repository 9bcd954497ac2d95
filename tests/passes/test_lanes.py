"""A pair of ints in one i64, as the 64-bit ABI passes a small struct."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import (
    FAIL,
    I8,
    I64,
    BinaryOp,
    Branch,
    Cast,
    CastOp,
    Jump,
    Predicate,
    Program,
    Register,
    Return,
    Select,
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

from seahorn_py.ir.printer import print_function
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.promotion.lanes import split_lanes
from seahorn_py.passes.simplify.simplify import simplify

TAIL = (block("fail", FAIL), block("end", Return(())))


def pack(name: str, low: Register, high: Register) -> tuple[Statement, ...]:
    return (
        Cast(reg(f"{name}.l", I64), CastOp.ZEXT, low),
        Cast(reg(f"{name}.h", I64), CastOp.ZEXT, high),
        binary(f"{name}.s", BinaryOp.SHL, reg(f"{name}.h", I64), const(32, I64)),
        binary(name, BinaryOp.OR, reg(f"{name}.l", I64), reg(f"{name}.s", I64)),
    )


def unpack(name: str, low: str, high: str) -> tuple[Statement, ...]:
    return (
        Cast(reg(low), CastOp.TRUNC, reg(name, I64)),
        binary(f"{name}.x", BinaryOp.LSHR, reg(name, I64), const(32, I64)),
        Cast(reg(high), CastOp.TRUNC, reg(f"{name}.x", I64)),
    )


def split(before: Program) -> str:
    after = simplify(split_lanes(before))
    assert verify(after) == ()
    runs = endings(before, after, seed=3, runs=30)
    assert runs and all(a == b for a, b in runs)
    return print_function(after.functions["main"])


def test_a_loop_carries_the_members_and_not_the_packing() -> None:
    main = function(
        "main",
        block(
            "e",
            read("a", 1),
            read("b", 2),
            read("n", 3, I8),
            *pack("p", reg("a"), reg("b")),
            Jump("h"),
        ),
        block(
            "h",
            phi("s", ("e", reg("p", I64)), ("b", reg("q", I64))),
            phi("i", ("e", const(0, I8)), ("b", reg("j", I8))),
            *unpack("s", "x", "y"),
            compare("c", Predicate.ULT, reg("i", I8), reg("n", I8)),
            Branch(bit("c"), "b", "d"),
        ),
        block(
            "b",
            add("x2", reg("x"), const(1)),
            *pack("q", reg("x2"), reg("y")),
            add("j", reg("i", I8), const(1, I8)),
            Jump("h"),
        ),
        block(
            "d",
            binary("z", BinaryOp.XOR, reg("x"), reg("y")),
            compare("bad", Predicate.UGT, reg("z"), const(99)),
            Branch(bit("bad"), "fail", "end"),
        ),
        *TAIL,
    )
    assert "i64" not in split(program(main))


def test_a_choice_between_packings_is_a_choice_of_members() -> None:
    main = function(
        "main",
        block(
            "e",
            read("a", 1),
            read("b", 2),
            compare("c", Predicate.ULT, reg("a"), reg("b")),
            *pack("p", reg("a"), reg("b")),
            *pack("q", reg("b"), reg("a")),
            Select(reg("s", I64), bit("c"), reg("p", I64), reg("q", I64)),
            *unpack("s", "x", "y"),
            compare("bad", Predicate.UGT, reg("x"), reg("y")),
            Branch(bit("bad"), "fail", "end"),
        ),
        *TAIL,
    )
    assert "i64" not in split(program(main))


def test_a_register_that_is_shifted_around_a_loop_is_no_packing() -> None:
    """Its bits would become one phi each."""
    main = function(
        "main",
        block("e", read("a", 1), Jump("h")),
        block(
            "h",
            phi("x", ("e", reg("a")), ("h", reg("y"))),
            binary("low", BinaryOp.AND, reg("x"), const(1)),
            binary("y", BinaryOp.LSHR, reg("x"), const(1)),
            compare("c", Predicate.EQ, reg("low"), const(1)),
            Branch(bit("c"), "fail", "h"),
        ),
        block("fail", FAIL),
    )
    assert split_lanes(program(main)) == program(main)


STEPS = st.lists(
    st.tuples(
        st.sampled_from([BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.AND, BinaryOp.OR, None]),
        st.integers(0, 9),
        st.integers(0, 2**32 - 1),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.full
@given(STEPS, st.integers(0, 31), st.integers(1, 31))
@settings(max_examples=200, deadline=None)
def test_extractions_from_any_mixture_are_right(
    steps: list[tuple[BinaryOp | None, int, int]], low: int, width: int
) -> None:
    """Shifts, masks, unions and selects in a row, then some bits are read and compared."""
    values = [reg("a"), reg("b")]
    body: list[Statement] = [read("a", 1), read("b", 2), compare("c", Predicate.ULT, *values)]
    for n, (op, choice, number) in enumerate(steps):
        left, right = values[choice % len(values)], values[number % len(values)]
        if op is None:
            body.append(Select(reg(f"t{n}"), bit("c"), left, right))
        elif op is BinaryOp.OR:
            body.append(binary(f"t{n}", op, left, right))
        elif op is BinaryOp.AND:
            body.append(binary(f"t{n}", op, left, const(number)))
        else:
            body.append(binary(f"t{n}", op, left, const(number % 32)))
        values.append(reg(f"t{n}"))
    body.append(binary("m", BinaryOp.LSHR, values[-1], const(low)))
    body.append(binary("f", BinaryOp.AND, reg("m"), const((1 << width) - 1)))
    body.append(compare("bad", Predicate.EQ, reg("f"), const(0)))
    main = function("main", block("e", *body, Branch(bit("bad"), "fail", "end")), *TAIL)
    split(program(main))
