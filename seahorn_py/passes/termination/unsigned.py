"""Operations without a meaning for integers without bounds, and those that show a type's bounds.

Without a meaning are unsigned operations, truncations, and tests of overflow.  A conversion to a
wider type shows the bounds of the narrower one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    Compare,
    Overflow,
    Predicate,
    Program,
    Statement,
)
from seahorn_py.ir.types import IntType

_ORDERS = frozenset({Predicate.UGT, Predicate.UGE, Predicate.ULT, Predicate.ULE})
_SHARES = frozenset({BinaryOp.UDIV, BinaryOp.UREM, BinaryOp.LSHR})
_SUMS = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.SHL})


def widens(program: Program) -> bool:
    """Whether the program converts an integer to a wider type, which shows its type's bounds."""
    return any(
        isinstance(statement, Cast)
        and statement.op is CastOp.SEXT
        and statement.value.type != IntType(1)
        for function in program.functions.values()
        for block in function.blocks
        for statement in block.statements
    )


def unsigned_operation(program: Program, is_signed: Callable[[str, str], bool]) -> str:
    """Which operation has no meaning for integers without bounds, and where; "" if none.

    `is_signed(function, register)` says whether the register holds the result of a signed sum.
    """
    for function in program.functions.values():
        for block in function.blocks:
            for statement in block.statements:
                if isinstance(statement, Overflow):
                    return f"a test of overflow at {statement.origin}"
                if _is_unsigned(statement, partial(is_signed, function.name)):
                    return f"an unsigned operation at {getattr(statement, 'origin', '?')}"
    return ""


def _is_unsigned(statement: Statement, is_signed: Callable[[str], bool]) -> bool:
    match statement:
        case Compare(predicate=predicate):
            return predicate in _ORDERS
        case Binary(op=op, result=result):
            is_sum = op in _SUMS and result.type != IntType(1)
            return op in _SHARES or (is_sum and not is_signed(result.name))
        case Cast(op=CastOp.ZEXT, value=value):
            return value.type != IntType(1)
        case Cast(op=CastOp.TRUNC, result=result):
            return result.type != IntType(1)
        case _:
            return False
