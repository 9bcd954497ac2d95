"""Integers that are converted to floats without rounding, and then back, or compared."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from fractions import Fraction

from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Cast,
    CastOp,
    Compare,
    FloatConst,
    FloatOp,
    IntConst,
    Operand,
    Predicate,
    Register,
    Statement,
)
from seahorn_py.ir.types import FloatKind, FloatType, IntType

_PRECISION = {FloatKind.SINGLE: 24, FloatKind.DOUBLE: 53, FloatKind.X87: 64}
_SIGNED_BACK = frozenset({CastOp.FPTOSI, CastOp.FPTOSI_SAT})
_BACK = _SIGNED_BACK | {CastOp.FPTOUI, CastOp.FPTOUI_SAT}


def integer_again(cast: Cast, definitions: Mapping[Register, Statement]) -> Operand | Cast | None:
    """The integer of which a float was made, for a cast of the float that gives it back."""
    if cast.op not in _BACK or not isinstance(cast.result.type, IntType):
        return None
    found = _exact(cast.value, definitions)
    if found is None:
        return None
    integer, has_sign = found
    assert isinstance(integer.type, IntType)
    back_has_sign, more = cast.op in _SIGNED_BACK, cast.result.type.width - integer.type.width
    if has_sign != back_has_sign and (has_sign or more < 1):
        return None
    if more <= 0:
        return integer if more == 0 else None
    return Cast(cast.result, CastOp.SEXT if has_sign else CastOp.ZEXT, integer, cast.origin)


def compared(op: FloatOp, definitions: Mapping[Register, Statement]) -> Operand | Compare | None:
    """The comparison of an integer for that of the float made of it with a finite constant."""
    words = op.op.split()
    if len(words) != 2 or words[0] != "fcmp" or len(words[1]) != 3 or words[1] in ("ord", "uno"):
        return None
    left, right = op.arguments
    found, constant = _exact(left, definitions), _value(right)
    if found is None or constant is None:
        return None
    return _bounded(op, words[1][1:], *found, constant)


def _bounded(
    op: FloatOp, relation: str, integer: Register, has_sign: bool, constant: Fraction
) -> Operand | Compare | None:
    kind = integer.type
    assert isinstance(kind, IntType)
    low = -(1 << kind.width - 1) if has_sign else 0
    high = low + (1 << kind.width) - 1

    def told(predicate: Predicate, bound: int) -> Compare:
        return Compare(
            op.result, predicate, integer, IntConst(bound % (1 << kind.width), kind), op.origin
        )

    match relation:
        case "gt" | "ge":
            least = math.floor(constant) + 1 if relation == "gt" else math.ceil(constant)
            if not low < least <= high:
                return TRUE if least <= low else FALSE
            return told(Predicate.SGE if has_sign else Predicate.UGE, least)
        case "lt" | "le":
            most = math.ceil(constant) - 1 if relation == "lt" else math.floor(constant)
            if not low <= most < high:
                return TRUE if most >= high else FALSE
            return told(Predicate.SLE if has_sign else Predicate.ULE, most)
        case "eq" | "ne":
            if constant.denominator != 1 or not low <= constant <= high:
                return FALSE if relation == "eq" else TRUE
            return told(Predicate.EQ if relation == "eq" else Predicate.NE, int(constant))
        case _:
            return None


def _exact(
    value: Operand, definitions: Mapping[Register, Statement]
) -> tuple[Register, bool] | None:
    """The integer of which a float was made without rounding, and whether it has a sign."""
    made = definitions.get(value) if isinstance(value, Register) else None
    if not isinstance(made, Cast) or made.op not in (CastOp.SITOFP, CastOp.UITOFP):
        return None
    target, source = made.result.type, made.value
    if not isinstance(target, FloatType) or not isinstance(source, Register):
        return None
    assert isinstance(source.type, IntType)
    has_sign = made.op is CastOp.SITOFP
    if source.type.width - has_sign > _PRECISION[target.kind]:
        return None
    return source, has_sign


def _value(operand: Operand) -> Fraction | None:
    """A finite constant; none of the x87 format."""
    if not isinstance(operand, FloatConst) or operand.type.kind is FloatKind.X87:
        return None
    is_single = operand.type.kind is FloatKind.SINGLE
    data = operand.bits.to_bytes(4 if is_single else 8, "little")
    (value,) = struct.unpack("<f" if is_single else "<d", data)
    return Fraction(value) if math.isfinite(value) else None
