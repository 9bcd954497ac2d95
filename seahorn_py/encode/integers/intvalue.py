"""Machine integers as unbounded ones: an exact integer term known modulo 2**width, with bounds."""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True, slots=True)
class IntValue:
    """`term` is congruent to the machine integer modulo 2**width.

    `low <= term <= high` holds wherever the term has a meaning, and `term` is a multiple of
    2**zeros.  An i1 is a Boolean term; its other fields say nothing.
    """

    term: Term
    low: int
    high: int
    zeros: int = 0

    @property
    def constant(self) -> int | None:
        """The value, when there is only one."""
        return self.low if self.low == self.high else None

    @property
    def ones_below(self) -> int:
        """For a value that is not negative: all its set bits are below this position."""
        return self.high.bit_length()


def literal(value: int) -> IntValue:
    """A constant."""
    zeros = (value & -value).bit_length() - 1 if value else 1 << 10
    return IntValue(terms.int_const(value), value, value, zeros)


def known(term: Term, low: int, high: int, zeros: int = 0) -> IntValue:
    """A term with bounds; a literal when they leave one value."""
    return literal(low) if low == high else IntValue(term, low, high, zeros)


def signed_range(width: int) -> tuple[int, int]:
    """Bounds of the two's complement numbers."""
    return -(1 << width - 1), (1 << width - 1) - 1


def unsigned_range(width: int) -> tuple[int, int]:
    """Bounds of the natural numbers."""
    return 0, (1 << width) - 1


def representation(width: int, signed: bool) -> tuple[int, int]:
    """Bounds of the integers that represent a machine integer."""
    return signed_range(width) if signed else unsigned_range(width)


def within(value: IntValue, bounds: tuple[int, int]) -> bool:
    """The term needs no correction to lie within the bounds."""
    return bounds[0] <= value.low and value.high <= bounds[1]


def outside(value: IntValue, bounds: tuple[int, int]) -> Term:
    """The term does not lie within the bounds."""
    low, high = bounds
    below = terms.lt(value.term, terms.int_const(low)) if value.low < low else terms.FALSE
    above = terms.lt(terms.int_const(high), value.term) if value.high > high else terms.FALSE
    return terms.or_([below, above])


def bring(value: IntValue, bounds: tuple[int, int]) -> IntValue:
    """The one congruent integer within `bounds`, whose size is the modulus 2**width."""
    if within(value, bounds):
        return value
    low, high = bounds
    size = high - low + 1
    if (value.low - low) // size == (value.high - low) // size:
        shift = (value.low - low) // size * size
        moved = terms.minus(value.term, terms.int_const(shift))
        return known(moved, value.low - shift, value.high - shift, value.zeros)
    if value.low >= low - size and value.high <= high + size:
        return IntValue(_corrected(value, low, high, size), low, high, value.zeros)
    offset = terms.int_const(low)
    rest = terms.mod(terms.minus(value.term, offset), terms.int_const(size))
    return IntValue(terms.plus(rest, offset), low, high, value.zeros)


def _corrected(value: IntValue, low: int, high: int, size: int) -> Term:
    """Add or subtract the modulus once, where the bounds say that this suffices."""
    term = value.term
    if value.high > high:
        term = terms.ite(
            terms.lt(terms.int_const(high), value.term),
            terms.minus(value.term, terms.int_const(size)),
            term,
        )
    if value.low < low:
        below = terms.lt(value.term, terms.int_const(low))
        term = terms.ite(below, terms.plus(value.term, terms.int_const(size)), term)
    return term


def narrowed(value: IntValue, bounds: tuple[int, int] | None) -> IntValue:
    """The value with further bounds, unless they contradict those it has."""
    if bounds is None:
        return value
    low, high = max(value.low, bounds[0]), min(value.high, bounds[1])
    return IntValue(value.term, low, high, value.zeros) if low <= high else value


def as_signed(width: int, value: IntValue) -> IntValue:
    """The two's complement number."""
    return bring(value, signed_range(width))


def as_unsigned(width: int, value: IntValue) -> IntValue:
    """The natural number."""
    return bring(value, unsigned_range(width))


def floor(value: IntValue, divisor: int) -> IntValue:
    """The quotient by a positive constant, rounded down."""
    if divisor == 1:
        return value
    quotient = terms.div(value.term, terms.int_const(divisor))
    bits = divisor.bit_length() - 1 if divisor & (divisor - 1) == 0 else value.zeros
    return known(quotient, value.low // divisor, value.high // divisor, max(0, value.zeros - bits))


def modulo(value: IntValue, divisor: int) -> IntValue:
    """The remainder of the quotient rounded down, by a positive constant."""
    if value.low >= 0 and value.high < divisor:
        return value
    rest = terms.mod(value.term, terms.int_const(divisor))
    twos = (divisor & -divisor).bit_length() - 1
    if value.zeros >= twos and divisor == 1 << twos:
        return literal(0)
    return IntValue(rest, 0, divisor - 1, min(value.zeros, twos))
