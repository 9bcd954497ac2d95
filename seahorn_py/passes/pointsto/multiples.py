"""What divides an integer register, and which operations keep an address recognisable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Block,
    Cast,
    CastOp,
    IntConst,
    Operand,
    Register,
)

MAX_DEPTH = 8
PAGE = 4096


class Multiples:
    """Answers for the registers of one function."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._made: Mapping[str, Binary | Cast] = {
            s.result.name: s for b in blocks for s in b.statements if isinstance(s, Binary | Cast)
        }

    def of(self, operand: Operand) -> int:
        """A power of two that divides the operand, or the constant itself (0: it is 0)."""
        return self._of(operand, MAX_DEPTH)

    def power(self, operand: Operand) -> int:
        """A power of two that divides the operand."""
        return self._of(operand, MAX_DEPTH) or 1

    def _of(self, operand: Operand, depth: int) -> int:
        if isinstance(operand, IntConst):
            return operand.value & -operand.value
        if depth == 0 or not isinstance(operand, Register):
            return 1
        match self._made.get(operand.name):
            case Binary(op=BinaryOp.MUL, left=left, right=right):
                return self._of(left, depth - 1) * self._of(right, depth - 1)
            case Binary(op=BinaryOp.SHL, left=left, right=IntConst(value=count)) if count < 64:
                return self._of(left, depth - 1) << count
            case Binary(op=BinaryOp.ADD | BinaryOp.SUB | BinaryOp.OR, left=left, right=right):
                return gcd(self._of(left, depth - 1), self._of(right, depth - 1))
            case Binary(op=BinaryOp.AND, right=IntConst() as mask):
                return self._of(mask, depth - 1)
            case Cast(op=CastOp.ZEXT | CastOp.SEXT, value=value):
                return self._of(value, depth - 1)
            case _:
                return 1

    def keeps_address(self, s: Binary) -> bool:
        """An operand that is an address can still be told: it is cut, tagged or packed."""
        match s.op, s.right:
            case ((BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR), IntConst(value=count)):
                return count % 8 == 0
            case BinaryOp.AND, IntConst(value=mask, type=type_):
                rest = (1 << type_.width) - 1 - mask
                whole_bytes = all(mask >> k & 255 in (0, 255) for k in range(0, type_.width, 8))
                return rest < PAGE or whole_bytes
            case BinaryOp.OR, IntConst(value=tag):
                return tag < PAGE
            case ((BinaryOp.OR | BinaryOp.XOR), _):
                return True
            case _:
                return False
