"""Registers as unbounded integers in the range of a signed or an unsigned representation."""

from __future__ import annotations

from seahorn_py.encode.context import Context
from seahorn_py.encode.integers import Integers
from seahorn_py.encode.intvalue import (
    IntValue,
    as_signed,
    bring,
    known,
    narrowed,
    outside,
    representation,
)
from seahorn_py.encode.machine import Mode, Place, Shape
from seahorn_py.ir import semantics
from seahorn_py.ir.program import Binary, BinaryOp
from seahorn_py.logic import terms
from seahorn_py.logic.terms import Sort, Term
from seahorn_py.passes.intervals import Bounds


class IntMachine:
    """`Machine[IntValue]`."""

    def algebra(self, context: Context) -> Integers:
        """The operations."""
        return Integers(context)

    def sort(self, width: int) -> Sort:
        """An integer, or a Boolean."""
        return terms.BOOL if width == 1 else terms.INT

    def value(self, symbol: Term, shape: Shape) -> IntValue:
        """The symbol within its bounds."""
        return IntValue(symbol, 0, 1) if shape.width == 1 else known(symbol, *shape.bounds)

    def term(self, value: IntValue, shape: Shape) -> Term:
        """The integer that represents the value."""
        return self.keep(value, shape).term

    def domain(self, symbol: Term, shape: Shape) -> Term:
        """The bounds."""
        if shape.width == 1:
            return terms.TRUE
        low, high = (terms.int_const(bound) for bound in shape.bounds)
        return terms.and_([terms.le(low, symbol), terms.le(symbol, high)])

    def keep(self, value: IntValue, shape: Shape) -> IntValue:
        """The value in the representation of the shape."""
        if shape.width == 1:
            return value
        return bring(value, representation(shape.width, shape.signed))

    def named(self, symbol: Term, value: IntValue) -> IntValue:
        """The symbol with the bounds of the value."""
        return IntValue(symbol, value.low, value.high, value.zeros)

    def plain(self, value: IntValue) -> Term:
        """The term of a value, whatever its representation."""
        return value.term

    def arithmetic(
        self, place: Place, statement: Binary, shape: Shape, a: IntValue, b: IntValue
    ) -> IntValue:
        """Exact arithmetic, and what happens when its result does not fit.

        Where the bounds say that the result fits, or by which multiple of the modulus it misses,
        nothing happens.  After an obligation the result is taken to lie within its bounds: the
        first operation of a run for which that is wrong violates its obligation.
        """
        bounds = representation(shape.width, shape.signed)
        exact = _exact(place, statement, shape, a, b)
        if not _settled(exact, bounds):
            a = narrowed(a, place.bounds(statement.left))
            b = narrowed(b, place.bounds(statement.right))
            exact = _exact(place, statement, shape, a, b)
        if _settled(exact, bounds) or place.mode(statement) is Mode.SPLIT:
            return bring(exact, bounds)
        place.violation(statement, outside(exact, bounds))
        low, high = max(exact.low, bounds[0]), min(exact.high, bounds[1])
        return IntValue(exact.term, low, high, exact.zeros)


def _settled(exact: IntValue, bounds: Bounds) -> bool:
    """One multiple of the modulus brings all of the result's possible values into the bounds."""
    size = bounds[1] - bounds[0] + 1
    return (exact.low - bounds[0]) // size == (exact.high - bounds[0]) // size


def _exact(place: Place, statement: Binary, shape: Shape, a: IntValue, b: IntValue) -> IntValue:
    left, right = _operands(statement.op, shape, a, b)
    return semantics.binary(Integers(place), statement.op, shape.width, left, right)


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
