"""The algebra of unbounded integers: machine arithmetic as linear arithmetic with `div` and `mod`.

A value is an integer congruent to the machine integer, with bounds (`intvalue`); operations that
need the signed or the unsigned number correct it by the modulus where the bounds do not make that
superfluous.  Every operation is exact, save bitwise operations on unknown bits, which are a fresh
value with the bounds known of it, recorded as an over-approximation (`bitwise`).
"""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.encode.integers import bitwise
from seahorn_py.encode.integers.intvalue import (
    IntValue,
    as_signed,
    as_unsigned,
    floor,
    known,
    literal,
    modulo,
    signed_range,
    unsigned_range,
    within,
)
from seahorn_py.encode.open_rule import OpenRule
from seahorn_py.encode.truths import Truths
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


class Integers(Truths):
    """`Algebra[IntValue, Term]`; facts about fresh values go to the rule."""

    def __init__(self, rule: OpenRule) -> None:
        self.rule = rule

    def to_bool(self, a: IntValue) -> Term:
        """The truth value of an i1."""
        return a.term

    def of_bool(self, a: Term) -> IntValue:
        """The i1 of a truth value."""
        return IntValue(a, 0, 1)

    def ite(self, width: int, condition: Term, a: IntValue, b: IntValue) -> IntValue:
        """`a` if the condition holds, else `b`."""
        if condition is terms.TRUE or condition is terms.FALSE:
            return a if condition is terms.TRUE else b
        if width == 1:
            return self.of_bool(terms.ite(condition, a.term, b.term))
        chosen = terms.ite(condition, a.term, b.term)
        return known(chosen, min(a.low, b.low), max(a.high, b.high), min(a.zeros, b.zeros))

    def odd(self, width: int, a: IntValue) -> Term:
        """The lowest bit is set."""
        return terms.eq(modulo(a, 2).term, terms.int_const(1))

    def const(self, width: int, value: int) -> IntValue:
        """A constant."""
        return literal(value)

    def add(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Sum."""
        total = terms.plus(a.term, b.term)
        return known(total, a.low + b.low, a.high + b.high, min(a.zeros, b.zeros))

    def sub(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Difference."""
        rest = terms.minus(a.term, b.term)
        return known(rest, a.low - b.high, a.high - b.low, min(a.zeros, b.zeros))

    def mul(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Product."""
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        product = terms.times(a.term, b.term)
        return known(product, min(corners), max(corners), a.zeros + b.zeros)

    def udiv(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Unsigned quotient."""
        return self._quotient(as_unsigned(width, a), as_unsigned(width, b))

    def urem(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Unsigned remainder."""
        return self._remainder(as_unsigned(width, a), as_unsigned(width, b))

    def sdiv(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Signed quotient, towards 0."""
        return self._quotient(as_signed(width, a), as_signed(width, b))

    def srem(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Signed remainder with the sign of `a`."""
        return self._remainder(as_signed(width, a), as_signed(width, b))

    def _quotient(self, x: IntValue, y: IntValue) -> IntValue:
        """`x / y` rounded towards 0."""
        divisor = y.constant
        if divisor is None:
            return self._divided(x, y)[0]
        if divisor < 0:
            return self.sub(0, literal(0), self._quotient(x, literal(-divisor)))
        if divisor == 0 or divisor == 1:
            return x
        return self._by_sign(x, lambda n: floor(n, divisor))

    def _remainder(self, x: IntValue, y: IntValue) -> IntValue:
        """`x - y * (x / y)`."""
        divisor = y.constant
        if divisor is None:
            return self._divided(x, y)[1]
        size = abs(divisor)
        if size == 0 or (-size < x.low and x.high < size):
            return x
        return self._by_sign(x, lambda n: modulo(n, size))

    def _by_sign(self, x: IntValue, natural: Callable[[IntValue], IntValue]) -> IntValue:
        """Extend an operation on natural numbers by `f(-x) = -f(x)`."""
        if x.low >= 0:
            return natural(x)
        opposite = IntValue(terms.minus(terms.int_const(0), x.term), 0, max(0, -x.low))
        negative = self.sub(0, literal(0), natural(opposite))
        if x.high < 0:
            return negative
        positive = natural(IntValue(x.term, 0, x.high))
        is_natural = terms.le(terms.int_const(0), x.term)
        chosen = terms.ite(is_natural, positive.term, negative.term)
        return IntValue(chosen, negative.low, positive.high)

    def _divided(self, x: IntValue, y: IntValue) -> tuple[IntValue, IntValue]:
        """Quotient q and remainder r by `x = y * q + r`, `|r| < |y|`, r = 0 or of the sign of x.

        Said of fresh symbols, not with `div`: nothing is divided by 0 where the block does not run.
        """
        q, r = (self.rule.fresh(terms.INT) for _ in range(2))
        zero = terms.int_const(0)
        self.rule.assume(terms.eq(x.term, terms.plus(terms.times(y.term, q), r)))
        nonnegative, nonpositive = terms.le(zero, r), terms.le(r, zero)
        if x.low >= 0:
            self.rule.assume(nonnegative)
        else:
            self.rule.assume(terms.implies(terms.le(zero, x.term), nonnegative))
            self.rule.assume(terms.implies(terms.le(x.term, zero), nonpositive))
        opposite = terms.minus(zero, y.term)
        lower, upper = terms.minus(zero, r), r
        for bound, sign in ((y.term, terms.lt(zero, y.term)), (opposite, terms.lt(y.term, zero))):
            small = terms.and_([terms.lt(lower, bound), terms.lt(upper, bound)])
            self.rule.assume(terms.implies(sign, small))
        most = max(abs(x.low), abs(x.high))
        least = -most if x.low < 0 or y.low < 0 else 0
        self.rule.assume(terms.le(terms.int_const(least), q))
        self.rule.assume(terms.le(q, terms.int_const(most)))
        return IntValue(q, least, most), IntValue(r, -most if x.low < 0 else 0, most)

    def shl(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """`a * 2**b`."""

        def by(amount: int) -> IntValue:
            shifted = self.mul(width, a, literal(1 << amount))
            return shifted if shifted.constant is None else as_unsigned(width, shifted)

        return self._each_amount(width, b, by)

    def lshr(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Unsigned `a / 2**b`, rounded down."""
        x = as_unsigned(width, a)
        return self._each_amount(width, b, lambda amount: floor(x, 1 << amount))

    def ashr(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Signed `a / 2**b`, rounded down."""
        x = as_signed(width, a)
        return self._each_amount(width, b, lambda amount: floor(x, 1 << amount))

    def _each_amount(self, width: int, b: IntValue, by: Callable[[int], IntValue]) -> IntValue:
        """A shift by cases over the amounts below the width."""
        amount = as_unsigned(width, b)
        last = min(amount.high, width - 1)
        first = min(amount.low, last)
        result = by(last)
        for case in range(last - 1, first - 1, -1):
            chosen = terms.eq(amount.term, terms.int_const(case))
            result = self.ite(width, chosen, by(case), result)
        return result

    def and_(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Bitwise and."""
        return bitwise.conjunction(self.rule, width, a, b)

    def or_(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Bitwise or."""
        return bitwise.disjunction(self.rule, width, a, b)

    def xor(self, width: int, a: IntValue, b: IntValue) -> IntValue:
        """Bitwise exclusive or."""
        return bitwise.difference(self.rule, width, a, b)

    def eq(self, width: int, a: IntValue, b: IntValue) -> Term:
        """Equal; one representation for both is enough, and a constant adapts to the other."""
        for bounds in (signed_range(width), unsigned_range(width)):
            if within(a, bounds) and within(b, bounds):
                return equal(a, b)
        if b.constant is not None and within(a, signed_range(width)):
            return equal(a, as_signed(width, b))
        if a.constant is not None and within(b, signed_range(width)):
            return equal(as_signed(width, a), b)
        return equal(as_unsigned(width, a), as_unsigned(width, b))

    def ult(self, width: int, a: IntValue, b: IntValue) -> Term:
        """Unsigned less than; against a small constant a signed number needs no correction."""
        bounds, half = signed_range(width), 1 << width - 1
        if b.constant is not None and 0 <= b.constant <= half and within(a, bounds):
            return terms.and_([terms.not_(less(a, literal(0))), less(a, b)])
        if a.constant is not None and 0 <= a.constant < half and within(b, bounds):
            return terms.or_([less(b, literal(0)), less(a, b)])
        return less(as_unsigned(width, a), as_unsigned(width, b))

    def ule(self, width: int, a: IntValue, b: IntValue) -> Term:
        """Unsigned less than or equal."""
        return terms.not_(self.ult(width, b, a))

    def slt(self, width: int, a: IntValue, b: IntValue) -> Term:
        """Signed less than."""
        return less(as_signed(width, a), as_signed(width, b))

    def sle(self, width: int, a: IntValue, b: IntValue) -> Term:
        """Signed less than or equal."""
        return terms.not_(less(as_signed(width, b), as_signed(width, a)))

    def zext(self, width: int, to: int, a: IntValue) -> IntValue:
        """The same unsigned value in a larger width."""
        return as_unsigned(width, a)

    def sext(self, width: int, to: int, a: IntValue) -> IntValue:
        """The same signed value in a larger width."""
        return as_signed(width, a)

    def trunc(self, width: int, to: int, a: IntValue) -> IntValue:
        """The low `to` bits: the same integer, of which less counts."""
        return a


def equal(a: IntValue, b: IntValue) -> Term:
    """Equality of exact integers."""
    if a.high < b.low or b.high < a.low:
        return terms.FALSE
    return terms.eq(a.term, b.term)


def less(a: IntValue, b: IntValue) -> Term:
    """Order of exact integers."""
    if a.high < b.low:
        return terms.TRUE
    return terms.FALSE if a.low >= b.high else terms.lt(a.term, b.term)
