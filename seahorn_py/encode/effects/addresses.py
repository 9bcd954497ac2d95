"""Pointer arithmetic, comparison and conversion: exact, on addresses as the machine has them."""

from __future__ import annotations

from typing import TypeVar

from seahorn_py.encode.builder import Builder
from seahorn_py.encode.machine import Scaled
from seahorn_py.encode.relevance import demands
from seahorn_py.ir import semantics
from seahorn_py.ir.program import Cast, CastOp, Offset, Operand, Predicate
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

V = TypeVar("V")


def offset(builder: Builder[V], statement: Offset) -> None:
    """The base and what is added to it; indices are signed."""
    parts = [
        Scaled(builder.read(index), builder.whole.width(index.type), factor, builder.bounds(index))
        for index, factor in statement.terms
    ]
    width = builder.whole.program.pointer_width
    machine = builder.whole.machine
    moved = machine.moved(width, builder.read(statement.base), statement.constant, parts)
    builder.alias(statement.result, moved, demands(statement))


def order(builder: Builder[V], predicate: Predicate, left: Operand, right: Operand) -> Term | None:
    """The truth of a comparison; None for one that takes addresses as signed numbers."""
    a, b = builder.read(left), builder.read(right)
    machine = builder.whole.machine
    match predicate:
        case Predicate.EQ:
            return machine.same_address(a, b)
        case Predicate.NE:
            return terms.not_(machine.same_address(a, b))
        case Predicate.ULT:
            return machine.lower_address(a, b)
        case Predicate.ULE:
            return terms.not_(machine.lower_address(b, a))
        case Predicate.UGT:
            return machine.lower_address(b, a)
        case Predicate.UGE:
            return terms.not_(machine.lower_address(a, b))
        case _:
            return None


def convert(builder: Builder[V], statement: Cast) -> None:
    """From a pointer to an integer, or back; the widths may differ."""
    machine, algebra = builder.whole.machine, builder.algebra
    width = builder.whole.width(statement.value.type)
    to = builder.whole.width(statement.result.type)
    value = builder.read(statement.value)
    if statement.op is CastOp.PTRTOINT:
        signed = width == to and builder.shape(statement.result).signed
        value = machine.number_of(builder, width, value, signed)
    value = semantics.cast(algebra, statement.op, width, to, value)
    if statement.op is CastOp.INTTOPTR:
        value = machine.address_of(to, value)
    builder.alias(statement.result, value, demands(statement))
