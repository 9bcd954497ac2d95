"""Points-to analysis: which objects share a node, at which offsets, with which stride."""

from __future__ import annotations

from programs import (
    I8,
    I64,
    NULL,
    Address,
    Alloca,
    BinaryOp,
    Call,
    Cast,
    CastOp,
    Global,
    Input,
    Jump,
    Load,
    MemoryCopy,
    Offset,
    Program,
    Return,
    Select,
    SiteKind,
    Store,
    add,
    binary,
    bit,
    block,
    const,
    function,
    phi,
    program,
    ptr,
    read,
    reg,
    site,
)

from seahorn_py.ir.program import Operand, Statement
from seahorn_py.ir.types import BOOL, POINTER
from seahorn_py.passes.pointsto.nodes import Graph
from seahorn_py.passes.pointsto.pointsto import PointsTo, points_to


def unit(name: str, size: int = 16, *leaves: tuple[int, Operand]) -> Global:
    return Global(name, size, 8, False, leaves)


def analysed(*statements: Statement, globals_: tuple[Global, ...] = ()) -> PointsTo:
    main = function("main", block("e", *statements, Return(())))
    return points_to(program(main, globals_=globals_))


def described(found: PointsTo) -> set[str]:
    """Each node with objects: `name+offset name+offset / stride`."""
    return {
        " ".join(sorted(f"{o}+{at}" for o, at in node.data)) + f" / {node.stride}"
        for node in found.nodes.values()
        if node.data
    }


def test_offsets_of_unified_nodes_are_kept() -> None:
    graph = Graph()
    a, b = graph.node(), graph.node()
    graph.unify(a.moved(8), b.moved(4))
    assert graph.find(a.moved(8)) == graph.find(b.moved(4))
    assert graph.find(b).offset - graph.find(a).offset == 4
    assert graph.stride(a) == 0


def test_two_distances_make_a_stride() -> None:
    graph = Graph()
    a = graph.node()
    targets = [graph.link(a.moved(at)) for at in (0, 4, 12)]
    graph.unify(a, a.moved(12))
    assert graph.stride(a) == 12
    assert graph.find(targets[0]) == graph.find(targets[2])
    assert graph.find(targets[0]) != graph.find(targets[1])
    graph.unify(a, a.moved(8))
    assert graph.stride(a) == 4
    assert graph.find(targets[0]) == graph.find(targets[1])


def test_members_stay_apart_and_elements_come_together() -> None:
    index = reg("i", I64)
    found = analysed(
        read("i", 0, I64),
        Store(const(1), Address("s", 4)),
        Offset(ptr("p"), Address("a"), 8, ((index, 24),)),
        Load(reg("x"), ptr("p")),
        globals_=(unit("s"), unit("a", 240)),
    )
    assert described(found) == {"s+0 / 0", "a+0 / 24"}
    node = found.node("main", ptr("p"))
    assert node is not None
    assert set(node.accesses) == {(8, 4)}


def test_a_choice_between_pointers_joins_objects_at_their_distance() -> None:
    found = analysed(
        Input(bit("c"), site(0, type_=BOOL)),
        Select(ptr("p"), bit("c"), Address("x"), Address("s", 8)),
        Store(const(1), ptr("p")),
        globals_=(unit("x", 4), unit("s")),
    )
    assert described(found) in ({"s+0 x+8 / 0"}, {"s+-8 x+0 / 0"})


def test_a_pointer_that_walks_gives_the_step_as_stride() -> None:
    main = function(
        "main",
        block("e", Jump("h")),
        block(
            "h",
            phi("p", ("e", Address("a")), ("h", ptr("q"))),
            Load(reg("x"), ptr("p")),
            Offset(ptr("q"), ptr("p"), 12),
            Jump("h"),
        ),
    )
    assert described(points_to(program(main, globals_=(unit("a", 120),)))) == {"a+0 / 12"}


def test_what_is_known_to_divide_an_index_divides_the_stride() -> None:
    found = analysed(
        read("i", 0, I64),
        binary("k", BinaryOp.SHL, reg("i", I64), const(3, I64)),
        Offset(ptr("p"), Address("a"), 0, ((reg("k", I64), 1),)),
        globals_=(unit("a", 80),),
    )
    assert described(found) == {"a+0 / 8"}


def test_pointers_go_through_memory_and_integers() -> None:
    number = reg("n", I64)
    found = analysed(
        Store(Address("x"), Address("cell")),
        Load(number, Address("cell")),
        add("m", number, const(4, I64)),
        Cast(ptr("p"), CastOp.INTTOPTR, reg("m", I64)),
        globals_=(unit("x"), unit("cell", 8)),
    )
    cell = found.cell("main", ptr("p"))
    assert cell == found.cell("main", Address("x", 4))
    assert described(found) == {"x+0 / 0", "cell+0 / 0"}


def test_an_index_is_no_pointer_and_a_difference_is_none() -> None:
    found = analysed(
        read("i", 0, I64),
        Cast(reg("a", I64), CastOp.PTRTOINT, Address("x", 8)),
        Cast(reg("b", I64), CastOp.PTRTOINT, Address("x")),
        binary("d", BinaryOp.SUB, reg("a", I64), reg("b", I64)),
        Offset(ptr("p"), Address("y"), 0, ((reg("d", I64), 1),)),
        globals_=(unit("x"), unit("y")),
    )
    assert described(found) == {"x+0 / 0", "y+0 / 1"}


def test_an_index_that_is_a_pointer_joins_its_object() -> None:
    found = analysed(
        Cast(reg("a", I64), CastOp.PTRTOINT, Address("x")),
        Offset(ptr("p"), NULL, 0, ((reg("a", I64), 1),)),
        Store(const(1), ptr("p")),
        globals_=(unit("x"),),
    )
    assert found.node("main", ptr("p")) is found.node("main", Address("x"))


def test_pieces_of_a_pointer_carry_it() -> None:
    found = analysed(
        Store(Address("x"), Address("cell")),
        Load(reg("low"), Address("cell")),
        Load(reg("high"), Address("cell", 4)),
        Cast(reg("a", I64), CastOp.ZEXT, reg("low")),
        Cast(reg("b", I64), CastOp.ZEXT, reg("high")),
        binary("c", BinaryOp.SHL, reg("b", I64), const(32, I64)),
        binary("d", BinaryOp.OR, reg("a", I64), reg("c", I64)),
        Cast(ptr("p"), CastOp.INTTOPTR, reg("d", I64)),
        globals_=(unit("x"), unit("cell", 8)),
    )
    assert found.node("main", ptr("p")) is found.node("main", Address("x"))
    for half in ("low", "high"):
        assert found.node("main", reg(half)) is found.node("main", Address("x"))


def test_copies_join_contents_but_constants_are_only_read() -> None:
    table = Global("table", 16, 8, True, ((0, Address("x")), (8, const(3))))
    copied = analysed(
        Alloca(ptr("s"), const(16, I64), 8),
        MemoryCopy(ptr("s"), Address("table"), const(16, I64)),
        Load(ptr("p"), ptr("s")),
        globals_=(unit("x"), table),
    )
    assert described(copied) == {"x+0 / 0", "table+0 / 0", "main.s+0 / 0"}
    assert copied.cell("main", ptr("p")) == copied.cell("main", Address("x"))
    moved = analysed(
        MemoryCopy(Address("a"), Address("b", 4), const(8, I64)),
        globals_=(unit("a"), unit("b")),
    )
    assert described(moved) in ({"a+0 b+-4 / 0"}, {"a+4 b+0 / 0"})


def test_parameters_results_and_functions_by_pointer() -> None:
    callee = function(
        "f", block("e", Return((ptr("a"),))), parameters=(ptr("a"),), results=(POINTER,)
    )
    main = function(
        "main",
        block(
            "e",
            Load(ptr("g"), Address("table")),
            Call((ptr("p"),), ptr("g"), (Address("x", 4),)),
            Return(()),
        ),
    )
    table = unit("table", 8, (0, Address("f")))
    found = points_to(program(main, callee, globals_=(table, unit("x"))))
    assert found.functions("main", ptr("g")) == {"f"}
    assert found.cell("main", ptr("p")) == found.cell("main", Address("x", 4))
    assert found.cell("f", ptr("a")) == found.cell("main", Address("x", 4))


def external(*, given: bool) -> Program:
    escape = [Store(Address("x"), Address("sea.escaped"))] if given else []
    main = function(
        "main",
        block(
            "e",
            *escape,
            Input(ptr("p"), site(0, SiteKind.EXTERN, POINTER)),
            Store(const(1, I8), ptr("p")),
            Return(()),
        ),
    )
    return program(main, globals_=(unit("x"), unit("sea.escaped", 8)))


def test_pointers_from_outside_lead_to_what_was_given_away() -> None:
    inside = points_to(external(given=False))
    assert inside.cell("main", ptr("p")) is None
    outside = points_to(external(given=True)).node("main", ptr("p"))
    assert outside is not None
    assert outside.is_outside
    assert [str(o) for o, _ in outside.data] == ["x"]


def test_a_number_is_given_away_only_if_it_is_an_address() -> None:
    found = analysed(
        Cast(reg("a", I64), CastOp.PTRTOINT, Address("x")),
        read("n", 0, I64),
        Offset(ptr("p"), Address("y"), 0, ((reg("n", I64), 4),)),
        Store(reg("a", I64), Address("sea.escaped")),
        Store(reg("n", I64), Address("sea.escaped")),
        globals_=(unit("x"), unit("y"), unit("sea.escaped", 8)),
    )
    nodes = [found.node("main", Address(name)) for name in ("x", "y")]
    assert [node is not None and node.is_outside for node in nodes] == [True, False]


def test_a_pointer_made_from_lost_bits_may_lead_back() -> None:
    found = analysed(
        Cast(reg("a", I64), CastOp.PTRTOINT, Address("x")),
        binary("m", BinaryOp.MUL, reg("a", I64), const(3, I64)),
        binary("d", BinaryOp.UDIV, reg("m", I64), const(3, I64)),
        Cast(ptr("p"), CastOp.INTTOPTR, reg("d", I64)),
        globals_=(unit("x"),),
    )
    assert found.node("main", ptr("p")) is found.node("main", Address("x"))
    assert found.cell("main", reg("m", I64)) is None


def test_large_programs_take_linear_time() -> None:
    """A chain of 3,000 cells that point to the next ends in one node each."""
    count = 3_000
    statements = [Store(Address(f"c{k + 1}"), Address(f"c{k}")) for k in range(count)]
    found = analysed(*statements, globals_=tuple(unit(f"c{k}", 8) for k in range(count + 1)))
    assert len(described(found)) == count + 1
    loop = [*statements, Store(Address("c0"), Address(f"c{count}", 0))]
    joined = analysed(
        *loop,
        Store(Address("c0"), Address("c0")),
        globals_=tuple(unit(f"c{k}", 8) for k in range(count + 1)),
    )
    assert len(described(joined)) == 1
