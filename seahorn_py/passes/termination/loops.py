"""The natural loops of a function, and how they nest.

The natural loop of a head is the head and the blocks from which a run may come back to it without
passing it before (Aho, Sethi, Ullman: "Compilers", section 10.4).  All loops are natural where each
retreating edge leads to a block that dominates its source.  Other control flow is irreducible, and
no loop of it is ranked.
"""

from __future__ import annotations

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    depth_first,
    dominator_tree,
    predecessors,
    reached,
    reverse_postorder,
)
from seahorn_py.ir.program import Block, Function


class Irreducible(Exception):
    """A cycle has no head that dominates it; the text is its label."""


@dataclass(frozen=True)
class Loop:
    """A head, the labels of the whole loop, and the sources of the edges back to the head."""

    head: str
    body: frozenset[str]
    latches: tuple[str, ...]


HUB = "hub!"
"""Begins the label of a block that `passes.termination.hubs` made."""

_PARTED = pattern(r"\.outer\d*$")
"""The head of an outer loop that LLVM's `loop-simplify` made (`separateNestedLoop`)."""


def head_origin(block: Block) -> Origin:
    """The first place in the C text that the block has."""
    for node in (*block.statements, block.terminator):
        origin: Origin = getattr(node, "origin", NOWHERE)
        if origin.span is not None and origin.span.line:
            return origin
    return NOWHERE


def is_parted(function: Function, loop: Loop) -> bool:
    """Whether a round of this loop is no round of a loop in C.

    Its head is a hub, or LLVM made it and another loop of a single one of the C text.
    """
    if loop.head.startswith(HUB):
        return True
    before = (label for label in predecessors(function)[loop.head] if label not in loop.body)
    return any(_PARTED.search(label) for label in (loop.head, *before))


def natural_loops(function: Function) -> tuple[Loop, ...]:
    """The loops by their heads in reverse postorder: an outer loop comes before its inner ones.

    Every cycle of the function passes a head.  Raises Irreducible.
    """
    tree = dominator_tree(function)
    before = predecessors(function)
    back: dict[str, list[str]] = {}
    for source, head in depth_first(function).retreating:
        if not tree.dominates(head, source):
            raise Irreducible(head)
        back.setdefault(head, []).append(source)
    order = [label for label in reverse_postorder(function) if label in back]
    return tuple(Loop(h, reached(back[h], before, frozenset({h})), tuple(back[h])) for h in order)
