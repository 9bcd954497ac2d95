"""Products and quotients in another form have the same results: all numbers of a few bits."""

from __future__ import annotations

from itertools import product

import pytest

from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    IntConst,
    Operand,
    Overflow,
    OverflowOp,
    Predicate,
    Register,
)
from seahorn_py.ir.types import BOOL, IntType
from seahorn_py.passes.ranges.intervals import Range, exactly, join
from seahorn_py.passes.unfolding.code.products import simpler

WIDTH = 5
I5 = IntType(WIDTH)
A, B = Register("a", I5), Register("b", I5)
NUMBERS = range(1 << WIDTH)


class Numbers:
    """Computes with numbers for A and B, of which the ranges alone are told."""

    def __init__(self, values: dict[Operand, int], ranges: dict[Operand, Range]) -> None:
        self.values, self.ranges, self.products = values, ranges, 0

    def range(self, operand: Operand) -> Range | None:
        return self.ranges.get(operand)

    def number(self, operand: Operand) -> int:
        return operand.value if isinstance(operand, IntConst) else self.values[operand]

    def binary(self, op: BinaryOp, left: Operand, right: Operand) -> Operand:
        a, b = self.number(left), self.number(right)
        match op:
            case BinaryOp.MUL:
                self.products += not isinstance(right, IntConst)
                found = a * b
            case BinaryOp.SHL:
                found = a << b
            case BinaryOp.UDIV:
                found = a // b
            case _:
                assert op is BinaryOp.UREM
                found = a % b
        assert isinstance(left.type, IntType)
        return IntConst(found % (1 << left.type.width), left.type)

    def compare(self, predicate: Predicate, left: Operand, right: Operand) -> Operand:
        a, b = self.number(left), self.number(right)
        assert predicate in (Predicate.EQ, Predicate.UGT)
        return IntConst(int(a == b if predicate is Predicate.EQ else a > b), BOOL)

    def select(self, condition: Operand, then: Operand, otherwise: Operand) -> Operand:
        return then if self.number(condition) else otherwise

    def resized(self, value: Operand, to: IntType) -> Operand:
        return IntConst(self.number(value) % (1 << to.width), to)


def interval(low: int, high: int) -> Range:
    return join(exactly(WIDTH, low), exactly(WIDTH, high))


@pytest.mark.parametrize("is_left", [True, False])
@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 2), (1, 2), (0, 3), (5, 7), (29, 31)])
def test_a_factor_of_few_values_gives_the_same_product(low: int, high: int, is_left: bool) -> None:
    sides = (A, B) if is_left else (B, A)
    for a, b in product(range(low, high + 1), NUMBERS):
        code = Numbers({A: a, B: b}, {A: interval(low, high), B: interval(0, 31)})
        found = simpler(code, Binary(Register("", I5), BinaryOp.MUL, *sides))
        assert found is not None and code.number(found) == a * b % 32
        assert code.products == 0
        told = simpler(code, Overflow(Register("", BOOL), OverflowOp.UMUL, *sides))
        assert told is not None and code.number(told) == (a * b > 31)


def test_more_values_and_signed_overflows_stay() -> None:
    code = Numbers({A: 1, B: 1}, {A: interval(0, 4), B: interval(0, 31)})
    assert simpler(code, Binary(Register("", I5), BinaryOp.MUL, A, B)) is None
    code = Numbers({A: 1, B: 1}, {A: interval(0, 1), B: interval(0, 31)})
    assert simpler(code, Overflow(Register("", BOOL), OverflowOp.SMUL, A, B)) is None


@pytest.mark.parametrize("op", [BinaryOp.MUL, BinaryOp.UDIV, BinaryOp.UREM])
def test_small_numbers_are_computed_with_in_few_bits(op: BinaryOp) -> None:
    wide = IntType(16)
    a, b = Register("a", wide), Register("b", wide)
    for x, y in product(range(16), range(1, 16)):
        ranges = {r: join(exactly(16, 0), exactly(16, 15)) for r in (a, b)}
        code = Numbers({a: x, b: y}, dict(ranges))
        found = simpler(code, Binary(Register("", wide), op, a, b))
        exact = {BinaryOp.MUL: x * y, BinaryOp.UDIV: x // y, BinaryOp.UREM: x % y}[op]
        assert found is not None and code.number(found) == exact
