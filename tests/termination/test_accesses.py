"""Overflow that ends a run, unsigned operations, and accesses that are valid as the text shows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from programs import (
    I8,
    I64,
    Address,
    Alloca,
    Branch,
    Call,
    Cast,
    CastOp,
    Compare,
    Global,
    IntConst,
    Jump,
    Load,
    Offset,
    Predicate,
    Return,
    Statement,
    Store,
    add,
    bit,
    block,
    compare,
    const,
    function,
    phi,
    program,
    ptr,
    read,
    reg,
)

from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import NO_REUSE, Overflow, OverflowOp, Program
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.termination.accesses import doubtful_access
from seahorn_py.passes.termination.overflow import overflow_ends
from seahorn_py.passes.termination.unsigned import unsigned_operation

ADDING = program(
    function(
        "main",
        block("entry", read("n", 0), read("step", 1), Jump("head")),
        block(
            "head",
            phi("i", ("entry", const(1)), ("head", reg("k"))),
            add("j", reg("i"), reg("step")),
            add("k", reg("j"), const(0)),
            compare("c", Predicate.SLT, reg("k"), reg("n")),
            Branch(bit("c"), "head", "done"),
        ),
        block("done", Return(())),
    )
)


def ending(is_signed: bool, n: int, step: int) -> Ending:
    watched = overflow_ends(ADDING, lambda function, name: is_signed)
    assert verify(watched) == ()
    return Interpreter(watched).run({0: (n,), 1: (step,)}, RunLimits()).ending


def test_signed_overflow_ends_a_run() -> None:
    most = (1 << 31) - 1
    assert ending(True, 5, 1) is Ending.ENDED
    assert ending(True, most, most - 1) is Ending.ENDED
    assert ending(True, most, most) is Ending.FAILED
    assert ending(False, 0, most) is Ending.ENDED


@pytest.mark.parametrize(
    ("statement", "is_signed", "is_unsigned"),
    [
        (add("y", reg("x"), const(1)), True, False),
        (add("y", reg("x"), const(1)), False, True),
        (Compare(bit("y"), Predicate.SLT, reg("x"), const(1)), True, False),
        (Compare(bit("y"), Predicate.ULT, reg("x"), const(1)), True, True),
        (Cast(reg("y", I64), CastOp.SEXT, reg("x")), True, False),
        (Cast(reg("y", I64), CastOp.ZEXT, reg("x")), True, True),
        (Cast(reg("y", I8), CastOp.TRUNC, reg("x")), True, True),
        (Cast(bit("y"), CastOp.TRUNC, reg("x")), True, False),
        (Overflow(bit("y"), OverflowOp.SADD, reg("x"), const(1)), True, True),
    ],
)
def test_unsigned_operations(statement: Statement, is_signed: bool, is_unsigned: bool) -> None:
    text = program(function("main", block("entry", read("x", 0), statement, Return(()))))
    assert bool(unsigned_operation(text, lambda function, name: is_signed)) is is_unsigned


def accessing(*statements: Statement) -> Program:
    item = Global("g", 8, 4, False, ())
    fixed = Global("c", 8, 4, True, ())
    main = function("main", block("entry", read("x", 0), *statements, Return(())))
    return replace(program(main), globals={"g": item, "c": fixed})


LOCAL = Alloca(ptr("p"), IntConst(8, I64), 4)


@pytest.mark.parametrize(
    ("statements", "is_valid"),
    [
        ((LOCAL, Store(reg("x"), ptr("p"))), True),
        ((LOCAL, Offset(ptr("q"), ptr("p"), 4), Load(reg("y"), ptr("q"))), True),
        ((LOCAL, Offset(ptr("q"), ptr("p"), 5), Load(reg("y"), ptr("q"))), False),
        ((LOCAL, Offset(ptr("q"), ptr("p"), -1), Load(reg("y"), ptr("q"))), False),
        ((LOCAL, Offset(ptr("q"), ptr("p"), 0, ((reg("x"), 4),)), Load(reg("y"), ptr("q"))), False),
        ((Store(reg("x"), Address("g", 4)),), True),
        ((Store(reg("x"), Address("g", 6)),), False),
        ((Store(reg("x"), Address("c")),), False),
        ((Load(reg("y"), Address("c")),), True),
        ((Load(reg("y"), Address(None)),), False),
        ((Call((ptr("p"),), "malloc", (IntConst(4, I64),)), Store(reg("x"), ptr("p"))), True),
        ((Call((ptr("p"),), "malloc", (IntConst(3, I64),)), Store(reg("x"), ptr("p"))), False),
        ((Call((), "unknown", (reg("x"),)),), False),
    ],
)
def test_accesses(statements: tuple[Statement, ...], is_valid: bool) -> None:
    text = accessing(*statements)
    assert (doubtful_access(text) == "") is is_valid
    assert doubtful_access(replace(text, assumptions=(NO_REUSE,))) != ""
