"""Words that know their width, over the abstract algebra of machine integers.

The circuits of floats cut, pad and shift words of many widths; here the width goes with the value.
Words have at least 2 bits; single bits are truth values.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.ir.algebra import Algebra

V = TypeVar("V")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Word(Generic[V]):
    """A machine integer of `width` bits."""

    width: int
    value: V


class Words(Generic[V, B]):
    """Operations on words; operands of one operation have one width."""

    def __init__(self, algebra: Algebra[V, B]) -> None:
        self.algebra = algebra

    # ------------------------------------------------------------------------------ truth values

    def all(self, first: B, *rest: B) -> B:
        """Conjunction."""
        for other in rest:
            first = self.algebra.both(first, other)
        return first

    def any(self, first: B, *rest: B) -> B:
        """Disjunction."""
        for other in rest:
            first = self.algebra.either(first, other)
        return first

    def not_(self, a: B) -> B:
        """Negation."""
        return self.algebra.not_(a)

    def differ(self, a: B, b: B) -> B:
        """Exclusive or."""
        return self.algebra.not_(self.algebra.iff(a, b))

    def truth(self, value: bool) -> B:
        """A constant."""
        return self.algebra.truth(value)

    # --------------------------------------------------------------------- constants and choices

    def const(self, width: int, value: int) -> Word[V]:
        """`value` modulo 2**width."""
        return Word(width, self.algebra.const(width, value % (1 << width)))

    def choose(self, condition: B, a: Word[V], b: Word[V]) -> Word[V]:
        """`a` if the condition holds, else `b`."""
        return Word(a.width, self.algebra.ite(a.width, condition, a.value, b.value))

    def where(self, condition: B, width: int, value: int) -> Word[V]:
        """`value` if the condition holds, else 0."""
        return self.choose(condition, self.const(width, value), self.const(width, 0))

    # ------------------------------------------------------------------------------------ widths

    def extend(self, a: Word[V], width: int) -> Word[V]:
        """Zeros on the left."""
        return a if width == a.width else Word(width, self.algebra.zext(a.width, width, a.value))

    def extend_signed(self, a: Word[V], width: int) -> Word[V]:
        """Copies of the sign on the left."""
        return a if width == a.width else Word(width, self.algebra.sext(a.width, width, a.value))

    def low(self, a: Word[V], width: int) -> Word[V]:
        """The bits on the right."""
        return a if width == a.width else Word(width, self.algebra.trunc(a.width, width, a.value))

    def high(self, a: Word[V], width: int) -> Word[V]:
        """The bits on the left."""
        return self.low(self.right(a, a.width - width), width)

    def pad(self, a: Word[V], by: int) -> Word[V]:
        """Zeros on the right."""
        return self.left(self.extend(a, a.width + by), by)

    def join(self, a: Word[V], b: Word[V]) -> Word[V]:
        """`a` on the left of `b`."""
        return self.or_(self.pad(a, b.width), self.extend(b, a.width + b.width))

    def bit(self, a: Word[V], index: int) -> B:
        """The bit of weight `2**index`."""
        return self.algebra.odd(a.width, self.right(a, index).value)

    def top(self, a: Word[V]) -> B:
        """The leftmost bit."""
        return self.bit(a, a.width - 1)

    # -------------------------------------------------------------------------------- operations

    def left(self, a: Word[V], by: int) -> Word[V]:
        """Shift by a constant."""
        return self.shift_left(a, self.const(a.width, by)) if by else a

    def right(self, a: Word[V], by: int) -> Word[V]:
        """Shift by a constant, unsigned."""
        return self.shift_right(a, self.const(a.width, by)) if by else a

    def shift_left(self, a: Word[V], amount: Word[V]) -> Word[V]:
        """`a * 2**amount`; anything when the amount is the width or more."""
        return Word(a.width, self.algebra.shl(a.width, a.value, self.fitted(amount, a.width)))

    def shift_right(self, a: Word[V], amount: Word[V]) -> Word[V]:
        """Unsigned `a / 2**amount`; anything when the amount is the width or more."""
        return Word(a.width, self.algebra.lshr(a.width, a.value, self.fitted(amount, a.width)))

    def fitted(self, amount: Word[V], width: int) -> V:
        """An amount below `2**width` as a word of that width."""
        cut = self.low(amount, width) if amount.width > width else self.extend(amount, width)
        return cut.value

    def shift_right_sticky(self, a: Word[V], amount: Word[V]) -> Word[V]:
        """As `shift_right`; the last bit is also set if a bit that was shifted out was."""
        moved = self.shift_right(a, amount)
        lost = self.not_(self.eq(self.shift_left(moved, amount), a))
        return self.or_(moved, self.where(lost, a.width, 1))

    def smaller(self, a: Word[V], limit: int) -> Word[V]:
        """The lesser of an unsigned word and a constant."""
        if limit >= 1 << a.width:
            return a
        bound = self.const(a.width, limit)
        return self.choose(self.ult(a, bound), a, bound)

    def add(self, a: Word[V], b: Word[V]) -> Word[V]:
        """Sum."""
        return Word(a.width, self.algebra.add(a.width, a.value, b.value))

    def plus(self, a: Word[V], number: int) -> Word[V]:
        """Sum with a constant."""
        return self.add(a, self.const(a.width, number)) if number else a

    def sub(self, a: Word[V], b: Word[V]) -> Word[V]:
        """Difference."""
        return Word(a.width, self.algebra.sub(a.width, a.value, b.value))

    def negated_if(self, condition: B, a: Word[V]) -> Word[V]:
        """`-a` if the condition holds, else `a`."""
        return self.choose(condition, self.sub(self.const(a.width, 0), a), a)

    def mul(self, a: Word[V], b: Word[V]) -> Word[V]:
        """Product."""
        return Word(a.width, self.algebra.mul(a.width, a.value, b.value))

    def divide(self, a: Word[V], b: Word[V]) -> tuple[Word[V], Word[V]]:
        """Unsigned quotient and remainder; anything when `b` is 0."""
        width = a.width
        quotient = Word(width, self.algebra.udiv(width, a.value, b.value))
        return quotient, Word(width, self.algebra.urem(width, a.value, b.value))

    def and_(self, a: Word[V], b: Word[V]) -> Word[V]:
        """Bitwise and."""
        return Word(a.width, self.algebra.and_(a.width, a.value, b.value))

    def or_(self, a: Word[V], b: Word[V]) -> Word[V]:
        """Bitwise or."""
        return Word(a.width, self.algebra.or_(a.width, a.value, b.value))

    def xor(self, a: Word[V], b: Word[V]) -> Word[V]:
        """Bitwise exclusive or."""
        return Word(a.width, self.algebra.xor(a.width, a.value, b.value))

    # ------------------------------------------------------------------------------- comparisons

    def eq(self, a: Word[V], b: Word[V]) -> B:
        """Equal."""
        return self.algebra.eq(a.width, a.value, b.value)

    def equals(self, a: Word[V], number: int) -> B:
        """Equal to a constant."""
        return self.eq(a, self.const(a.width, number))

    def ult(self, a: Word[V], b: Word[V]) -> B:
        """Unsigned less than."""
        return self.algebra.ult(a.width, a.value, b.value)

    def slt(self, a: Word[V], b: Word[V]) -> B:
        """Signed less than."""
        return self.algebra.slt(a.width, a.value, b.value)

    def below(self, a: Word[V], number: int) -> B:
        """Unsigned less than a constant."""
        return self.ult(a, self.const(a.width, number))
