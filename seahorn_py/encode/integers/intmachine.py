"""Registers as unbounded integers in the range of a signed or an unsigned representation.

An address is an integer without bounds, the exact result of pointer arithmetic: it is congruent to
the machine's address, and equal to it unless the arithmetic leaves the address space.  No object
lies outside of the address space, so what such a pointer leads to, and how it compares, does not
matter to a run whose accesses are valid.
"""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.encode.integers.integers import Integers, equal, less
from seahorn_py.encode.integers.intvalue import (
    IntValue,
    as_signed,
    as_unsigned,
    bring,
    known,
    narrowed,
    outside,
    representation,
    within,
)
from seahorn_py.encode.machine import FunctionRule, Mode, Scaled, Shape
from seahorn_py.encode.open_rule import OpenRule
from seahorn_py.ir import semantics
from seahorn_py.ir.program import Binary, BinaryOp
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import linear, number_form
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.passes.ranges.intervals import Bounds

_ANYWHERE = (-(1 << 256), 1 << 256)
"""Stands for no bounds: nothing that is compared with an address is as large."""


class IntMachine:
    """`Machine[IntValue]`."""

    def algebra(self, rule: OpenRule) -> Integers:
        """The operations."""
        return Integers(rule)

    def floats(self) -> None:
        """None: a float is any value."""

    def sort(self, width: int) -> Sort:
        """An integer, or a Boolean."""
        return terms.BOOL if width == 1 else terms.INT

    def value(self, symbol: Term, shape: Shape) -> IntValue:
        """The symbol within its bounds."""
        if shape.width == 1:
            return IntValue(symbol, 0, 1)
        return known(symbol, *(_ANYWHERE if shape.pointer else shape.bounds))

    def term(self, value: IntValue, shape: Shape) -> Term:
        """The integer that represents the value."""
        return self.keep(value, shape).term

    def domain(self, symbol: Term, shape: Shape) -> Term:
        """The bounds."""
        if shape.width == 1 or shape.pointer:
            return terms.TRUE
        return _lies(symbol, shape.bounds)

    def given(self, symbol: Term, shape: Shape) -> Term:
        """Nothing more than the domain."""
        return terms.TRUE

    def keep(self, value: IntValue, shape: Shape) -> IntValue:
        """The value in the representation of the shape."""
        if shape.width == 1 or shape.pointer:
            return value
        return bring(value, representation(shape.width, shape.signed))

    def named(self, symbol: Term, value: IntValue) -> IntValue:
        """The symbol with the bounds of the value."""
        return IntValue(symbol, value.low, value.high, value.zeros)

    def plain(self, value: IntValue) -> Term:
        """The term of a value, whatever its representation."""
        return value.term

    def arithmetic(
        self, rule: FunctionRule, statement: Binary, shape: Shape, a: IntValue, b: IntValue
    ) -> IntValue:
        """Exact arithmetic, and what happens when its result does not fit.

        Where the bounds say that the result fits, or by which multiple of the modulus it misses,
        nothing happens.  After an obligation the result is taken to lie within its bounds: the
        first operation of a run for which that is wrong violates its obligation.
        """
        bounds = representation(shape.width, shape.signed)
        exact = exactly(rule, statement, shape, a, b)
        if not _settled(exact, bounds):
            a = narrowed(a, rule.bounds(statement.left))
            b = narrowed(b, rule.bounds(statement.right))
            exact = exactly(rule, statement, shape, a, b)
        if _settled(exact, bounds) or rule.mode(statement) is Mode.SPLIT:
            return bring(exact, bounds)
        rule.violation(statement, outside(exact, bounds))
        low, high = max(exact.low, bounds[0]), min(exact.high, bounds[1])
        return IntValue(exact.term, low, high, exact.zeros)

    def natural(self, width: int, value: IntValue) -> Term:
        """The unsigned number."""
        return as_unsigned(width, value).term

    def moved(
        self, width: int, address: IntValue, constant: int, parts: Sequence[Scaled[IntValue]]
    ) -> IntValue:
        """The exact sum, as a linear form: sums that differ in a constant only look so."""
        form = linear(address.term).plus(number_form(constant))
        low, high = address.low + constant, address.high + constant
        for part in parts:
            number = as_signed(min(part.width, width), narrowed(part.value, part.bounds))
            ends = sorted((number.low * part.factor, number.high * part.factor))
            form = form.plus(linear(number.term), part.factor)
            low, high = low + ends[0], high + ends[1]
        return known(form.term(), low, high)

    def same_address(self, a: IntValue, b: IntValue) -> Term:
        """Equality of integers."""
        return equal(a, b)

    def lower_address(self, a: IntValue, b: IntValue) -> Term:
        """Order of integers."""
        return less(a, b)

    def number_of(
        self, rule: FunctionRule, width: int, address: IntValue, signed: bool
    ) -> IntValue:
        """The machine's address; the multiple of the modulus is 0 within the address space."""
        bounds = representation(width, signed)
        if within(address, representation(width, True)) or within(address, bounds):
            return address
        number, multiple = rule.fresh(terms.INT), rule.fresh(terms.INT)
        inside = _lies(address.term, bounds)
        rule.assume(_lies(number, bounds))
        rule.assume(terms.implies(inside, terms.eq(number, address.term)))
        beyond = terms.times(terms.int_const(1 << width), multiple)
        rule.assume(terms.eq(address.term, terms.plus(number, beyond)))
        return IntValue(number, *bounds)

    def address_of(self, width: int, number: IntValue) -> IntValue:
        """The natural number."""
        return as_unsigned(width, number)


def _settled(exact: IntValue, bounds: Bounds) -> bool:
    """One multiple of the modulus brings all of the result's possible values into the bounds."""
    size = bounds[1] - bounds[0] + 1
    return (exact.low - bounds[0]) // size == (exact.high - bounds[0]) // size


def exactly(
    rule: FunctionRule, statement: Binary, shape: Shape, a: IntValue, b: IntValue
) -> IntValue:
    """The result over the integers, whatever the representation of the shape holds."""
    left, right = _operands(statement.op, shape, a, b)
    return semantics.binary(Integers(rule), statement.op, shape.width, left, right)


def _operands(op: BinaryOp, shape: Shape, a: IntValue, b: IntValue) -> tuple[IntValue, IntValue]:
    """The operands in the representation of the result.

    A large unsigned constant that is added, subtracted or multiplied by stands for its negative:
    `x + 0xffffffff` is `x - 1`.
    """
    bounds = representation(shape.width, shape.signed)
    left, right = bring(a, bounds), bring(b, bounds)
    if op is BinaryOp.SHL:
        return left, b
    if right.constant is not None:
        right = as_signed(shape.width, right)
    if left.constant is not None and op is not BinaryOp.SUB:
        left = as_signed(shape.width, left)
    return left, right


def _lies(term: Term, bounds: Bounds) -> Term:
    low, high = (terms.int_const(bound) for bound in bounds)
    return terms.and_([terms.le(low, term), terms.le(term, high)])
