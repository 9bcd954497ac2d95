"""LLVM's integer intrinsics over an abstract algebra; part of the table in `ir.semantics`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, assert_never

from seahorn_py.base.errors import InternalError
from seahorn_py.ir.algebra import Algebra
from seahorn_py.ir.program import BitsOp

V = TypeVar("V")
B = TypeVar("B")


def arity(op: BitsOp) -> int:
    """How many arguments the intrinsic takes."""
    match op:
        case BitsOp.CTPOP | BitsOp.CTLZ | BitsOp.CTTZ | BitsOp.BSWAP:
            return 1
        case BitsOp.BITREVERSE | BitsOp.ABS:
            return 1
        case BitsOp.SMAX | BitsOp.SMIN | BitsOp.UMAX | BitsOp.UMIN:
            return 2
        case BitsOp.SADD_SAT | BitsOp.UADD_SAT | BitsOp.SSUB_SAT | BitsOp.USUB_SAT:
            return 2
        case BitsOp.FSHL | BitsOp.FSHR:
            return 3
        case _:
            assert_never(op)


def bits(  # noqa: C901 - a flat match
    algebra: Algebra[V, B], op: BitsOp, width: int, arguments: tuple[V, ...]
) -> V:
    """An integer intrinsic of `arity(op)` arguments; `bswap` needs a multiple of 16 bits."""
    if width == 1:
        return _of_bits(algebra, op, arguments)
    a = arguments[0]
    match op:
        case BitsOp.CTPOP:
            return _count_ones(algebra, width, a)
        case BitsOp.CTLZ:
            return _count_zeros(algebra, width, a, range(width - 1, -1, -1))
        case BitsOp.CTTZ:
            return _count_zeros(algebra, width, a, range(width))
        case BitsOp.BSWAP:
            return _reverse(algebra, width, a, 8)
        case BitsOp.BITREVERSE:
            return _reverse(algebra, width, a, 1)
        case BitsOp.FSHL | BitsOp.FSHR:
            return _funnel_shift(algebra, op, width, arguments)
        case BitsOp.ABS:
            zero = algebra.const(width, 0)
            negated = algebra.sub(width, zero, a)
            return algebra.ite(width, algebra.slt(width, a, zero), negated, a)
        case BitsOp.SMAX:
            return algebra.ite(width, algebra.slt(width, a, arguments[1]), arguments[1], a)
        case BitsOp.SMIN:
            return algebra.ite(width, algebra.slt(width, a, arguments[1]), a, arguments[1])
        case BitsOp.UMAX:
            return algebra.ite(width, algebra.ult(width, a, arguments[1]), arguments[1], a)
        case BitsOp.UMIN:
            return algebra.ite(width, algebra.ult(width, a, arguments[1]), a, arguments[1])
        case BitsOp.SADD_SAT | BitsOp.UADD_SAT | BitsOp.SSUB_SAT | BitsOp.USUB_SAT:
            return _saturate(algebra, op, width, a, arguments[1])
        case _:
            assert_never(op)


def _of_bits(algebra: Algebra[V, B], op: BitsOp, arguments: tuple[V, ...]) -> V:
    """Width 1; the signed i1 values are 0 and -1, so signed maximum is conjunction."""
    a = algebra.to_bool(arguments[0])
    b = algebra.to_bool(arguments[1 % len(arguments)])
    match op:
        case BitsOp.CTPOP | BitsOp.BITREVERSE | BitsOp.ABS:
            return arguments[0]
        case BitsOp.CTLZ | BitsOp.CTTZ:
            return algebra.of_bool(algebra.not_(a))
        case BitsOp.BSWAP:
            raise InternalError("bswap of an i1")
        case BitsOp.FSHL:
            return arguments[0]
        case BitsOp.FSHR:
            return arguments[1]
        case BitsOp.SMAX | BitsOp.UMIN:
            return algebra.of_bool(algebra.both(a, b))
        case BitsOp.SMIN | BitsOp.UMAX | BitsOp.SADD_SAT | BitsOp.UADD_SAT:
            return algebra.of_bool(algebra.either(a, b))
        case BitsOp.SSUB_SAT | BitsOp.USUB_SAT:
            return algebra.of_bool(algebra.both(a, algebra.not_(b)))
        case _:
            assert_never(op)


def _bit(algebra: Algebra[V, B], width: int, a: V, index: int) -> B:
    return algebra.odd(width, algebra.lshr(width, a, algebra.const(width, index)))


def _count_ones(algebra: Algebra[V, B], width: int, a: V) -> V:
    zero, one = algebra.const(width, 0), algebra.const(width, 1)
    total = zero
    for index in range(width):
        bit = _bit(algebra, width, a, index)
        total = algebra.add(width, total, algebra.ite(width, bit, one, zero))
    return total


def _count_zeros(algebra: Algebra[V, B], width: int, a: V, order: Sequence[int]) -> V:
    """How many bits in this order are 0 before the first 1."""
    count = algebra.const(width, width)
    for passed in range(width - 1, -1, -1):
        bit = _bit(algebra, width, a, order[passed])
        count = algebra.ite(width, bit, algebra.const(width, passed), count)
    return count


def _reverse(algebra: Algebra[V, B], width: int, a: V, unit: int) -> V:
    """Groups of `unit` bits in reverse order."""
    mask = algebra.const(width, (1 << unit) - 1)
    result = algebra.const(width, 0)
    for low in range(0, width, unit):
        group = algebra.and_(width, algebra.lshr(width, a, algebra.const(width, low)), mask)
        high = algebra.const(width, width - unit - low)
        result = algebra.or_(width, result, algebra.shl(width, group, high))
    return result


def _funnel_shift(algebra: Algebra[V, B], op: BitsOp, width: int, arguments: tuple[V, ...]) -> V:
    """The high (FSHL) or low (FSHR) half of `a:b` shifted by `c` modulo the width."""
    a, b, c = arguments
    size = algebra.const(width, width)
    amount = algebra.urem(width, c, size)
    rest = algebra.sub(width, size, amount)
    left, right = (amount, rest) if op is BitsOp.FSHL else (rest, amount)
    high, low = algebra.shl(width, a, left), algebra.lshr(width, b, right)
    unshifted = algebra.eq(width, amount, algebra.const(width, 0))
    whole = a if op is BitsOp.FSHL else b
    return algebra.ite(width, unshifted, whole, algebra.or_(width, high, low))


def _saturate(algebra: Algebra[V, B], op: BitsOp, width: int, a: V, b: V) -> V:
    """The exact sum or difference, in two more bits, brought back into the range."""
    wide = width + 2
    if op in (BitsOp.SADD_SAT, BitsOp.SSUB_SAT):
        x, y = algebra.sext(width, wide, a), algebra.sext(width, wide, b)
        least = algebra.const(wide, (1 << wide) - (1 << width - 1))
        greatest = algebra.const(wide, (1 << width - 1) - 1)
    else:
        x, y = algebra.zext(width, wide, a), algebra.zext(width, wide, b)
        least, greatest = algebra.const(wide, 0), algebra.const(wide, (1 << width) - 1)
    adds = op in (BitsOp.SADD_SAT, BitsOp.UADD_SAT)
    exact = algebra.add(wide, x, y) if adds else algebra.sub(wide, x, y)
    capped = algebra.ite(wide, algebra.slt(wide, greatest, exact), greatest, exact)
    clamped = algebra.ite(wide, algebra.slt(wide, exact, least), least, capped)
    return algebra.trunc(wide, width, clamped)
