"""How operations that may wrap are encoded: the traps of lazily refined wrapping."""

from __future__ import annotations

from pathlib import Path

import pytest
from encode_text import impossible, names, rule, text
from programs import (
    BLOCKED,
    FAIL,
    I64,
    Binary,
    BinaryOp,
    Branch,
    Cast,
    CastOp,
    Jump,
    Operand,
    Predicate,
    Program,
    Register,
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

from seahorn_py.base.errors import Origin, Span
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding, Wrapping
from seahorn_py.encode.signedness import signedness
from seahorn_py.horn.ledger import Approximation
from seahorn_py.horn.system import Obligation, OperationId, Query
from seahorn_py.options import VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.passes.ranges.ranges import value_ranges
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load


def loop(step: Binary, test: Predicate, bound: int) -> Program:
    """x = 0; while (x TEST bound) x = STEP; fails after the loop."""
    return program(
        function(
            "main",
            block("start", Jump("loop")),
            block(
                "loop",
                phi("x", ("start", const(0)), ("body", step.result)),
                compare("go", test, reg("x"), const(bound)),
                Branch(bit("go"), "body", "bad"),
            ),
            block("body", step, Jump("loop")),
            block("bad", FAIL),
        )
    )


def unbounded(step: Binary) -> Program:
    """x = 0; for (;;) { if (input) fail when x == 7; x = STEP; }: nothing bounds x."""
    return program(
        function(
            "main",
            block("start", Jump("loop")),
            block(
                "loop",
                phi("x", ("start", const(0)), ("body", step.result)),
                read("c", 1),
                compare("ask", Predicate.EQ, reg("c"), const(0)),
                Branch(bit("ask"), "body", "test"),
            ),
            block("body", step, Jump("loop")),
            block(
                "test",
                compare("seven", Predicate.EQ, reg("x"), const(7)),
                Branch(bit("seven"), "bad", "body2"),
            ),
            block("body2", Return(())),
            block("bad", FAIL),
        )
    )


def obligations(encoding: Encoding) -> list[OperationId]:
    heads = [r.head for r in encoding.system.queries]
    return [
        h.kind.operation for h in heads if isinstance(h, Query) and isinstance(h.kind, Obligation)
    ]


PLUS_ONE = add("y", reg("x"), const(1))


def test_a_bounded_step_is_an_obligation() -> None:
    """Plain arithmetic; that it wraps only after 2**30 steps is for the engine to find out."""
    by_two = add("y", reg("x"), const(2))
    encoding = encode(loop(by_two, Predicate.NE, 2**30 + 1))
    assert [o.text for o in obligations(encoding)] == ["%x + 2"]
    assert text(encoding, "main.loop -> main.loop")[-1] == "main.loop((main.%x + 2))"


def test_a_step_that_nothing_bounds_is_split_at_once() -> None:
    encoding = encode(unbounded(PLUS_ONE))
    assert obligations(encoding) == []
    assert text(encoding, "main.loop -> main.loop")[-1] == (
        "main.loop(((2147483647 < (main.%x + 1)) ? ((main.%x + 1) + -4294967296) : (main.%x + 1)))"
    )


def looked_at(predicate: Predicate, other: Operand, step: Binary) -> Program:
    """x = input; if (x PREDICATE other) { STEP; fail where its result is 7; }"""
    return program(
        function(
            "main",
            block(
                "start",
                read("x", 1),
                read("w", 2),
                compare("go", predicate, reg("x"), other),
                Branch(bit("go"), "body", "end"),
            ),
            block(
                "body",
                step,
                compare("seven", Predicate.EQ, step.result, const(7)),
                Branch(bit("seven"), "bad", "end"),
            ),
            block("bad", FAIL),
            block("end", Return(())),
        )
    )


TIMES_FOUR = Binary(reg("y"), BinaryOp.MUL, reg("x"), const(4))


@pytest.mark.parametrize("step", [PLUS_ONE, TIMES_FOUR], ids=["sum", "product"])
def test_an_operation_on_an_input_is_split_unless_something_bounds_it(step: Binary) -> None:
    """To compare with a constant for equality does not; with another value it may."""
    assert obligations(encode(looked_at(Predicate.NE, const(3), step))) == []
    assert len(obligations(encode(looked_at(Predicate.SLT, const(3), step)))) == 1
    assert len(obligations(encode(looked_at(Predicate.NE, reg("w"), step)))) == 1


def beside(other: Register) -> Program:
    """x = s = 0; while (s != 9) { s = OTHER; x = x + 1; }: fails when x is 7 in the end."""
    return program(
        function(
            "main",
            block("start", Jump("loop")),
            block(
                "loop",
                phi("x", ("start", const(0)), ("body", reg("y"))),
                phi("s", ("start", const(0)), ("body", other)),
                compare("go", Predicate.NE, reg("s"), const(9)),
                Branch(bit("go"), "test", "after"),
            ),
            block("test", Jump("body")),
            block("body", PLUS_ONE, read("r", 1), add("t", reg("s"), const(1)), Jump("loop")),
            block(
                "after",
                compare("seven", Predicate.EQ, reg("x"), const(7)),
                Branch(bit("seven"), "bad", "end"),
            ),
            block("bad", FAIL),
            block("end", Return(())),
        )
    )


def test_what_is_only_read_bounds_no_counter_beside_it() -> None:
    assert obligations(encode(beside(reg("r")))) == []
    assert "%x + 1" in [o.text for o in obligations(encode(beside(reg("t"))))]


def test_a_named_operation_is_split() -> None:
    made = loop(PLUS_ONE, Predicate.SLT, 100)
    (operation,) = obligations(encode(made))
    refined = encode(made, EncodeOptions(split=frozenset({operation})))
    assert obligations(refined) == []


def test_ranges_make_an_operation_exact() -> None:
    made = loop(PLUS_ONE, Predicate.SLT, 100)
    encoding = encode(made, EncodeOptions(), value_ranges(made))
    assert obligations(encoding) == []
    assert text(encoding, "main.loop -> main.loop")[-1] == "main.loop((main.%x + 1))"


def test_an_obligation_is_asked_at_the_operation() -> None:
    """y < x is impossible for the plain value, yet the obligation before it can be violated."""
    made = program(
        function(
            "main",
            block(
                "start",
                read("x", 1),
                read("w", 2),
                add("y", reg("x"), reg("w")),
                compare("c", Predicate.SLE, reg("y"), const(2**31 - 1)),
                Branch(bit("c"), "go", "blocked"),
            ),
            block(
                "go",
                compare("d", Predicate.EQ, reg("y"), const(-5)),
                Branch(bit("d"), "bad", "blocked"),
            ),
            block("blocked", BLOCKED),
            block("bad", FAIL),
        )
    )
    encoding = encode(made)
    asked = rule(encoding, "main.entry -> obligation of y")
    assert not impossible(asked)
    assert "main/go?" not in asked.constraint.serialize()


def unsigned_counter() -> Program:
    """unsigned i = 0; while (i < 10u) i++;"""
    return loop(PLUS_ONE, Predicate.ULT, 10)


def test_an_unsigned_counter_is_represented_as_unsigned() -> None:
    made = unsigned_counter()
    assert signedness(made)["main", "x"] is False
    (parameter,) = encode(made).system.relations["main.loop"].parameters
    assert (parameter.signed, parameter.range) == (False, (0, 2**32 - 1))
    assert "(main.%x < 10)" in rule(encode(made), "main.loop -> main.loop").constraint.serialize()


def test_adding_a_large_unsigned_constant_is_subtraction() -> None:
    encoding = encode(loop(add("y", reg("x"), const(-1)), Predicate.UGT, 5))
    assert text(encoding, "main.loop -> main.loop")[-1] == "main.loop((main.%x + -1))"
    assert text(encoding, "main.loop -> obligation of y")[-2] == "((main.%x + -1) < 0)"


def two_additions() -> Program:
    lines = [Origin((Span("f.c", n, 3, "main"),)) for n in (11, 12)]
    first = Binary(reg("s"), BinaryOp.ADD, reg("x"), reg("y"), lines[0])
    second = Binary(reg("t"), BinaryOp.ADD, reg("s"), reg("y"), lines[1])
    return program(
        function(
            "main",
            block(
                "start",
                read("x", 1),
                read("y", 2),
                first,
                second,
                compare("c", Predicate.SLT, reg("t"), const(9)),
                Branch(bit("c"), "bad", "good"),
            ),
            block("good", Return(())),
            block("bad", FAIL),
        )
    )


def test_obligations_of_one_region_share_their_prefix() -> None:
    encoding = encode(two_additions())
    assert [o.register for o in obligations(encoding)] == ["s", "t"]
    assert "main/bad?" not in rule(encoding, "main.entry -> obligation of t").constraint.serialize()


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_assumed_wrapping_is_in_the_ledger(arithmetic: Arithmetic) -> None:
    encoding = encode(two_additions(), EncodeOptions(arithmetic, Wrapping.ASSUME))
    assert {e.kind for e in encoding.system.ledger} == {Approximation.ASSUMED}
    assert [str(e.origin) for e in encoding.system.ledger] == ["f.c:11:3", "f.c:12:3"]
    assert all("obligation" not in name for name in names(encoding))


@pytest.mark.parametrize(("declared", "places"), [("unsigned", 0), ("int", 1), ("signed char", 0)])
def test_of_what_wraps_in_c_nothing_is_assumed(declared: str, places: int, tmp_path: Path) -> None:
    """The sum is read as signed."""
    file = tmp_path / "a.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
        f"int main(void) {{ {declared} u = __VERIFIER_nondet_int(); u++;"
        " if ((long)(int)u < -9) reach_error(); }\n"
    )
    made = prepare(load([file], VerifyOptions(), Deadline.after(60))[1])
    encoding = encode(made, EncodeOptions(wrapping=Wrapping.ASSUME))
    assert sum("add" in entry.text for entry in encoding.system.ledger) == places
    strict = encode(made, EncodeOptions(wrapping=Wrapping.ASSUME, strict=True))
    assert any("add" in entry.text for entry in strict.system.ledger)


def test_a_mismatch_of_signs_costs_one_conversion() -> None:
    made = program(
        function(
            "main",
            block(
                "start",
                read("x", 1),
                compare("a", Predicate.SLT, reg("x"), const(0)),
                Branch(bit("a"), "next", "good"),
            ),
            block(
                "next",
                compare("n", Predicate.SGT, reg("x"), const(-9)),
                Branch(bit("n"), "wide", "good"),
            ),
            block(
                "wide",
                Cast(reg("w", I64), CastOp.ZEXT, reg("x")),
                compare("b", Predicate.EQ, reg("w", I64), const(4294967295, I64)),
                Branch(bit("b"), "bad", "good"),
            ),
            block("good", Return(())),
            block("bad", FAIL),
        )
    )
    facts = text(encode(made), "main.entry -> check 0 at bad")
    assert any("(main%x < 0) ? (main%x + 4294967296) : main%x" in f for f in facts)
