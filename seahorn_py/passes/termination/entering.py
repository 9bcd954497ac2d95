"""A loop that runs enter only where a condition holds: where it does not, they are blocked."""

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
from seahorn_py.ir.traverse import definitions, retarget
from seahorn_py.ir.types import BOOL
from seahorn_py.passes.termination.loops import Loop


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of two values of one type, registers of the head or numbers."""

    left: Register
    predicate: Predicate
    right: Register | IntConst


def entered_only_if(program: Program, name: str, loop: Loop, condition: Condition) -> Program:
    """The program in which the loop is entered under a condition on the values that it begins with.

    The program is in encoding form.
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
    """Put a test on one edge into the loop; the head with the phis that know it."""
    arriving = {phi.result: dict(phi.incoming)[source] for phi in head.phis}

    def value(operand: Register | IntConst) -> Operand:
        return arriving.get(operand, operand) if isinstance(operand, Register) else operand

    label, blocked, bit = next(names), next(names), Register(next(names), BOOL)
    test = Compare(bit, condition.predicate, value(condition.left), value(condition.right))
    blocks[label] = Block(label, (), (test,), Branch(bit, head.label, blocked))
    blocks[blocked] = Block(blocked, (), (), Stop(StopKind.BLOCKED))
    before = blocks[source]
    blocks[source] = replace(before, terminator=retarget(before.terminator, {head.label: label}))
    phis = tuple(
        replace(p, incoming=tuple((label if at == source else at, v) for at, v in p.incoming))
        for p in head.phis
    )
    return replace(head, phis=phis)
