from dataclasses import replace

import pytest
from programs import (
    FAIL,
    I8,
    I16,
    I32,
    I64,
    NULL,
    Address,
    Alloca,
    BinaryOp,
    Bind,
    Branch,
    Call,
    Cast,
    CastOp,
    Global,
    Havoc,
    Input,
    IntConst,
    Jump,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Predicate,
    Program,
    Return,
    SiteKind,
    Store,
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
    ptr,
    read,
    reg,
    site,
    variable,
)

from seahorn_py.ir.types import POINTER
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.environment import ESCAPED, model_environment
from seahorn_py.passes.promotion.cells import promote_memory
from seahorn_py.passes.promotion.object_parts import ObjectName, Part
from seahorn_py.passes.promotion.promotable import layout
from seahorn_py.passes.simplify.simplify import simplify


def remaining(result: Program) -> set[str]:
    """The kinds of memory statements that are left."""
    kinds = (Alloca, Load, Store, MemoryCopy, MemorySet, Havoc, Offset)
    return {
        type(s).__name__
        for f in result.functions.values()
        for b in f.blocks
        for s in b.statements
        if isinstance(s, kinds)
    }


def promoted(before: Program) -> Program:
    after = simplify(promote_memory(before))
    assert verify(after) == ()
    runs = endings(before, after, seed=1, runs=40)
    assert runs and all(a == b for a, b in runs)
    return after


def test_an_address_that_only_a_later_iteration_uses_escapes() -> None:
    index = reg("i", I64)
    main = function(
        "main",
        block("e", read("i", 0, I64), Jump("h")),
        block(
            "h",
            phi("p", ("e", NULL), ("b", ptr("q"))),
            compare("c", Predicate.NE, ptr("p"), NULL),
            Branch(bit("c"), "end", "b"),
        ),
        block("b", Offset(ptr("q"), Address("a"), 8, ((index, 16),)), Jump("h")),
        block("end", Load(reg("x"), ptr("p")), Return(())),
    )
    table = Global("a", 64, 8, False, ())
    assert ObjectName(None, "a") not in layout(program(main, globals_=(table,))).parts


def failing_if(label: str, left: object, right: object) -> tuple[object, ...]:
    """Statements and a branch that goes to the failing block if the values are equal."""
    return (compare("bad", Predicate.EQ, left, right), Branch(bit("bad"), "fail", "end"))  # type: ignore[arg-type]


TAIL = (block("fail", FAIL), block("end", Return(())))


def test_a_slot_becomes_a_phi_at_the_head_of_the_loop() -> None:
    main = function(
        "main",
        block(
            "e",
            Alloca(ptr("p"), const(4, I64), 4),
            read("n", 1),
            Store(const(0), ptr("p")),
            Jump("h"),
        ),
        block(
            "h",
            Load(reg("i"), ptr("p")),
            compare("c", Predicate.ULT, reg("i"), const(9)),
            Branch(bit("c"), "b", "d"),
        ),
        block(
            "b",
            Load(reg("j"), ptr("p")),
            add("k", reg("j"), const(1)),
            Store(reg("k"), ptr("p")),
            Jump("h"),
        ),
        block("d", *failing_if("d", reg("i"), reg("n"))),
        *TAIL,
    )
    after = promoted(program(main))
    assert remaining(after) == set()
    (head,) = (b for b in after.functions["main"].blocks if b.phis)
    assert head.phis == (phi("p.h", ("e", const(0)), ("b", reg("k"))),)


def test_globals_travel_through_calls_and_keep_their_names() -> None:
    g, name = Global("g", 4, 4, False, ((0, const(5)),), {0: variable("g")}), variable("g")
    bump = function(
        "bump",
        block(
            "e",
            Load(reg("a"), Address("g")),
            add("b", reg("a"), reg("x")),
            Store(reg("b"), Address("g")),
            Return(()),
        ),
        parameters=(reg("x"),),
    )
    main = function(
        "main",
        block(
            "e",
            read("n", 1),
            Call((), "bump", (reg("n"),)),
            Load(reg("v"), Address("g")),
            *failing_if("e", reg("v"), const(6)),
        ),
        *TAIL,
    )
    after = promoted(program(main, bump, globals_=(g,)))
    callee = after.functions["bump"]
    assert callee.parameters == (reg("x"), reg("g"))
    assert callee.blocks[0].statements == (
        Bind(name, reg("g")),
        add("b", reg("g"), reg("x")),
        Bind(name, reg("b")),
    )
    assert callee.blocks[0].terminator == Return((reg("b"),))
    calls = [s for s in after.functions["main"].blocks[0].statements if isinstance(s, Call)]
    assert calls == [Call((reg("g"),), "bump", (reg("n"), const(5)))]


def test_each_activation_of_a_recursive_function_has_its_own_slot() -> None:
    f = function(
        "f",
        block(
            "e",
            Alloca(ptr("p"), const(4, I64), 4),
            Store(reg("x"), ptr("p")),
            compare("c", Predicate.UGT, reg("x"), const(0)),
            Branch(bit("c"), "r", "z"),
        ),
        block(
            "r",
            add("y", reg("x"), const(-1)),
            Call((reg("q"),), "f", (reg("y"),)),
            Load(reg("own"), ptr("p")),
            add("s", reg("own"), reg("q")),
            Return((reg("s"),)),
        ),
        block("z", Return((const(0),))),
        parameters=(reg("x"),),
        results=(I32,),
    )
    main = function(
        "main",
        block(
            "e",
            read("n", 1),
            binary("m", BinaryOp.AND, reg("n"), const(7)),
            Call((reg("s"),), "f", (reg("m"),)),
            *failing_if("e", reg("s"), const(10)),
        ),
        *TAIL,
    )
    assert remaining(promoted(program(main, f))) == set()


def test_a_packed_struct_is_cut_into_its_members() -> None:
    """Two ints are written, the eight bytes copied as one i64, and a member is read."""
    main = function(
        "main",
        block(
            "e",
            Alloca(ptr("s"), const(8, I64), 4),
            Alloca(ptr("t"), const(8, I64), 4),
            read("a", 1),
            read("b", 2),
            Store(reg("a"), ptr("s")),
            Offset(ptr("s4"), ptr("s"), 4),
            Store(reg("b"), ptr("s4")),
            Load(reg("w", I64), ptr("s")),
            Store(reg("w", I64), ptr("t")),
            Offset(ptr("t4"), ptr("t"), 4),
            Load(reg("c"), ptr("t4")),
            *failing_if("e", reg("c"), const(1)),
        ),
        *TAIL,
    )
    found = layout(program(main))
    assert found.parts[ObjectName("main", "s")] == (Part(0, 4, I32), Part(4, 4, I32))
    assert remaining(promoted(program(main))) == set()


def test_a_union_of_an_int_and_bytes_is_cut_into_bytes() -> None:
    main = function(
        "main",
        block(
            "e",
            Alloca(ptr("u"), const(4, I64), 4),
            read("a", 1),
            Store(reg("a"), ptr("u")),
            Offset(ptr("u1"), ptr("u"), 1),
            Store(const(3, I8), ptr("u1")),
            Load(reg("b"), ptr("u")),
            *failing_if("e", reg("b"), const(0x0301)),
        ),
        *TAIL,
    )
    parts = layout(program(main)).parts[ObjectName("main", "u")]
    assert parts == (Part(0, 1, I8), Part(1, 1, I8), Part(2, 2, I16))
    assert remaining(promoted(program(main))) == set()


def test_copies_and_fills_are_done_part_by_part() -> None:
    main = function(
        "main",
        block(
            "e",
            Alloca(ptr("s"), const(12, I64), 4),
            Alloca(ptr("t"), const(12, I64), 4),
            read("a", 1),
            MemorySet(ptr("s"), const(1, I8), const(12, I64)),
            Offset(ptr("s4"), ptr("s"), 4),
            Store(reg("a"), ptr("s4")),
            MemoryCopy(ptr("t"), ptr("s"), const(12, I64)),
            Load(reg("x"), ptr("t")),
            Offset(ptr("t4"), ptr("t"), 4),
            Load(reg("y"), ptr("t4")),
            add("z", reg("x"), reg("y")),
            *failing_if("e", reg("z"), const(0x01010102)),
        ),
        *TAIL,
    )
    assert remaining(promoted(program(main))) == set()


def test_the_bytes_of_an_uninitialised_object_stay_inputs_of_their_site() -> None:
    havoc = site(7, SiteKind.UNINIT, I8)
    main = function(
        "main",
        block(
            "e",
            Alloca(ptr("s"), const(8, I64), 4),
            Havoc(ptr("s"), const(8, I64), havoc),
            Offset(ptr("s4"), ptr("s"), 4),
            Load(reg("x"), ptr("s4")),
            binary("low", BinaryOp.AND, reg("x"), const(0x303)),
            *failing_if("e", reg("low"), const(0x101)),
        ),
        *TAIL,
    )
    after = promoted(program(main))
    inputs = [
        s for b in after.functions["main"].blocks for s in b.statements if isinstance(s, Input)
    ]
    # all eight, although four are not used: visits of the site are counted
    assert [i.site for i in inputs] == [havoc] * 8


@pytest.mark.parametrize(
    "escape",
    [
        Store(ptr("p"), Address("other")),
        Cast(reg("n", I64), CastOp.PTRTOINT, ptr("p")),
        Call((), "free", (ptr("p"),)),
        Load(reg("v"), ptr("p"), volatile=True),
        compare("same", Predicate.EQ, ptr("p"), Address("other")),
        Offset(ptr("q"), ptr("p"), 0, ((reg("i", I64), 4),)),
    ],
)
def test_what_can_be_reached_otherwise_stays_in_memory(escape: object) -> None:
    extra = (Load(reg("w"), ptr("q")),) if isinstance(escape, Offset) else ()
    main = function(
        "main",
        block(
            "e",
            read("i", 1, I64),
            Alloca(ptr("p"), const(128, I64), 4),
            Store(const(1), ptr("p")),
            escape,
            *extra,  # type: ignore[arg-type]
            Load(reg("x"), ptr("p")),
            Return(()),
        ),
    )
    other = Global("other", 8, 8, False, ())
    assert ObjectName("main", "p") not in layout(program(main, globals_=(other,))).parts


def test_an_address_in_initial_memory_can_be_reached() -> None:
    x, p = Global("x", 4, 4, False, ()), Global("p", 8, 8, False, ((0, Address("x")),))
    main = function("main", block("e", Load(reg("a"), Address("x")), Return(())))
    assert ObjectName(None, "x") not in layout(program(main, globals_=(x, p))).parts


def test_an_access_outside_the_object_keeps_it_in_memory() -> None:
    x = Global("x", 4, 4, False, ())
    main = function("main", block("e", Load(reg("a", I64), Address("x")), Return(())))
    assert layout(program(main, globals_=(x,))).parts == {}


def test_initial_bytes_are_put_together() -> None:
    x = Global("x", 8, 4, False, ((0, const(0x44332211)), (4, const(0x55, I8))))
    main = function(
        "main",
        block(
            "e",
            Load(reg("w", I64), Address("x")),
            *failing_if("e", reg("w", I64), const(0x5544332211, I64)),
        ),
        *TAIL,
    )
    after = promoted(program(main, globals_=(x,)))
    assert [b.label for b in after.functions["main"].blocks] == ["e"]
    assert endings(program(main, globals_=(x,)), after, 0, 1) == [("failed 0", "failed 0")]


def test_the_address_of_an_object_is_not_null() -> None:
    main = function(
        "main",
        block("e", Alloca(ptr("p"), const(4, I64), 4), *failing_if("e", ptr("p"), NULL)),
        *TAIL,
    )
    after = promoted(program(main))
    assert [b.label for b in after.functions["main"].blocks] == ["e"]


def test_an_external_function_gives_inputs_and_keeps_what_it_is_given() -> None:
    main = function(
        "main",
        block(
            "e",
            Alloca(ptr("p"), const(4, I64), 4),
            Store(const(1), ptr("p")),
            Call((reg("r"),), "ext", (ptr("p"),)),
            Load(reg("x"), ptr("p")),
            Return(()),
        ),
    )
    after = model_environment(program(main))
    statements = after.functions["main"].blocks[0].statements
    assert statements[2] == Store(ptr("p"), Address(ESCAPED), volatile=True)
    assert isinstance(statements[3], Input) and statements[3].site.kind is SiteKind.EXTERN
    assert not statements[3].site.native
    assert any("ext" in text for text in after.assumptions)
    assert layout(after).parts.get(ObjectName("main", "p")) is None


@pytest.mark.parametrize(
    ("first", "second", "is_closed"), [("a", "g", False), ("a", "b", True), ("g", "g", False)]
)
def test_a_constant_leads_functions_without_a_body_on(
    first: str, second: str, is_closed: bool
) -> None:
    main = function("main", block("e", Call((), "ext", (Address("a"),)), Return(())))
    objects = [
        Global("a", 8, 8, True, ((0, Address("b")),)),
        Global("b", 16, 8, True, ((0, Address(first)), (8, Address(second)))),
        Global("g", 4, 4, False, ()),
    ]
    after = model_environment(replace(program(main), globals={g.name: g for g in objects}))
    stores = after.functions["main"].blocks[0].statements
    assert stores == (() if is_closed else (Store(Address("a"), Address(ESCAPED), volatile=True),))


def test_an_own_malloc_is_no_allocation_function() -> None:
    own = function(
        "malloc", block("e", Return((NULL,))), parameters=(reg("n", I64),), results=(POINTER,)
    )
    main = function(
        "main", block("e", Call((ptr("p"),), "malloc", (IntConst(4, I64),)), Return(()))
    )
    after = model_environment(program(main, own))
    assert set(after.functions) == {"main", "malloc.defined"}
    assert verify(after) == ()


def indexed(pointer: str, base: str, index: str) -> tuple[object, ...]:
    """The address of the element of an array of four ints that three input bits choose."""
    return (
        binary(f"{index}.k", BinaryOp.AND, reg(index), const(3)),
        Offset(ptr(pointer), ptr(base), 0, ((reg(f"{index}.k"), 4),)),
    )


def test_a_small_array_becomes_its_elements() -> None:
    main = function(
        "main",
        block(
            "e",
            Alloca(ptr("a"), const(16, I64), 4),
            MemorySet(ptr("a"), const(0, I8), const(16, I64)),
            read("i", 1),
            read("j", 2),
            *indexed("p", "a", "i"),  # type: ignore[arg-type]
            *indexed("q", "a", "j"),  # type: ignore[arg-type]
            Store(const(7), ptr("p")),
            Load(reg("x"), ptr("q")),
            *failing_if("e", reg("x"), const(7)),
        ),
        *TAIL,
    )
    after = promoted(program(main))
    assert remaining(after) == set()
    assert after.assumptions == ("accesses of small arrays by an index are inside the array",)


def test_a_constant_table_is_a_chain_of_choices_even_if_its_address_is_known() -> None:
    leaves = tuple((4 * k, const(k * k)) for k in range(4))
    table = Global("table", 16, 4, True, leaves)
    main = function(
        "main",
        block(
            "e",
            Store(Address("table"), Address("other")),
            read("i", 1),
            binary("k", BinaryOp.AND, reg("i"), const(3)),
            Offset(ptr("p"), Address("table"), 0, ((reg("k"), 4),)),
            Load(reg("x"), ptr("p")),
            *failing_if("e", reg("x"), const(9)),
        ),
        *TAIL,
    )
    after = promoted(program(main, globals_=(table, Global("other", 8, 8, False, ()))))
    assert "Load" not in remaining(after)


def test_a_store_to_a_constant_changes_nothing() -> None:
    table = Global("table", 4, 4, True, ((0, const(5)),))
    main = function(
        "main",
        block(
            "e",
            Store(const(6), Address("table")),
            Load(reg("x"), Address("table")),
            *failing_if("e", reg("x"), const(6)),
        ),
        *TAIL,
    )
    promoted(program(main, globals_=(table,)))


def test_a_load_that_leaves_a_constant_object_is_not_modelled() -> None:
    table = Global("table", 8, 4, True, ((0, const(5)), (4, const(6))))
    main = function(
        "main",
        block(
            "e",
            Load(reg("y"), Address("table", 4)),
            Load(reg("x", I64), Address("table", 4)),
            compare("bad", Predicate.EQ, reg("x", I64), const(6, I64)),
            Branch(bit("bad"), "fail", "end"),
        ),
        *TAIL,
    )
    assert remaining(promoted(program(main, globals_=(table,)))) == {"Load"}
