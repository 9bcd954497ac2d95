from programs import (
    FAIL,
    Branch,
    Call,
    Jump,
    Predicate,
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

from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.cuts import ControlRegion, cut_points, live_registers, regions

COUNT = function(
    "main",
    block("entry", read("n", 1), Jump("head")),
    block(
        "head",
        phi("i", ("entry", const(0)), ("body", reg("j"))),
        compare("c", Predicate.SLT, reg("i"), reg("n")),
        Branch(bit("c"), "body", "done"),
    ),
    block("body", add("j", reg("i"), const(1)), Jump("head")),
    block("done", compare("bad", Predicate.EQ, reg("i"), const(7)), Branch(bit("bad"), "f", "r")),
    block("f", FAIL),
    block("r", Return(())),
)

IDENTITY = function(
    "id", block("e", Return((reg("x"),))), parameters=(reg("x"),), results=(reg("x").type,)
)


def test_the_head_of_a_loop_is_a_cut_point_and_remembers_what_is_needed() -> None:
    assert cut_points(COUNT) == ("head",)
    assert live_registers(COUNT) == {"head": (reg("n"), reg("i"))}


def test_regions_are_the_loop_free_graphs_between_cut_points() -> None:
    entry, head = regions(COUNT)
    assert entry == ControlRegion("entry", ("entry",), (("entry", "head"),), ("head",))
    assert head.blocks[0] == "head"
    assert set(head.blocks) == {"head", "body", "done", "f", "r"}
    assert head.ends == ("head",)
    assert head.blocks.index("done") < head.blocks.index("f")
    assert ("body", "head") in head.edges


def test_every_retreating_target_of_irreducible_flow_is_a_cut_point() -> None:
    irreducible = function(
        "main",
        block(
            "entry",
            read("x", 1),
            compare("c", Predicate.EQ, reg("x"), const(0)),
            Branch(bit("c"), "a", "b"),
        ),
        block("a", Branch(bit("c"), "b", "end")),
        block("b", Jump("a")),
        block("end", Return(())),
    )
    (cut,) = cut_points(irreducible)
    assert cut in {"a", "b"}
    assert all(r.blocks[0] == r.start for r in regions(irreducible))


def test_calls_begin_blocks_of_their_own_and_phis_follow() -> None:
    main = function(
        "main",
        block(
            "entry",
            read("a", 1),
            Call((reg("b"),), "id", (reg("a"),)),
            Call((reg("d"),), "id", (reg("b"),)),
            Jump("next"),
        ),
        block(
            "next", phi("p", ("entry", reg("d"))), Call((reg("q"),), "id", (reg("p"),)), Return(())
        ),
    )
    result = isolate_calls(program(main, IDENTITY)).functions["main"]
    assert [b.label for b in result.blocks] == [
        "entry",
        "entry.call",
        "entry.call2",
        "next",
        "next.call",
    ]
    assert result.blocks[3].phis == (phi("p", ("entry.call2", reg("d"))),)
    assert cut_points(result) == ("entry.call", "entry.call2", "next.call")
    assert live_registers(result)["entry.call"] == (reg("a"),)
    assert live_registers(result)["entry.call2"] == (reg("b"),)


def test_a_call_that_is_first_already_stays_where_it_is() -> None:
    main = function(
        "main",
        block("entry", Jump("c")),
        block("c", Call((reg("b"),), "id", (const(1),)), Return(())),
    )
    before = program(main, IDENTITY)
    assert isolate_calls(before) == before


def test_allocation_is_no_cut_point() -> None:
    main = function(
        "main", block("entry", Jump("c")), block("c", Call((), "free", (const(1),)), Return(()))
    )
    assert cut_points(isolate_calls(program(main)).functions["main"]) == ()
