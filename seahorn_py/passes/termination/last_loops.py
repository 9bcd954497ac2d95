"""A program whose runs end as soon as no loop and no recursion can follow.

Whether all runs end does not depend on what a run does there: it ends, or it is blocked.  Without
that part memory is often without use that loops only write.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from seahorn_py.ir.graph import (
    call_graph,
    predecessors,
    reached,
    recursive_functions,
    reverse_postorder,
    strong_components,
    successors,
)
from seahorn_py.ir.program import Block, Call, Function, Program, Stop, StopKind


def ending_early(program: Program) -> Program:
    """The program, in encoding form; the very same one if nothing is left out of it."""
    entry = program.functions[program.entry]
    sure = _sure(entry, _unsure_functions(program))
    if not sure or program.entry in recursive_functions(program):
        return program
    blocks = tuple(_cut(block) if block.label in sure else block for block in entry.blocks)
    if blocks == entry.blocks:
        return program
    functions = {**program.functions, entry.name: _reachable(replace(entry, blocks=blocks))}
    return replace(program, functions=functions)


def _unsure_functions(program: Program) -> frozenset[str]:
    """The functions with a loop, the recursive ones, and those that call such functions."""
    graph = call_graph(program)
    callers: dict[str, list[str]] = {name: [] for name in program.functions}
    for name, called in graph.items():
        for one in called:
            callers[one].append(name)
    unsure = {name for name, f in program.functions.items() if _cyclic(f)}
    unsure |= recursive_functions(program)
    return reached(unsure, callers)


def _cyclic(function: Function) -> frozenset[str]:
    """The labels of the blocks on cycles."""
    follow = successors(function)
    parts = strong_components(reverse_postorder(function), follow.__getitem__)
    return frozenset(label for p in parts for label in p if len(p) > 1 or label in follow[label])


def _sure(function: Function, unsure: Set[str]) -> frozenset[str]:
    """The labels of the blocks behind which there are no cycle and no call of such a function."""
    going_on = set(_cyclic(function))
    for block in function.blocks:
        for statement in block.statements:
            if isinstance(statement, Call) and _may_go_on(statement, unsure):
                going_on.add(block.label)
    before = predecessors(function)
    rest = reached(going_on, before)
    return frozenset(block.label for block in function.blocks if block.label not in rest)


def _may_go_on(call: Call, unsure: Set[str]) -> bool:
    return not isinstance(call.callee, str) or call.callee in unsure


def _cut(block: Block) -> Block:
    return Block(block.label, (), (), Stop(StopKind.END, block.terminator.origin))


def _reachable(function: Function) -> Function:
    labels = set(reverse_postorder(function))
    return replace(function, blocks=tuple(b for b in function.blocks if b.label in labels))
