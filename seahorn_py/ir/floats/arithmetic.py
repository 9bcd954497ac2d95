"""Addition, multiplication, division, square root and fused multiply-add of packed floats.

IEEE 754-2019, section 5.4.1, rounded to nearest; J.-M. Muller et al., "Handbook of Floating-Point
Arithmetic", second edition, chapter 7, for the algorithms: three bits beyond the precision, of
which the last is sticky, are enough for every rounding; square roots are found bit by bit.
"""

from __future__ import annotations

from typing import TypeVar

from seahorn_py.ir.floats.format import Floats, Parts
from seahorn_py.ir.floats.words import Word

V = TypeVar("V")
B = TypeVar("B")

_GUARD = 3


def add(floats: Floats[V, B], x: Word[V], y: Word[V]) -> Word[V]:
    """`x + y`: the lesser magnitude is aligned with the greater one, whose sign the sum has."""
    swap = floats.ult(floats.magnitude(x), floats.magnitude(y))
    large, small = floats.choose(swap, y, x), floats.choose(swap, x, y)
    a, b = floats.parts(large), floats.parts(small)
    subtracts = floats.differ(a.negative, b.negative)
    size = floats.form.precision + _GUARD + 1
    total = _aligned_sum(floats, a, b, subtracts, size)
    cancels = floats.all(subtracts, floats.equals(total, 0))
    negative = floats.all(a.negative, floats.not_(cancels))
    result = floats.rounded(negative, floats.plus(a.exponent, 1), total, tiny=False)
    result = floats.choose(a.infinite, large, result)
    undefined = floats.any(a.nan, floats.all(a.infinite, b.infinite, subtracts))
    return floats.choose(undefined, floats.not_a_number(), result)


def _aligned_sum(
    floats: Floats[V, B], a: Parts[V, B], b: Parts[V, B], subtracts: B, size: int
) -> Word[V]:
    """The sum of the significands in `size` bits, of which the first takes the carry."""
    by = floats.smaller(floats.sub(a.exponent, b.exponent), size - 1)
    first = floats.pad(a.significand, size - 1 - a.significand.width)
    second = floats.pad(b.significand, size - 1 - b.significand.width)
    first, second = floats.extend(first, size), floats.extend(second, size)
    second = floats.shift_right_sticky(second, by)
    return floats.choose(subtracts, floats.sub(first, second), floats.add(first, second))


def subtract(floats: Floats[V, B], x: Word[V], y: Word[V]) -> Word[V]:
    """`x - y`."""
    return add(floats, x, negate(floats, y))


def negate(floats: Floats[V, B], x: Word[V]) -> Word[V]:
    """`-x`; the NaN stays."""
    opposite = floats.xor(x, floats.const(x.width, floats.form.sign))
    return floats.choose(floats.is_nan(x), x, opposite)


def multiply(floats: Floats[V, B], x: Word[V], y: Word[V]) -> Word[V]:
    """`x * y`."""
    a, b = floats.parts(x), floats.parts(y)
    negative = floats.differ(a.negative, b.negative)
    size, exponent = 2 * floats.form.precision, floats.add(a.exponent, b.exponent)
    product = floats.mul(floats.extend(a.significand, size), floats.extend(b.significand, size))
    result = floats.rounded(negative, floats.plus(exponent, 1 - floats.form.bias), product)
    infinite = floats.any(a.infinite, b.infinite)
    result = floats.choose(infinite, floats.infinity(negative), result)
    undefined = floats.any(a.nan, b.nan, floats.all(infinite, floats.any(a.zero, b.zero)))
    return floats.choose(undefined, floats.not_a_number(), result)


def divide(floats: Floats[V, B], x: Word[V], y: Word[V]) -> Word[V]:
    """`x / y`; the quotient has two or three bits more than the precision, the last one sticky."""
    a, b = floats.normal_parts(x), floats.normal_parts(y)
    negative = floats.differ(a.negative, b.negative)
    more = floats.form.precision + 2
    size = floats.form.precision + more
    numerator = floats.pad(a.significand, more)
    quotient, rest = floats.divide(numerator, floats.extend(b.significand, size))
    inexact = floats.not_(floats.equals(rest, 0))
    sticky = floats.or_(floats.low(quotient, more + 1), floats.where(inexact, more + 1, 1))
    exponent = floats.plus(floats.sub(a.exponent, b.exponent), floats.form.bias)
    result = floats.rounded(negative, exponent, sticky)
    zero = floats.signed(negative, floats.const(floats.form.width - 1, 0))
    result = floats.choose(floats.any(a.zero, b.infinite), zero, result)
    result = floats.choose(floats.any(a.infinite, b.zero), floats.infinity(negative), result)
    neither = floats.any(floats.all(a.zero, b.zero), floats.all(a.infinite, b.infinite))
    return floats.choose(floats.any(a.nan, b.nan, neither), floats.not_a_number(), result)


def square_root(floats: Floats[V, B], x: Word[V]) -> Word[V]:
    """The square root; of -0 it is -0."""
    a = floats.normal_parts(x)
    precision, bias = floats.form.precision, floats.form.bias
    wide = a.exponent.width
    # the bias is odd
    is_odd = floats.not_(floats.bit(a.exponent, 0))
    unbiased = floats.plus(a.exponent, -bias)
    half = floats.sub(unbiased, floats.where(is_odd, wide, 1))
    half = Word(wide, floats.algebra.ashr(wide, half.value, floats.const(wide, 1).value))
    significand = floats.extend(a.significand, precision + 1)
    radicand = floats.choose(is_odd, floats.left(significand, 1), significand)
    root = _root(floats, radicand, precision + 2)
    result = floats.rounded(floats.truth(False), floats.plus(half, bias), root, tiny=False)
    result = floats.choose(floats.any(a.zero, a.infinite), x, result)
    undefined = floats.any(a.nan, floats.all(a.negative, floats.not_(a.zero)))
    return floats.choose(undefined, floats.not_a_number(), result)


def _root(floats: Floats[V, B], radicand: Word[V], bits: int) -> Word[V]:
    """The first `bits` bits of the root, the last one sticky, of a number in 1 to 4.

    The radicand has two bits before its binary point.  Invariant: the rest is what remains of the
    digits taken so far, less the square of the root so far; it is at most twice the root.
    """
    size = bits + 3
    root, rest = floats.const(size, 0), floats.const(size, 0)
    padded = floats.pad(radicand, 2 * bits - radicand.width)
    for step in range(bits):
        pair = floats.low(floats.right(padded, 2 * (bits - 1 - step)), 2)
        rest = floats.or_(floats.left(rest, 2), floats.extend(pair, size))
        trial = floats.plus(floats.left(root, 2), 1)
        fits = floats.not_(floats.ult(rest, trial))
        rest = floats.choose(fits, floats.sub(rest, trial), rest)
        root = floats.or_(floats.left(root, 1), floats.where(fits, size, 1))
    inexact = floats.not_(floats.equals(rest, 0))
    return floats.or_(floats.low(root, bits), floats.where(inexact, bits, 1))


def fused(floats: Floats[V, B], x: Word[V], y: Word[V], z: Word[V]) -> Word[V]:
    """`x * y + z`, rounded once."""
    a, b, c = (floats.normal_parts(operand) for operand in (x, y, z))
    negative = floats.differ(a.negative, b.negative)
    infinite, zero = floats.any(a.infinite, b.infinite), floats.any(a.zero, b.zero)
    undefined = floats.any(
        *(a.nan, b.nan, c.nan),
        floats.all(infinite, zero),
        floats.all(infinite, c.infinite, floats.differ(negative, c.negative)),
    )
    result = _fused_finite(floats, (a, b, c), negative, zero)
    result = floats.choose(c.infinite, z, result)
    result = floats.choose(infinite, floats.infinity(negative), result)
    return floats.choose(undefined, floats.not_a_number(), result)


def _fused_finite(
    floats: Floats[V, B], parts: tuple[Parts[V, B], Parts[V, B], Parts[V, B]], negative: B, zero: B
) -> Word[V]:
    """The sum of the exact product and `c`; a summand that is 0 has the least exponent."""
    a, b, c = parts
    size, wide = 2 * floats.form.precision, a.exponent.width + 2
    least = floats.const(wide, -(1 << wide - 2))
    product = floats.mul(floats.extend(a.significand, size), floats.extend(b.significand, size))
    exponents = (floats.extend_signed(p.exponent, wide) for p in (a, b))
    exponent = floats.plus(floats.add(*exponents), 1 - floats.form.bias)
    exponent = floats.choose(zero, least, exponent)
    third = floats.choose(c.zero, least, floats.extend_signed(c.exponent, wide))
    addend = floats.pad(c.significand, size - c.significand.width)
    no = floats.truth(False)
    first, second = _by_exponent(
        floats,
        Parts(negative, *(no, no, no), exponent, product),
        Parts(c.negative, *(no, no, no), third, addend),
    )
    subtracts = floats.differ(negative, c.negative)
    total = _aligned_sum(floats, first, second, subtracts, size + _GUARD + 1)
    # a product below 2 may be less than an addend of the exponent before its own
    turned = floats.all(subtracts, floats.top(total))
    total = floats.negated_if(turned, total)
    cancels = floats.all(subtracts, floats.equals(total, 0))
    sign = floats.all(floats.differ(first.negative, turned), floats.not_(cancels))
    return floats.rounded(sign, floats.plus(first.exponent, 1), total)


def _by_exponent(
    floats: Floats[V, B], one: Parts[V, B], other: Parts[V, B]
) -> tuple[Parts[V, B], Parts[V, B]]:
    """The summand with the greater exponent, then the other; only the former has its sign."""
    swap, no = floats.slt(one.exponent, other.exponent), floats.truth(False)
    first = Parts(
        floats.any(floats.all(swap, other.negative), floats.all(floats.not_(swap), one.negative)),
        *(no, no, no),
        floats.choose(swap, other.exponent, one.exponent),
        floats.choose(swap, other.significand, one.significand),
    )
    second = Parts(
        *(no, no, no, no),
        floats.choose(swap, one.exponent, other.exponent),
        floats.choose(swap, one.significand, other.significand),
    )
    return first, second
