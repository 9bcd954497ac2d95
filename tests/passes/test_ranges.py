from collections.abc import Mapping
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from programs import (
    FAIL,
    I32,
    BinaryOp,
    Branch,
    Call,
    IntType,
    Jump,
    Predicate,
    Register,
    Return,
    add,
    binary,
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

from seahorn_py.ir import semantics
from seahorn_py.ir.algebra import Concrete, signed
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Operand, Select
from seahorn_py.ir.run import RunLimits
from seahorn_py.passes.ranges import intervals
from seahorn_py.passes.ranges.intervals import Range, assume, exactly, join
from seahorn_py.passes.ranges.ranges import Ranges, value_ranges

WIDTH = 4
CONCRETE = Concrete()


def hull(values: list[int]) -> Range:
    found = None
    for value in values:
        found = join(found, exactly(WIDTH, value))
    assert found is not None
    return found


def holds(range_: Range, value: int) -> bool:
    low, high = range_.unsigned
    least, most = range_.signed
    return low <= value <= high and least <= signed(range_.width, value) <= most


SETS = st.lists(st.integers(0, 2**WIDTH - 1), min_size=1, max_size=4)


@given(SETS, SETS, st.sampled_from(list(BinaryOp)))
@settings(max_examples=600, deadline=None)
def test_every_operation_stays_inside(xs: list[int], ys: list[int], op: BinaryOp) -> None:
    result = intervals.binary(op, hull(xs), hull(ys))
    for x, y in product(xs, ys):
        if semantics.defined(CONCRETE, op, WIDTH, x, y):
            assert holds(result, semantics.binary(CONCRETE, op, WIDTH, x, y))


@given(SETS, SETS, st.sampled_from(list(Predicate)))
@settings(max_examples=400, deadline=None)
def test_assuming_a_comparison_keeps_what_satisfies_it(
    xs: list[int], ys: list[int], predicate: Predicate
) -> None:
    sides = assume(predicate, hull(xs), hull(ys))
    for x, y in product(xs, ys):
        if semantics.compare(CONCRETE, predicate, WIDTH, x, y):
            assert sides is not None
            assert holds(sides[0], x) and holds(sides[1], y)


COUNT = function(
    "main",
    block(
        "e",
        read("n", 1),
        compare("a", Predicate.SLE, reg("n"), const(1000)),
        Branch(bit("a"), "go", "end"),
    ),
    block("go", Jump("h")),
    block(
        "h",
        phi("i", ("go", const(0)), ("b", reg("j"))),
        compare("c", Predicate.SLT, reg("i"), reg("n")),
        Branch(bit("c"), "b", "d"),
    ),
    block("b", add("j", reg("i"), const(1)), Jump("h")),
    block(
        "d", compare("bad", Predicate.SGT, reg("i"), const(1000)), Branch(bit("bad"), "f", "end")
    ),
    block("f", FAIL),
    block("end", Return(())),
)


def test_a_counter_is_bounded_by_the_condition_of_its_loop() -> None:
    found = value_ranges(program(COUNT))
    assert found.signed("main", reg("i")) == (0, 1000)
    assert found.unsigned("main", reg("i")) == (0, 1000)
    assert found.signed("main", reg("j")) == (1, 1000)
    inside = found.at("main", "b", reg("i"))
    assert inside is not None and inside.signed == (0, 999)
    assert found.unsigned("main", bit("bad")) == (0, 0)


def test_a_counter_that_may_wrap_has_any_value() -> None:
    main = function(
        "main",
        block("e", Jump("h")),
        block(
            "h", phi("i", ("e", const(0)), ("h", reg("j"))), add("j", reg("i"), const(1)), Jump("h")
        ),
    )
    assert value_ranges(program(main)).unsigned("main", reg("i")) == (0, 2**32 - 1)


def test_parameters_join_all_calls_and_results_all_returns() -> None:
    f = function(
        "f",
        block("e", compare("c", Predicate.UGT, reg("x"), const(5)), Branch(bit("c"), "a", "b")),
        block("a", Return((const(50),))),
        block("b", Return((reg("x"),))),
        parameters=(reg("x"),),
        results=(I32,),
    )
    main = function(
        "main",
        block("e", Jump("c1")),
        block("c1", Call((reg("p"),), "f", (const(3),)), Jump("c2")),
        block("c2", Call((reg("q"),), "f", (const(9),)), Return(())),
    )
    found = value_ranges(program(main, f))
    assert found.unsigned("f", reg("x")) == (3, 9)
    assert found.unsigned("main", reg("q")) == (3, 50)


def test_many_callees_do_not_exhaust_the_analysis() -> None:
    """Each caller is visited once a sweep, not once for every callee that returns."""
    callees = [
        function(
            f"f{k}", block("entry", Return((reg("p"),))), parameters=(reg("p"),), results=(I32,)
        )
        for k in range(600)
    ]
    calls = [
        block(f"c{k}", Call((reg(f"r{k}"),), f"f{k}", (const(k),)), Jump(f"c{k + 1}"))
        for k in range(600)
    ]
    main = function("main", block("entry", Jump("c0")), *calls, block("c600", FAIL))
    ranges = value_ranges(program(main, *callees))
    assert [ranges.signed("main", reg(f"r{k}")) for k in (0, 599)] == [(0, 0), (599, 599)]


def test_recursion_widens() -> None:
    f = function(
        "f",
        block("e", compare("c", Predicate.SGT, reg("x"), const(0)), Branch(bit("c"), "r", "z")),
        block("r", add("y", reg("x"), const(-1)), Jump("call")),
        block("call", Call((reg("s"),), "f", (reg("y"),)), Return((reg("s"),))),
        block("z", Return((reg("x"),))),
        parameters=(reg("x"),),
        results=(I32,),
    )
    main = function(
        "main", block("e", Jump("c")), block("c", Call((reg("s"),), "f", (const(90),)), Return(()))
    )
    found = value_ranges(program(main, f))
    assert found.signed("f", reg("x")) == (0, 90)
    assert found.signed("main", reg("s")) == (0, 0)


class Watcher:
    """Asserts that every value a run computes lies in its range."""

    def __init__(self, ranges: Ranges, registers: Mapping[str, Register]) -> None:
        self._ranges = ranges
        self._registers = registers
        self.seen = 0

    def at_block(self, function: str, label: str, frame: Mapping[str, int]) -> None:
        for name, value in frame.items():
            register = self._registers[name]
            found = self._ranges.range(function, register)
            assert found is not None and holds(found, value), (label, name, value, found)
            self.seen += 1

    def at_return(
        self, function: str, arguments: tuple[int, ...], results: tuple[int, ...]
    ) -> None:
        pass


I8 = IntType(8)
OPS = st.lists(
    st.tuples(st.sampled_from(list(BinaryOp)), st.integers(0, 4), st.integers(0, 255)),
    min_size=1,
    max_size=5,
)


PREDICATES = list(Predicate)


def choose(name: str, condition: str, then: Operand, otherwise: Operand) -> Select:
    return Select(reg(name, then.type), bit(condition), then, otherwise)


def test_a_choice_knows_what_it_compares() -> None:
    """The greater of x and 1, the less of x and 100, one of both if they are equal."""
    x, one, many = reg("x"), const(1), const(100)
    main = function(
        "main",
        block(
            "e",
            read("x", 1),
            compare("below", Predicate.SLT, x, one),
            choose("greater", "below", one, x),
            compare("above", Predicate.SGE, x, many),
            choose("less", "above", many, x),
            compare("same", Predicate.EQ, x, many),
            choose("one", "same", x, one),
            choose("any", "same", one, x),
            Return(()),
        ),
    )
    found = value_ranges(program(main))
    assert found.signed("main", reg("greater")) == (1, 2**31 - 1)
    assert found.signed("main", reg("less")) == (-(2**31), 100)
    assert found.signed("main", reg("one")) == (1, 100)
    assert found.signed("main", reg("any")) == (-(2**31), 2**31 - 1)


@given(OPS, st.sampled_from(list(Predicate)), st.integers(0, 255), st.lists(st.integers(0, 255)))
@settings(max_examples=150, deadline=None)
def test_every_value_of_a_random_loop_lies_in_its_range(
    ops: list[tuple[BinaryOp, int, int]], predicate: Predicate, bound: int, inputs: list[int]
) -> None:
    """Two variables change by random operations and choices while a random comparison holds."""
    values = [reg("i", I8), reg("k", I8), reg("x", I8)]
    body = [read("x", 2, I8)]
    for n, (op, choice, number) in enumerate(ops):
        left = values[choice % len(values)]
        right = const(number, I8) if choice % 2 else values[number % len(values)]
        if choice == 3:
            order = PREDICATES[number % len(PREDICATES)]
            body += [compare(f"c{n}", order, left, right), choose(f"t{n}", f"c{n}", left, right)]
        else:
            body.append(binary(f"t{n}", op, left, right))  # type: ignore[arg-type]
        values.append(reg(f"t{n}", I8))
    main = function(
        "main",
        block("e", read("n", 1, I8), Jump("h")),
        block(
            "h",
            phi("i", ("e", const(0, I8)), ("b", values[-1])),
            phi("k", ("e", reg("n", I8)), ("b", values[len(values) // 2])),
            compare("c", predicate, reg("i", I8), const(bound, I8)),
            Branch(bit("c"), "b", "end"),
        ),
        block("b", *body, Jump("h")),
        block("end", Return(())),
    )
    whole = program(main)
    choices = [bit(f"c{n}") for n in range(len(ops))]
    registers = {r.name: r for r in (*values, reg("n", I8), bit("c"), *choices)}
    watcher = Watcher(value_ranges(whole), registers)
    feed = {1: tuple(inputs[:1]), 2: tuple(inputs[1:])}
    Interpreter(whole).run(feed, RunLimits(steps=300), watcher)
