"""Values that an LLVM operand can denote before it is used: operands, `undef`, expressions.

Constant expressions are folded where that is exact.  What is left keeps its shape until it is
used: inside a function it becomes statements, in an initialiser it must be an address.
"""

from __future__ import annotations

from seahorn_py.base.errors import InputError, InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import (
    NULL,
    Address,
    BinaryOp,
    CastOp,
    FloatConst,
    IntConst,
    Operand,
)
from seahorn_py.ir.types import FloatType, IntType, PointerType, RegionType, Type


@dataclass(frozen=True, slots=True)
class Undefined:
    """`undef` or `poison`: an arbitrary value, new at each use."""

    type: Type


@dataclass(frozen=True, slots=True)
class CastExpression:
    """A constant conversion that does not fold."""

    op: CastOp
    value: Value
    type: Type


@dataclass(frozen=True, slots=True)
class BinaryExpression:
    """Constant arithmetic that does not fold."""

    op: BinaryOp
    left: Value
    right: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class OffsetExpression:
    """A constant address whose base does not fold."""

    base: Value
    constant: int

    @property
    def type(self) -> Type:
        """Always a pointer."""
        return NULL.type


Expression = CastExpression | BinaryExpression | OffsetExpression
Value = Operand | Undefined | Expression


def integer(value: int, kind: IntType) -> IntConst:
    """The constant congruent to `value`."""
    return IntConst(value & ((1 << kind.width) - 1), kind)


def signed(constant: IntConst) -> int:
    """The value in two's complement."""
    top = 1 << (constant.type.width - 1)
    return constant.value - 2 * top if constant.value & top else constant.value


def zero(kind: Type) -> Operand:
    """The value whose bytes are 0."""
    match kind:
        case IntType():
            return IntConst(0, kind)
        case FloatType():
            return FloatConst(0, kind)
        case PointerType():
            return NULL
        case RegionType():
            raise InternalError("a region is no type of LLVM")


def is_zero(value: Value) -> bool:
    """Whether the bytes of a constant are all 0."""
    match value:
        case IntConst(number, _) | FloatConst(number, _):
            return number == 0
        case Address():
            return value == NULL
        case _:
            return False


def displaced(base: Value, constant: int, word: IntType) -> Value:
    """`base + constant` bytes."""
    match base:
        case Address(symbol, offset):
            return Address(symbol, signed(integer(offset + constant, word)))
        case Undefined():
            return base
        case _:
            return OffsetExpression(base, constant) if constant else base


def converted(op: CastOp, value: Value, kind: Type, word: IntType) -> Value:
    """A constant conversion to `kind`, folded where possible; `word` is as wide as a pointer."""
    if isinstance(value, Undefined):
        return Undefined(kind)
    match op, value:
        case CastOp.PTRTOINT, Address(None, offset) if isinstance(kind, IntType):
            return resized(integer(offset, word), kind, signed_source=False)
        case CastOp.PTRTOINT, CastExpression(CastOp.INTTOPTR, inner, _) if kind == inner.type:
            return inner
        case CastOp.INTTOPTR, IntConst():
            return Address(None, signed(resized(value, word, signed_source=False)))
        case CastOp.INTTOPTR, CastExpression(CastOp.PTRTOINT, inner, _) if value.type == word:
            return inner
        case CastOp.TRUNC | CastOp.ZEXT, IntConst() if isinstance(kind, IntType):
            return resized(value, kind, signed_source=False)
        case CastOp.SEXT, IntConst() if isinstance(kind, IntType):
            return resized(value, kind, signed_source=True)
        case CastOp.BITCAST, _ if kind == value.type:
            return value
        case _:
            return CastExpression(op, value, kind)


def resized(value: IntConst, kind: IntType, *, signed_source: bool) -> IntConst:
    """The integer in another width."""
    return integer(signed(value) if signed_source else value.value, kind)


def combined(op: BinaryOp, left: Value, right: Value) -> Value:
    """Constant arithmetic, folded where possible (LLVM knows add, sub, mul, xor as constants)."""
    kind = left.type
    if not isinstance(kind, IntType):
        raise InputError(f"LLVM text: {op.value} of constants that are not integers")
    if isinstance(left, Undefined) or isinstance(right, Undefined):
        return Undefined(kind)
    if isinstance(left, IntConst) and isinstance(right, IntConst):
        folded = _arithmetic(op, left.value, right.value)
        if folded is not None:
            return integer(folded, kind)
    if op is BinaryOp.SUB:
        distance = _distance(left, right)
        if distance is not None:
            return integer(distance, kind)
    return BinaryExpression(op, left, right, kind)


def _arithmetic(op: BinaryOp, left: int, right: int) -> int | None:
    match op:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL:
            return left * right
        case BinaryOp.AND:
            return left & right
        case BinaryOp.OR:
            return left | right
        case BinaryOp.XOR:
            return left ^ right
        case _:
            return None


def _distance(left: Value, right: Value) -> int | None:
    """The distance of two addresses in one object, both as integers."""
    match left, right:
        case (
            CastExpression(CastOp.PTRTOINT, Address(a, i), _),
            CastExpression(CastOp.PTRTOINT, Address(b, j), _),
        ) if a == b:
            return i - j
        case _:
            return None
