"""Bitwise operations over unbounded integers.

Everything comes from `x & y`, for `x | y = x + y - (x & y)` and `x ^ y = x + y - 2 * (x & y)` hold
of all integers in two's complement (Warren, "Hacker's Delight", section 2-2).  Where y is a
constant mask, `x & y` is a sum of differences `x mod 2**b - x mod 2**a`, one for each run of ones
from bit a to bit b.  Where the values have no bit in common, it is 0.  Where one of them has a
single bit, it is a case split.  Otherwise it is a fresh value, within the bounds that hold for all
bits, and recorded as an over-approximation.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.encode.integers.intvalue import (
    IntValue,
    as_signed,
    as_unsigned,
    known,
    literal,
    modulo,
    signed_range,
    unsigned_range,
    within,
)
from seahorn_py.encode.open_rule import OpenRule
from seahorn_py.logic.terms import terms


def conjunction(rule: OpenRule, width: int, a: IntValue, b: IntValue) -> IntValue:
    """`a & b`."""
    return _operands_and_common(rule, width, a, b)[2]


def disjunction(rule: OpenRule, width: int, a: IntValue, b: IntValue) -> IntValue:
    """`a | b`."""
    x, y, common = _operands_and_common(rule, width, a, b)
    if common.term is x.term:
        return y
    union = terms.minus(terms.plus(x.term, y.term), common.term)
    if x.low < 0 or y.low < 0:
        low, high = min(x.low, y.low), max(signed_range(width)[1], x.high)
    else:
        low, high = max(x.low, y.low), _all_ones(x, y)
    return known(union, low, high, min(x.zeros, y.zeros))


def difference(rule: OpenRule, width: int, a: IntValue, b: IntValue) -> IntValue:
    """`a ^ b`."""
    x, y, common = _operands_and_common(rule, width, a, b)
    if common.term is x.term:
        return literal(0) if x.term is y.term else _without(x, y)
    twice = terms.times(terms.int_const(2), common.term)
    total = terms.minus(terms.plus(x.term, y.term), twice)
    if x.low < 0 or y.low < 0:
        low, high = signed_range(width)
    else:
        low, high = 0, _all_ones(x, y)
    return known(total, low, high, min(x.zeros, y.zeros))


def _without(x: IntValue, y: IntValue) -> IntValue:
    """`x ^ y` when all bits of `x` are in `y`."""
    rest = terms.minus(y.term, x.term)
    return known(rest, y.low - x.high, y.high - x.low, min(x.zeros, y.zeros))


def _all_ones(x: IntValue, y: IntValue) -> int:
    """The greatest natural number with no more bits than one of two natural numbers."""
    return (1 << max(x.ones_below, y.ones_below)) - 1


def _operands_and_common(
    rule: OpenRule, width: int, a: IntValue, b: IntValue
) -> tuple[IntValue, IntValue, IntValue]:
    """The operands in one representation, a constant last, and their common bits."""
    if a.constant is not None and b.constant is None:
        a, b = b, a
    x = a if _canonical(width, a) else as_unsigned(width, a)
    mask = b.constant
    if mask is not None:
        y = as_unsigned(width, b) if within(x, unsigned_range(width)) else as_signed(width, b)
        return x, y, _masked(x, as_unsigned(width, b).low, width)
    x, y = as_unsigned(width, a), as_unsigned(width, b)
    return x, y, _common(rule, width, x, y)


def _canonical(width: int, value: IntValue) -> bool:
    return within(value, signed_range(width)) or within(value, unsigned_range(width))


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """The runs of ones of a natural number, each from its first bit to past its last."""
    position = 0
    while mask >> position:
        rest = mask >> position
        start = position + (rest & -rest).bit_length() - 1
        length = ((mask >> start) + 1 & ~(mask >> start)).bit_length() - 1
        yield start, start + length
        position = start + length


def _masked(x: IntValue, mask: int, width: int) -> IntValue:
    """`x & mask` for a canonical mask; a run up to the sign bit goes on for ever."""
    total = literal(0)
    for start, end in _runs(mask):
        upper = x if end == width else modulo(x, 1 << end)
        lower = modulo(x, 1 << start) if start else literal(0)
        term = terms.minus(upper.term, lower.term)
        if end == width and x.low < 0:
            low, high = -(1 << width - 1), max(x.high, 0)
        else:
            low, high = 0, min((1 << end) - (1 << start), upper.high)
        total = IntValue(
            terms.plus(total.term, term),
            total.low + low,
            total.high + high,
            min(total.zeros, max(start, x.zeros)),
        )
    return total


def _common(rule: OpenRule, width: int, x: IntValue, y: IntValue) -> IntValue:
    """`x & y` for natural numbers of which neither is a constant."""
    if x.term is y.term:
        return x
    if x.zeros >= y.ones_below or y.zeros >= x.ones_below:
        return literal(0)
    for one, other in ((x, y), (y, x)):
        if one.zeros + 1 == one.ones_below:
            bit = _masked(other, 1 << one.zeros, width)
            absent = terms.eq(one.term, terms.int_const(0))
            return IntValue(terms.ite(absent, terms.int_const(0), bit.term), 0, bit.high, one.zeros)
    return _unknown(rule, x, y)


def _unknown(rule: OpenRule, x: IntValue, y: IntValue) -> IntValue:
    """A fresh value with what is known of the common bits of any two natural numbers."""
    common = rule.fresh(terms.INT)
    rule.approximate("bitwise operation on unknown bits")
    bits = max(x.ones_below, y.ones_below)
    top = terms.int_const(1 << bits - 1)
    x_has, y_has = terms.le(top, x.term), terms.le(top, y.term)
    union = terms.minus(terms.plus(x.term, y.term), common)
    for fact in (
        terms.le(terms.int_const(0), common),
        terms.le(common, x.term),
        terms.le(common, y.term),
        terms.lt(union, terms.int_const(1 << bits)),
        terms.implies(terms.eq(x.term, y.term), terms.eq(common, x.term)),
        terms.implies(terms.and_([x_has, y_has]), terms.le(top, common)),
        terms.implies(
            terms.not_(y_has), terms.le(common, terms.minus(x.term, _scaled(x_has, top)))
        ),
        terms.implies(
            terms.not_(x_has), terms.le(common, terms.minus(y.term, _scaled(y_has, top)))
        ),
    ):
        rule.assume(fact)
    return IntValue(common, 0, min(x.high, y.high), max(x.zeros, y.zeros))


def _scaled(condition: terms.Term, amount: terms.Term) -> terms.Term:
    return terms.ite(condition, amount, terms.int_const(0))
