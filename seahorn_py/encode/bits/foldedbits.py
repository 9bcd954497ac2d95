"""The algebra of bit-vectors with constants worked out, for circuits of many small operations."""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.encode.bits.bitvectors import Bitvectors
from seahorn_py.ir.algebra import Concrete
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

_CONCRETE = Concrete()


class FoldingBitvectors(Bitvectors):
    """`Bitvectors` whose terms are constants where all operands are, and shorter where one is."""

    def odd(self, width: int, a: Term) -> Term:
        """The lowest bit is set; of a word shifted by a constant, that bit of the word."""
        if a.is_bv_constant():
            return terms.bool_const(terms.number(a) & 1 == 1)
        word, by = _shifted(a, width)
        return terms.eq(terms.bv_extract(word, by, by), terms.bv_const(1, 1))

    def add(self, width: int, a: Term, b: Term) -> Term:
        """Sum."""
        if _is(a, 0) or _is(b, 0):
            return b if _is(a, 0) else a
        return _folded(width, _CONCRETE.add, super().add, a, b)

    def sub(self, width: int, a: Term, b: Term) -> Term:
        """Difference."""
        return a if _is(b, 0) else _folded(width, _CONCRETE.sub, super().sub, a, b)

    def mul(self, width: int, a: Term, b: Term) -> Term:
        """Product."""
        return _folded(width, _CONCRETE.mul, super().mul, a, b)

    def udiv(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned quotient."""
        return _folded(width, _CONCRETE.udiv, super().udiv, a, b)

    def urem(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned remainder."""
        return _folded(width, _CONCRETE.urem, super().urem, a, b)

    def shl(self, width: int, a: Term, b: Term) -> Term:
        """`a * 2**b`."""
        return a if _is(a, 0) or _is(b, 0) else _folded(width, _CONCRETE.shl, super().shl, a, b)

    def lshr(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned `a / 2**b`, rounded down."""
        return a if _is(a, 0) or _is(b, 0) else _folded(width, _CONCRETE.lshr, super().lshr, a, b)

    def ashr(self, width: int, a: Term, b: Term) -> Term:
        """Signed `a / 2**b`, rounded down."""
        return _folded(width, _CONCRETE.ashr, super().ashr, a, b)

    def and_(self, width: int, a: Term, b: Term) -> Term:
        """Bitwise and."""
        if _is(a, 0) or _is(b, 0):
            return terms.bv_const(0, width)
        return _folded(width, _CONCRETE.and_, super().and_, a, b)

    def or_(self, width: int, a: Term, b: Term) -> Term:
        """Bitwise or."""
        if _is(a, 0) or _is(b, 0):
            return b if _is(a, 0) else a
        return _folded(width, _CONCRETE.or_, super().or_, a, b)

    def xor(self, width: int, a: Term, b: Term) -> Term:
        """Bitwise exclusive or."""
        return _folded(width, _CONCRETE.xor, super().xor, a, b)

    def ult(self, width: int, a: Term, b: Term) -> Term:
        """Unsigned less than."""
        if _is(b, 0) or _is(a, (1 << width) - 1):
            return terms.FALSE
        return super().ult(width, a, b)

    def slt(self, width: int, a: Term, b: Term) -> Term:
        """Signed less than."""
        if a.is_bv_constant() and b.is_bv_constant():
            return terms.bool_const(a.bv_signed_value() < b.bv_signed_value())
        return super().slt(width, a, b)

    def zext(self, width: int, to: int, a: Term) -> Term:
        """The same unsigned value in a larger width."""
        if a.is_bv_constant():
            return terms.bv_const(terms.number(a), to)
        return super().zext(width, to, a)

    def sext(self, width: int, to: int, a: Term) -> Term:
        """The same signed value in a larger width."""
        if a.is_bv_constant():
            return terms.bv_const(a.bv_signed_value(), to)
        return super().sext(width, to, a)

    def trunc(self, width: int, to: int, a: Term) -> Term:
        """The low `to` bits; of a word shifted by a constant, those bits of the word."""
        if a.is_bv_constant():
            return terms.bv_const(terms.number(a), to)
        word, by = _shifted(a, width)
        if by + to <= width:
            return terms.bv_extract(word, by, by + to - 1)
        return super().trunc(width, to, a)


def _is(term: Term, value: int) -> bool:
    return bool(term.is_bv_constant() and term.constant_value() == value)


def _shifted(term: Term, width: int) -> tuple[Term, int]:
    """The word that a term shifts to the right, and by how much; 0 if it does no such thing."""
    if term.is_bv_lshr() and term.arg(1).is_bv_constant():
        by = int(term.arg(1).constant_value())
        if by < width:
            return term.arg(0), by
    return term, 0


def _folded(
    width: int,
    concrete: Callable[[int, int, int], int],
    symbolic: Callable[[int, Term, Term], Term],
    a: Term,
    b: Term,
) -> Term:
    if a.is_bv_constant() and b.is_bv_constant():
        value = concrete(width, int(a.constant_value()), int(b.constant_value()))
        return terms.bv_const(value, width)
    return symbolic(width, a, b)
