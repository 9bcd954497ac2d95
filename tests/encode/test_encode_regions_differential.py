"""Region registers and addresses in both encodings against the interpreter, on random programs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest
import z3
from programs import FAIL, I8, I32, I64, NULL, block, compare, function, phi, program, read, reg
from test_encode_differential import OPTIONS, Case, Generator, computed, number, representation

from seahorn_py.base.errors import NOWHERE
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import EncodeOptions
from seahorn_py.horn.system import Extent, InputRead, Rule
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import (
    Address,
    Binary,
    BinaryOp,
    Branch,
    Cast,
    CastOp,
    Compare,
    Global,
    Input,
    IntConst,
    Jump,
    Offset,
    Operand,
    Phi,
    Predicate,
    Program,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Site,
    SiteKind,
    Statement,
)
from seahorn_py.ir.types import POINTER, IntType, RegionType, Type
from seahorn_py.logic.solvers.solvers import script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.passes.ranges.ranges import value_ranges

ELEMENTS = (I32, I8, POINTER)
UNSIGNED = (
    Predicate.EQ,
    Predicate.NE,
    Predicate.ULT,
    Predicate.ULE,
    Predicate.UGT,
    Predicate.UGE,
)
ARBITRARY = 90
"""The number of the first site of arbitrary memory; each fills two elements."""


@dataclass
class RegionGenerator(Generator):
    """Draws programs whose pointers are `tame` (near an object) or may lie anywhere.

    Integers have no pointer that wrapped around, so only tame ones are compared and converted.
    """

    width: int = 64
    tame: list[Operand] = field(default_factory=list)

    def of(self, type_: Type) -> Operand:
        return self.draw.choice([r for r in self.pool if r.type == type_])

    def value(self, type_: Type) -> Operand:
        if isinstance(type_, IntType):
            return self.operand(type_.width)
        return self.draw.choice((NULL, Address("a", 8), self.of(POINTER)))

    def region(self) -> Operand:
        return self.of(RegionType(self.draw.choice(ELEMENTS)))

    def address(self) -> Operand:
        return self.of(POINTER)

    def pieces(self) -> Iterator[Statement]:
        make = self.draw.choice(
            (
                self.binary_piece,
                self.offset,
                self.wild,
                *(self.load, self.load, self.store, self.store, self.store),
                self.choose,
                self.compared,
                self.converted,
                self.fill,
                self.havoc,
            )
        )
        for statement in make():
            self.pool.append(statement.result)  # type: ignore[union-attr]
            yield statement

    def binary_piece(self) -> Iterator[Statement]:
        yield self.draw.choice((self.binary, self.compare, self.select))(32)

    def offset(self) -> Iterator[Statement]:
        masked = Register(self.name(), I32)
        yield Binary(masked, BinaryOp.AND, self.operand(32, 0), IntConst(1, I32))
        result = Register(self.name(), POINTER)
        base = self.draw.choice((*self.tame[:3], *self.tame[-2:]))
        constant = self.draw.choice((0, 4, -4))
        yield Offset(result, base, constant, ((masked, self.draw.choice((4, 4, -4))),))
        self.tame.append(result)

    def wild(self) -> Iterator[Statement]:
        if self.width == 32:
            return
        index = self.operand(32, 0.1)
        yield Offset(Register(self.name(), POINTER), self.address(), 0, ((index, 4),))

    def load(self) -> Iterator[Statement]:
        region = self.region()
        yield RegionLoad(Register(self.name(), region.type.element), region, self.address())  # type: ignore[union-attr]

    def store(self) -> Iterator[Statement]:
        region = self.region()
        value = self.value(region.type.element)  # type: ignore[union-attr]
        yield RegionStore(Register(self.name(), region.type), region, self.address(), value)

    def choose(self) -> Iterator[Statement]:
        type_ = RegionType(self.draw.choice(ELEMENTS))
        sides = self.of(type_), self.of(type_)
        yield Select(Register(self.name(), type_), self.operand(1, 0), *sides)

    def compared(self) -> Iterator[Statement]:
        left, right = (self.draw.choice(self.tame) for _ in range(2))
        yield Compare(Register(self.name(), IntType(1)), self.draw.choice(UNSIGNED), left, right)

    def converted(self) -> Iterator[Statement]:
        as_number = Register(self.name(), IntType(self.width))
        yield Cast(as_number, CastOp.PTRTOINT, self.draw.choice(self.tame))
        moved = Register(self.name(), IntType(self.width))
        constant = self.draw.choice((0, 4, (1 << self.width) - 4))
        yield Binary(moved, BinaryOp.ADD, as_number, IntConst(constant, IntType(self.width)))
        back = Register(self.name(), POINTER)
        yield Cast(back, CastOp.INTTOPTR, moved)
        self.tame.append(back)
        rest = Register(self.name(), I8)
        yield Cast(rest, CastOp.TRUNC, moved)

    def fill(self) -> Iterator[Statement]:
        element = self.draw.choice((I32, I8))
        yield RegionFill(Register(self.name(), RegionType(element)), self.value(element))

    def havoc(self) -> Iterator[Statement]:
        element = self.draw.choice((I32, I8))
        type_ = RegionType(element)
        size = IntConst(element.width // 4, I32)
        site = Site(ARBITRARY + self.count, SiteKind.UNINIT, I8, "", "", NOWHERE)
        result = Register(self.name(), type_)
        yield RegionHavoc(result, self.of(type_), self.address(), size, site)

    def several(self, number: int) -> list[Statement]:
        return [statement for _ in range(number) for statement in self.pieces()]

    def program(self) -> Program:
        start: list[Statement] = [read(self.name(), k, t) for k, t in enumerate((I32, I32, I8))]
        start += [
            RegionFill(
                Register(self.name(), RegionType(t)), NULL if t == POINTER else IntConst(3, t)
            )  # type: ignore[arg-type]
            for t in ELEMENTS
        ]
        start.append(Offset(Register(self.name(), POINTER), Address("a"), 12))
        start.append(Offset(Register(self.name(), POINTER), Address("b"), 0))
        start.append(Compare(Register(self.name(), IntType(1)), Predicate.ULT, *self.ints(start)))
        self.pool = [statement.result for statement in start]  # type: ignore[union-attr]
        self.tame = [Address("a"), *(r for r in self.pool if r.type == POINTER)]
        before = start + self.several(5)
        self.blocks = [block("entry", *before, Branch(self.operand(1, 0), "then", "else"))]
        outside, tame, sides = list(self.pool), list(self.tame), []
        for side in ("then", "else"):
            self.pool, self.tame = list(outside), list(tame)
            self.blocks.append(block(side, *self.several(4), Jump("after")))
            sides.append(self.pool)
        self.pool, self.tame = list(outside), tame
        phis = [self.met(t, sides) for t in (I32, *(RegionType(t) for t in ELEMENTS))]
        self.pool += [p.result for p in phis]
        after = self.several(8)
        shown = list(self.shown())
        self.blocks.append(block("after", *phis, *after, *shown, Jump("out")))
        return self.ended(shown[-1].result)  # type: ignore[union-attr]

    def shown(self) -> Iterator[Statement]:
        """The sum of what was computed last, and of what the last regions hold."""
        numbers = [r for r in self.pool if isinstance(r.type, IntType) and r.type.width <= 32][-6:]
        for element in (I32, I8):
            region = [r for r in self.pool if r.type == RegionType(element)][-1]
            for pointer in [r for r in self.pool if r.type == POINTER][-4:]:
                numbers.append(Register(self.name(), element))
                yield RegionLoad(numbers[-1], region, pointer)
        total: Operand = IntConst(0, I64)
        for one in numbers:
            wide, sum_ = Register(self.name(), I64), Register(self.name(), I64)
            yield Cast(wide, CastOp.ZEXT, one)
            yield Binary(sum_, BinaryOp.ADD, total, wide)
            total = sum_

    def ints(self, start: list[Statement]) -> list[Register]:
        return [s.result for s in start if isinstance(s, Input) and s.result.type == I32]

    def met(self, type_: Type, sides: list[list[Register]]) -> Phi:
        left, right = ([r for r in side if r.type == type_][-1] for side in sides)
        return Phi(Register(self.name(), type_), (("then", left), ("else", right)))

    def ended(self, out: Register) -> Program:
        zero = IntConst(0, out.type)  # type: ignore[arg-type]
        self.blocks += [
            block(
                "out",
                phi("out", ("after", out), ("again", zero)),
                compare("stop", Predicate.EQ, Register("out", out.type), zero),
                Branch(reg("stop", IntType(1)), "bad", "again"),
            ),
            block("again", Jump("out")),
            block("bad", FAIL),
        ]
        objects = [Global(name, 32, 4, False, ()) for name in "ab"]
        made = program(function("main", *self.blocks), globals_=objects, width=self.width)
        arbitrary = (
            s.site for b in self.blocks for s in b.statements if isinstance(s, RegionHavoc)
        )
        return Program(
            made.functions,
            made.globals,
            made.entry,
            made.pointer_width,
            (*made.sites, *arbitrary),
            made.checks,
        )


class RegionCase(Case):
    """Inputs may be arrays."""

    def possible(self, rule: Rule, feed: Mapping[int, tuple[int, ...]], *more: Term) -> bool:
        known = [fact for i in rule.inputs for fact in self.read(i, feed[i.site])]
        solver = z3.Solver()
        solver.set("timeout", 20_000)
        solver.from_string(script_of([rule.constraint, *known, *more]))
        answer = solver.check()
        assert answer != z3.unknown
        return bool(answer == z3.sat)

    def read(self, read: InputRead, values: tuple[int, ...]) -> Iterator[Term]:
        if read.extent is None:
            yield representation(read.symbol, self.widths[read.site], values[0])
            return
        size = read.extent.element
        for k in range(len(values) // size):
            element = int.from_bytes(bytes(values[k * size : (k + 1) * size]), "little")
            place = terms.select(read.symbol, moved(read.extent, k * size))
            same = representation(place, 8 * size, element)
            yield terms.implies(read.guard, same)


def moved(extent: Extent, by: int) -> Term:
    sort = terms.sort_of(extent.address)
    if sort is terms.INT:
        return terms.plus(extent.address, number(extent.address, False, 64, by))
    return terms.bv("bvadd", extent.address, terms.bv_const(by, sort.width))


def feeds(draw: RegionGenerator, made: Program) -> dict[int, tuple[int, ...]]:
    found = {}
    for one in made.sites:
        if one.number < ARBITRARY:
            found[one.number] = (draw.boundary(one.type.width),)  # type: ignore[union-attr]
        else:
            found[one.number] = tuple(draw.boundary(8) for _ in range(8))
    for function_ in made.functions.values():
        for b in function_.blocks:
            for s in b.statements:
                if isinstance(s, RegionHavoc):
                    found[s.site.number] = found[s.site.number][: s.size.value]  # type: ignore[union-attr]
    return found


def disagreements(seed: int, options: EncodeOptions, inputs: int) -> list[object]:
    generator = RegionGenerator(random.Random(seed), width=32 if seed % 3 == 0 else 64)
    made = generator.program()
    ranges = value_ranges(made) if seed % 2 else None
    runner, case = Interpreter(made), RegionCase(encode(made, options, ranges))
    assert not case.approximates or any(s.op is not BinaryOp.ADD for s in binaries(made))
    found: list[object] = []
    for _ in range(inputs):
        feed = feeds(generator, made)
        expected = computed(runner, feed)
        if not case.agrees(feed, expected):
            found.append((seed, feed, expected))
    return found


def binaries(made: Program) -> Iterator[Binary]:
    for b in made.functions["main"].blocks:
        yield from (s for s in b.statements if isinstance(s, Binary))


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("start", range(0, 30, 10))
def test_agrees_with_the_interpreter(options: EncodeOptions, start: int) -> None:
    for seed in range(start, start + 10):
        assert disagreements(seed, options, 2) == []
