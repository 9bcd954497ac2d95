"""Intervals of machine integers, in the unsigned and the signed view at once.

P. Cousot, R. Cousot: "Static determination of dynamic properties of programs" (1976) and "Abstract
interpretation: a unified lattice model" (POPL 1977), for machine integers: a result that may or may
not wrap is unknown in that view.  The two views of a value refine each other (`reduced`).  Every
function here is sound: whatever the operands' values inside their intervals, the result of the
operation, if it is defined, lies in the interval returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from seahorn_py.base.records import dataclass
from seahorn_py.ir.algebra import signed, unsigned
from seahorn_py.ir.program import BinaryOp, BitsOp, CastOp, Predicate

Bounds = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Range:
    """Inclusive bounds of a machine integer as a natural and as a two's complement number."""

    width: int
    unsigned: Bounds
    signed: Bounds

    @property
    def value(self) -> int | None:
        """The only value, in canonical form."""
        return self.unsigned[0] if self.unsigned[0] == self.unsigned[1] else None


def full(width: int) -> Range:
    """All values."""
    return Range(width, (0, (1 << width) - 1), (-(1 << width - 1), (1 << width - 1) - 1))


@lru_cache(maxsize=1 << 12)
def exactly(width: int, value: int) -> Range:
    """One value, in canonical form."""
    number = signed(width, value)
    return Range(width, (value, value), (number, number))


BIT = full(1)


def reduced(width: int, natural: Bounds, number: Bounds) -> Range | None:
    """The values in both views' bounds, each view refined by the other; None if there are none."""
    half, size = 1 << width - 1, 1 << width
    for _ in range(2):
        before = natural, number
        if natural[1] < half:
            number = _meet(number, natural)
        elif natural[0] >= half:
            number = _meet(number, (natural[0] - size, natural[1] - size))
        if number[0] >= 0:
            natural = _meet(natural, number)
        elif number[1] < 0:
            natural = _meet(natural, (number[0] + size, number[1] + size))
        if natural[0] > natural[1] or number[0] > number[1]:
            return None
        if (natural, number) == before:
            break
    return Range(width, natural, number)


def _meet(a: Bounds, b: Bounds) -> Bounds:
    low, high = b
    return a[0] if a[0] > low else low, a[1] if a[1] < high else high


def _hull(a: Bounds, b: Bounds) -> Bounds:
    return min(a[0], b[0]), max(a[1], b[1])


def meet(a: Range, b: Range) -> Range | None:
    """Values in both."""
    if a == b:
        return a
    return reduced(a.width, _meet(a.unsigned, b.unsigned), _meet(a.signed, b.signed))


def join(a: Range | None, b: Range | None) -> Range | None:
    """An interval that holds the values of both; None is the empty one."""
    if a is None or b is None:
        return a or b
    if a == b:
        return a
    return Range(a.width, _hull(a.unsigned, b.unsigned), _hull(a.signed, b.signed))


def widen(old: Range, new: Range, thresholds: Sequence[int]) -> Range:
    """Bounds that grew go on to the next threshold, or as far as they can (`thresholds` sorted)."""
    everything = full(old.width)
    natural = _widened(old.unsigned, new.unsigned, everything.unsigned, thresholds)
    return Range(
        old.width, natural, _widened(old.signed, new.signed, everything.signed, thresholds)
    )


def _widened(old: Bounds, new: Bounds, limits: Bounds, thresholds: Sequence[int]) -> Bounds:
    low, high = _hull(old, new)
    if low < old[0]:
        low = max((t for t in thresholds if limits[0] <= t <= low), default=limits[0])
    if high > old[1]:
        high = min((t for t in thresholds if high <= t <= limits[1]), default=limits[1])
    return low, high


# ------------------------------------------------------------------------------------ operations


def _sound(width: int, natural: Bounds | None, number: Bounds | None) -> Range:
    """A result from the exact bounds in each view, None where they are unknown."""
    everything = full(width)
    found = reduced(
        width, _fitted(natural, everything.unsigned), _fitted(number, everything.signed)
    )
    return found or everything


def _fitted(bounds: Bounds | None, limits: Bounds) -> Bounds:
    """Exact bounds as a view shows them: moved by the modulus if all wrap alike, else unknown."""
    if bounds is None:
        return limits
    size = limits[1] - limits[0] + 1
    turns = (bounds[0] - limits[0]) // size
    if turns != (bounds[1] - limits[0]) // size:
        return limits
    return bounds[0] - turns * size, bounds[1] - turns * size


def binary(op: BinaryOp, a: Range, b: Range) -> Range:
    """`a op b` where that is defined."""
    width = a.width
    match op:
        case BinaryOp.ADD:
            return _sound(width, _plus(a.unsigned, b.unsigned), _plus(a.signed, b.signed))
        case BinaryOp.SUB:
            return _sound(width, _minus(a.unsigned, b.unsigned), _minus(a.signed, b.signed))
        case BinaryOp.MUL:
            return _sound(width, _times(a.unsigned, b.unsigned), _times(a.signed, b.signed))
        case BinaryOp.UDIV | BinaryOp.UREM | BinaryOp.SDIV | BinaryOp.SREM:
            return _division(op, a, b)
        case BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR:
            return _shift(op, a, b)
        case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
            return _bitwise(op, a, b)


def _plus(a: Bounds, b: Bounds) -> Bounds:
    return a[0] + b[0], a[1] + b[1]


def _minus(a: Bounds, b: Bounds) -> Bounds:
    return a[0] - b[1], a[1] - b[0]


def _times(a: Bounds, b: Bounds) -> Bounds:
    corners = [x * y for x, y in product(a, b)]
    return min(corners), max(corners)


def _division(op: BinaryOp, a: Range, b: Range) -> Range:
    width = a.width
    match op:
        case BinaryOp.UDIV:
            least, most = max(1, b.unsigned[0]), max(1, b.unsigned[1])
            return _sound(width, (a.unsigned[0] // most, a.unsigned[1] // least), None)
        case BinaryOp.UREM:
            if a.unsigned[1] < b.unsigned[0]:
                return a
            most = max(1, b.unsigned[1])
            return _sound(width, (0, min(a.unsigned[1], most - 1)), None)
        case BinaryOp.SDIV:
            return _sound(width, None, _signed_quotient(a.signed, b.signed))
        case _:
            most = max(abs(b.signed[0]), abs(b.signed[1]), 1) - 1
            low, high = max(-most, min(a.signed[0], 0)), min(most, max(a.signed[1], 0))
            return _sound(width, None, (low, high))


def _signed_quotient(a: Bounds, b: Bounds) -> Bounds | None:
    """Quotients are monotone in each operand while the divisor keeps its sign."""
    divisors = [d for d in (b[0], b[1], -1, 1) if d != 0 and b[0] <= d <= b[1]]
    quotients = [_towards_zero(x, d) for x in a for d in divisors]
    if not quotients:
        return None
    return min(quotients), max(quotients)


def _towards_zero(x: int, d: int) -> int:
    return abs(x) // abs(d) * (1 if (x < 0) == (d < 0) else -1)


def _shift(op: BinaryOp, a: Range, b: Range) -> Range:
    width = a.width
    least, most = b.unsigned[0], min(b.unsigned[1], width - 1)
    if least > most:
        return full(width)
    powers = (1 << least, 1 << most)
    match op:
        case BinaryOp.SHL:
            return _sound(width, _times(a.unsigned, powers), _times(a.signed, powers))
        case BinaryOp.LSHR:
            return _sound(width, (a.unsigned[0] >> most, a.unsigned[1] >> least), None)
        case _:
            shifted = [x >> k for x in a.signed for k in (least, most)]
            return _sound(width, None, (min(shifted), max(shifted)))


def _bitwise(op: BinaryOp, a: Range, b: Range) -> Range:
    width = a.width
    ones = (1 << max(a.unsigned[1].bit_length(), b.unsigned[1].bit_length())) - 1
    match op:
        case BinaryOp.AND:
            natural = (0, min(a.unsigned[1], b.unsigned[1]))
        case BinaryOp.OR:
            natural = (max(a.unsigned[0], b.unsigned[0]), ones)
        case _:
            natural = (0, ones)
    return _sound(width, natural, None)


def cast(op: CastOp, a: Range, to: int) -> Range:
    """An integer conversion to the width `to`."""
    match op:
        case CastOp.ZEXT:
            return _sound(to, a.unsigned, None)
        case CastOp.SEXT:
            return _sound(to, None, a.signed)
        case CastOp.TRUNC:
            return _sound(to, a.unsigned, a.signed)
        case _:
            return full(to)


def bits(op: BitsOp, arguments: Sequence[Range]) -> Range:
    """An integer intrinsic."""
    a = arguments[0]
    width = a.width
    match op:
        case BitsOp.CTPOP | BitsOp.CTLZ | BitsOp.CTTZ:
            return _sound(width, (0, min(width, (1 << width) - 1)), None)
        case BitsOp.SMAX | BitsOp.SMIN:
            pick = max if op is BitsOp.SMAX else min
            pairs = zip(a.signed, arguments[1].signed, strict=True)
            low, high = (pick(x, y) for x, y in pairs)
            return _sound(width, None, (low, high))
        case BitsOp.UMAX | BitsOp.UMIN:
            pick = max if op is BitsOp.UMAX else min
            pairs = zip(a.unsigned, arguments[1].unsigned, strict=True)
            low, high = (pick(x, y) for x, y in pairs)
            return _sound(width, (low, high), None)
        case BitsOp.ABS:
            most = max(abs(a.signed[0]), abs(a.signed[1]))
            least = 0 if a.signed[0] <= 0 <= a.signed[1] else min(map(abs, a.signed))
            return _sound(width, (least, most), None)
        case _:
            return full(width)


# ----------------------------------------------------------------------------------- comparisons


def decide(predicate: Predicate, a: Range, b: Range) -> bool | None:
    """Whether `a predicate b` holds for all values (True), for none (False), or neither."""
    if assume(predicate, a, b) is None:
        return False
    return True if assume(predicate.negated, a, b) is None else None


def assume(predicate: Predicate, a: Range, b: Range) -> tuple[Range, Range] | None:
    """The operands as far as `a predicate b` can hold; None if it cannot."""
    match predicate:
        case Predicate.EQ:
            both = meet(a, b)
            return None if both is None else (both, both)
        case Predicate.NE:
            return _unequal(a, b)
        case Predicate.ULT | Predicate.ULE:
            return _ordered(a, b, False, int(predicate is Predicate.ULT))
        case Predicate.SLT | Predicate.SLE:
            return _ordered(a, b, True, int(predicate is Predicate.SLT))
        case Predicate.UGT | Predicate.UGE:
            return _swapped(_ordered(b, a, False, int(predicate is Predicate.UGT)))
        case Predicate.SGT | Predicate.SGE:
            return _swapped(_ordered(b, a, True, int(predicate is Predicate.SGT)))


def _swapped(pair: tuple[Range, Range] | None) -> tuple[Range, Range] | None:
    return None if pair is None else (pair[1], pair[0])


def _ordered(a: Range, b: Range, in_signed: bool, gap: int) -> tuple[Range, Range] | None:
    """`a + gap <= b` in one of the views."""
    x, y = (a.signed, b.signed) if in_signed else (a.unsigned, b.unsigned)
    x, y = (x[0], min(x[1], y[1] - gap)), (max(y[0], x[0] + gap), y[1])
    if in_signed:
        left, right = reduced(a.width, a.unsigned, x), reduced(b.width, b.unsigned, y)
    else:
        left, right = reduced(a.width, x, a.signed), reduced(b.width, y, b.signed)
    return None if left is None or right is None else (left, right)


def _unequal(a: Range, b: Range) -> tuple[Range, Range] | None:
    left = a if b.value is None else _without(a, b.value)
    right = b if a.value is None else _without(b, a.value)
    return None if left is None or right is None else (left, right)


def _without(a: Range, value: int) -> Range | None:
    natural = _trimmed(a.unsigned, value)
    return reduced(a.width, natural, _trimmed(a.signed, signed(a.width, value)))


def _trimmed(bounds: Bounds, value: int) -> Bounds:
    low, high = bounds
    return low + (low == value), high - (high == value)


def moved(a: Range, by: int) -> Range:
    """`a + by` modulo the width."""
    return binary(BinaryOp.ADD, a, exactly(a.width, unsigned(a.width, by)))
