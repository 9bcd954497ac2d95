"""Conversions of packed floats: to and from integers, between formats, to integral values.

IEEE 754-2019, sections 5.3.1, 5.4.1 and 5.4.2.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from seahorn_py.ir.floats.format import Floats
from seahorn_py.ir.floats.words import Word

V = TypeVar("V")
B = TypeVar("B")


class Direction(Enum):
    """To which integral value a float is rounded; EVEN and AWAY go to the nearest one."""

    DOWN = "floor"
    UP = "ceil"
    ZERO = "trunc"
    EVEN = "rint"
    AWAY = "round"


def to_integral(floats: Floats[V, B], direction: Direction, x: Word[V]) -> Word[V]:
    """The integral float; it has the sign of `x`."""
    form, negative = floats.form, floats.top(x)
    magnitude = floats.magnitude(x)
    field = floats.high(magnitude, form.exponent)
    one = form.bias << form.precision - 1
    up = _small_goes_up(floats, direction, negative, magnitude)
    small = floats.where(up, magnitude.width, one)
    middle = _without_fraction(floats, direction, negative, magnitude, field)
    result = floats.choose(floats.below(field, form.bias), small, middle)
    is_integral = floats.not_(floats.below(field, form.bias + form.precision - 1))
    return floats.choose(is_integral, x, floats.signed(negative, result))


def _small_goes_up(
    floats: Floats[V, B], direction: Direction, negative: B, magnitude: Word[V]
) -> B:
    """A magnitude below 1 becomes 1 and not 0."""
    half = floats.form.bias - 1 << floats.form.precision - 1
    nonzero = floats.not_(floats.equals(magnitude, 0))
    match direction:
        case Direction.DOWN:
            return floats.all(negative, nonzero)
        case Direction.UP:
            return floats.all(floats.not_(negative), nonzero)
        case Direction.ZERO:
            return floats.truth(False)
        case Direction.EVEN:
            return floats.not_(floats.below(magnitude, half + 1))
        case Direction.AWAY:
            return floats.not_(floats.below(magnitude, half))


def _without_fraction(
    floats: Floats[V, B], direction: Direction, negative: B, magnitude: Word[V], field: Word[V]
) -> Word[V]:
    """A magnitude of at least 1 with bits after the binary point.

    A carry out of the fraction leads to the next exponent.  The unit's bit is the last one of the
    exponent where the integral part is 1: that is set too, as the bias is odd.
    """
    form, size = floats.form, magnitude.width
    by = floats.sub(floats.const(form.exponent, form.bias + form.precision - 1), field)
    unit = floats.shift_left(floats.const(size, 1), by)
    mask = floats.plus(unit, -1)
    fraction = floats.and_(magnitude, mask)
    whole = floats.sub(magnitude, fraction)
    half = floats.right(unit, 1)
    inexact = floats.not_(floats.equals(fraction, 0))
    match direction:
        case Direction.DOWN:
            up = floats.all(negative, inexact)
        case Direction.UP:
            up = floats.all(floats.not_(negative), inexact)
        case Direction.ZERO:
            return whole
        case Direction.EVEN:
            is_odd = floats.not_(floats.equals(floats.and_(magnitude, unit), 0))
            tie = floats.all(floats.eq(fraction, half), is_odd)
            up = floats.any(floats.ult(half, fraction), tie)
        case Direction.AWAY:
            up = floats.not_(floats.ult(fraction, half))
    return floats.choose(up, floats.add(whole, unit), whole)


def to_integer(floats: Floats[V, B], x: Word[V], width: int, has_sign: bool) -> tuple[B, Word[V]]:
    """Whether the integral part fits the integer, and the integer if it does."""
    form, a = floats.form, floats.parts(x)
    fraction = form.precision - 1
    wide = max(form.exponent, width.bit_length()) + 2
    exponent = floats.plus(floats.extend(a.exponent, wide), -form.bias)
    is_fraction = floats.slt(exponent, floats.const(wide, 0))
    fixed = floats.extend(a.significand, width + fraction)
    fixed = floats.shift_left(fixed, floats.smaller(exponent, width))
    whole = floats.high(fixed, width)
    value = floats.negated_if(a.negative, whole)
    small = floats.slt(exponent, floats.const(wide, width - 1 if has_sign else width))
    if has_sign:
        is_top = floats.equals(exponent, width - 1)
        is_least = floats.all(a.negative, is_top, floats.equals(whole, 1 << width - 1))
        fits = floats.any(small, is_least)
    else:
        is_natural = floats.not_(a.negative)
        fits = floats.all(small, floats.any(is_natural, floats.equals(whole, 0)))
    zero = floats.const(width, 0)
    return floats.any(is_fraction, fits), floats.choose(is_fraction, zero, value)


def saturated(floats: Floats[V, B], x: Word[V], width: int, has_sign: bool) -> Word[V]:
    """The integral part, or the integer nearest to it; 0 for NaN."""
    fits, value = to_integer(floats, x, width, has_sign)
    least = 1 << width - 1 if has_sign else 0
    negative = floats.top(x)
    bound = floats.choose(
        negative, floats.const(width, least), floats.const(width, least + (1 << width) - 1)
    )
    bound = floats.choose(floats.is_nan(x), floats.const(width, 0), bound)
    return floats.choose(fits, value, bound)


def from_integer(floats: Floats[V, B], a: Word[V], has_sign: bool) -> Word[V]:
    """The float nearest to an integer."""
    negative = floats.top(a) if has_sign else floats.truth(False)
    size = floats.negated_if(negative, a) if has_sign else a
    exponent = floats.form.bias + a.width - 1
    wide = exponent.bit_length() + 1
    return floats.rounded(negative, floats.const(wide, exponent), size, tiny=False)


def between(source: Floats[V, B], target: Floats[V, B], x: Word[V]) -> Word[V]:
    """The float of the target's format nearest to one of the source's."""
    a = source.parts(x)
    wide = max(source.form.exponent, target.form.exponent) + 2
    exponent = source.extend(a.exponent, wide)
    exponent = source.plus(exponent, target.form.bias - source.form.bias)
    tiny = target.form.exponent < source.form.exponent
    result = target.rounded(a.negative, exponent, a.significand, tiny)
    result = target.choose(a.infinite, target.infinity(a.negative), result)
    return target.choose(a.nan, target.not_a_number(), result)
