"""A program in which runs are blocked if they enter a loop while a condition does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import blocks_by_label, predecessors
from seahorn_py.ir.program import (
    Block,
    Branch,
    Compare,
    IntConst,
    Operand,
    Predicate,
    Program,
    Register,
    Stop,
    StopKind,
)
from seahorn_py.ir.traverse import definitions, relabelled, retarget
from seahorn_py.ir.types import BOOL
from seahorn_py.passes.termination.loops import Loop


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a register of a loop's head with another one, or a number, of its type."""

    left: Register
    predicate: Predicate
    right: Register | IntConst


def entered_only_if(program: Program, name: str, loop: Loop, condition: Condition) -> Program:
    """The program in which the loop of function `name` is entered under the condition alone.

    The condition is about the values with which the loop begins.  The program is in encoding form.
    """
    function = program.functions[name]
    blocks = blocks_by_label(function)
    taken = set(blocks) | {r.name for b in function.blocks for r in definitions(b)}
    names = (n for k in range(1 << 30) if (n := f"entering.{k}") not in taken)
    head = blocks[loop.head]
    for source in predecessors(function)[loop.head]:
        if source not in loop.body:
            head = _guarded(blocks, source, head, condition, names)
    blocks[loop.head] = head
    changed = replace(function, blocks=tuple(blocks.values()))
    return replace(program, functions={**program.functions, name: changed})


def _guarded(
    blocks: dict[str, Block], source: str, head: Block, condition: Condition, names: Iterator[str]
) -> Block:
    """Put a test on the edge from `source` into the loop; gives the head with its phis renamed."""
    arriving = {phi.result: dict(phi.incoming)[source] for phi in head.phis}

    def value(operand: Register | IntConst) -> Operand:
        return arriving.get(operand, operand) if isinstance(operand, Register) else operand

    label, blocked, bit = next(names), next(names), Register(next(names), BOOL)
    test = Compare(bit, condition.predicate, value(condition.left), value(condition.right))
    blocks[label] = Block(label, (), (test,), Branch(bit, head.label, blocked))
    blocks[blocked] = Block(blocked, (), (), Stop(StopKind.BLOCKED))
    before = blocks[source]
    blocks[source] = replace(before, terminator=retarget(before.terminator, {head.label: label}))
    return relabelled(head, {source: label})
