"""Local folds while reading: truth values that C widens to `int` and compares again.

Clang writes `!(a < b)` as `icmp`, `zext` to i32, `icmp ne 0`, `xor true`.  `Body.bits` knows which
integers are a widened truth value and which; `Body.comparisons` how a truth value was computed.
Every function defines the register `result`, or lets its name stand for an older value.
"""

from __future__ import annotations

from seahorn_py.frontend.reading.body import Body, cast_statements
from seahorn_py.frontend.reading.denotations import integer, resized, signed
from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    CastOp,
    Compare,
    IntConst,
    Operand,
    Predicate,
    Register,
    Select,
)
from seahorn_py.ir.types import BOOL, IntType, Type

_LOGIC = (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR)


def compare(body: Body, result: str, predicate: Predicate, left: Operand, right: Operand) -> None:
    """`result = left predicate right`."""
    if isinstance(left, IntConst) and isinstance(right, IntConst):
        body.alias(result, _truth(holds(predicate, left, right)))
        return
    if isinstance(right, IntConst):
        bit = left if left.type == BOOL else _bit(body, left)
        if bit is not None:
            _of_bit(body, result, predicate, bit, right)
            return
    register = body.define(result, BOOL)
    body.emit(Compare(register, predicate, left, right, body.origin))
    body.comparisons[result] = (predicate, left, right)


def _of_bit(body: Body, result: str, predicate: Predicate, bit: Operand, k: IntConst) -> None:
    """Compare an integer that is 0 or 1 with a constant."""
    if_clear = holds(predicate, IntConst(0, k.type), k)
    if_set = holds(predicate, IntConst(1, k.type), k)
    if if_clear == if_set:
        body.alias(result, _truth(if_set))
    elif if_set:
        body.alias(result, bit)
    else:
        negation(body, result, bit)


def holds(predicate: Predicate, left: IntConst, right: IntConst) -> bool:  # noqa: C901 - flat match
    """A comparison of two constants."""
    match predicate:
        case Predicate.EQ:
            return left.value == right.value
        case Predicate.NE:
            return left.value != right.value
        case Predicate.UGT:
            return left.value > right.value
        case Predicate.UGE:
            return left.value >= right.value
        case Predicate.ULT:
            return left.value < right.value
        case Predicate.ULE:
            return left.value <= right.value
        case Predicate.SGT:
            return signed(left) > signed(right)
        case Predicate.SGE:
            return signed(left) >= signed(right)
        case Predicate.SLT:
            return signed(left) < signed(right)
        case Predicate.SLE:
            return signed(left) <= signed(right)


def negation(body: Body, result: str, bit: Operand) -> None:
    """`result = not bit`; the negation of a comparison is a comparison."""
    if isinstance(bit, IntConst):
        body.alias(result, _truth(not bit.value))
        return
    known = body.comparisons.get(bit.name) if isinstance(bit, Register) else None
    if known is not None:
        predicate, left, right = known
        compare(body, result, predicate.negated, left, right)
        return
    register = body.define(result, BOOL)
    body.emit(Binary(register, BinaryOp.XOR, bit, TRUE, body.origin))


def binary(body: Body, result: str, op: BinaryOp, left: Operand, right: Operand) -> None:
    """`result = left op right`."""
    kind = left.type
    if op in _LOGIC:
        if op is BinaryOp.XOR and kind == BOOL and right == TRUE:
            negation(body, result, left)
            return
        one, two = _bit(body, left), _bit(body, right)
        if one is not None and two is not None:
            _widen(body, result, _logic(body, op, one, two), kind)
            return
    body.emit(Binary(body.define(result, kind), op, left, right, body.origin))


def _logic(body: Body, op: BinaryOp, left: Operand, right: Operand) -> Operand:
    """A truth value from two, at least one of which is no constant."""
    if isinstance(left, IntConst):
        left, right = right, left
    if isinstance(right, IntConst):
        neutral = TRUE if op is BinaryOp.AND else FALSE
        if right == neutral:
            return left
        if op is not BinaryOp.XOR:
            return right
        return _negated(body, left)
    register = body.temporary(BOOL)
    body.emit(Binary(register, op, left, right, body.origin))
    return register


def _negated(body: Body, bit: Operand) -> Operand:
    name = body.temporary(BOOL).name
    negation(body, name, bit)
    return body.use(body.lookup(name, BOOL))


def cast(body: Body, result: str, op: CastOp, value: Operand, kind: Type) -> None:
    """`result = op value` to type `kind`."""
    if value.type == kind:
        body.alias(result, value)
    elif isinstance(value, IntConst) and isinstance(kind, IntType):
        body.alias(result, resized(value, kind, signed_source=op is CastOp.SEXT))
    else:
        bit = _bit(body, value)
        if bit is not None and kind == BOOL:
            body.alias(result, bit)
        elif bit is not None and isinstance(kind, IntType):
            _widen(body, result, bit, kind)
        elif op is CastOp.ZEXT and value.type == BOOL:
            _widen(body, result, value, kind)
        else:
            for statement in cast_statements(body, body.define(result, kind), op, value):
                body.emit(statement)


def select(body: Body, result: str, condition: Operand, then: Operand, other: Operand) -> None:
    """`result = condition ? then : other`."""
    if then == other:
        body.alias(result, then)
    elif isinstance(condition, IntConst):
        body.alias(result, then if condition.value else other)
    elif then.type == BOOL and then == TRUE and other == FALSE:
        body.alias(result, condition)
    elif then == FALSE and other == TRUE:
        negation(body, result, condition)
    else:
        one, two = _bit(body, then), _bit(body, other)
        if one is not None and two is not None:
            _widen(body, result, _choice(body, condition, one, two), then.type)
        else:
            register = body.define(result, then.type)
            body.emit(Select(register, condition, then, other, body.origin))


def _choice(body: Body, condition: Operand, then: Operand, other: Operand) -> Operand:
    name = body.temporary(BOOL).name
    select(body, name, condition, then, other)
    return body.use(body.lookup(name, BOOL))


def _widen(body: Body, result: str, bit: Operand, kind: Type) -> None:
    """`result = zext bit`, and remember it."""
    if isinstance(bit, IntConst) and isinstance(kind, IntType):
        body.alias(result, integer(bit.value, kind))
        return
    register = body.define(result, kind)
    for statement in cast_statements(body, register, CastOp.ZEXT, bit):
        body.emit(statement)
    body.bits[result] = bit


def _bit(body: Body, value: Operand) -> Operand | None:
    """The truth value that a wider integer is known to be."""
    match value:
        case Register(name, _):
            return body.bits.get(name)
        case IntConst(0 | 1, kind) if kind != BOOL:
            return _truth(value.value == 1)
        case _:
            return None


def _truth(value: bool) -> IntConst:
    return TRUE if value else FALSE
