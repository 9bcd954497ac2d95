"""Registers as integers of mathematics, for programs whose authors mean these.

Signed arithmetic is exact, and no register has bounds.  That values lie within their types is taken
for granted only where a conversion or an unsigned comparison of the machine would otherwise be
written out.

An input is any integer, or has the range of its type where it `keeps_types`.
"""

from __future__ import annotations

from seahorn_py.encode.integers.intmachine import IntMachine, exactly
from seahorn_py.encode.integers.intvalue import IntValue, representation
from seahorn_py.encode.machine import FunctionRule, Shape
from seahorn_py.ir.program import Binary
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


class IdealMachine(IntMachine):
    """`Machine[IntValue]` without bounds."""

    def __init__(self, keeps_types: bool) -> None:
        self._keeps_types = keeps_types

    def domain(self, symbol: Term, shape: Shape) -> Term:
        """All integers; of unsigned ones their range."""
        return terms.TRUE if shape.signed else super().domain(symbol, shape)

    def given(self, symbol: Term, shape: Shape) -> Term:
        """The range of its type, where inputs keep to it."""
        return super().domain(symbol, shape) if self._keeps_types else terms.TRUE

    def arithmetic(
        self, rule: FunctionRule, statement: Binary, shape: Shape, a: IntValue, b: IntValue
    ) -> IntValue:
        """The exact result; unsigned arithmetic wraps."""
        if not shape.signed:
            return super().arithmetic(rule, statement, shape, a, b)
        exact = exactly(rule, statement, shape, a, b)
        low, high = representation(shape.width, True)
        return IntValue(exact.term, max(exact.low, low), min(exact.high, high), exact.zeros)
