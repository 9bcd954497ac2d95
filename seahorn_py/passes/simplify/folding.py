"""Local rules: what a single statement is worth once its operands are known.

`fold(statement, definitions)` gives an operand (the statement is that value), another statement
with the same result, or None.  Integer constants are computed by the table of `ir.semantics`.  A
division is folded only if it is defined; otherwise it stays, for it ends the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.ir import intrinsics, semantics
from seahorn_py.ir.algebra import Concrete, signed
from seahorn_py.ir.program import (
    FALSE,
    NULL,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Bits,
    Cast,
    CastOp,
    Compare,
    FloatOp,
    IntConst,
    Offset,
    Operand,
    Overflow,
    Predicate,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.types import BOOL, IntType
from seahorn_py.passes.simplify import exactfloats
from seahorn_py.passes.simplify.contents import folded_load, folded_store

CONCRETE = Concrete()
Definitions = Mapping[Register, Statement]
Folded = Operand | Binary | Compare | Cast | Select | Offset | RegionLoad | RegionStore | None

REFLEXIVE = frozenset({Predicate.EQ, Predicate.UGE, Predicate.ULE, Predicate.SGE, Predicate.SLE})


def fold(statement: Statement, definitions: Definitions) -> Folded:  # noqa: C901 - a flat match
    """A simpler equal of the statement, if there is one."""
    match statement:
        case Binary():
            return _binary(statement, definitions)
        case Compare():
            return _compare(statement, definitions)
        case Cast():
            return _cast(statement, definitions)
        case Select():
            return _select(statement)
        case Bits():
            return _bits(statement)
        case Overflow():
            return _overflow(statement)
        case Offset():
            return _offset(statement)
        case FloatOp():
            return exactfloats.compared(statement, definitions)
        case RegionLoad():
            return folded_load(statement, definitions)
        case RegionStore():
            return folded_store(statement, definitions)
        case _:
            return None


def always_defined(statement: Binary) -> bool:
    """The operation has a value whatever its left operand is."""
    if not semantics.partial(statement.op):
        return True
    if not isinstance(statement.right, IntConst):
        return False
    width, value = statement.right.type.width, statement.right.value
    match statement.op:
        case BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR:
            return value < width
        case BinaryOp.UDIV | BinaryOp.UREM:
            return value != 0
        case _:
            return value not in (0, (1 << width) - 1)


def _binary(s: Binary, definitions: Definitions) -> Folded:
    match s.left, s.right:
        case IntConst(a, type_), IntConst(b):
            if not semantics.defined(CONCRETE, s.op, type_.width, a, b):
                return None
            return IntConst(semantics.binary(CONCRETE, s.op, type_.width, a, b), type_)
        case IntConst(), Register() if s.op in _COMMUTATIVE:
            return replace(s, left=s.right, right=s.left)
        case Register(), IntConst(value, type_):
            return _with_constant(s, value, type_, definitions)
        case Register() as a, Register() as b if a == b:
            return _with_itself(s)
        case _:
            return None


_COMMUTATIVE = frozenset({BinaryOp.ADD, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR})
_NEUTRAL_ZERO = frozenset(
    {
        BinaryOp.ADD,
        BinaryOp.SUB,
        BinaryOp.OR,
        BinaryOp.XOR,
        BinaryOp.SHL,
        BinaryOp.LSHR,
        BinaryOp.ASHR,
    }
)


def _with_constant(s: Binary, value: int, type_: IntType, definitions: Definitions) -> Folded:
    ones = (1 << type_.width) - 1
    if value == 0 and s.op in _NEUTRAL_ZERO:
        return s.left
    if value == 0 and s.op in (BinaryOp.MUL, BinaryOp.AND):
        return s.right
    if value == 1 and type_.width > 1 and s.op in (BinaryOp.MUL, BinaryOp.UDIV, BinaryOp.SDIV):
        return s.left
    if value == ones and s.op is BinaryOp.AND:
        return s.left
    if value == ones and s.op is BinaryOp.OR:
        return s.right
    if s.op is BinaryOp.XOR and type_ == BOOL:
        return _negation(s, definitions)
    return None


def _negation(s: Binary, definitions: Definitions) -> Folded:
    """`not` of a comparison is the opposite one; of a `not`, what that negates."""
    match definitions.get(s.left) if isinstance(s.left, Register) else None:
        case Compare() as inner:
            return replace(inner, result=s.result, predicate=inner.predicate.negated)
        case Binary(op=BinaryOp.XOR, left=left, right=right) if right == TRUE:
            return left
        case _:
            return None


def _with_itself(s: Binary) -> Operand | None:
    match s.op:
        case BinaryOp.AND | BinaryOp.OR:
            return s.left
        case BinaryOp.SUB | BinaryOp.XOR if isinstance(s.result.type, IntType):
            return IntConst(0, s.result.type)
        case _:
            return None


def _compare(s: Compare, definitions: Definitions) -> Folded:
    match s.left, s.right:
        case IntConst(a, type_), IntConst(b):
            return _bit(semantics.compare(CONCRETE, s.predicate, type_.width, a, b))
        case Address() as a, Address() as b:
            return _compare_addresses(s.predicate, a, b)
        case a, b if a == b:
            return _bit(s.predicate in REFLEXIVE)
        case Register() as a, IntConst(value):
            return _compare_constant(s, a, value, definitions)
        case _:
            return None


def _compare_addresses(predicate: Predicate, a: Address, b: Address) -> Operand | None:
    """Only what holds under every layout: an object's own address, and null against an object."""
    equality = predicate in (Predicate.EQ, Predicate.NE)
    if a == b:
        return _bit(predicate in REFLEXIVE)
    objects = {side.symbol for side in (a, b)}
    begins = all(side.offset == 0 for side in (a, b))
    if equality and begins and NULL in (a, b) and len(objects) == 2:
        return _bit(predicate is Predicate.NE)
    return None


def _compare_constant(s: Compare, left: Register, value: int, definitions: Definitions) -> Folded:
    """`zext(bit) != 0` is the bit; `bit == 0` is its negation."""
    if s.predicate not in (Predicate.EQ, Predicate.NE):
        return None
    wants_set = (s.predicate is Predicate.NE) == (value == 0)
    if left.type == BOOL:
        return left if wants_set else Binary(s.result, BinaryOp.XOR, left, TRUE, s.origin)
    match definitions.get(left):
        case Cast(op=CastOp.ZEXT, value=bit) if bit.type == BOOL:
            if value > 1:
                return _bit(s.predicate is Predicate.NE)
            return bit if wants_set else Binary(s.result, BinaryOp.XOR, bit, TRUE, s.origin)
        case _:
            return None


def _bit(value: bool) -> IntConst:
    return TRUE if value else FALSE


def _cast(s: Cast, definitions: Definitions) -> Folded:
    if s.value.type == s.result.type:
        return s.value
    if not isinstance(s.result.type, IntType) or not isinstance(s.value.type, IntType):
        return exactfloats.integer_again(s, definitions)
    to = s.result.type
    if isinstance(s.value, IntConst):
        value = semantics.cast(CONCRETE, s.op, s.value.type.width, to.width, s.value.value)
        return IntConst(value, to)
    inner = definitions.get(s.value) if isinstance(s.value, Register) else None
    if not isinstance(inner, Cast) or inner.op not in (CastOp.ZEXT, CastOp.SEXT, CastOp.TRUNC):
        return None
    return _cast_of_cast(s, inner, to)


def _cast_of_cast(s: Cast, inner: Cast, to: IntType) -> Folded:
    if s.op is CastOp.TRUNC:
        return _truncated(s, inner, to)
    if s.op is inner.op or (s.op is CastOp.SEXT and inner.op is CastOp.ZEXT):
        return replace(s, op=inner.op, value=inner.value)
    return None


def _truncated(s: Cast, inner: Cast, to: IntType) -> Folded:
    """The low bits of a longer or shorter version of a value, from the value itself."""
    assert isinstance(inner.value.type, IntType)
    original = inner.value.type.width
    if original == to.width:
        return inner.value
    op = CastOp.TRUNC if original > to.width else inner.op
    return replace(s, op=op, value=inner.value)


def _select(s: Select) -> Folded:
    if isinstance(s.condition, IntConst):
        return s.then if s.condition.value else s.otherwise
    if s.then == s.otherwise:
        return s.then
    if (s.then, s.otherwise) == (TRUE, FALSE):
        return s.condition
    if (s.then, s.otherwise) == (FALSE, TRUE):
        return Binary(s.result, BinaryOp.XOR, s.condition, TRUE, s.origin)
    return None


def _bits(s: Bits) -> Operand | None:
    values = [a.value for a in s.arguments if isinstance(a, IntConst)]
    if len(values) != len(s.arguments) or not isinstance(s.result.type, IntType):
        return None
    width = s.result.type.width
    return IntConst(intrinsics.bits(CONCRETE, s.op, width, tuple(values)), s.result.type)


def _overflow(s: Overflow) -> Operand | None:
    match s.left, s.right:
        case IntConst(a, type_), IntConst(b):
            return _bit(semantics.overflow(CONCRETE, s.op, type_.width, a, b))
        case _:
            return None


def _offset(s: Offset) -> Folded:
    """Constant indices join the constant; an unmoved or constant address is no computation."""
    constant, terms = s.constant, []
    for index, scale in s.terms:
        if isinstance(index, IntConst):
            constant += signed(index.type.width, index.value) * scale
        else:
            terms.append((index, scale))
    if terms and len(terms) == len(s.terms):
        return None
    if terms:
        return replace(s, constant=constant, terms=tuple(terms))
    match s.base:
        case Address(str() as symbol, offset):
            return Address(symbol, offset + constant)
        case _ if constant == 0:
            return s.base
        case _ if s.terms:
            return replace(s, constant=constant, terms=())
        case _:
            return None
