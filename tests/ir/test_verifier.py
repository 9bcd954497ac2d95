"""Each promise of `ir.program`, broken once: the verifier names the place and the promise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from programs import (
    END,
    FAIL,
    I8,
    I32,
    I64,
    NULL,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Block,
    Call,
    Cast,
    CastOp,
    Global,
    Load,
    MemorySet,
    Offset,
    Predicate,
    Program,
    Select,
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

from seahorn_py.base.errors import InternalError
from seahorn_py.ir.program import Bits, BitsOp, Branch, Compare, Jump, Overflow, OverflowOp, Return
from seahorn_py.ir.types import FloatKind, FloatType, IntType
from seahorn_py.ir.verifier import check, verify

X, Y = reg("x"), reg("y")
LOOP = (
    block("entry", read("n", 0), Jump("head")),
    block(
        "head",
        phi("i", ("entry", const(0)), ("body", reg("j"))),
        compare("c", Predicate.SLT, reg("i"), reg("n")),
        Branch(bit("c"), "body", "exit"),
    ),
    block("body", add("j", reg("i"), const(1)), Jump("head")),
    block("exit", Return(())),
)


def errors(*blocks: Block) -> tuple[str, ...]:
    return verify(program(function("main", *blocks)))


def of(*statements: Statement) -> tuple[str, ...]:
    """The errors of a block of statements, in which x and p are defined."""
    return errors(block("b", read("x", 0), Alloca(ptr("p"), const(4), 4), *statements, END))


def test_a_good_program_has_no_errors() -> None:
    good = program(function("main", *LOOP))
    assert verify(good) == ()
    assert check(good, "reading") is good


def test_labels() -> None:
    assert errors(block("a", END), block("a", END)) == ("main: 2 blocks a",)
    assert errors(block("a", Jump("b"))) == ("main.a: no block b",)
    assert errors(block("a", Jump("a"))) == ("main.a: jumps to the entry block",)
    assert errors(block("a", phi("x", ("a", const(0))), END)) == (
        "main.a: phis in the entry block",
    )
    assert errors() == ("main: no blocks",)


def test_registers_are_assigned_once() -> None:
    assert of(add("y", X, X), read("y", 1)) == ("main.b: %y is assigned twice",)


def test_definitions_come_before_uses() -> None:
    assert of(add("y", reg("z"), X), add("z", X, X)) == ("main.b: binary %y: %z is assigned later",)
    assert of(add("y", Y, X)) == ("main.b: binary %y: %y is assigned later",)
    assert of(add("y", reg("q"), X)) == ("main.b: binary %y: no %q of type i32",)
    assert of(add("y", reg("x", I64), const(1, I64))) == ("main.b: binary %y: no %x of type i64",)


def test_definitions_dominate_uses() -> None:
    entry, head, body, leave = LOOP
    late = replace(leave, terminator=Branch(bit("d"), "exit2", "exit2"))
    wrong = replace(late, statements=(compare("d", Predicate.EQ, reg("j"), const(0)),))
    assert errors(entry, head, body, wrong, block("exit2", END)) == (
        "main.exit: compare %d: %j of body does not dominate exit",
    )


def test_a_phi_uses_its_operand_at_the_end_of_the_predecessor() -> None:
    entry, head, body, leave = LOOP
    wrong = replace(head, phis=(phi("i", ("entry", reg("j")), ("body", const(0))),))
    assert errors(entry, wrong, body, leave) == (
        "main.head: %i from entry: %j of body does not dominate entry",
    )


def test_phis_match_predecessors_and_types() -> None:
    entry, head, body, leave = LOOP
    for incoming in (
        [("entry", const(0))],
        [("entry", const(0)), ("exit", const(0))],
        [("entry", const(0)), ("body", const(0)), ("body", const(0))],
    ):
        wrong = replace(head, phis=(phi("i", *incoming),))
        labels = " ".join(sorted(label for label, _ in incoming))
        assert errors(entry, wrong, body, leave) == (
            f"main.head: %i: phi of [{labels}], predecessors [body entry]",
        )
    wrong = replace(head, phis=(phi("i", ("entry", const(0)), ("body", NULL)),))
    assert errors(entry, wrong, body, leave) == ("main.head: %i: null is ptr, not i32",)


def test_unreachable_blocks_need_no_dominance() -> None:
    dead = block("dead", add("y", X, X), Jump("dead2"))
    assert errors(block("b", read("x", 0), END), dead, block("dead2", add("z", Y, X), END)) == ()


FLOAT = FloatType(FloatKind.SINGLE)


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        (Binary(Y, BinaryOp.ADD, X, const(1, I8)), "binary %y: 1 is i8, not i32"),
        (Binary(ptr("y"), BinaryOp.ADD, NULL, NULL), "binary %y: %y is ptr, not an integer"),
        (Compare(Y, Predicate.EQ, X, X), "compare %y: %y is i32, not i1"),
        (Compare(bit("y"), Predicate.EQ, X, NULL), "compare %y: null is ptr, not i32"),
        (Cast(Y, CastOp.ZEXT, X), "cast %y: from i32 to i32"),
        (Cast(reg("y", I64), CastOp.TRUNC, X), "cast %y: from i32 to i64"),
        (Cast(reg("y", I64), CastOp.PTRTOINT, X), "cast %y: from i32 to i64"),
        (Cast(reg("y", I64), CastOp.BITCAST, X), "cast %y: from i32 to i64"),
        (Cast(reg("y", FLOAT), CastOp.FPEXT, X), "cast %y: from i32 to float"),
        (Select(Y, X, X, X), "select %y: %x is i32, not i1"),
        (Bits(Y, BitsOp.FSHL, (X, X)), "bits %y: 2 arguments"),
        (Bits(reg("y", I8), BitsOp.BSWAP, (const(1, I8),)), "bits %y: bswap of i8"),
        (Overflow(Y, OverflowOp.SADD, X, X), "overflow %y: %y is i32, not i1"),
        (Offset(ptr("y"), X, 0), "offset %y: %x is i32, not ptr"),
        (Offset(ptr("y"), NULL, 0, ((NULL, 4),)), "offset %y: null is ptr, not an integer"),
        (Load(Y, X), "load %y: %x is i32, not ptr"),
        (Store(NULL, X), "store: %x is i32, not ptr"),
        (MemorySet(NULL, X, X), "memoryset: %x is i32, not i8"),
        (Call((), reg("x"), ()), "call: %x is i32, not ptr"),
        (read("y", 1, IntType(129)), "%y is i129"),
    ],
    ids=str,
)
def test_types(statement: Statement, error: str) -> None:
    assert of(statement) == (f"main.b: {error}",)


def test_good_casts() -> None:
    good = (
        Cast(reg("a", FLOAT), CastOp.BITCAST, X),
        Cast(reg("b", FloatType(FloatKind.X87)), CastOp.FPEXT, reg("a", FLOAT)),
        Cast(reg("c", I8), CastOp.FPTOSI_SAT, reg("a", FLOAT)),
        Cast(ptr("d"), CastOp.INTTOPTR, reg("c", I8)),
    )
    assert of(*good) == ()


def test_terminators() -> None:
    assert errors(block("b", read("x", 0), Branch(X, "c", "c")), block("c", END)) == (
        "main.b: branch on i32",
    )
    assert errors(block("b", Return((NULL,)))) == ("main.b: returns (ptr)",)


def test_calls_fit_their_callee() -> None:
    callee = function("f", block("b", Return((X,))), parameters=[X], results=[I32])

    def calling(call: Call) -> tuple[str, ...]:
        return verify(program(function("main", block("b", call, END)), callee))

    assert calling(Call((Y,), "f", (const(1),))) == ()
    assert calling(Call((), "f", (const(1),))) == ()
    assert calling(Call((), "external", (NULL,))) == ()
    assert calling(Call((Y,), "f", ())) == ("main.b: call of f: () passed",)
    assert calling(Call((ptr("y"),), "f", (const(1),))) == ("main.b: call of f: (ptr) wanted",)


def test_sites_and_checks_are_not_copied() -> None:
    assert of(read("y", 0)) == ()  # the bytes of one object, read in order
    twice = errors(block("b", read("x", 0), Jump("c")), block("c", read("y", 0), END))
    assert twice == ("site 0 occurs 2 times in the code",)
    split = (
        block("b", read("x", 0), compare("c", Predicate.EQ, X, X), Branch(bit("c"), "l", "r")),
        block("l", FAIL),
        block("r", FAIL),
    )
    assert errors(*split) == ("check 0 occurs 2 times in the code",)


def test_sites_and_checks_are_listed() -> None:
    good = program(function("main", block("b", read("x", 0), FAIL)))
    assert verify(replace(good, sites=(), checks=())) == (
        "main: site 0 is not listed",
        "main: check 0 is not listed",
    )
    assert verify(replace(good, sites=good.sites * 2)) == ("site 0 is listed 2 times",)


def test_the_entry_function() -> None:
    other = function("other", block("b", END), parameters=[X])
    assert verify(program(other)) == ("no entry function main",)
    assert verify(program(other, entry="other")) == ("other: the entry function has parameters",)


def test_globals() -> None:
    def globals_(item: Global) -> tuple[str, ...]:
        return verify(program(function("main", block("b", END)), globals_=[item]))

    leaves = ((0, const(1)), (4, Address("main")))
    assert globals_(Global("g", 12, 8, False, leaves)) == ()
    assert globals_(Global("g", 8, 8, False, leaves)) == ("@g: leaves up to 12, size 8",)
    assert globals_(Global("g", 8, 8, False, ((0, const(1)), (2, const(1))))) == (
        "@g: the leaf at 2 overlaps the one before",
    )
    assert globals_(Global("g", 8, 8, False, ((0, X),))) == ("@g: the leaf at 0 is no constant",)
    assert globals_(Global("main", 0, 1, False, ())) == ("@main: a function has the same name",)


def test_check_raises_with_the_broken_function() -> None:
    bad: Program = program(function("main", block("b", add("y", X, X), END)))
    with pytest.raises(InternalError) as caught:
        check(bad, "slicing")
    assert str(caught.value).startswith("after slicing:\nmain.b: binary %y: no %x")
    assert "%y" in str(caught.value).split("\n\n", 1)[1]


def test_a_large_function_is_verified() -> None:
    chain = [block("b0", read("r0", 0), Jump("b1"))]
    for k in range(1, 5_000):
        chain.append(block(f"b{k}", add(f"r{k}", reg(f"r{k - 1}"), reg("r0")), Jump(f"b{k + 1}")))
    assert errors(*chain, block("b5000", END)) == ()
