"""Sums and products behind which a run goes on only if they did not wrap.

The front end asks whether an operation overflows in the block of the operation, and leaves for a
block that ends the run if it does.  So whoever uses the result finds it exact: neither a query nor
cases are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Block,
    Branch,
    Fail,
    Function,
    IntConst,
    Operand,
    Overflow,
    OverflowOp,
    Register,
    Stop,
)
from seahorn_py.ir.traverse import uses

_ASKS = {
    OverflowOp.SADD: (BinaryOp.ADD, True),
    OverflowOp.UADD: (BinaryOp.ADD, False),
    OverflowOp.SSUB: (BinaryOp.SUB, True),
    OverflowOp.USUB: (BinaryOp.SUB, False),
    OverflowOp.SMUL: (BinaryOp.MUL, True),
    OverflowOp.UMUL: (BinaryOp.MUL, False),
}

_IN_ANY_ORDER = BinaryOp.ADD, BinaryOp.MUL


def guarded(function: Function) -> Mapping[Register, bool]:
    """The results of such operations, and whether they do not wrap as signed numbers."""
    blocks = blocks_by_label(function)
    return dict(found for block in function.blocks for found in _guarded_by(block, blocks))


def _guarded_by(block: Block, blocks: Mapping[str, Block]) -> Iterator[tuple[Register, bool]]:
    asked = _asked(block)
    if asked is None or not isinstance(block.terminator, Branch):
        return
    question, on_overflow = asked
    end = blocks[block.terminator.then if on_overflow else block.terminator.otherwise]
    if not isinstance(end.terminator, Fail | Stop):
        return
    op, signed = _ASKS[question.op]
    used = {register for one in (*block.statements, *end.statements) for register in uses(one)}
    used |= {value for phi in end.phis for _, value in phi.incoming if isinstance(value, Register)}
    sought = [(question.left, question.right)]
    if op in _IN_ANY_ORDER:
        sought.append((question.right, question.left))
    operations = [one for one in block.statements if isinstance(one, Binary)]
    for one in operations:
        if one.op is op and (one.left, one.right) in sought and one.result not in used:
            yield one.result, signed


def _asked(block: Block) -> tuple[Overflow, bool] | None:
    """The question that the branch of a block is about, and whether it holds on overflow."""
    if not isinstance(block.terminator, Branch):
        return None
    made = {one.result: one for one in block.statements if isinstance(one, Overflow | Binary)}
    operand: Operand = block.terminator.condition
    holds = True
    while isinstance(operand, Register):
        match made.get(operand):
            case Overflow() as question:
                return question, holds
            case Binary(op=BinaryOp.XOR, left=left, right=IntConst(value=1)):
                operand, holds = left, not holds
            case _:
                return None
    return None
