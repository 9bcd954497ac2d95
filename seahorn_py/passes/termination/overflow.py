"""Signed overflow as a failing check, for runs in which nothing may overflow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Block,
    Branch,
    CheckSite,
    Fail,
    Function,
    Overflow,
    OverflowOp,
    Program,
    Register,
    Statement,
)
from seahorn_py.ir.traverse import relabelled
from seahorn_py.ir.types import BOOL

_SIGNED = {
    BinaryOp.ADD: OverflowOp.SADD,
    BinaryOp.SUB: OverflowOp.SSUB,
    BinaryOp.MUL: OverflowOp.SMUL,
}

IsSigned = Callable[[str, str], bool]
"""(function, register) -> whether the register holds the result of a signed operation."""


def overflow_ends(program: Program, is_signed: IsSigned) -> Program:
    """The program with a check for overflow after each signed sum, difference and product.

    These are its only checks: `program` is one from `ranked.without_checks`.
    """
    sites: list[CheckSite] = []
    functions = {}
    for name, function in program.functions.items():
        functions[name] = _watched(function, is_signed, sites)
    return replace(program, functions=functions, checks=tuple(sites))


def _watched(function: Function, is_signed: IsSigned, sites: list[CheckSite]) -> Function:
    blocks: list[Block] = []
    last: dict[str, str] = {}
    for block in function.blocks:
        parts = _split(function, block, is_signed, sites)
        blocks += parts
        end = next(p for p in reversed(parts) if not isinstance(p.terminator, Fail))
        last[block.label] = end.label
    return replace(function, blocks=tuple(relabelled(b, last) for b in blocks))


def _split(
    function: Function, block: Block, is_signed: IsSigned, sites: list[CheckSite]
) -> list[Block]:
    """The parts of a block, each of which but the last ends with a check for overflow."""
    parts: list[Block] = []
    label, phis = block.label, block.phis
    body: list[Statement] = []
    for statement in block.statements:
        body.append(statement)
        if not isinstance(statement, Binary) or statement.op not in _SIGNED:
            continue
        if not is_signed(function.name, statement.result.name):
            continue
        number = len(sites)
        sites.append(CheckSite(number, "no-overflow", "overflow", statement.origin))
        bit = Register(f"overflow!{number}", BOOL)
        body.append(Overflow(bit, _SIGNED[statement.op], statement.left, statement.right))
        after, failing = f"{block.label}!{number}", f"{block.label}!{number}!fails"
        parts.append(Block(label, phis, tuple(body), Branch(bit, failing, after)))
        parts.append(Block(failing, (), (), Fail(sites[-1])))
        label, phis, body = after, (), []
    return [*parts, Block(label, phis, tuple(body), block.terminator)]
