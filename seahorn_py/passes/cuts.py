"""Cut points, what is live at them, and the loop-free regions between them (large blocks).

Large-block encoding: D. Beyer, A. Cimatti, A. Griggio, M. E. Keremoglu, R. Sebastiani: "Software
model checking via large-block encoding", FMCAD 2009.  Cut points are the targets of retreating
edges of a depth-first search (so every cycle holds one, whether the flow is reducible or not) and
the blocks that begin with a call; for small steps all blocks but the first.  The functions here
expect encoding form.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    blocks_by_label,
    live_after_phis,
    loop_heads,
    reverse_postorder,
    successors,
)
from seahorn_py.ir.program import Block, Call, Function, Register
from seahorn_py.ir.traverse import definitions
from seahorn_py.passes.environment import ALLOCATION

_STATE = re.compile(r"sea\.at\.\d+")
"""The labels of states of a product of threads (`frontend.lowering.threads.product`)."""


def call_of(block: Block) -> Call | None:
    """The call of a function with a body with which the block begins."""
    first = block.statements[0] if block.statements else None
    is_call = isinstance(first, Call) and first.callee not in ALLOCATION
    return first if isinstance(first, Call) and is_call else None


def cut_points(function: Function, *, small: bool = False) -> tuple[str, ...]:
    """Labels of loop heads and of blocks that begin with a call, in reverse postorder.

    In the product of threads, states in which orders of steps meet are cut points too: regions
    between few cut points would have most blocks in common.
    """
    if small:
        return tuple(b for b in reverse_postorder(function) if b != function.entry.label)
    heads = set(loop_heads(function))
    blocks = blocks_by_label(function)
    states = {label for label in blocks if _STATE.fullmatch(label)} if heads else set()
    meeting = states - {function.entry.label}
    return tuple(
        label
        for label in reverse_postorder(function)
        if label in heads or label in meeting or call_of(blocks[label]) is not None
    )


def live_registers(
    function: Function, *, small: bool = False
) -> Mapping[str, tuple[Register, ...]]:
    """Cut point -> registers, ordered by definition, that are live just after its phis.

    Parameters are left out: a relation always carries them.  The results of a call are not live at
    the block that begins with it; what is needed after the call is.
    """
    live = live_after_phis(function)
    order = {r: k for k, r in enumerate(_definitions(function))}
    return {
        label: tuple(sorted((r for r in live[label] if r in order), key=order.__getitem__))
        for label in cut_points(function, small=small)
    }


def _definitions(function: Function) -> list[Register]:
    blocks = blocks_by_label(function)
    return [r for label in reverse_postorder(function) for r in definitions(blocks[label])]


@dataclass(frozen=True)
class ControlRegion:
    """The loop-free graph from one cut point (or the entry) up to the next ones.

    `start` is the first of `blocks`, which are in topological order; a run enters it just after
    the phis of `start` and, if `start` begins with a call, just after that call.  `edges` are all
    that leave a block of the region, to another block of it or to a cut point in `ends` (perhaps
    `start` again).  Blocks between cut points may belong to several regions.
    """

    start: str
    blocks: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    ends: tuple[str, ...]


def regions(function: Function, *, small: bool = False) -> tuple[ControlRegion, ...]:
    """The region of the entry, then those of the cut points in reverse postorder."""
    cuts = cut_points(function, small=small)
    follow = successors(function)
    rank = {label: k for k, label in enumerate(reverse_postorder(function))}
    starts = (function.entry.label, *cuts)
    return tuple(_region(start, set(cuts), follow, rank) for start in starts)


def _region(
    start: str,
    cuts: Collection[str],
    follow: Mapping[str, tuple[str, ...]],
    rank: Mapping[str, int],
) -> ControlRegion:
    inside, ends = {start}, set[str]()
    pending = [start]
    while pending:
        for target in follow[pending.pop()]:
            if target in cuts:
                ends.add(target)
            elif target not in inside:
                inside.add(target)
                pending.append(target)
    # without the cut points no edge is retreating, so reverse postorder is topological
    blocks = tuple(sorted(inside, key=rank.__getitem__))
    edges = tuple((label, target) for label in blocks for target in follow[label])
    return ControlRegion(start, blocks, edges, tuple(sorted(ends, key=rank.__getitem__)))
