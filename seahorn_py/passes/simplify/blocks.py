"""The shape of the control flow: unreachable blocks go, straight lines become one block.

No statement is ever copied, so every site and check keeps its one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.ir.graph import predecessors, reverse_postorder
from seahorn_py.ir.program import (
    Block,
    Branch,
    Function,
    Jump,
    Operand,
    Phi,
    Register,
)
from seahorn_py.ir.traverse import (
    map_operands,
    map_phi,
    map_terminator,
    mentions,
    relabelled,
    retarget,
    targets,
)


def drop_unreachable(function: Function) -> Function:
    """Keep the blocks that can be reached from the entry, and of phis what comes from those.

    Also drops what a phi says of a block that no longer leads to it.
    """
    reachable = set(reverse_postorder(function))
    kept = tuple(block for block in function.blocks if block.label in reachable)
    before = predecessors(replace(function, blocks=kept))
    blocks = tuple(_coming_from(b, before[b.label]) if b.phis else b for b in kept)
    return replace(function, blocks=blocks)


def _coming_from(block: Block, before: tuple[str, ...]) -> Block:
    if all(len(phi.incoming) == len(before) for phi in block.phis):
        return block
    labels = frozenset(before)
    phis = tuple(
        replace(phi, incoming=tuple(pair for pair in phi.incoming if pair[0] in labels))
        for phi in block.phis
    )
    return replace(block, phis=phis)


def substituted(function: Function, values: Mapping[Register, Operand]) -> Function:
    """The function with registers replaced by values; what mentions none of them is shared."""
    if not values:
        return function

    def rename(operand: Operand) -> Operand:
        return values.get(operand, operand) if isinstance(operand, Register) else operand

    def block(old: Block) -> Block:
        return Block(
            old.label,
            tuple(map_phi(p, rename) if is_affected(p) else p for p in old.phis),
            tuple(map_operands(s, rename) if mentions(s, values) else s for s in old.statements),
            map_terminator(end, rename) if mentions(end := old.terminator, values) else end,
        )

    def is_affected(phi: Phi) -> bool:
        return any(isinstance(o, Register) and o in values for _, o in phi.incoming)

    return replace(function, blocks=tuple(map(block, function.blocks)))


def merge_lines(function: Function) -> Function:
    """Join each block with its only successor where that has no other predecessor."""
    before = predecessors(function)
    blocks = {block.label: block for block in function.blocks}
    values: dict[Register, Operand] = {}
    renamed: dict[str, str] = {}
    for label in reverse_postorder(function):
        if label in renamed:
            continue
        head = blocks[label]
        while isinstance(head.terminator, Jump):
            following = blocks[head.terminator.target]
            if len(before[following.label]) != 1 or following.label == label:
                break
            values.update((phi.result, phi.incoming[0][1]) for phi in following.phis)
            renamed[following.label] = label
            statements = (*head.statements, *following.statements)
            head = replace(head, statements=statements, terminator=following.terminator)
        blocks[label] = head
    if not renamed:
        return function
    labels = [block.label for block in function.blocks if block.label not in renamed]
    kept = tuple(relabelled(blocks[label], renamed) for label in labels)
    return substituted(replace(function, blocks=kept), resolved(values))


def resolved(values: Mapping[Register, Operand]) -> dict[Register, Operand]:
    """Follow chains of replacements, each defined before the next, to their ends."""
    ends: dict[Register, Operand] = {}
    for register, value in values.items():
        end = value
        while isinstance(end, Register) and end in values:
            end = values[end]
        ends[register] = end
    return ends


def skip_empty(function: Function) -> Function:
    """Let jumps to a block that only jumps on lead to where that goes.

    A block stays if it is the entry, jumps to itself, or distinguishes values of phis.
    """
    blocks = {block.label: block for block in function.blocks}
    before = {label: set(labels) for label, labels in predecessors(function).items()}
    for label in [block.label for block in function.blocks[1:]]:
        empty = blocks[label]
        if not _is_empty(empty) or not isinstance(empty.terminator, Jump):
            continue
        target = blocks[empty.terminator.target]
        sources = before[empty.label]
        shared = bool(sources & before[target.label])
        if target.label == empty.label or (target.phis and (shared or not sources)):
            continue
        for source in sources:
            block = blocks[source]
            terminator = retarget(block.terminator, {empty.label: target.label})
            if isinstance(terminator, Branch) and len(targets(terminator)) == 1:
                terminator = Jump(terminator.then, terminator.origin)
            blocks[source] = replace(block, terminator=terminator)
        target = blocks[target.label]
        phis = tuple(_fanned_out(phi, empty.label, sorted(sources)) for phi in target.phis)
        blocks[target.label] = replace(target, phis=phis)
        before[target.label] = before[target.label] - {empty.label} | sources
        before[empty.label] = set()
    return drop_unreachable(replace(function, blocks=tuple(blocks.values())))


def _is_empty(block: Block) -> bool:
    return not block.phis and not block.statements


def _fanned_out(phi: Phi, through: str, sources: list[str]) -> Phi:
    """The value that came through a block now comes from each of its predecessors."""
    incoming: list[tuple[str, Operand]] = []
    for label, value in phi.incoming:
        origins = sources if label == through else [label]
        incoming.extend((origin, value) for origin in origins)
    return replace(phi, incoming=tuple(incoming))
