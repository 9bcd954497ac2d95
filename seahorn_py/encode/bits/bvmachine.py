"""Registers as bit-vectors."""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.encode.bits.bitvectors import Bitvectors
from seahorn_py.encode.bits.foldedbits import FoldingBitvectors
from seahorn_py.encode.machine import FunctionRule, Mode, Scaled, Shape
from seahorn_py.encode.open_rule import OpenRule
from seahorn_py.ir import semantics
from seahorn_py.ir.program import Binary, BinaryOp, CastOp
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term


class BvMachine:
    """`Machine[Term]`: wrapping is exact, and noticed only when it is assumed away or checked."""

    def algebra(self, rule: OpenRule) -> Bitvectors:
        """The operations."""
        return Bitvectors()

    def floats(self) -> Bitvectors:
        """The operations, for circuits."""
        return FoldingBitvectors()

    def sort(self, width: int) -> Sort:
        """A bit-vector, or a Boolean."""
        return terms.BOOL if width == 1 else terms.bv_sort(width)

    def value(self, symbol: Term, shape: Shape) -> Term:
        """The symbol."""
        return symbol

    def term(self, value: Term, shape: Shape) -> Term:
        """The value."""
        return value

    def domain(self, symbol: Term, shape: Shape) -> Term:
        """Nothing: every bit-vector is a machine integer."""
        return terms.TRUE

    def given(self, symbol: Term, shape: Shape) -> Term:
        """Nothing more."""
        return terms.TRUE

    def keep(self, value: Term, shape: Shape) -> Term:
        """The value."""
        return value

    def named(self, symbol: Term, value: Term) -> Term:
        """The symbol."""
        return symbol

    def plain(self, value: Term) -> Term:
        """The value."""
        return value

    def arithmetic(
        self, rule: FunctionRule, statement: Binary, shape: Shape, a: Term, b: Term
    ) -> Term:
        """Two's complement; signed operations that may not wrap say when they do."""
        algebra = Bitvectors()
        mode = rule.mode(statement)
        if mode is Mode.ASSUMED and statement.op is not BinaryOp.SHL:
            wraps = semantics.wraps(algebra, statement.op, True, shape.width, a, b)
            rule.violation(statement, wraps)
        return semantics.binary(algebra, statement.op, shape.width, a, b)

    def natural(self, width: int, value: Term) -> Term:
        """The bit-vector."""
        return value

    def moved(
        self, width: int, address: Term, constant: int, parts: Sequence[Scaled[Term]]
    ) -> Term:
        """The sum modulo the size of the address space."""
        total = address
        if total.is_constant():
            total = terms.bv_const(terms.number(total) + constant, width)
        elif constant:
            total = terms.bv("bvadd", total, terms.bv_const(constant, width))
        for part in parts:
            extend = CastOp.SEXT if part.width <= width else CastOp.TRUNC
            number = semantics.cast(Bitvectors(), extend, part.width, width, part.value)
            if part.factor != 1:
                number = terms.bv("bvmul", number, terms.bv_const(part.factor, width))
            total = terms.bv("bvadd", total, number)
        return total

    def same_address(self, a: Term, b: Term) -> Term:
        """Equality of bit-vectors."""
        return terms.eq(a, b)

    def lower_address(self, a: Term, b: Term) -> Term:
        """Unsigned order of bit-vectors."""
        return Bitvectors().ult(terms.bv_width(a), a, b)

    def number_of(self, rule: FunctionRule, width: int, address: Term, signed: bool) -> Term:
        """The same bit-vector."""
        return address

    def address_of(self, width: int, number: Term) -> Term:
        """The same bit-vector."""
        return number
