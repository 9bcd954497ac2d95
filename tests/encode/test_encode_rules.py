"""What the rules of small programs look like, and where their relations lie."""

from __future__ import annotations

import pytest
from encode_text import impossible, names, rule, text
from programs import (
    FAIL,
    I64,
    NULL,
    Address,
    BinaryOp,
    Bind,
    Branch,
    Call,
    Cast,
    CastOp,
    Compare,
    Global,
    Input,
    Jump,
    Load,
    Predicate,
    Program,
    Return,
    Scope,
    SiteKind,
    add,
    binary,
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
    site,
    variable,
)

from seahorn_py.base.errors import Origin, Span
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, CutKind, EncodeOptions
from seahorn_py.horn.ledger import Approximation
from seahorn_py.horn.system import Check, Query, Role

BV = EncodeOptions(Arithmetic.BV)


def counter() -> Program:
    """i = 0; while (i < n) i++; assert(i <= 7);"""
    return program(
        function(
            "main",
            block("start", read("n", 1), Jump("loop")),
            block(
                "loop",
                phi("i", ("start", const(0)), ("body", reg("j"))),
                Bind(variable("i", Scope.LOCAL), reg("i")),
                compare("go", Predicate.SLT, reg("i"), reg("n")),
                Branch(bit("go"), "body", "after"),
            ),
            block("body", add("j", reg("i"), const(1)), Jump("loop")),
            block(
                "after",
                compare("many", Predicate.SGT, reg("i"), const(7)),
                Branch(bit("many"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        )
    )


def test_a_loop_in_integers() -> None:
    encoding = encode(counter())
    assert set(names(encoding)) == {
        "start",
        "main.entry -> main.loop",
        "main.loop -> main.loop",
        "main.loop -> check 0 at bad",
        "main.loop -> main.exit at good",
        "main.loop -> obligation of j",
    }
    assert text(encoding, "main.entry -> main.loop") == [
        "main.entry()",
        "main/start?",
        "main.loop(main%n, 0)",
    ]
    assert text(encoding, "main.loop -> main.loop") == [
        "main.loop(main.%n, main.i)",
        "main/loop?",
        "(main/body? <-> (main/loop? & (main.i < main.%n)))",
        "main/body?",
        "main.loop(main.%n, (main.i + 1))",
    ]
    assert text(encoding, "main.loop -> check 0 at bad") == [
        "main.loop(main.%n, main.i)",
        "main/loop?",
        "(main/after? <-> (main/loop? & (! (main.i < main.%n))))",
        "(main/bad? <-> (main/after? & (7 < main.i)))",
        "main/bad?",
        "false by check.0",
    ]
    assert text(encoding, "main.loop -> obligation of j") == [
        "main.loop(main.%n, main.i)",
        "main/loop?",
        "(main/body? <-> (main/loop? & (main.i < main.%n)))",
        "main/body?",
        "(2147483647 < (main.i + 1))",
        "false by obligation.main.j",
    ]


def test_a_loop_in_bit_vectors() -> None:
    encoding = encode(counter(), BV)
    assert "main.loop -> obligation of j" not in names(encoding)
    assert text(encoding, "main.loop -> main.loop") == [
        "main.loop(main.%n~32, main.i~32)",
        "main/loop?",
        "(main/body? <-> (main/loop? & (main.i~32 s< main.%n~32)))",
        "main/body?",
        "main.loop(main.%n~32, (main.i~32 + 1_32))",
    ]


def test_the_cut_of_an_entry_names_the_block_that_runs_pass() -> None:
    made = program(function("main", block("0", FAIL)))
    cut = encode(made).cuts["main.entry"]
    assert (cut.kind, cut.label) == (CutKind.ENTRY, "0")


def test_cuts_and_parameters() -> None:
    encoding = encode(counter())
    cut = encoding.cuts["main.loop"]
    assert (cut.kind, cut.label, cut.registers) == (CutKind.BLOCK, "loop", (reg("n"), reg("i")))
    n, i = encoding.system.relations["main.loop"].parameters
    assert (n.c_name, i.c_name, i.role) == (None, "i", Role.CURRENT)
    assert i.range == (-(2**31), 2**31 - 1)


def test_inputs_and_blocks_are_listed_in_execution_order() -> None:
    found = rule(encode(counter()), "main.entry -> main.loop")
    assert [(str(i.symbol), i.site) for i in found.inputs] == [("main%n", 1)]
    assert [m.label for m in rule(encode(counter()), "main.loop -> check 0 at bad").blocks] == [
        "loop",
        "after",
        "bad",
    ]


def test_an_input_that_no_rule_needs_is_still_listed() -> None:
    unread = program(
        function(
            "main",
            block(
                "start",
                read("unused", 5),
                read("x", 6),
                compare("c", Predicate.EQ, reg("x"), const(3)),
                Branch(bit("c"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        )
    )
    found = rule(encode(unread), "main.entry -> check 0 at bad")
    assert [i.site for i in found.inputs] == [5, 6]


def diamond() -> Program:
    """x = input ? 1 : y; assert(x != 5);"""
    return program(
        function(
            "main",
            block(
                "start",
                read("y", 1),
                compare("c", Predicate.SLT, reg("y"), const(0)),
                Branch(bit("c"), "left", "right"),
            ),
            block("left", Jump("join")),
            block("right", read("z", 2), Jump("join")),
            block(
                "join",
                phi("x", ("left", reg("y")), ("right", reg("z"))),
                compare("d", Predicate.EQ, reg("x"), const(5)),
                Branch(bit("d"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        )
    )


def test_sides_meet_by_edges() -> None:
    assert text(encode(diamond()), "main.entry -> check 0 at bad") == [
        "main.entry()",
        "main/start?",
        "(main/right? <-> (main/start? & (! (main%y < 0))))",
        "(main/left? <-> (main/start? & (main%y < 0)))",
        "(main/join? <-> (main/right? | main/left?))",
        "(main/left? -> (main%x = main%y))",
        "(main/right? -> (main%x = main%z))",
        "(main/bad? <-> (main/join? & (main%x = 5)))",
        "main/bad?",
        "false by check.0",
    ]


def test_an_input_is_read_only_when_its_block_runs() -> None:
    found = rule(encode(diamond()), "main.entry -> check 0 at bad")
    assert [(i.site, str(i.guard)) for i in found.inputs] == [(1, "True"), (2, "main/right?")]


def calling() -> Program:
    """main: r = twice(x); assert(r != 8);  twice: return a + a;"""
    return program(
        function(
            "main",
            block("start", read("x", 1), Jump("here")),
            block(
                "here",
                Call((reg("r"),), "twice", (reg("x"),)),
                compare("c", Predicate.EQ, reg("r"), const(8)),
                Branch(bit("c"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        ),
        function(
            "twice",
            block(
                "only",
                Bind(variable("a", Scope.PARAMETER), reg("p")),
                add("s", reg("p"), reg("p")),
                Return((reg("s"),)),
            ),
            parameters=[reg("p")],
            results=[reg("s").type],
        ),
    )


def test_a_call_adds_a_context_and_joins_the_summary() -> None:
    encoding = encode(calling())
    assert text(encoding, "main.here calls twice.entry") == [
        "main.here(main.%x)",
        "twice.entry(main.%x)",
    ]
    assert text(encoding, "main.here -> check 0 at bad") == [
        "main.here(main.%x)",
        "twice.exit(main.%x, main%r)",
        "main/here?",
        "(main/bad? <-> (main/here? & (main%r = 8)))",
        "main/bad?",
        "false by check.0",
    ]
    assert text(encoding, "twice.entry -> twice.exit at only") == [
        "twice.entry(twice.a@entry)",
        "twice/only?",
        "twice.exit(twice.a@entry, (twice.a@entry + twice.a@entry))",
    ]
    assert encoding.cuts["twice.exit"].registers == (reg("p"), reg("ret.0"))
    assert not encoding.system.linear


def test_a_division_ends_the_run_where_it_is_not_defined() -> None:
    dividing = program(
        function(
            "main",
            block(
                "start",
                read("x", 1),
                read("y", 2),
                binary("q", BinaryOp.UDIV, reg("x"), reg("y")),
                compare("c", Predicate.EQ, reg("x"), const(3)),
                Branch(bit("c"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        )
    )
    assert "(! (main%y = 0))" in text(encode(dividing), "main.entry -> check 0 at bad")


def place(line: int) -> Origin:
    return Origin((Span("f.c", line, 1, "main"),))


def test_loads_are_arbitrary_and_recorded_once_for_each_statement() -> None:
    load = Load(reg("v"), ptr("p"), origin=place(4))
    loading = program(
        function(
            "main",
            block(
                "start",
                Input(ptr("p"), site(1, type_=ptr("p").type)),
                load,
                compare("c", Predicate.EQ, reg("v"), const(3)),
                Branch(bit("c"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        )
    )
    for options in (EncodeOptions(), BV):
        (entry,) = encode(loading, options).system.ledger
        assert (entry.kind, entry.text, entry.origin) == (
            Approximation.OVER,
            "value of memory",
            place(4),
        )


def comparing(left: Address, right: Address, predicate: Predicate = Predicate.EQ) -> Program:
    objects = [Global(name, 4, 4, False, ()) for name in ("a", "b")]
    return program(
        function(
            "main",
            block(
                "start",
                Compare(bit("c"), predicate, left, right),
                Branch(bit("c"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        ),
        globals_=objects,
    )


def test_addresses_of_objects_are_distinct_and_not_null() -> None:
    a, b = Address("a"), Address("b")
    for left, right in ((a, b), (a, NULL), (Address("a", 3), b)):
        encoding = encode(comparing(left, right))
        assert impossible(rule(encoding, "main.entry -> check 0 at bad"))
        assert encoding.system.ledger == ()
    same = rule(encode(comparing(a, a)), "main.entry -> check 0 at bad")
    assert not impossible(same)


def test_an_address_past_its_object_may_be_that_of_another() -> None:
    encoding = encode(comparing(Address("a", 4), Address("b")))
    assert not impossible(rule(encoding, "main.entry -> check 0 at bad"))
    assert [e.kind for e in encoding.system.ledger] == [Approximation.OVER]


@pytest.mark.parametrize("predicate", Predicate)
@pytest.mark.parametrize("options", [EncodeOptions(), BV])
def test_addresses_of_one_object_are_compared_with_every_predicate(
    predicate: Predicate, options: EncodeOptions
) -> None:
    """As signed numbers nothing is known of them, and the comparison is recorded."""
    encoding = encode(comparing(Address("a"), Address("a", 2), predicate), options)
    holds = not impossible(rule(encoding, "main.entry -> check 0 at bad"))
    if predicate.name.startswith("S"):
        assert holds
        assert [e.kind for e in encoding.system.ledger] == [Approximation.OVER]
    else:
        assert holds == (predicate in (Predicate.NE, Predicate.ULT, Predicate.ULE))
        assert encoding.system.ledger == ()


def test_copies_of_a_check_by_inlining_are_one_check() -> None:
    encoding = encode(counter())
    (query,) = [
        r.head
        for r in encoding.system.queries
        if isinstance(r.head, Query) and isinstance(r.head.kind, Check)
    ]
    assert query.kind.id.property == "unreach-call"  # type: ignore[union-attr]


def test_the_two_encodings_of_one_program_share_no_symbol_of_different_sorts() -> None:
    wide = program(
        function(
            "main",
            block(
                "start",
                read("n", 1, I64),
                Cast(reg("m"), CastOp.TRUNC, reg("n", I64)),
                compare("c", Predicate.EQ, reg("m"), const(3)),
                Branch(bit("c"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        )
    )
    for made in (counter(), wide):
        encode(made)
        encode(made, BV)


def test_a_heap_block_is_not_null() -> None:
    allocating = program(
        function(
            "main",
            block(
                "start",
                Call((ptr("p"),), "malloc", (const(8, I64),)),
                Compare(bit("c"), Predicate.EQ, ptr("p"), NULL),
                Branch(bit("c"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        )
    )
    encoding = encode(allocating)
    assert "(! (main%p = 0))" in text(encoding, "main.entry -> check 0 at bad")
    assert any(e.text == "heap exhaustion does not happen" for e in encoding.system.ledger)


def test_havoc_inputs_are_recorded() -> None:
    havocked = program(
        function(
            "main",
            block(
                "start",
                Input(reg("x"), site(1, SiteKind.HAVOC)),
                compare("c", Predicate.EQ, reg("x"), const(3)),
                Branch(bit("c"), "bad", "good"),
            ),
            block("bad", FAIL),
            block("good", Return(())),
        )
    )
    assert [e.kind for e in encode(havocked).system.ledger] == [Approximation.OVER]
