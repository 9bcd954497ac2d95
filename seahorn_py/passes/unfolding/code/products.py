"""Products and quotients, written in a way that solvers are quick with.

Products of small numbers have few bits.  Where a factor is one of a few numbers, the product is a
choice among multiples of the other one: `n * size`, where `size` is 1 or 2, is `n` or `n << 1`, and
it overflows where `size` is 2 and `n` is more than half of the greatest number.  So bits of two
unknown numbers are not multiplied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from seahorn_py.ir.program import (
    FALSE,
    Binary,
    BinaryOp,
    IntConst,
    Operand,
    Overflow,
    OverflowOp,
    Predicate,
    Register,
)
from seahorn_py.ir.types import IntType
from seahorn_py.passes.ranges.intervals import Range
from seahorn_py.passes.unfolding.code.computed import Computed

MOST_FACTORS = 4
"""A factor is looked at number by number if it is one of so many."""

UNSIGNED: Mapping[BinaryOp, BinaryOp] = {
    BinaryOp.MUL: BinaryOp.MUL,
    BinaryOp.UDIV: BinaryOp.UDIV,
    BinaryOp.UREM: BinaryOp.UREM,
    BinaryOp.SDIV: BinaryOp.UDIV,
    BinaryOp.SREM: BinaryOp.UREM,
}
"""An operation -> the same operation of numbers that are not negative, without sign."""


class Computing(Protocol):
    """What is computed with: `code.Code`."""

    def range(self, operand: Operand, /) -> Range | None:
        """The values that an integer may have."""

    def binary(self, op: BinaryOp, left: Operand, right: Operand, /) -> Operand:
        """`left op right`."""

    def compare(self, predicate: Predicate, left: Operand, right: Operand, /) -> Operand:
        """`left predicate right`."""

    def select(self, condition: Operand, then: Operand, otherwise: Operand, /) -> Operand:
        """`condition ? then : otherwise`."""

    def resized(self, value: Operand, to: IntType, /) -> Operand:
        """An integer cut or extended to a width."""


def simpler(code: Computing, statement: Computed) -> Operand | None:
    """The result of a product or quotient, where it can be had in a simpler way."""
    match statement:
        case Binary(op=op, left=left, right=right) if op in UNSIGNED:
            found = _narrow(code, op, left, right)
            if found is not None or op is not BinaryOp.MUL:
                return found
            return _by_factor(code, left, right, _multiple)
        case Overflow(op=OverflowOp.UMUL, left=left, right=right):
            return _by_factor(code, left, right, _exceeds)
        case _:
            return None


def _narrow(code: Computing, op: BinaryOp, left: Operand, right: Operand) -> Operand | None:
    """The result in few bits, where both numbers are small."""
    ranges = [code.range(left), code.range(right)]
    tops = [r.unsigned[1] for r in ranges if r is not None and r.signed[0] >= 0]
    width = left.type
    if len(tops) < 2 or not isinstance(width, IntType):
        return None
    most = tops[0] * tops[1] if op is BinaryOp.MUL else max(tops)
    small = next((bits for bits in (8, 16, 32) if most < 1 << bits), width.width)
    if small >= width.width:
        return None
    to = IntType(small)
    return code.resized(
        code.binary(UNSIGNED[op], code.resized(left, to), code.resized(right, to)), width
    )


Case = Callable[[Computing, Operand, IntType, int], Operand]
"""A result for a number, its type, and the factor."""


def _by_factor(code: Computing, left: Operand, right: Operand, case: Case) -> Operand | None:
    """The result for each number that a factor may be, if those are few."""
    for factor, other in ((left, right), (right, left)):
        range_ = code.range(factor)
        if not isinstance(factor, Register) or not isinstance(other, Register) or range_ is None:
            continue
        low, high = range_.unsigned
        if high - low >= MOST_FACTORS or not isinstance(type_ := factor.type, IntType):
            continue
        found = case(code, other, type_, high)
        for number in range(low, high):
            is_it = code.compare(Predicate.EQ, factor, IntConst(number, type_))
            found = code.select(is_it, case(code, other, type_, number), found)
        return found
    return None


def _multiple(code: Computing, value: Operand, type_: IntType, factor: int) -> Operand:
    if factor in (0, 1):
        return value if factor else IntConst(0, type_)
    if factor & factor - 1 == 0:
        return code.binary(BinaryOp.SHL, value, IntConst(factor.bit_length() - 1, type_))
    return code.binary(BinaryOp.MUL, value, IntConst(factor, type_))


def _exceeds(code: Computing, value: Operand, type_: IntType, factor: int) -> Operand:
    """Whether the multiple does not fit."""
    if factor in (0, 1):
        return FALSE
    most = (1 << type_.width) - 1
    return code.compare(Predicate.UGT, value, IntConst(most // factor, type_))
