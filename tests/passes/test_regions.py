"""Memory as regions, small programs by hand; and the persistent map that holds one in a run."""

from __future__ import annotations

import random
from dataclasses import replace

from programs import END as STOP
from programs import (
    FAIL,
    I8,
    I16,
    I32,
    I64,
    NULL,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Branch,
    Call,
    Cast,
    CastOp,
    Global,
    Havoc,
    Input,
    Jump,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Predicate,
    Program,
    Return,
    Select,
    Site,
    SiteKind,
    Store,
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
)

from seahorn_py.ir.printer import print_function
from seahorn_py.ir.regions import Contents
from seahorn_py.ir.types import BOOL, POINTER
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.regions.exposed import REUSED
from seahorn_py.passes.regions.regions import memory_to_regions
from seahorn_py.passes.simplify.simplify import simplify

TABLE = Global("a", 40, 4, False, ((4, const(7)),))
INDEX = reg("i", I64)


def with_regions(before: Program) -> Program:
    after = simplify(memory_to_regions(before))
    assert verify(after) == ()
    runs = endings(before, after, seed=1, runs=20)
    assert all(a == b for a, b in runs)
    return after


def text(after: Program, name: str = "main") -> list[str]:
    return print_function(after.functions[name]).splitlines()[1:]


def element(name: str, base: str = "a", constant: int = 0) -> Offset:
    return Offset(ptr(name), Address(base), constant, ((INDEX, 4),))


def below_ten(*then: object) -> tuple[object, ...]:
    """Blocks in which `i` is an index of the table."""
    start = block(
        "e",
        read("i", 0, I64),
        compare("ok", Predicate.ULT, INDEX, const(10, I64)),
        Branch(bit("ok"), "in", "out"),
    )
    return (start, block("in", *then), block("fail", FAIL), block("out", STOP))  # type: ignore[arg-type]


def test_a_global_array_is_a_region_with_its_initial_values() -> None:
    main = function(
        "main",
        *below_ten(
            element("p"),
            Store(const(5), ptr("p")),
            Load(reg("x"), Address("a", 4)),
            compare("bad", Predicate.EQ, reg("x"), const(5)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    after = with_regions(program(main, globals_=(TABLE,)))
    assert text(after) == [
        "e:",
        "  %a = region of i32 0",
        "  %a.1 = %a[@a+4 := i32 7]",
        "  %i = input i64 site 0",
        "  %ok = icmp ult i64 %i, 10",
        "  branch %ok ? in : out",
        "in:",
        "  %p = offset @a + %i * 4",
        "  %a.2 = %a.1[%p := i32 5]",
        "  %element = %a.2[@a+4]",
        "  %bad = icmp eq i32 %element, 5",
        "  branch %bad ? fail : out",
        "fail:",
        "  fail check 0",
        "out:",
        "  stop end",
    ]


def test_blocks_of_a_loop_take_the_next_free_addresses() -> None:
    main = function(
        "main",
        block("e", Jump("h")),
        block(
            "h",
            phi("l", ("e", NULL), ("b", ptr("q"))),
            read("c", 0),
            compare("go", Predicate.EQ, reg("c"), const(0)),
            Branch(bit("go"), "end", "b"),
        ),
        block(
            "b",
            Call((ptr("q"),), "malloc", (const(16, I64),)),
            Store(const(3), ptr("q")),
            Offset(ptr("n"), ptr("q"), 8),
            Store(ptr("l"), ptr("n")),
            Jump("h"),
        ),
        block(
            "end",
            compare("none", Predicate.EQ, ptr("l"), NULL),
            Branch(bit("none"), "out", "read"),
        ),
        block(
            "read",
            Load(reg("v"), ptr("l")),
            compare("bad", Predicate.EQ, reg("v"), const(3)),
            Branch(bit("bad"), "fail", "out"),
        ),
        block("fail", FAIL),
        block("out", Return(())),
    )
    after = with_regions(program(main))
    assert "@sea.heap" in "".join(text(after))
    assert text(after)[4:9] == [
        "  %l = phi ptr [e: null, b.on: %heap.next.h]",
        "  %main.q.0.h = phi region of i32 [e: %main.q.0, b.on: %main.q.0.1]",
        "  %heap.next.h = phi ptr [e: @sea.heap, b.on: %moved]",
        "  %c = input i32 site 0",
        "  %go = icmp eq i32 %c, 0",
    ]
    assert "  %moved = offset %heap.next.h + 32" in text(after)


def test_a_single_object_whose_pointers_are_all_known_is_scalars() -> None:
    pair = Global("s", 8, 4, False, ((4, const(9)),))
    cell = Global("cell", 8, 8, False, ((0, Address("s", 4)),))
    main = function(
        "main",
        block(
            "e",
            Load(ptr("p"), Address("cell")),
            Load(reg("x"), ptr("p")),
            Offset(ptr("q"), ptr("p"), -4),
            Store(reg("x"), ptr("q")),
            Load(reg("y"), Address("s")),
            compare("bad", Predicate.EQ, reg("y"), const(9)),
            Branch(bit("bad"), "fail", "out"),
        ),
        block("fail", FAIL),
        block("out", Return(())),
    )
    after = with_regions(program(main, globals_=(pair, cell)))
    assert text(after) == ["e:", "  fail check 0"]


def test_functions_take_and_return_what_they_touch() -> None:
    put = function(
        "put",
        block("e", Store(const(1), ptr("p")), Return(())),
        parameters=(ptr("p"),),
    )
    main = function(
        "main",
        *below_ten(
            element("p"),
            Call((), "put", (ptr("p"),)),
            Load(reg("x"), ptr("p")),
            compare("bad", Predicate.NE, reg("x"), const(1)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    after = with_regions(program(main, put, globals_=(TABLE,)))
    assert print_function(after.functions["put"]).splitlines() == [
        "function put(ptr %p, region of i32 %a) -> region of i32",
        "e:",
        "  %a.1 = %a[%p := i32 1]",
        "  return %a.1",
    ]
    assert "  %a.2 = call region of i32 put(ptr %p, region of i32 %a.1)" in text(after)


def test_slots_belong_to_their_function() -> None:
    inner = function(
        "inner",
        block(
            "e",
            Alloca(ptr("b"), const(40, I64), 4),
            Havoc(ptr("b"), const(40, I64), site(5, SiteKind.UNINIT, I8)),
            Offset(ptr("p"), ptr("b"), 0, ((INDEX, 4),)),
            Load(reg("x"), ptr("p")),
            Return((reg("x"),)),
        ),
        parameters=(INDEX,),
        results=(I32,),
    )
    main = function(
        "main",
        *below_ten(
            Call((reg("x"),), "inner", (INDEX,)),
            compare("bad", Predicate.EQ, reg("x"), const(1)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    after = with_regions(program(main, inner))
    assert print_function(after.functions["inner"]).splitlines() == [
        "function inner(i64 %i) -> i32",
        "e:",
        "  %inner.b = input region of i32 site 6",
        "  %inner.b.1 = havoc whole %inner.b, @inner.b, i64 40 site 5",
        "  %p = offset @inner.b + %i * 4",
        "  %element = %inner.b.1[%p]",
        "  return %element",
    ]


def test_a_whole_array_is_filled_at_once_and_others_in_a_loop() -> None:
    whole = function(
        "main",
        *below_ten(
            MemorySet(Address("a"), const(1, I8), const(40, I64)),
            element("p"),
            Load(reg("x"), ptr("p")),
            compare("bad", Predicate.NE, reg("x"), const(0x01010101)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    filled = program(whole, globals_=(TABLE,))
    assert any("region of i32 16843009" in line for line in text(memory_to_regions(filled)))
    assert text(with_regions(filled)) == ["e:", "  stop end"]
    some = function(
        "main",
        *below_ten(
            Binary(reg("n", I64), BinaryOp.MUL, INDEX, const(4, I64)),
            MemorySet(Address("a"), const(1, I8), reg("n", I64)),
            element("p"),
            Load(reg("x"), ptr("p")),
            compare("bad", Predicate.EQ, reg("x"), const(7)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    looped = text(with_regions(program(some, globals_=(TABLE,))))
    assert "in.each:" in looped
    assert "  %holds = icmp ult i64 %k, %n" in looped
    assert "  %k.1 = add i64 %k, 4" in looped


def test_an_overlapping_move_reads_what_was_there_before() -> None:
    table = Global("a", 40, 4, False, tuple((4 * k, const(k)) for k in range(10)))
    for target, source in ((4, 0), (0, 4)):
        main = function(
            "main",
            *below_ten(
                Binary(reg("n", I64), BinaryOp.MUL, INDEX, const(4, I64)),
                MemoryCopy(Address("a", target), Address("a", source), reg("n", I64)),
                read("j", 1, I64),
                Binary(reg("k", I64), BinaryOp.UREM, reg("j", I64), const(10, I64)),
                Offset(ptr("p"), Address("a"), 0, ((reg("k", I64), 4),)),
                Load(reg("x"), ptr("p")),
                read("y", 2),
                compare("bad", Predicate.EQ, reg("x"), reg("y")),
                Branch(bit("bad"), "fail", "out"),
            ),
        )
        before = program(main, globals_=(table,))
        runs = endings(before, with_regions(before), seed=3, runs=400)
        assert any(a != "not failed" for a, _ in runs)
        assert all(a == b for a, b in runs)


def test_bytes_of_an_element_that_is_copied_in_part_are_arbitrary() -> None:
    main = function(
        "main",
        *below_ten(
            MemorySet(Address("a"), const(0, I8), INDEX),
            element("p"),
            Load(reg("x"), ptr("p")),
            compare("bad", Predicate.EQ, reg("x"), const(7)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    after = memory_to_regions(program(main, globals_=(TABLE,)))
    assert verify(after) == ()
    assert any(s.name.startswith("the rest of an element") for s in after.sites)


def test_accesses_that_share_bytes_are_cut_into_parts() -> None:
    main = function(
        "main",
        *below_ten(
            element("p"),
            Store(const(0x1234), ptr("p")),
            Offset(ptr("q"), ptr("p"), 2),
            Store(const(5, I16), ptr("q")),
            Load(reg("x"), ptr("p")),
            compare("bad", Predicate.NE, reg("x"), const(0x51234)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    before = program(main, globals_=(TABLE,))
    first = text(memory_to_regions(before))[1:3]
    assert first == ["  %a.0 = region of i16 0", "  %a.2 = region of i16 0"]
    assert text(with_regions(before)) == ["e:", "  stop end"]


def mixed(outside: Site) -> Program:
    """A load by a pointer to the table or by one from outside."""
    main = function(
        "main",
        *below_ten(
            Input(ptr("o"), outside),
            Input(bit("c"), site(1, type_=BOOL)),
            element("p"),
            Select(ptr("q"), bit("c"), ptr("p"), ptr("o")),
            Load(reg("x"), ptr("q")),
            compare("bad", Predicate.EQ, reg("x"), const(5)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    return memory_to_regions(program(main, globals_=(TABLE,)))


def test_memory_that_may_be_from_outside_is_not_taken_for_our_own() -> None:
    argv = replace(site(7, SiteKind.EXTERN, POINTER), name="argv")
    for outside in (site(7, SiteKind.EXTERN, POINTER), site(7, SiteKind.NONDET, POINTER), argv):
        assert "  %x = load i32 from %q" in text(mixed(outside))


def test_pointers_in_memory_from_outside_lead_outside() -> None:
    extern = Global("e", 8, 8, False, ())
    main = function(
        "main",
        *below_ten(
            Havoc(Address("e"), const(8, I64), site(7, SiteKind.EXTERN, I8)),
            Load(ptr("o"), Address("e")),
            Input(bit("c"), site(1, type_=BOOL)),
            element("p"),
            Select(ptr("q"), bit("c"), ptr("p"), ptr("o")),
            Load(reg("x"), ptr("q")),
            compare("bad", Predicate.EQ, reg("x"), const(5)),
            Branch(bit("bad"), "fail", "out"),
        ),
    )
    after = memory_to_regions(program(main, globals_=(TABLE, extern)))
    assert "  %x = load i32 from %q" in text(after)


def test_volatile_memory_is_not_modelled() -> None:
    main = function(
        "main",
        *below_ten(element("p"), Store(const(5), ptr("p"), volatile=True), Return(())),
    )
    after = with_regions(program(main, globals_=(TABLE,)))
    assert any("store volatile" in line for line in text(after))


def test_what_depends_on_the_layout_is_a_gap() -> None:
    def gaps(*statements: object) -> tuple[str, ...]:
        main = function("main", block("e", *statements, Return(())))  # type: ignore[arg-type]
        other = Global("b", 40, 4, False, ())
        return memory_to_regions(program(main, globals_=(TABLE, other))).gaps

    number = reg("n", I64)
    assert gaps(compare("c", Predicate.EQ, Address("a"), Address("b"))) == ()
    assert gaps(compare("c", Predicate.ULT, Address("a", 4), Address("a", 8))) == ()
    assert len(gaps(compare("c", Predicate.ULT, Address("a"), Address("b")))) == 1
    cast = Cast(number, CastOp.PTRTOINT, Address("a"))
    moved = Binary(reg("m", I64), BinaryOp.ADD, number, const(4, I64))
    assert gaps(cast, moved, Cast(ptr("p"), CastOp.INTTOPTR, reg("m", I64))) == ()
    rest = Binary(reg("m", I64), BinaryOp.UREM, number, const(8, I64))
    assert len(gaps(cast, rest)) == 1


def test_blocks_that_are_freed_and_compared_are_an_assumption() -> None:
    main = function(
        "main",
        block(
            "e",
            Call((ptr("p"),), "malloc", (const(4, I64),)),
            Call((), "free", (ptr("p"),)),
            Call((ptr("q"),), "malloc", (const(4, I64),)),
            compare("c", Predicate.EQ, ptr("p"), ptr("q")),
            Branch(bit("c"), "fail", "out"),
        ),
        block("fail", FAIL),
        block("out", Return(())),
    )
    assert REUSED in with_regions(program(main)).gaps


def test_every_version_of_contents_can_be_read() -> None:
    draw = random.Random(3)
    versions: list[tuple[Contents, dict[int, int]]] = [(Contents(9), {})]
    for step in range(300):
        contents, expected = draw.choice(versions)
        address = draw.randrange(8)
        versions.append((contents.store(address, step), {**expected, address: step}))
    for contents, expected in draw.sample(versions, len(versions)):
        assert [contents.load(k) for k in range(8)] == [expected.get(k, 9) for k in range(8)]


def test_many_elements_at_once_leave_other_versions_as_they_are() -> None:
    first = Contents(9).store(1, 10)
    other = first.store(2, 20)
    both = first.with_items([(0, 1), (1, 2), (5, 3)])
    assert [both.load(k) for k in range(6)] == [1, 2, 9, 9, 9, 3]
    assert [first.load(k) for k in range(6)] == [9, 10, 9, 9, 9, 9]
    assert [other.load(k) for k in range(6)] == [9, 10, 20, 9, 9, 9]
    assert [both.store(5, 4).load(k) for k in (0, 5)] == [1, 4]
    assert both.load(5) == 3


def test_a_long_chain_of_versions_is_no_recursion() -> None:
    first = contents = Contents()
    for step in range(100_000):
        contents = contents.store(step % 10, step)
    assert first.load(3) == 0
    assert contents.load(9) == 99_999


def test_inputs_of_regions_are_zero_in_runs() -> None:
    main = function(
        "main", *below_ten(Input(ptr("p"), site(3, SiteKind.HAVOC, POINTER)), Return(()))
    )
    assert with_regions(program(main)).functions
