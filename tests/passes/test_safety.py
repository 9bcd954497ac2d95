"""Validity as arithmetic: the pass and the interpreter's memory say the same of every access."""

from __future__ import annotations

import pytest
from programs import I8, I64, bit, block, check, const, function, program, ptr, read, reg

from seahorn_py.ir.interpreter import run
from seahorn_py.ir.program import (
    NULL,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Branch,
    Call,
    Fail,
    Global,
    Jump,
    Lifetime,
    Load,
    Offset,
    Phi,
    Program,
    Return,
    Statement,
    Store,
    Valid,
    Validity,
)
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.types import POINTER
from seahorn_py.ir.verifier import check as verified
from seahorn_py.passes.safety.safety import check_validity

LIMITS = RunLimits(seconds=5.0)
TABLE = Global("table", 12, 4, False, ())
WORDS = Global("words", 12, 4, True, ())


def asking(*before: Statement, kind: Validity = Validity.ACCESS, size: int = 4) -> Program:
    """A program that fails where `%p` is not valid; input 0 is `%k`, input 1 is `%b`."""
    return program(
        function(
            "main",
            block(
                "entry",
                read("k", 0),
                *before,
                Valid(bit("ok"), kind, ptr("p"), const(size, I64)),
                Branch(bit("ok"), "good", "bad"),
            ),
            block("good", Return(())),
            block("bad", Fail(check())),
        ),
        globals_=(TABLE, WORDS),
    )


def fails(made: Program, number: int) -> bool:
    outcome = run(made, {0: (number % 2**32,)}, LIMITS)
    assert outcome.ending in (Ending.FAILED, Ending.ENDED), outcome.reason
    return outcome.ending is Ending.FAILED


def element(base: object, scale: int = 4) -> Offset:
    return Offset(ptr("p"), base, 0, ((reg("k"), scale),))  # type: ignore[arg-type]


def malloc(name: str, size: int) -> Call:
    return Call((ptr(name),), "malloc", (const(size, I64),))


def free(name: str) -> Call:
    return Call((), "free", (ptr(name),))


CASES = {
    "global": (element(Address("table")),),
    "inside a global": (element(Address("table", 4)),),
    "constant": (element(Address("words")),),
    "stack": (Alloca(ptr("a"), const(12, I64), 4), element(ptr("a"))),
    "stack of any size": (
        Binary(reg("n"), BinaryOp.AND, reg("k"), const(7)),
        Alloca(ptr("a"), reg("n"), 4),
        Offset(ptr("p"), ptr("a"), 1),
    ),
    "heap": (malloc("a", 12), element(ptr("a"))),
    "freed": (malloc("a", 12), free("a"), element(ptr("a"))),
    "null": (element(NULL),),
    "in memory": (
        malloc("a", 12),
        Alloca(ptr("s"), const(8, I64), 8),
        Store(ptr("a"), ptr("s")),
        Load(ptr("b"), ptr("s")),
        element(ptr("b")),
    ),
    "in memory, overwritten": (
        malloc("a", 12),
        Alloca(ptr("s"), const(8, I64), 8),
        Store(ptr("a"), ptr("s")),
        Store(const(0, I64), ptr("s")),
        Load(ptr("b"), ptr("s")),
        element(ptr("b")),
    ),
    "moved by realloc": (
        malloc("a", 4),
        Call((ptr("b"),), "realloc", (ptr("a"), const(8, I64))),
        element(ptr("b")),
    ),
    "out of scope": (
        Alloca(ptr("a"), const(12, I64), 4),
        Lifetime(ptr("a"), False),
        element(ptr("a")),
    ),
    "in scope again": (
        Alloca(ptr("a"), const(12, I64), 4),
        element(ptr("a")),
        Lifetime(ptr("a"), False),
        Lifetime(ptr("a"), True),
    ),
    "before realloc": (
        malloc("a", 4),
        Call((ptr("b"),), "realloc", (ptr("a"), const(8, I64))),
        element(ptr("a")),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", [Validity.ACCESS, Validity.WRITE, Validity.FREE])
def test_the_pass_agrees_with_the_memory_of_the_interpreter(name: str, kind: Validity) -> None:
    before = asking(*CASES[name], kind=kind)
    after = check_validity(before)
    verified(after, "check_validity")
    found = [fails(before, k) for k in range(-2, 6)]
    assert [fails(after, k) for k in range(-2, 6)] == found
    assert any(found)


def test_an_access_far_outside_that_meets_another_object_is_not_valid() -> None:
    """Which the memory of a run cannot tell: the pass knows where the pointer came from."""
    made = check_validity(
        asking(
            malloc("a", 12),
            malloc("b", 12),
            Offset(ptr("p"), ptr("a"), 0, ((reg("k"), 1),)),
        )
    )
    assert all(fails(made, k) for k in range(12, 512, 4))


def test_a_slot_is_dead_after_its_function_returned() -> None:
    slot = function(
        "slot",
        block("entry", Alloca(ptr("a"), const(4, I64), 4), Return((ptr("a"),))),
        results=(POINTER,),
    )
    main = asking(Call((ptr("p"),), "slot", ())).functions["main"]
    before = program(main, slot)
    after = check_validity(before)
    verified(after, "check_validity")
    assert fails(before, 0) and fails(after, 0)


def test_pointers_keep_their_origin_through_phis_and_calls() -> None:
    identity = function(
        "same", block("entry", Return((ptr("x"),))), parameters=[ptr("x")], results=(POINTER,)
    )
    main = function(
        "main",
        block("entry", read("k", 0), malloc("a", 8), read("b", 1), Jump("loop")),
        block(
            "loop",
            Phi(ptr("q"), (("entry", ptr("a")), ("next", ptr("r")))),
            Valid(bit("ok"), Validity.ACCESS, ptr("q"), const(4, I64)),
            Branch(bit("ok"), "next", "bad"),
        ),
        block(
            "next",
            Call((ptr("s"),), "same", (ptr("q"),)),
            Offset(ptr("r"), ptr("s"), 0, ((reg("k"), 4),)),
            Jump("loop"),
        ),
        block("bad", Fail(check())),
    )
    before = program(main, identity)
    after = check_validity(before)
    verified(after, "check_validity")
    assert [fails(made, k) for made in (before, after) for k in (1, 2, -1)] == [True] * 6


@pytest.mark.parametrize("freed", [True, False])
def test_blocks_that_are_not_freed_leak(freed: bool) -> None:
    release = (free("a"),) if freed else ()
    made = asking(
        malloc("a", 4), *release, Offset(ptr("p"), NULL, 0), kind=Validity.NO_LEAK, size=0
    )
    assert fails(made, 0) is not freed
    assert fails(check_validity(made), 0) is not freed


def test_programs_that_ask_nothing_stay_as_they_are() -> None:
    made = program(function("main", block("entry", read("k", 0, I8), Return(()))))
    assert check_validity(made) is made
