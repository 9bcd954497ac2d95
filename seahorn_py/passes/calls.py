"""Calls become cut points: each `Call` of a function with a body begins a block of its own.

A block is split before every call, so that a region of the encoding ends where a call begins and
the next one starts where it has returned.  The block keeps its label for its first part; the part
that begins with the call is `LABEL.call` (numbered where a block holds several).  A call of an
allocation function stays inside its block: it is a value, not a jump into a function.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from seahorn_py.ir.program import (
    Block,
    Call,
    Function,
    Jump,
    Program,
    Statement,
)
from seahorn_py.ir.traverse import relabelled


def isolate_calls(program: Program) -> Program:
    """Split blocks so that every call of a function with a body is first, in a block without phis.

    Labels in phis follow: the last part of a block is the predecessor of its successors.
    """
    defined = program.functions.keys()
    functions = {name: _isolate(f, defined) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def _isolate(function: Function, defined: Set[str]) -> Function:
    taken = {block.label for block in function.blocks}
    blocks: list[Block] = []
    last_part: dict[str, str] = {}
    for index, block in enumerate(function.blocks):
        parts = _split(block, defined, taken, keep_first=index > 0 and not block.phis)
        blocks.extend(parts)
        last_part[block.label] = parts[-1].label
    return replace(function, blocks=tuple(relabelled(b, last_part) for b in blocks))


def _split(block: Block, defined: Set[str], taken: set[str], keep_first: bool) -> list[Block]:
    """The parts of a block; its first statement may stay first if `keep_first`."""
    pieces: list[list[Statement]] = [[]]
    for statement in block.statements:
        is_call = isinstance(statement, Call) and statement.callee in defined
        alone = len(pieces) == 1 and not pieces[0] and keep_first
        if is_call and not alone:
            pieces.append([])
        pieces[-1].append(statement)
    labels = [block.label, *_fresh_labels(f"{block.label}.call", len(pieces) - 1, taken)]
    parts: list[Block] = []
    for i, statements in enumerate(pieces):
        is_last = i == len(pieces) - 1
        terminator = block.terminator if is_last else Jump(labels[i + 1])
        parts.append(Block(labels[i], block.phis if i == 0 else (), tuple(statements), terminator))
    return parts


def _fresh_labels(stem: str, count: int, taken: set[str]) -> list[str]:
    labels: list[str] = []
    number = 1
    while len(labels) < count:
        label = stem if number == 1 else f"{stem}{number}"
        number += 1
        if label not in taken:
            taken.add(label)
            labels.append(label)
    return labels
