"""Scalars beside an array in one object: cells, while the array stays in memory."""

from __future__ import annotations

import random

import pytest
from programs import (
    FAIL,
    I8,
    I16,
    I32,
    I64,
    Address,
    Alloca,
    BinaryOp,
    Branch,
    Call,
    Cast,
    CastOp,
    Global,
    Havoc,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Predicate,
    Program,
    Return,
    SiteKind,
    Store,
    binary,
    bit,
    block,
    compare,
    const,
    endings,
    function,
    program,
    ptr,
    read,
    reg,
    site,
)

from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.promotion.cells import promote_memory
from seahorn_py.passes.promotion.promotable import layout

SIZE, ARRAY = 128, (16, 16 + 80)
FIELDS = ((0, I32), (4, I16), (8, I64), (96, I64), (104, I32), (108, I8))
"""What lies beside the array of the generated object."""


class Drawn:
    """Statements that read and write one object by constant and variable offsets, fills, copies."""

    def __init__(self, seed: int, base: object) -> None:
        self.random = random.Random(seed)
        self.base = base
        self.lines: list[object] = []
        self.count = 10 if seed < 1_000_000 else 5_000
        self.total = "start"

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def constant(self, offset: int) -> object:
        """The address of a byte."""
        if isinstance(self.base, Address):
            return Address(self.base.symbol, offset)
        name = self.name()
        self.lines.append(Offset(ptr(name), self.base, offset))  # type: ignore[arg-type]
        return ptr(name)

    def variable(self, size: int) -> object:
        """An address anywhere in the object, in steps of the size or of something else."""
        scale = self.random.choice([size, size, 1, 2, 4, 12])
        start = self.random.choice([ARRAY[0], ARRAY[0], 0, 3])
        low, high = -(start // scale), (SIZE - size - start) // scale
        index, cut, moved, result = (self.name() for _ in range(4))
        self.lines += [
            read(index, self.count, I64),
            binary(cut, BinaryOp.UREM, reg(index, I64), const(high - low + 1, I64)),
            binary(moved, BinaryOp.ADD, reg(cut, I64), const(low, I64)),
            Offset(
                ptr(result),
                self.base,  # type: ignore[arg-type]
                start,
                ((reg(moved, I64), scale),),
                extent=self.random.choice([ARRAY, ARRAY, (16, 90)]),
            ),
        ]
        return ptr(result)

    def place(self) -> tuple[object, IntType]:
        """A field, an element by a constant, or what a variable leads to."""
        kind = self.random.randrange(5)
        if kind < 2:
            offset, type_ = self.random.choice(FIELDS)
            return self.constant(offset), type_
        if kind == 2:
            return self.constant(ARRAY[0] + 4 * self.random.randrange(20)), I32
        type_ = self.random.choice([I32, I32, I8, I16, I64])
        return self.variable(type_.width // 8), type_

    def statement(self) -> None:
        kind = self.random.randrange(12)
        if kind < 5:
            value, (place, type_) = self.name(), self.place()
            self.lines += [read(value, int(value[1:]), type_), Store(reg(value, type_), place)]  # type: ignore[arg-type]
        elif kind < 10:
            self.load()
        elif kind == 10:
            start = self.random.choice([0, 0, 4, 10, 90, 96])
            length = self.random.randrange(1, SIZE - start)
            place = self.constant(start)
            byte = const(self.random.randrange(256), I8)
            self.lines.append(MemorySet(place, byte, const(length, I64)))  # type: ignore[arg-type]
        else:
            target, source = (self.random.choice([0, 4, 8, 60, 90, 96]) for _ in range(2))
            length = self.random.randrange(1, SIZE - max(target, source))
            ends = self.constant(target), self.constant(source)
            self.lines.append(MemoryCopy(*ends, const(length, I64)))  # type: ignore[arg-type]

    def load(self) -> None:
        place, type_ = self.place()
        loaded, turned, wide, total = (self.name() for _ in range(4))
        self.lines.append(Load(reg(loaded, type_), place))  # type: ignore[arg-type]
        if type_ != I64:
            self.lines.append(Cast(reg(wide, I64), CastOp.ZEXT, reg(loaded, type_)))
            loaded = wide
        self.lines += [
            binary(turned, BinaryOp.MUL, reg(self.total, I64), const(31, I64)),
            binary(total, BinaryOp.ADD, reg(turned, I64), reg(loaded, I64)),
        ]
        self.total = total

    def ending(self) -> tuple[object, ...]:
        """The run fails if a bit of all that was read says so."""
        for _ in range(4):
            self.load()
        return (
            binary("bit", BinaryOp.LSHR, reg(self.total, I64), const(5, I64)),
            binary("low", BinaryOp.AND, reg("bit", I64), const(1, I64)),
            compare("bad", Predicate.EQ, reg("low", I64), const(1, I64)),
            Branch(bit("bad"), "fail", "end"),
        )


TAIL = (block("fail", FAIL), block("end", Return(())))
FIRST = (binary("start", BinaryOp.ADD, const(7, I64), const(0, I64)),)


def drawn(seed: int) -> Program:
    """A program with one object: a global, also written by a callee, or a slot that is filled."""
    is_global = seed % 2 == 0
    base = Address("s") if is_global else ptr("s")
    body = Drawn(seed, base)
    begin: list[object] = list(FIRST)
    if not is_global:
        begin.append(Alloca(ptr("s"), const(SIZE, I64), 8))
        filled = MemorySet(ptr("s"), const(0, I8), const(SIZE, I64))
        begin.append(filled if seed % 4 == 1 else Havoc(ptr("s"), const(SIZE, I64), HAVOC))
    for _ in range(body.random.randrange(4, 14)):
        body.statement()
        if is_global and body.random.random() < 0.2:
            body.lines.append(Call((), "callee", ()))
    end = body.ending()
    main = function("main", block("e", *begin, *body.lines, *end), *TAIL)  # type: ignore[arg-type]
    if not is_global:
        return program(main)
    other = Drawn(seed + 1_000_000, base)
    for _ in range(4):
        other.statement()
    callee = function("callee", block("e", *FIRST, *other.lines, Return(())))  # type: ignore[arg-type]
    table = Global("s", SIZE, 8, False, ((0, const(5)), (20, const(6)), (96, const(9, I64))))
    return program(main, callee, globals_=(table,))


HAVOC = site(7, SiteKind.UNINIT, I8)


def check(before: Program, seed: int) -> Program:
    """The program after promotion: the same runs fail."""
    after = promote_memory(before)
    assert verify(after) == ()
    runs = endings(before, after, seed=seed, runs=8)
    assert runs and all(a == b for a, b in runs), seed
    return after


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_programs_do_the_same(first: int) -> None:
    partly = 0
    for seed in range(first, first + 20):
        before = drawn(seed)
        found = layout(before)
        partly += bool(found.partial)
        check(before, seed)
    assert partly > 4
