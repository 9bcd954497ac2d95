"""The algebra of bit-vectors: every operation means exactly what SMT-LIB's theory says."""

from __future__ import annotations

from seahorn_py.encode.truths import Truths
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


class Bitvectors(Truths):
    """`Algebra[Term, Term]`: machine integers are bit-vectors, i1 registers Booleans."""

    def to_bool(self, a: Term) -> Term:
        """The truth value of an i1."""
        return a

    def of_bool(self, a: Term) -> Term:
        """The i1 of a truth value."""
        return a

    def ite(self, width: int, condition: Term, a: Term, b: Term) -> Term:
        """`a` if the condition holds, else `b`."""
        return terms.ite(condition, a, b)

    def odd(self, width: int, a: Term) -> Term:
        """The lowest bit is set."""
        return terms.eq(terms.bv_extract(a, 0, 0), terms.bv_const(1, 1))

    def const(self, width: int, value: int) -> Term:
        """A constant."""
        return terms.bv_const(value, width)

    def add(self, width: int, a: Term, b: Term) -> Term:
        """Sum."""
        return terms.bv("bvadd", a, b)

    def sub(self, width: int, a: Term, b: Term) -> Term:
        """Difference."""
        return terms.bv("bvsub", a, b)

    def mul(self, width: int, a: Term, b: Term) -> Term:
        """Product."""
        return terms.bv("bvmul", a, b)

    def udiv(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned quotient."""
        return terms.bv("bvudiv", a, b)

    def urem(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned remainder."""
        return terms.bv("bvurem", a, b)

    def sdiv(self, width: int, a: Term, b: Term) -> Term:
        """Signed quotient, towards 0."""
        return terms.bv("bvsdiv", a, b)

    def srem(self, width: int, a: Term, b: Term) -> Term:
        """Signed remainder with the sign of `a`."""
        return terms.bv("bvsrem", a, b)

    def shl(self, width: int, a: Term, b: Term) -> Term:
        """`a * 2**b`."""
        return terms.bv("bvshl", a, b)

    def lshr(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned `a / 2**b`, rounded down."""
        return terms.bv("bvlshr", a, b)

    def ashr(self, width: int, a: Term, b: Term) -> Term:
        """Signed `a / 2**b`, rounded down."""
        return terms.bv("bvashr", a, b)

    def and_(self, width: int, a: Term, b: Term) -> Term:
        """Bitwise and."""
        return terms.bv("bvand", a, b)

    def or_(self, width: int, a: Term, b: Term) -> Term:
        """Bitwise or."""
        return terms.bv("bvor", a, b)

    def xor(self, width: int, a: Term, b: Term) -> Term:
        """Bitwise exclusive or."""
        return terms.bv("bvxor", a, b)

    def eq(self, width: int, a: Term, b: Term) -> Term:
        """Equal."""
        return terms.eq(a, b)

    def ult(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned less than."""
        if a.is_bv_constant() and b.is_bv_constant():
            return terms.bool_const(a.constant_value() < b.constant_value())
        return terms.bv("bvult", a, b)

    def ule(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned less than or equal."""
        return terms.bv("bvule", a, b)

    def slt(self, width: int, a: Term, b: Term) -> Term:
        """Signed less than."""
        return terms.bv("bvslt", a, b)

    def sle(self, width: int, a: Term, b: Term) -> Term:
        """Signed less than or equal."""
        return terms.bv("bvsle", a, b)

    def zext(self, width: int, to: int, a: Term) -> Term:
        """The same unsigned value in a larger width."""
        return terms.bv_zext(a, to - width)

    def sext(self, width: int, to: int, a: Term) -> Term:
        """The same signed value in a larger width."""
        return terms.bv_sext(a, to - width)

    def trunc(self, width: int, to: int, a: Term) -> Term:
        """The low `to` bits."""
        return terms.bv_extract(a, 0, to - 1)
