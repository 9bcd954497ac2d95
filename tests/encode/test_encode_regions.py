"""What the rules say of region registers and addresses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from encode_text import facts, rule
from programs import (
    FAIL,
    I8,
    I32,
    I64,
    Address,
    BinaryOp,
    Branch,
    Call,
    Cast,
    CastOp,
    Global,
    Input,
    Jump,
    Offset,
    Predicate,
    Program,
    Return,
    Select,
    Statement,
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
)

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding
from seahorn_py.horn.system import Role
from seahorn_py.horn.text.wire import system_from_text, system_to_text
from seahorn_py.ir.program import (
    Operand,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    SiteKind,
)
from seahorn_py.ir.types import POINTER, FloatKind, FloatType, RegionType, Type
from seahorn_py.logic.terms import terms
from seahorn_py.logic.text.smtlib import print_sort, print_term

BV = EncodeOptions(Arithmetic.BV)
INT = EncodeOptions()
A = Global("a", 40, 4, False, ())


def mem(name: str, element: Type = I32) -> Register:
    return Register(name, RegionType(element))  # type: ignore[arg-type]


def failing(*statements: Statement, left: Operand, right: Operand, width: int = 64) -> Program:
    """The check fails where both are equal after the statements."""
    same = compare("same", Predicate.EQ, left, right)
    return program(
        function(
            "main",
            block("start", *statements, same, Branch(bit("same"), "bad", "end")),
            block("bad", FAIL),
            block("end", Return(())),
        ),
        globals_=[A],
        width=width,
    )


def asked(encoding: Encoding) -> list[str]:
    """The facts about the check, without the blocks."""
    found = facts(rule(encoding, "main.entry -> check 0 at bad"))
    return [f.replace("(main/bad? <-> (main/start? & ", "") for f in found if f[:5] != "main/"]


def indexed(name: str, index: Operand, base: Operand | None = None) -> Offset:
    return Offset(ptr(name), base or Address("a"), 4, ((index, 4),))


def test_a_load_reads_the_element_and_knows_its_range() -> None:
    made = failing(
        Input(mem("m"), site(1, SiteKind.HAVOC, RegionType(I32))),
        read("i", 2, I64),
        indexed("p", reg("i", I64)),
        RegionLoad(reg("x"), mem("m"), ptr("p")),
        left=reg("x"),
        right=const(5),
    )
    element = "'main%m[]'[((4 * main%i) + 4132)]"
    assert asked(encode(made)) == [
        f"(-2147483648 <= {element})",
        f"({element} <= 2147483647)",
        f"({element} = 5)))",
    ]
    element = "'main%m[~64]~32'[(4132_64 + (main%i~64 * 4_64))]"
    assert asked(encode(made, BV)) == [f"({element} = 5_32)))"]


@pytest.mark.parametrize("options", [INT, BV])
def test_a_read_is_followed_through_stores_to_other_addresses(options: EncodeOptions) -> None:
    made = failing(
        read("i", 2, I64),
        RegionFill(mem("m0"), const(1)),
        indexed("p", reg("i", I64)),
        Offset(ptr("q"), ptr("p"), 4),
        RegionStore(mem("m1"), mem("m0"), ptr("p"), const(7)),
        RegionStore(mem("m2"), mem("m1"), ptr("q"), const(8)),
        RegionLoad(reg("x"), mem("m2"), ptr("p")),
        left=reg("x"),
        right=const(7),
    )
    assert asked(encode(made, options)) == ["(main/bad? <-> main/start?)"]


def test_an_unsigned_region_holds_unsigned_numbers() -> None:
    made = failing(
        Input(mem("m"), site(1, SiteKind.HAVOC, RegionType(I32))),
        RegionStore(mem("m1"), mem("m"), Address("a"), const(-1)),
        RegionLoad(reg("x"), mem("m1"), Address("a")),
        Cast(reg("wide", I64), CastOp.ZEXT, reg("x")),
        left=reg("wide", I64),
        right=const(0xFFFFFFFF, I64),
    )
    assert asked(encode(made)) == ["(main/bad? <-> main/start?)"]


@pytest.mark.parametrize(
    ("index", "width", "expected"),
    [
        (I32, 64, "((4 * main%i) + 4132)"),
        (I64, 64, "((4 * main%i) + 4132)"),
        (I32, 32, "((4 * main%i) + 4132)"),
    ],
)
def test_integers_have_exact_addresses(index: Type, width: int, expected: str) -> None:
    made = failing(
        read("i", 2, index),
        indexed("p", reg("i", index)),
        left=ptr("p"),
        right=Address("a"),
        width=width,
    )
    (fact,) = asked(encode(made))
    assert fact == f"({expected} = 4128)))"


def test_bit_vectors_extend_the_sign_of_an_index() -> None:
    made = failing(read("i", 2), indexed("p", reg("i")), left=ptr("p"), right=Address("a"))
    (fact,) = asked(encode(made, BV))
    assert fact == "((4132_64 + ((main%i~32 SEXT 32) * 4_64)) = 4128_64)))"


def test_contents_that_become_arbitrary_are_stores_of_fresh_values() -> None:
    havoc = RegionHavoc(
        mem("m1"), mem("m0"), Address("a"), const(8, I64), site(9, SiteKind.UNINIT, I8)
    )
    made = failing(
        RegionFill(mem("m0"), const(1)),
        havoc,
        RegionLoad(reg("x"), mem("m1"), Address("a", 8)),
        left=reg("x"),
        right=const(1),
    )
    encoding = encode(made)
    own = rule(encoding, "main.entry -> check 0 at bad")
    (read_,) = own.inputs
    assert read_.extent is not None
    assert (read_.site, read_.extent.element) == (9, 4)
    assert [print_term(t) for t in (read_.extent.address, read_.extent.size)] == ["4128", "8"]
    assert not encoding.system.ledger
    assert system_from_text(system_to_text(encoding.system)) == encoding.system


def test_a_large_part_of_a_region_that_becomes_arbitrary_is_approximated() -> None:
    havoc = RegionHavoc(
        mem("m1"), mem("m0"), Address("a"), const(4000, I64), site(9, SiteKind.UNINIT, I8)
    )
    last = RegionLoad(reg("x"), mem("m1"), Address("a", 8))
    made = failing(RegionFill(mem("m0"), const(1)), havoc, last, left=reg("x"), right=const(1))
    (entry,) = encode(made).system.ledger
    assert entry.text == "memory next to what becomes arbitrary"


def test_float_elements_are_any_value_in_integers() -> None:
    single = FloatType(FloatKind.SINGLE)
    made = failing(
        Input(mem("m", single), site(1, SiteKind.HAVOC, RegionType(single))),
        RegionLoad(reg("x", single), mem("m", single), Address("a")),
        Cast(reg("bits"), CastOp.BITCAST, reg("x", single)),
        left=reg("bits"),
        right=const(1),
    )
    encoding = encode(made)
    symbols = terms.free_symbols(rule(encoding, "main.entry -> check 0 at bad").constraint)
    assert not any(terms.sort_of(s).is_array_type() for s in symbols)
    assert any(entry.text for entry in encoding.system.ledger)


def loop_through_a_function() -> Program:
    """m = fill 0; while (*) m = f(m); f stores 1 at the address it is given."""
    main = function(
        "main",
        block("start", RegionFill(mem("m0"), const(0)), Jump("loop")),
        block(
            "loop",
            phi("m", ("start", mem("m0")), ("next", mem("m1"))),
            read("go", 1),
            compare("more", Predicate.NE, reg("go"), const(0)),
            Branch(bit("more"), "body", "after"),
        ),
        block("body", Call((mem("m1"),), "f", (mem("m"), Address("a", 4))), Jump("next")),
        block("next", Jump("loop")),
        block(
            "after",
            RegionLoad(reg("x"), mem("m"), Address("a", 4)),
            compare("bad?", Predicate.EQ, reg("x"), const(2)),
            Branch(bit("bad?"), "bad", "end"),
        ),
        block("bad", FAIL),
        block("end", Return(())),
    )
    store = RegionStore(mem("new"), mem("old"), ptr("at"), const(1))
    f = function(
        "f",
        block("start", store, Return((mem("new"),))),
        parameters=[mem("old"), ptr("at")],
        results=[RegionType(I32)],
    )
    return program(main, f, globals_=[A])


def sorts(encoding: Encoding, relation: str) -> Sequence[str]:
    return [print_sort(p.sort) for p in encoding.system.relations[relation].parameters]


def test_relations_carry_regions() -> None:
    made = loop_through_a_function()
    found = encode(made)
    array = "(Array Int Int)"
    assert sorts(found, "main.loop") == [array]
    assert sorts(found, "f.entry") == [array, "Int"]
    assert sorts(found, "f.exit") == [array, "Int", array]
    roles = [p.role for p in found.system.relations["f.exit"].parameters]
    assert roles == [Role.REGION, Role.ENTRY, Role.REGION]
    array = "(Array (_ BitVec 64) (_ BitVec 32))"
    assert sorts(encode(made, BV), "f.exit") == [array, "(_ BitVec 64)", array]


def test_pointers_in_memory_have_no_range() -> None:
    made = failing(
        Input(mem("m", POINTER), site(1, SiteKind.HAVOC, RegionType(POINTER))),
        RegionLoad(ptr("p"), mem("m", POINTER), Address("a")),
        left=ptr("p"),
        right=Address("a"),
    )
    assert asked(encode(made)) == ["('main%m[]'[4128] = 4128)))"]


def test_a_pointer_is_a_number_of_the_address_space() -> None:
    made = failing(
        read("i", 2, I64),
        indexed("p", reg("i", I64)),
        Cast(reg("n", I64), CastOp.PTRTOINT, ptr("p")),
        left=reg("n", I64),
        right=const(3, I64),
    )
    number, more = "'main%start#1'", "(18446744073709551616 * 'main%start#2')"
    assert f"(((4 * main%i) + 4132) = ({number} + {more}))" in asked(encode(made))


def test_a_choice_between_regions() -> None:
    made = failing(
        RegionFill(mem("zeros"), const(0)),
        RegionFill(mem("ones"), const(1)),
        read("i", 2),
        compare("c", Predicate.EQ, reg("i"), const(0)),
        Select(mem("m"), bit("c"), mem("zeros"), mem("ones")),
        RegionLoad(reg("x"), mem("m"), Address("a")),
        left=reg("x"),
        right=const(1),
    )
    (*_, fact) = asked(encode(made, BV))
    arrays = "Array{BV{64}, BV{32}}(0_32) : Array{BV{64}, BV{32}}(1_32)"
    assert fact == f"(((main%i~32 = 0_32) ? {arrays})[4128_64] = 1_32)))"


def test_addresses_that_differ_in_a_constant_are_known_to_differ() -> None:
    """a[2 * i] and a[2 * i + 1]."""
    made = failing(
        read("i", 2, I64),
        RegionFill(mem("m0"), const(1)),
        binary("even", BinaryOp.AND, reg("i", I64), const(1023, I64)),
        binary("twice", BinaryOp.MUL, reg("even", I64), const(2, I64)),
        add("next", reg("twice", I64), const(1, I64)),
        indexed("p", reg("twice", I64)),
        indexed("q", reg("next", I64)),
        RegionStore(mem("m1"), mem("m0"), ptr("p"), const(7)),
        RegionStore(mem("m2"), mem("m1"), ptr("q"), const(8)),
        RegionLoad(reg("x"), mem("m2"), ptr("p")),
        left=reg("x"),
        right=const(7),
    )
    assert asked(encode(made)) == ["(main/bad? <-> main/start?)"]
