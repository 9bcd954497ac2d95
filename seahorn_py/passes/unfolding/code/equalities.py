"""Comparisons of a character with constants, in one form, so that facts about it meet.

A character is compared as it is, and after it was extended to `int` with sign or without.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.ir.algebra import signed
from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Cast,
    CastOp,
    Compare,
    IntConst,
    Predicate,
    Register,
    Statement,
)
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.code.computed import Computed

OPPOSITE = {Predicate.EQ: Predicate.NE, Predicate.NE: Predicate.EQ}


_EXTENSIONS = frozenset({CastOp.ZEXT, CastOp.SEXT})


def is_plain(statement: Computed) -> bool:
    """Whether it compares or extends integers: it has a value wherever its operands have one."""
    match statement:
        case Compare(left=left):
            return isinstance(left.type, IntType)
        case Cast(op=op):
            return op in _EXTENSIONS
        case _:
            return False


def narrow(statement: Computed, definitions: Mapping[Register, Statement]) -> Computed | IntConst:
    """Whether an extended number is a constant: asked of the number itself."""
    while isinstance(statement, Compare) and statement.predicate in OPPOSITE:
        left, right = statement.left, statement.right
        made = definitions.get(left) if isinstance(left, Register) else None
        if not isinstance(right, IntConst) or not isinstance(made, Cast):
            break
        if made.op not in _EXTENSIONS or not isinstance(made.value.type, IntType):
            break
        width = made.value.type.width
        number = right.value
        if made.op is CastOp.SEXT:
            number = signed(right.type.width, number)
            fits = -(1 << width - 1) <= number < 1 << width - 1
        else:
            fits = number < 1 << width
        if not fits:
            return TRUE if statement.predicate is Predicate.NE else FALSE
        same = IntConst(number % (1 << width), made.value.type)
        statement = Compare(
            statement.result, statement.predicate, made.value, same, statement.origin
        )
    return statement


def opposite(statement: Computed) -> Compare | None:
    """The comparison that is true where an equality with a constant is not."""
    if not isinstance(statement, Compare) or not isinstance(statement.right, IntConst):
        return None
    other = OPPOSITE.get(statement.predicate)
    if other is None:
        return None
    return Compare(statement.result, other, statement.left, statement.right, statement.origin)
