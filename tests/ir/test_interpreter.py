"""Runs of small programs: arithmetic, memory, calls, inputs, endings, floats."""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections.abc import Callable, Iterable

import pytest
from programs import (
    BLOCKED,
    END,
    I8,
    I16,
    I32,
    I64,
    NULL,
    Address,
    Alloca,
    BinaryOp,
    Call,
    Cast,
    CastOp,
    Function,
    Global,
    Havoc,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Predicate,
    Select,
    Statement,
    Store,
    add,
    binary,
    bit,
    block,
    check,
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

from seahorn_py.ir import interpreter, semantics
from seahorn_py.ir.algebra import Algebra, Concrete
from seahorn_py.ir.intrinsics import arity
from seahorn_py.ir.program import (
    Binary,
    Bits,
    BitsOp,
    Branch,
    Compare,
    Fail,
    FloatConst,
    FloatOp,
    Input,
    Jump,
    Overflow,
    OverflowOp,
    Program,
    Register,
    Return,
    Site,
    SiteKind,
)
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits
from seahorn_py.ir.types import BOOL, POINTER, FloatKind, FloatType, IntType, Type

LIMITS = RunLimits(seconds=20.0, steps=100_000)
CONCRETE: Algebra[int, bool] = Concrete()
SINGLE, DOUBLE = FloatType(FloatKind.SINGLE), FloatType(FloatKind.DOUBLE)
X87 = FloatType(FloatKind.X87)


class Results:
    """Keeps what the entry function returns, and the states of blocks."""

    def __init__(self) -> None:
        self.results: tuple[int, ...] = ()
        self.returns: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        self.blocks: list[tuple[str, str, dict[str, int]]] = []

    def at_block(self, function: str, label: str, frame: interpreter.Frame) -> None:
        self.blocks.append((function, label, dict(frame)))

    def at_return(
        self, function: str, arguments: tuple[int, ...], results: tuple[int, ...]
    ) -> None:
        self.results = results
        self.returns.append((function, arguments, results))


def run(prog: Program, feed: Feed | None = None, limits: RunLimits = LIMITS) -> Outcome:
    return interpreter.run(prog, feed or {}, limits)


def straight(
    *statements: Statement,
    returns: tuple[Operand, ...] = (),
    globals_: Iterable[Global] = (),
    width: int = 64,
) -> Program:
    types = [value.type for value in returns]
    main = function("main", block("entry", *statements, Return(returns)), results=types)
    return program(main, globals_=globals_, width=width)


def evaluate(
    *statements: Statement,
    returns: tuple[Operand, ...],
    feed: Feed | None = None,
    globals_: Iterable[Global] = (),
    width: int = 64,
) -> tuple[int, ...]:
    seen = Results()
    prog = straight(*statements, returns=returns, globals_=globals_, width=width)
    outcome = interpreter.run(prog, feed or {}, LIMITS, seen)
    assert outcome.ending is Ending.ENDED, outcome
    assert outcome.reason == ""
    return seen.results


def outcome_of(*statements: Statement, globals_: Iterable[Global] = (), width: int = 64) -> Outcome:
    return run(straight(*statements, globals_=globals_, width=width))


# ---------------------------------------------------------------------- the table of operations

WIDTHS = (1, 3, 8, 16, 32, 64, 128)


def samples(width: int) -> list[tuple[int, int]]:
    rng = random.Random(width)
    top = 1 << width
    edges = sorted({e % top for e in (0, 1, -1, top // 2, top // 2 - 1, width - 1)})
    drawn = [(rng.randrange(top), rng.randrange(top)) for _ in range(12)]
    shifts = [(rng.randrange(top), rng.randrange(width) % top) for _ in range(6)]
    return [*((a, b) for a in edges for b in edges), *drawn, *shifts]


def batch(
    make: Callable[[str, Operand, Operand], Statement], result: Type, width: int
) -> list[tuple[int, int, int]]:
    """Run one statement on all samples, on constants and on registers, in one program."""
    type_ = IntType(width)
    pairs = samples(width)
    reads = [read(f"x{k}", k, type_) for k in range(2)]
    statements: list[Statement] = [*reads]
    constants: list[Operand] = []
    for k, (a, b) in enumerate(pairs):
        statements.append(make(f"c{k}", const(a, type_), const(b, type_)))
        constants.append(Register(f"c{k}", result))
    folded = evaluate(*statements, returns=tuple(constants))
    prog = interpreter.Interpreter(
        straight(
            *reads,
            make("y", Register("x0", type_), Register("x1", type_)),
            returns=(Register("y", result),),
        )
    )
    found = []
    for (a, b), on_constants in zip(pairs, folded, strict=True):
        seen = Results()
        prog.run({0: (a,), 1: (b,)}, LIMITS, seen)
        assert seen.results == (on_constants,), (a, b)
        found.append((a, b, on_constants))
    return found


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", [op for op in BinaryOp if not semantics.partial(op)])
def test_total_binary_operations(op: BinaryOp, width: int) -> None:
    for a, b, got in batch(lambda n, x, y: binary(n, op, x, y), IntType(width), width):
        assert got == semantics.binary(CONCRETE, op, width, a, b), (a, b)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", [op for op in BinaryOp if semantics.partial(op)])
def test_partial_binary_operations(op: BinaryOp, width: int) -> None:
    type_ = IntType(width)
    x, y = read("x", 0, type_), read("y", 1, type_)
    result = reg("z", type_)
    ready = interpreter.Interpreter(
        straight(x, y, Binary(result, op, x.result, y.result), returns=(result,))
    )
    for a, b in samples(width):
        seen = Results()
        outcome = ready.run({0: (a,), 1: (b,)}, LIMITS, seen)
        assert outcome.ending is Ending.ENDED
        if semantics.defined(CONCRETE, op, width, a, b):
            assert seen.results == (semantics.binary(CONCRETE, op, width, a, b),), (a, b)
        else:
            assert outcome.reason.startswith(op.value)
            assert seen.returns == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("predicate", Predicate)
def test_comparisons(predicate: Predicate, width: int) -> None:
    for a, b, got in batch(lambda n, x, y: Compare(bit(n), predicate, x, y), BOOL, width):
        assert got == int(semantics.compare(CONCRETE, predicate, width, a, b)), (a, b)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", OverflowOp)
def test_overflow_bits(op: OverflowOp, width: int) -> None:
    for a, b, got in batch(lambda n, x, y: Overflow(bit(n), op, x, y), BOOL, width):
        assert got == int(semantics.overflow(CONCRETE, op, width, a, b)), (a, b)


@pytest.mark.parametrize("width", (1, 3, 16, 32))
@pytest.mark.parametrize("op", BitsOp)
def test_intrinsics(op: BitsOp, width: int) -> None:
    if op is BitsOp.BSWAP and width % 16:
        return
    type_, count = IntType(width), arity(op)
    found = batch(lambda n, x, y: Bits(reg(n, type_), op, (x, y, x)[:count]), type_, width)
    for a, b, got in found:
        assert got == semantics.bits(CONCRETE, op, width, (a, b, a)[:count]), (a, b)


def test_casts_of_integers() -> None:
    for width, to in itertools.product(WIDTHS, repeat=2):
        ops = (CastOp.ZEXT, CastOp.SEXT) if to > width else (CastOp.TRUNC,)
        for op in ops if to != width else ():
            x = read("x", 0, IntType(width))
            y = reg("y", IntType(to))
            for a in (0, 1, (1 << width) - 1, 1 << width - 1):
                got = evaluate(x, Cast(y, op, x.result), returns=(y,), feed={0: (a,)})
                assert got == (semantics.cast(CONCRETE, op, width, to, a),)


def test_zero_extension_of_a_register_keeps_the_register() -> None:
    x, y, z = reg("x", I8), reg("y", I32), reg("z", I8)
    one = const(1, I8)
    got = evaluate(
        read("a", 0, I8),
        Binary(x, BinaryOp.ADD, reg("a", I8), one),
        Cast(y, CastOp.ZEXT, x),
        Binary(z, BinaryOp.ADD, x, one),
        returns=(x, y, z),
        feed={0: (4,)},
    )
    assert got == (5, 5, 6)


def test_select_takes_a_side() -> None:
    c, x = bit("c"), reg("x")
    for fed, wanted in ((1, 10), (0, 20)):
        got = evaluate(
            read("c", 0, BOOL), Select(x, c, const(10), const(20)), returns=(x,), feed={0: (fed,)}
        )
        assert got == (wanted,)


# --------------------------------------------------------------------------------- control flow


def count_to(limit: int) -> Program:
    """`for (i = 0, s = 0; i < limit; i++) s += i;`"""
    i, s, c = reg("i"), reg("s"), bit("c")
    return program(
        function(
            "main",
            block("entry", Jump("head")),
            block(
                "head",
                phi("i", ("entry", const(0)), ("body", reg("j"))),
                phi("s", ("entry", const(0)), ("body", reg("t"))),
                compare("c", Predicate.SLT, i, const(limit)),
                Branch(c, "body", "exit"),
            ),
            block("body", add("t", s, i), add("j", i, const(1)), Jump("head")),
            block("exit", Return((s,))),
            results=[I32],
        )
    )


def test_a_loop_computes_its_sum_and_shows_its_states() -> None:
    seen = Results()
    assert interpreter.run(count_to(3), {}, LIMITS, seen).ending is Ending.ENDED
    assert seen.results == (3,)
    heads = [(f["i"], f["s"]) for _, label, f in seen.blocks if label == "head"]
    assert heads == [(0, 0), (1, 0), (2, 1), (3, 3)]
    assert [label for _, label, _ in seen.blocks[:3]] == ["entry", "head", "body"]
    assert "t" not in seen.blocks[1][2]


def test_phis_are_evaluated_together() -> None:
    x, y, n = reg("x"), reg("y"), reg("n")
    swap = program(
        function(
            "main",
            block("entry", Jump("head")),
            block(
                "head",
                phi("x", ("entry", const(1)), ("head", y)),
                phi("y", ("entry", const(2)), ("head", x)),
                phi("n", ("entry", const(0)), ("head", reg("m"))),
                add("m", n, const(1)),
                compare("c", Predicate.EQ, reg("m"), const(4)),
                Branch(bit("c"), "exit", "head"),
            ),
            block("exit", Return((x, y))),
            results=[I32, I32],
        )
    )
    seen = Results()
    interpreter.run(swap, {}, LIMITS, seen)
    assert seen.results == (2, 1)


def test_endings() -> None:
    def ending(terminator: object) -> Outcome:
        return run(program(function("main", block("entry", terminator))))  # type: ignore[arg-type]

    assert ending(END) == Outcome(Ending.ENDED)
    assert ending(BLOCKED) == Outcome(Ending.BLOCKED)
    assert ending(Fail(check(7))) == Outcome(Ending.FAILED, 7)
    assert ending(Return(())) == Outcome(Ending.ENDED)


def test_steps_are_bounded_exactly() -> None:
    steps = 2 + 3 * 5 + 2  # entry and exit jumps, three rounds, the last test of the head
    exact = RunLimits(seconds=20.0, steps=steps)
    assert run(count_to(3), limits=exact).ending is Ending.ENDED
    assert run(count_to(3), limits=RunLimits(seconds=20.0, steps=steps - 1)) == Outcome(
        Ending.LIMIT, reason="out of steps"
    )


def test_time_is_bounded() -> None:
    forever = program(function("main", block("entry", Jump("x")), block("x", Jump("x"))))
    outcome = run(forever, limits=RunLimits(seconds=0.05, steps=10**12))
    assert outcome == Outcome(Ending.LIMIT, reason="out of time")


# --------------------------------------------------------------------------------------- inputs


def test_inputs_are_fed_by_site_and_visit_and_recorded_in_order() -> None:
    x, z = reg("x"), reg("z", I8)
    main = function(
        "main",
        block("entry", Jump("head")),
        block(
            "head",
            phi("n", ("entry", const(0)), ("head", reg("m"))),
            read("x", 5),
            read("z", 6, I8),
            add("m", reg("n"), const(1)),
            compare("c", Predicate.EQ, reg("m"), const(3)),
            Branch(bit("c"), "exit", "head"),
        ),
        block("exit", Return((x, z))),
        results=[I32, I8],
    )
    outcome = run(program(main), {5: (10, 11), 6: (1, 2, 0x1FF)})
    assert outcome.reads == ((5, 10), (6, 1), (5, 11), (6, 2), (5, 0), (6, 0xFF))
    assert outcome.feed == {5: (10, 11, 0), 6: (1, 2, 255)}


def test_draw_supplies_what_the_feed_lacks() -> None:
    asked: list[int] = []

    def draw(place: Site) -> int:
        asked.append(place.number)
        return -1

    prog = straight(read("x", 0), Input(ptr("p"), site(1, type_=POINTER)), read("y", 2, I8))
    outcome = interpreter.run(prog, {0: (3,)}, LIMITS, draw=draw)
    assert outcome.reads == ((0, 3), (1, 0), (2, 255))
    assert asked == [2]  # no pointer is drawn


def test_havoc_reads_one_value_per_byte() -> None:
    p, x = ptr("p"), reg("x")
    place = site(4, SiteKind.UNINIT, I8)
    feed = {4: (0x11, 0x22, 0x33)}
    statements = (Alloca(p, const(4), 4), Havoc(p, const(4), place), Load(x, p))
    assert evaluate(*statements, returns=(x,), feed=feed) == (0x00332211,)
    assert run(straight(*statements), feed).reads == ((4, 0x11), (4, 0x22), (4, 0x33), (4, 0))


def test_reads_are_bounded() -> None:
    limits = RunLimits(seconds=20.0, reads=2)
    outcome = run(straight(read("x", 0), read("y", 1), read("z", 2)), limits=limits)
    assert outcome == Outcome(Ending.LIMIT, None, ((0, 0), (1, 0)), "out of reads")
    assert run(straight(read("x", 0), read("y", 1)), limits=limits).ending is Ending.ENDED


# --------------------------------------------------------------------------------------- memory


def test_memory_is_little_endian_and_byte_accurate() -> None:
    p, q = ptr("p"), ptr("q")
    got = evaluate(
        Alloca(p, const(8), 8),
        Store(const(0x11223344), p),
        Offset(q, p, 3),
        Store(const(0xAABB, I16), q),
        Load(reg("w"), p),
        Load(reg("b", I8), q),
        Load(reg("l", I64), p),
        returns=(reg("w"), reg("b", I8), reg("l", I64)),
    )
    assert got == (0xBB223344, 0xBB, 0x000000AABB223344)


def test_odd_widths_take_whole_bytes() -> None:
    p = ptr("p")
    i24, i33 = IntType(24), IntType(33)
    got = evaluate(
        Alloca(p, const(8), 8),
        Store(const(-1, I64), p),
        Load(bit("b"), p),
        Load(reg("x", i33), p),
        Store(const(5, i24), p),
        Load(reg("y"), p),
        returns=(bit("b"), reg("x", i33), reg("y")),
    )
    assert got == (1, (1 << 33) - 1, 0xFF000005)


def test_offsets_extend_their_indices() -> None:
    p, q, x = ptr("p"), ptr("q"), reg("x", I8)
    statements = (
        Alloca(p, const(16), 1),
        MemorySet(p, const(7, I8), const(16)),
        Offset(q, p, 12, ((x, 4), (const(-1, I64), 2))),
        Cast(reg("d", I64), CastOp.PTRTOINT, q),
        Cast(reg("e", I64), CastOp.PTRTOINT, p),
        binary("f", BinaryOp.SUB, reg("d", I64), reg("e", I64)),
    )
    for width in (32, 64):
        got = evaluate(
            read("x", 0, I8),
            *statements,
            returns=(reg("f", I64),),
            feed={0: (0xFE,)},
            width=width,
        )
        assert got == (12 - 8 - 2,)


def test_globals_have_their_leaves_and_zeros_between() -> None:
    table = Global("table", 16, 8, False, ((0, const(1)), (8, Address("other", 2))))
    other = Global("other", 4, 4, True, ((2, const(0xBEEF, I16)),))
    p = ptr("p")
    got = evaluate(
        Load(reg("a"), Address("table")),
        Load(reg("z"), Address("table", 4)),
        Load(p, Address("table", 8)),
        Load(reg("h", I16), p),
        returns=(reg("a"), reg("z"), reg("h", I16)),
        globals_=[table, other],
    )
    assert got == (1, 0, 0xBEEF)


CELL = Global("cell", 4, 4, False, ())
FIXED = Global("fixed", 4, 4, True, ((0, const(9)),))


@pytest.mark.parametrize(
    "statement",
    [
        Load(reg("x"), NULL),
        Store(const(0), NULL),
        Load(reg("x"), Address("cell", 1)),
        Load(reg("x"), Address("cell", -1)),
        Load(reg("x"), Address("main")),
        Store(const(0), Address("fixed")),
        MemorySet(NULL, const(0, I8), const(1)),
        MemoryCopy(Address("cell"), NULL, const(4)),
        MemoryCopy(Address("fixed"), Address("cell"), const(4)),
    ],
    ids=str,
)
@pytest.mark.parametrize("width", [32, 64])
def test_invalid_accesses_end_the_run(statement: Statement, width: int) -> None:
    outcome = outcome_of(statement, globals_=[CELL, FIXED], width=width)
    assert outcome.ending is Ending.ENDED
    assert "0x" in outcome.reason


def test_nothing_is_accessed_when_nothing_is_copied() -> None:
    nothing = const(0)
    statements = (MemoryCopy(NULL, NULL, nothing), MemorySet(NULL, const(0, I8), nothing))
    assert outcome_of(*statements) == Outcome(Ending.ENDED)


def test_copies_may_overlap() -> None:
    p, q, x = ptr("p"), ptr("q"), reg("x", I64)
    got = evaluate(
        Alloca(p, const(8), 1),
        Store(const(0x0807060504030201, I64), p),
        Offset(q, p, 2),
        MemoryCopy(q, p, const(6)),
        Load(x, p),
        returns=(x,),
    )
    assert got == (0x0605040302010201,)


def test_the_heap() -> None:
    p, q, x, y = ptr("p"), ptr("q"), reg("x"), reg("y")
    size = const(8, I64)
    got = evaluate(
        Call((p,), "malloc", (size,)),
        Store(const(77), p),
        Call((q,), "realloc", (p, const(100, I64))),
        Load(x, q),
        Offset(ptr("end"), q, 96),
        Store(const(5), ptr("end")),
        Load(y, ptr("end")),
        Call((), "free", (q,)),
        Call((), "free", (NULL,)),
        returns=(x, y),
    )
    assert got == (77, 5)


@pytest.mark.parametrize(
    "last",
    [
        Load(reg("x"), ptr("p")),
        Call((), "free", (ptr("p"),)),
        Call((ptr("q"),), "realloc", (ptr("p"), const(1, I64))),
        Call((), "free", (Address("cell"),)),
    ],
    ids=str,
)
def test_freed_blocks_are_gone(last: Statement) -> None:
    malloc = Call((ptr("p"),), "malloc", (const(4, I64),))
    fine = (malloc, Store(const(1), ptr("p")), Call((), "free", (ptr("p"),)))
    assert outcome_of(*fine) == Outcome(Ending.ENDED)
    outcome = outcome_of(*fine, last, globals_=[CELL])
    assert outcome.ending is Ending.ENDED
    assert outcome.reason


def test_memory_is_bounded() -> None:
    outcome = outcome_of(Call((ptr("p"),), "calloc", (const(1 << 20), const(1 << 20))))
    assert outcome == Outcome(Ending.LIMIT, reason="out of memory")


def test_stack_objects_die_with_their_function() -> None:
    p, q = ptr("p"), ptr("q")
    leak = function("leak", block("entry", Alloca(q, const(4), 4), Return((q,))), results=[POINTER])
    main = function(
        "main",
        block("entry", Call((p,), "leak", ()), Load(reg("x"), p), Return(())),
    )
    assert "invalid access" in run(program(main, leak)).reason


# ---------------------------------------------------------------------------------------- calls


def fibonacci() -> Function:
    n, a, b = reg("n"), reg("a"), reg("b")
    return function(
        "fib",
        block(
            "entry",
            compare("small", Predicate.ULT, n, const(2)),
            Branch(bit("small"), "base", "step"),
        ),
        block("base", Return((n,))),
        block(
            "step",
            binary("m", BinaryOp.SUB, n, const(1)),
            Call((a,), "fib", (reg("m"),)),
            binary("k", BinaryOp.SUB, n, const(2)),
            Call((b,), "fib", (reg("k"),)),
            add("s", a, b),
            Return((reg("s"),)),
        ),
        parameters=[n],
        results=[I32],
    )


def test_recursion() -> None:
    x = reg("x")
    main = function(
        "main", block("entry", Call((x,), "fib", (const(10),)), Return((x,))), results=[I32]
    )
    seen = Results()
    interpreter.run(program(main, fibonacci()), {}, LIMITS, seen)
    assert seen.results == (55,)
    assert seen.returns[0] == ("fib", (1,), (1,))
    assert seen.returns[-2] == ("fib", (10,), (55,))


def test_deep_recursion_needs_no_python_stack() -> None:
    n = reg("n")
    down = function(
        "down",
        block(
            "entry",
            compare("c", Predicate.EQ, n, const(0)),
            Branch(bit("c"), "base", "step"),
        ),
        block("base", Return(())),
        block(
            "step",
            binary("m", BinaryOp.SUB, n, const(1)),
            Call((), "down", (reg("m"),)),
            Return(()),
        ),
        parameters=[n],
    )
    main = function("main", block("entry", Call((), "down", (const(20_000),)), Return(())))
    limits = RunLimits(seconds=20.0)
    assert run(program(main, down), limits=limits).ending is Ending.ENDED
    small = RunLimits(seconds=20.0, memory_mib=1)
    assert run(program(main, down), limits=small).reason == "out of memory"


def test_several_results_and_calls_through_pointers() -> None:
    a, b = reg("a"), reg("b", I8)
    pair = function(
        "pair", block("entry", Return((a, const(3, I8)))), parameters=[a], results=[I32, I8]
    )
    main = function(
        "main",
        block(
            "entry",
            Load(ptr("f"), Address("slot")),
            Call((reg("x"), b), ptr("f"), (const(8),)),
            Return((reg("x"), b)),
        ),
        results=[I32, I8],
    )
    slot = Global("slot", 8, 8, False, ((0, Address("pair")),))
    seen = Results()
    interpreter.run(program(main, pair, globals_=[slot]), {}, LIMITS, seen)
    assert seen.results == (8, 3)


def test_calls_that_cannot_be_run() -> None:
    one = function("one", block("entry", Return(())), parameters=[reg("a")])
    f = ptr("f")

    def call(address: Operand, *arguments: Operand) -> Outcome:
        offset = Offset(f, address, 0)
        main = function("main", block("entry", offset, Call((), f, arguments), Return(())))
        return run(program(main, one))

    assert call(Address("one"), const(1)).ending is Ending.ENDED
    assert call(Address("one"), const(1), const(2)) == Outcome(Ending.ENDED)
    for arguments in ((), (const(1, I8),)):
        assert "another type" in call(Address("one"), *arguments).reason
    assert "no function" in call(NULL).reason
    outcome = outcome_of(Call((reg("x"),), "getpid", ()))
    assert outcome == Outcome(Ending.REFUSED, reason="call of getpid, which has no body")


def test_a_defined_function_wins_over_a_builtin() -> None:
    malloc = function(
        "malloc", block("entry", Return((NULL,))), parameters=[reg("n", I64)], results=[POINTER]
    )
    main = function(
        "main",
        block(
            "entry",
            Call((ptr("p"),), "malloc", (const(4, I64),)),
            Cast(reg("x", I64), CastOp.PTRTOINT, ptr("p")),
            Return((reg("x", I64),)),
        ),
        results=[I64],
    )
    seen = Results()
    interpreter.run(program(main, malloc), {}, LIMITS, seen)
    assert seen.results == (0,)


def test_an_undefined_address_is_refused_where_it_is_used() -> None:
    use = Store(Address("environ"), Address("cell"))
    assert "environ" in outcome_of(use, globals_=[CELL]).reason
    assert outcome_of(use, globals_=[CELL]).ending is Ending.REFUSED


def test_one_interpreter_serves_many_runs() -> None:
    ready = interpreter.Interpreter(
        straight(read("x", 0), Store(reg("x"), Address("cell")), globals_=[CELL])
    )
    for value in range(3):
        assert ready.run({0: (value,)}, LIMITS).reads == ((0, value),)


# --------------------------------------------------------------------------------------- floats


def double(x: float) -> int:
    return int.from_bytes(struct.pack("<d", x), "little")


def single(x: float) -> int:
    return int.from_bytes(struct.pack("<f", x), "little")


def floats(op: str, *arguments: int, type_: FloatType = DOUBLE, result: Type | None = None) -> int:
    values = tuple(FloatConst(a, type_) for a in arguments)
    target = Register("y", result or type_)
    return evaluate(FloatOp(target, op, values), returns=(target,))[0]


INF, NAN = double(math.inf), 0xFFF8_0000_0000_0000


def test_double_arithmetic() -> None:
    assert floats("fadd", double(0.1), double(0.2)) == double(0.1 + 0.2)
    assert floats("fsub", double(1.0), double(0.9)) == double(1.0 - 0.9)
    assert floats("fmul", double(1e200), double(1e200)) == INF
    assert floats("fdiv", double(1.0), double(-0.0)) == double(-math.inf)
    assert floats("fdiv", double(0.0), double(0.0)) == NAN
    assert floats("frem", double(-5.5), double(2.0)) == double(-1.5)
    assert floats("frem", INF, double(2.0)) == NAN
    assert floats("fneg", double(0.0)) == double(-0.0)
    assert floats("llvm.sqrt", double(-1.0)) == NAN
    assert floats("fadd", 0x7FF0_0000_0000_0001, INF) == 0x7FF8_0000_0000_0001


def test_single_arithmetic_rounds_once() -> None:
    rng = random.Random(1)
    for _ in range(30):
        a, b = (rng.randrange(1 << 32) for _ in range(2))
        x, y = (struct.unpack("<f", struct.pack("<I", bits))[0] for bits in (a, b))
        if math.isfinite(x) and math.isfinite(y) and abs(x * y) < 1e38 and abs(x + y) < 1e38:
            assert floats("fmul", a, b, type_=SINGLE) == single(x * y)
            assert floats("fadd", a, b, type_=SINGLE) == single(x + y)
    assert floats("fadd", single(3.4e38), single(3.4e38), type_=SINGLE) == single(math.inf)
    assert floats("fdiv", single(1.0), single(3.0), type_=SINGLE) == 0x3EAAAAAB


def test_roundings() -> None:
    table = {
        "llvm.floor": (-3.0, 2.0, -0.0),
        "llvm.ceil": (-2.0, 3.0, -0.0),
        "llvm.trunc": (-2.0, 2.0, -0.0),
        "llvm.rint": (-2.0, 2.0, -0.0),
        "llvm.round": (-3.0, 3.0, -0.0),
    }
    for op, wanted in table.items():
        for x, y in zip((-2.5, 2.5, -0.0), wanted, strict=True):
            assert floats(op, double(x)) == double(y), (op, x)
        assert floats(op, INF) == INF
    assert floats("llvm.round", double(0.49999999999999994)) == double(0.0)


def test_signs_and_extremes() -> None:
    assert floats("llvm.fabs", double(-2.0)) == double(2.0)
    assert floats("llvm.copysign", double(2.0), double(-0.0)) == double(-2.0)
    assert floats("llvm.minnum", NAN, double(1.0)) == double(1.0)
    assert floats("llvm.minimum", NAN, double(1.0)) == NAN
    assert floats("llvm.maxnum", double(3.0), double(1.0)) == double(3.0)
    assert floats("llvm.minnum", double(3.0), double(1.0)) == double(1.0)
    assert floats("llvm.maximum", double(-0.0), double(0.0)) == double(0.0)


def test_fused_multiply_add_rounds_once() -> None:
    x = 1.0 + 2.0**-30
    assert floats("llvm.fma", double(x), double(x), double(-1.0)) == double(2.0**-29 + 2.0**-60)
    assert x * x - 1.0 == 2.0**-29
    y = struct.unpack("<f", struct.pack("<f", 1.0 + 2.0**-12))[0]
    assert floats("llvm.fma", single(y), single(y), single(-1.0), type_=SINGLE) == single(
        2.0**-11 + 2.0**-24
    )
    assert floats("llvm.fma", double(1e300), double(1e300), double(-math.inf)) == double(-math.inf)
    assert floats("llvm.fma", double(1.0), double(-0.0), double(0.0)) == double(0.0)
    assert floats("llvm.fma", double(1.0), double(1.0), double(-1.0)) == double(0.0)


def test_comparisons_of_floats() -> None:
    values = {"<": (1.0, 2.0), "=": (2.0, 2.0), ">": (2.0, 1.0), "?": (math.nan, 1.0)}
    table = {"oeq": "=", "une": "<>?", "olt": "<", "uge": ">=?", "ord": "<=>", "uno": "?"}
    for predicate, holds in table.items():
        for relation, (x, y) in values.items():
            got = floats(f"fcmp {predicate}", double(x), double(y), result=BOOL)
            assert got == (relation in holds), (predicate, relation)
    assert floats("fcmp oeq", double(0.0), double(-0.0), result=BOOL) == 1


def convert(op: CastOp, value: int, source: Type, target: Type) -> int:
    constant = FloatConst(value, source) if isinstance(source, FloatType) else None
    operand = constant or const(value, source)  # type: ignore[arg-type]
    y = Register("y", target)
    return evaluate(Cast(y, op, operand), returns=(y,))[0]


def test_conversions() -> None:
    assert convert(CastOp.FPTRUNC, double(0.1), DOUBLE, SINGLE) == single(0.1)
    assert convert(CastOp.FPEXT, single(0.5), SINGLE, DOUBLE) == double(0.5)
    assert convert(CastOp.FPEXT, 0x7F80_0001, SINGLE, DOUBLE) == 0x7FF8_0000_2000_0000
    assert convert(CastOp.SITOFP, -3, I32, DOUBLE) == double(-3.0)
    assert convert(CastOp.UITOFP, -1, I64, DOUBLE) == double(2.0**64)
    assert convert(CastOp.FPTOSI, double(-2.9), DOUBLE, I8) == 0xFE
    assert convert(CastOp.FPTOUI_SAT, double(-2.9), DOUBLE, I8) == 0
    assert convert(CastOp.FPTOSI_SAT, double(1e20), DOUBLE, I32) == 0x7FFF_FFFF
    assert convert(CastOp.FPTOSI_SAT, NAN, DOUBLE, I32) == 0
    assert convert(CastOp.BITCAST, double(1.0), DOUBLE, I64) == double(1.0)


def test_long_integers_are_rounded_once_to_single() -> None:
    n = (1 << 60) + (1 << 36) + 1  # the double loses the last bit and makes a tie
    assert convert(CastOp.UITOFP, n, I64, SINGLE) == single(float((1 << 60) + (1 << 37)))


def test_extended_precision_is_computed_by_circuits() -> None:
    third = 0x3FFD << 64 | 0xAAAA_AAAA_AAAA_AAAB
    one, three = 0x3FFF << 64 | 1 << 63, 0x4000 << 64 | 3 << 62
    assert floats("fdiv", one, three, type_=X87) == third
    assert floats("fcmp olt", third, one, type_=X87, result=BOOL) == 1
    assert convert(CastOp.FPTRUNC, third, X87, DOUBLE) == double(1.0 / 3.0)
    assert convert(CastOp.SITOFP, 3, I32, X87) == three
    assert convert(CastOp.FPTOSI, three, X87, I32) == 3


def test_functions_of_floats_with_other_results() -> None:
    assert floats("llvm.lround", double(2.5), result=I32) == 3
    assert floats("llvm.lrint", double(2.5), result=I32) == 2
    for bits, mask in ((NAN, 0b10), (0x7FF0_0000_0000_0001, 0b01), (double(-0.0), 1 << 5)):
        for tried in (0b01, 0b10, 0b11, 1 << 5, 1 << 6):
            operand = FloatConst(bits, DOUBLE), const(tried)
            y = Register("y", BOOL)
            found = evaluate(FloatOp(y, "llvm.is.fpclass", operand), returns=(y,))[0]
            assert found == (mask & tried != 0)


def test_what_has_no_exact_answer_is_refused() -> None:
    x = FloatConst(0, X87)
    outcome = outcome_of(FloatOp(Register("y", X87), "frem", (x, x)))
    assert outcome == Outcome(Ending.REFUSED, reason="frem of x86_fp80, x86_fp80")
    big = FloatConst(double(1e10), DOUBLE)
    outcome = outcome_of(Cast(reg("y"), CastOp.FPTOSI, big))
    assert outcome.ending is Ending.REFUSED
    sine = outcome_of(FloatOp(Register("y", DOUBLE), "llvm.sin", (big,)))
    assert sine.reason == "llvm.sin of double"
