"""Statements that compute a value from values."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.ir.floats import floats
from seahorn_py.ir.program import (
    NULL,
    Address,
    Binary,
    Bits,
    Cast,
    CastOp,
    Compare,
    FloatConst,
    FloatOp,
    IntConst,
    Offset,
    Operand,
    Overflow,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.traverse import operands
from seahorn_py.ir.types import FloatType, IntType, PointerType, Type
from seahorn_py.passes.simplify.folding import always_defined

MOST_PARTS = 64
"""The most operands that are looked at to see what a value was made of."""

Computed = Binary | Compare | Cast | Select | Bits | Overflow | FloatOp


def key(statement: Computed) -> tuple[object, ...]:
    """A key that is equal for statements that compute the same value."""
    which = getattr(statement, "op", None) or getattr(statement, "predicate", None)
    return type(statement), which, statement.result.type, operands(statement)


def may_end(statement: Computed) -> bool:
    """Whether the run may end at the statement, since it is undefined for some operands."""
    return isinstance(statement, Binary) and not always_defined(statement)


def constant(statement: Computed) -> Operand | None:
    """The result of a float operation on constants; None for a NaN, whose bits are not fixed."""
    match statement:
        case FloatOp(op=op, arguments=arguments):
            operation = floats.operation(op, arguments[0].type, statement.result.type)
            values = arguments
        case Cast(op=CastOp.BITCAST, value=value):
            operation, values = int, (value,)
        case Cast(op=op, value=value):
            operation = floats.conversion(op, value.type, statement.result.type)
            values = (value,)
        case _:
            return None
    bits = [_bits_of(value) for value in values]
    if operation is None or None in bits:
        return None
    try:
        found = int(operation(*bits))
    except floats.UndefinedConversion:
        return None
    match statement.result.type:
        case IntType() as type_:
            return IntConst(found, type_)
        case FloatType() as type_:
            return None if _is_nan(found, type_) else FloatConst(found, type_)
        case _:
            return None


def _is_nan(bits: int, type_: FloatType) -> bool:
    form = floats.format_of(type_)
    if form is not None:
        return form.is_nan(bits)
    return bits >> 64 & 0x7FFF == 0x7FFF and bits & (1 << 63) - 1 != 0


def _bits_of(value: Operand) -> int | None:
    match value:
        case IntConst():
            return value.value
        case FloatConst():
            return value.bits
        case _:
            return None


def named(statement: Computed, result: Register) -> Computed:
    """The statement with another result."""
    match statement:
        case Binary(_, op, left, right, origin):
            return Binary(result, op, left, right, origin)
        case Compare(_, predicate, left, right, origin):
            return Compare(result, predicate, left, right, origin)
        case Cast(_, op, value, origin):
            return Cast(result, op, value, origin)
        case Select(_, condition, then, otherwise, origin):
            return Select(result, condition, then, otherwise, origin)
        case Bits(_, op, arguments, origin):
            return Bits(result, op, arguments, origin)
        case Overflow(_, op, left, right, origin):
            return Overflow(result, op, left, right, origin)
        case FloatOp(_, op, arguments, origin):
            return FloatOp(result, op, arguments, origin)


def constant_as(value: Operand, to: Type) -> Operand | None:
    """The bits of a constant as a constant of another type, if both are constants."""
    match value, to:
        case IntConst(bits, _), FloatType():
            return FloatConst(bits, to)
        case FloatConst(bits, _), IntType():
            return IntConst(bits, to)
        case IntConst(bits, _), PointerType():
            return Address(None, bits) if bits else NULL
        case Address(None, offset), IntType():
            return IntConst(offset % (1 << to.width), to)
        case _:
            return None


def is_made_of_constants(
    value: object,
    definitions: Mapping[Register, Statement],
    phis: Mapping[Register, tuple[object, tuple[Operand, ...]]],
) -> bool:
    """Whether a value is made of constant addresses alone, moved or chosen among."""
    pending, seen = [value], {value}
    while pending:
        part = pending.pop()
        if isinstance(part, Address):
            continue
        if not isinstance(part, Register) or len(seen) > MOST_PARTS:
            return False
        match definitions.get(part):
            case Offset(base=base):
                found: tuple[Operand, ...] = (base,)
            case Select(then=then, otherwise=otherwise):
                found = then, otherwise
            case _ if part in phis:
                found = phis[part][1]
            case _:
                return False
        new = [operand for operand in found if operand not in seen]
        pending.extend(new)
        seen.update(new)
    return True
