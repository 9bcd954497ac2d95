"""Machine integers as an abstract algebra, and its concrete instance.

`Algebra` lists the primitives from which `ir.semantics` builds every operation:

    V  a machine integer of a width that is known from outside, B  a truth value.

An i1 is a truth value that sits in a register: `of_bool` and `to_bool` convert.  An algebra whose
i1 registers hold its Booleans makes both the identity; one whose i1 registers hold 0 and 1 uses
`x != 0`.  The table asks for `of_bool`, `to_bool` and `ite` at width 1 and for nothing else there:
every other primitive on V is called with widths of at least 2 (for `zext`, `sext`, `trunc` both
widths, and strictly growing or shrinking).  `odd` is the truncation to i1.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

V = TypeVar("V")
B = TypeVar("B")


class Algebra(Protocol[V, B]):
    """Primitive operations on machine integers; all widths in bits, results modulo 2**width."""

    def truth(self, value: bool) -> B:
        """A constant truth value."""

    def not_(self, a: B) -> B:
        """Negation."""

    def both(self, a: B, b: B) -> B:
        """Conjunction."""

    def either(self, a: B, b: B) -> B:
        """Disjunction."""

    def iff(self, a: B, b: B) -> B:
        """Equality of truth values."""

    def to_bool(self, a: V) -> B:
        """The truth value of an i1."""

    def of_bool(self, a: B) -> V:
        """The i1 of a truth value."""

    def ite(self, width: int, condition: B, a: V, b: V) -> V:
        """`a` if the condition holds, else `b`; also at width 1."""

    def odd(self, width: int, a: V) -> B:
        """The lowest bit is set."""

    def const(self, width: int, value: int) -> V:
        """A constant, `0 <= value < 2**width`."""

    def add(self, width: int, a: V, b: V) -> V:
        """Sum."""

    def sub(self, width: int, a: V, b: V) -> V:
        """Difference."""

    def mul(self, width: int, a: V, b: V) -> V:
        """Product."""

    def udiv(self, width: int, a: V, b: V) -> V:
        """Unsigned quotient; anything when `b` is 0."""

    def urem(self, width: int, a: V, b: V) -> V:
        """Unsigned remainder; anything when `b` is 0."""

    def sdiv(self, width: int, a: V, b: V) -> V:
        """Signed quotient, towards 0; anything when `b` is 0 or the quotient does not fit."""

    def srem(self, width: int, a: V, b: V) -> V:
        """Signed remainder with the sign of `a`; anything when `sdiv` may give anything."""

    def shl(self, width: int, a: V, b: V) -> V:
        """`a * 2**b`; anything when `b >= width`."""

    def lshr(self, width: int, a: V, b: V) -> V:
        """`a / 2**b`, unsigned, rounded down; anything when `b >= width`."""

    def ashr(self, width: int, a: V, b: V) -> V:
        """`a / 2**b`, signed, rounded down; anything when `b >= width`."""

    def and_(self, width: int, a: V, b: V) -> V:
        """Bitwise and."""

    def or_(self, width: int, a: V, b: V) -> V:
        """Bitwise or."""

    def xor(self, width: int, a: V, b: V) -> V:
        """Bitwise exclusive or."""

    def eq(self, width: int, a: V, b: V) -> B:
        """Equal."""

    def ult(self, width: int, a: V, b: V) -> B:
        """Unsigned less than."""

    def ule(self, width: int, a: V, b: V) -> B:
        """Unsigned less than or equal."""

    def slt(self, width: int, a: V, b: V) -> B:
        """Signed less than."""

    def sle(self, width: int, a: V, b: V) -> B:
        """Signed less than or equal."""

    def zext(self, width: int, to: int, a: V) -> V:
        """The same unsigned value in the larger width `to`."""

    def sext(self, width: int, to: int, a: V) -> V:
        """The same signed value in the larger width `to`."""

    def trunc(self, width: int, to: int, a: V) -> V:
        """The low `to` bits, `2 <= to < width`."""


def signed(width: int, a: int) -> int:
    """The two's complement value of a canonical (unsigned) machine integer."""
    return a - (1 << width) if a >> (width - 1) else a


def unsigned(width: int, a: int) -> int:
    """The canonical machine integer that is congruent to `a`."""
    return a & ((1 << width) - 1)


class Concrete:
    """`Algebra[int, bool]`: canonical machine integers, `0 <= a < 2**width`.

    Where a primitive may give anything, this one gives what SMT-LIB's bit-vectors do (a quotient
    by 0 is all ones or, signed and negative, 1; a remainder by 0 is the dividend; a long shift
    leaves no bit of the operand but its sign).
    """

    def truth(self, value: bool) -> bool:
        """A constant truth value."""
        return value

    def not_(self, a: bool) -> bool:
        """Negation."""
        return not a

    def both(self, a: bool, b: bool) -> bool:
        """Conjunction."""
        return a and b

    def either(self, a: bool, b: bool) -> bool:
        """Disjunction."""
        return a or b

    def iff(self, a: bool, b: bool) -> bool:
        """Equality of truth values."""
        return a == b

    def to_bool(self, a: int) -> bool:
        """The truth value of an i1."""
        return a != 0

    def of_bool(self, a: bool) -> int:
        """The i1 of a truth value."""
        return int(a)

    def ite(self, width: int, condition: bool, a: int, b: int) -> int:
        """`a` if the condition holds, else `b`."""
        return a if condition else b

    def odd(self, width: int, a: int) -> bool:
        """The lowest bit is set."""
        return a & 1 == 1

    def const(self, width: int, value: int) -> int:
        """A constant."""
        return value

    def add(self, width: int, a: int, b: int) -> int:
        """Sum."""
        return unsigned(width, a + b)

    def sub(self, width: int, a: int, b: int) -> int:
        """Difference."""
        return unsigned(width, a - b)

    def mul(self, width: int, a: int, b: int) -> int:
        """Product."""
        return unsigned(width, a * b)

    def udiv(self, width: int, a: int, b: int) -> int:
        """Unsigned quotient."""
        return a // b if b else unsigned(width, -1)

    def urem(self, width: int, a: int, b: int) -> int:
        """Unsigned remainder."""
        return a % b if b else a

    def sdiv(self, width: int, a: int, b: int) -> int:
        """Signed quotient, towards 0."""
        x, y = signed(width, a), signed(width, b)
        if y == 0:
            return unsigned(width, 1 if x < 0 else -1)
        quotient = abs(x) // abs(y)
        return unsigned(width, quotient if (x < 0) == (y < 0) else -quotient)

    def srem(self, width: int, a: int, b: int) -> int:
        """Signed remainder with the sign of `a`."""
        x, y = signed(width, a), signed(width, b)
        if y == 0:
            return a
        remainder = abs(x) % abs(y)
        return unsigned(width, -remainder if x < 0 else remainder)

    def shl(self, width: int, a: int, b: int) -> int:
        """`a * 2**b`."""
        return unsigned(width, a << b) if b < width else 0

    def lshr(self, width: int, a: int, b: int) -> int:
        """Unsigned `a / 2**b`, rounded down."""
        return a >> b

    def ashr(self, width: int, a: int, b: int) -> int:
        """Signed `a / 2**b`, rounded down."""
        return unsigned(width, signed(width, a) >> b)

    def and_(self, width: int, a: int, b: int) -> int:
        """Bitwise and."""
        return a & b

    def or_(self, width: int, a: int, b: int) -> int:
        """Bitwise or."""
        return a | b

    def xor(self, width: int, a: int, b: int) -> int:
        """Bitwise exclusive or."""
        return a ^ b

    def eq(self, width: int, a: int, b: int) -> bool:
        """Equal."""
        return a == b

    def ult(self, width: int, a: int, b: int) -> bool:
        """Unsigned less than."""
        return a < b

    def ule(self, width: int, a: int, b: int) -> bool:
        """Unsigned less than or equal."""
        return a <= b

    def slt(self, width: int, a: int, b: int) -> bool:
        """Signed less than."""
        return signed(width, a) < signed(width, b)

    def sle(self, width: int, a: int, b: int) -> bool:
        """Signed less than or equal."""
        return signed(width, a) <= signed(width, b)

    def zext(self, width: int, to: int, a: int) -> int:
        """The same unsigned value in a larger width."""
        return a

    def sext(self, width: int, to: int, a: int) -> int:
        """The same signed value in a larger width."""
        return unsigned(to, signed(width, a))

    def trunc(self, width: int, to: int, a: int) -> int:
        """The low `to` bits."""
        return unsigned(to, a)
