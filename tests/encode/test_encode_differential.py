"""Both encodings against the interpreter, on random loop-free programs and boundary inputs.

A program ends at the cut point `out`, whose parameter is the value computed.  With the inputs fixed
the rule from the entry to it must be satisfiable with the value that the interpreter computes and
with no other.  Where operations may wrap as obligations, one of the obligations may be reachable
instead; where a bitwise operation is approximated, other values are possible too.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
import z3
from programs import FAIL, block, compare, function, phi, program, read, reg

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding
from seahorn_py.horn.ledger import Approximation
from seahorn_py.horn.system import Atom, Obligation, Query, Rule
from seahorn_py.ir import semantics
from seahorn_py.ir.algebra import signed
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.intrinsics import arity
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Bits,
    BitsOp,
    Block,
    Branch,
    Cast,
    CastOp,
    Compare,
    IntConst,
    Jump,
    Operand,
    Overflow,
    OverflowOp,
    Phi,
    Predicate,
    Program,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.run import RunLimits
from seahorn_py.ir.types import IntType
from seahorn_py.logic.solvers.solvers import script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.passes.ranges.ranges import value_ranges

LINEAR = (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL)
WIDTHS = (1, 5, 8, 32, 64)
OPTIONS = {
    "bit-vectors": EncodeOptions(Arithmetic.BV),
    "cases": EncodeOptions(split_all=True),
    "obligations": EncodeOptions(),
}


@dataclass
class Generator:
    """Draws a loop-free program: statements, then diamonds whose sides meet in phis."""

    draw: random.Random
    count: int = 0
    pool: list[Register] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def name(self) -> str:
        self.count += 1
        return f"r{self.count}"

    def boundary(self, width: int) -> int:
        top = 1 << width
        near = self.draw.choice((0, 0, top // 2, top - 1, 1 << self.draw.randrange(width)))
        value = near + self.draw.choice((-1, 0, 0, 1, 2, 3))
        return (self.draw.randrange(top) if self.draw.random() < 0.2 else value) % top

    def operand(self, width: int, constants: float = 0.3) -> Operand:
        known = [r for r in self.pool if r.type == IntType(width)]
        if not known or self.draw.random() < constants:
            return IntConst(self.boundary(width), IntType(width))
        return self.draw.choice(known)

    def statement(self) -> Statement:
        width = self.draw.choice(WIDTHS)
        kind = self.draw.choice(
            (self.binary,) * 5 + (self.compare, self.cast, self.select, self.bits, self.overflow)
        )
        return kind(width)

    def result(self, width: int) -> Register:
        return Register(self.name(), IntType(width))

    def binary(self, width: int) -> Statement:
        op = self.draw.choice((*BinaryOp, *LINEAR, *LINEAR))
        right = self.operand(width, 0.4)
        if semantics.partial(op) and self.draw.random() < 0.9:
            right = IntConst(1 + self.draw.randrange(max(1, width - 1)), IntType(width))
        return Binary(self.result(width), op, self.operand(width, 0.1), right)

    def compare(self, width: int) -> Statement:
        predicate = self.draw.choice(tuple(Predicate))
        return Compare(self.result(1), predicate, self.operand(width, 0), self.operand(width))

    def cast(self, width: int) -> Statement:
        to = self.draw.choice(WIDTHS)
        value = self.operand(width, 0)
        if to == width:
            return Binary(self.result(width), BinaryOp.ADD, value, self.operand(width))
        op = CastOp.TRUNC if to < width else self.draw.choice((CastOp.ZEXT, CastOp.SEXT))
        return Cast(self.result(to), op, value)

    def select(self, width: int) -> Statement:
        condition = self.operand(1, 0)
        return Select(self.result(width), condition, self.operand(width), self.operand(width))

    def bits(self, width: int) -> Statement:
        op = self.draw.choice(tuple(BitsOp))
        width = 32 if op is BitsOp.BSWAP else 8 if width > 8 and arity(op) != 2 else width
        arguments = tuple(self.operand(width, 0.2) for _ in range(arity(op)))
        return Bits(self.result(width), op, arguments)

    def overflow(self, width: int) -> Statement:
        op = self.draw.choice(tuple(OverflowOp))
        return Overflow(self.result(1), op, self.operand(width, 0), self.operand(width))

    def statements(self, number: int) -> list[Statement]:
        made = []
        for _ in range(number):
            statement = self.statement()
            made.append(statement)
            self.pool.append(statement.result)  # type: ignore[union-attr]
        return made

    def program(self) -> Program:
        inputs = [read(self.name(), k, IntType(self.draw.choice(WIDTHS))) for k in range(4)]
        self.pool = [statement.result for statement in inputs]
        label, body, phis = "entry", [*inputs, *self.statements(3)], list[Phi]()
        for k in range(2):
            then, other, after = f"then{k}", f"else{k}", f"after{k}"
            self.blocks.append(block(label, *phis, *body, Branch(self.operand(1, 0), then, other)))
            outside = list(self.pool)
            sides = []
            for side in (then, other):
                self.pool = list(outside)
                self.blocks.append(block(side, *self.statements(2), Jump(after)))
                sides.append(list(self.pool))
            phis = [self.meet(then, other, sides) for _ in range(2)]
            self.pool = outside + [p.result for p in phis]
            label, body = after, self.statements(2)
        out = self.pool[-1]
        self.blocks.append(block(label, *phis, *body, Jump("out")))
        value = Register("out", out.type)
        zero = IntConst(0, value.type)  # type: ignore[arg-type]
        head = phi("out", (label, out), ("again", zero))
        stop = compare("stop", Predicate.EQ, value, zero)
        self.blocks.append(
            block("out", head, stop, Branch(reg("stop", IntType(1)), "bad", "again"))
        )
        self.blocks.append(block("again", Jump("out")))
        self.blocks.append(block("bad", FAIL))
        return program(function("main", *self.blocks), width=32)

    def meet(self, then: str, other: str, sides: list[list[Register]]) -> Phi:
        left = self.draw.choice(sides[0][-4:])
        same = [r for r in sides[1] if r.type == left.type]
        right = same[-1] if same else IntConst(self.boundary(left.type.width), left.type)  # type: ignore[union-attr,arg-type]
        return Phi(Register(self.name(), left.type), ((then, left), (other, right)))


class Reached(Exception):
    """The run is at `out`."""


class Watch:
    def at_block(self, function: str, label: str, frame: object) -> None:
        if label == "out":
            raise Reached(frame["out"])  # type: ignore[index]

    def at_return(self, *_: object) -> None:
        pass


def computed(runner: Interpreter, feed: dict[int, tuple[int, ...]]) -> int | None:
    """The value at `out`; None when the run ends before."""
    try:
        runner.run(feed, RunLimits(seconds=5.0), Watch())
    except Reached as found:
        return int(found.args[0])
    return None


def number(symbol: Term, is_signed: bool, width: int, value: int) -> Term:
    if terms.sort_of(symbol) is terms.BOOL:
        return terms.bool_const(value == 1)
    if terms.sort_of(symbol) is terms.INT:
        return terms.int_const(signed(width, value) if is_signed else value)
    return terms.bv_const(value, width)


def representation(symbol: Term, width: int, value: int) -> Term:
    """The symbol of an input holds the machine integer, in whichever representation."""
    both = (terms.eq(symbol, number(symbol, s, width, value)) for s in (True, False))
    return terms.or_(both)


class Case:
    """One encoding of a program, asked about many inputs."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.widths = {s.number: s.type.width for s in encoding.program.sites}  # type: ignore[union-attr]
        rules = encoding.system.rules
        self.step = next(r for r in rules if r.name == "main.entry -> main.out")
        assert isinstance(self.step.head, Atom)
        self.value = self.step.head.arguments[0]
        self.parameter = encoding.system.relations["main.out"].parameters[0]
        self.obligations = [
            r
            for r in rules
            if isinstance(r.head, Query)
            and isinstance(r.head.kind, Obligation)
            and r.name.startswith("main.entry")
        ]
        self.approximates = any(e.kind is Approximation.OVER for e in encoding.system.ledger)

    def possible(self, rule: Rule, feed: dict[int, tuple[int, ...]], *more: Term) -> bool:
        inputs = [
            representation(i.symbol, self.widths[i.site], feed[i.site][0]) for i in rule.inputs
        ]
        solver = z3.Solver()
        solver.set("timeout", 20_000)
        solver.from_string(script_of([rule.constraint, *inputs, *more]))
        answer = solver.check()
        assert answer != z3.unknown
        return bool(answer == z3.sat)

    def agrees(self, feed: dict[int, tuple[int, ...]], expected: int | None) -> bool:
        if any(self.possible(rule, feed) for rule in self.obligations):
            return True
        if expected is None:
            return self.approximates or not self.possible(self.step, feed)
        p = self.parameter
        right = number(p.symbol, p.signed, p.width or 1, expected)
        same = terms.eq(self.value, right)
        exact = self.approximates or not self.possible(self.step, feed, terms.not_(same))
        return self.possible(self.step, feed, same) and exact


def feeds(draw: Generator, made: Program, number: int) -> list[dict[int, tuple[int, ...]]]:
    widths = {s.number: s.type.width for s in made.sites}  # type: ignore[union-attr]
    return [{k: (draw.boundary(w),) for k, w in widths.items()} for _ in range(number)]


def disagreements(seed: int, options: EncodeOptions, inputs: int) -> list[object]:
    generator = Generator(random.Random(seed))
    made = generator.program()
    ranges = value_ranges(made) if seed % 2 else None
    runner, case = Interpreter(made), Case(encode(made, options, ranges))
    found = []
    for feed in feeds(generator, made, inputs):
        expected = computed(runner, feed)
        if not case.agrees(feed, expected):
            found.append((seed, feed, expected))
    return found


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("start", range(0, 40, 10))
def test_agrees_with_the_interpreter(options: EncodeOptions, start: int) -> None:
    for seed in range(start, start + 10):
        assert disagreements(seed, options, 3) == []
