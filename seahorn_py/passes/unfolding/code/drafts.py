"""Blocks that are being written, and which of them dominate which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import Block, Operand, Phi, Statement, Terminator


@dataclass(frozen=True)
class Into:
    """An edge into a block; if it is a branch's, the edge where its condition is `truth`."""

    source: Draft
    condition: Operand | None = None
    truth: bool = True


@dataclass
class Draft:
    """A block that is being written, and the edges into it, in the order of its phis.

    `above` is its immediate dominator, `depth` the number of blocks that dominate it.
    """

    label: str
    edges: tuple[Into, ...] = ()
    above: Draft | None = None
    depth: int = 0
    phis: list[Phi] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    terminator: Terminator | None = None

    def block(self) -> Block:
        """The block; it must have a terminator."""
        assert self.terminator is not None
        return Block(self.label, tuple(self.phis), tuple(self.statements), self.terminator)


def meeting(drafts: Sequence[Draft]) -> Draft | None:
    """The last block that dominates all of some blocks; None if there are none."""
    if not drafts:
        return None
    found, *others = drafts
    for other in others:
        while found is not other:
            deeper = found if found.depth >= other.depth else other
            above = deeper.above
            assert above is not None
            if deeper is found:
                found = above
            else:
                other = above
    return found


def dominates(home: Draft, draft: Draft) -> bool:
    """Whether every run to `draft` passes `home`."""
    while draft.depth > home.depth:
        assert draft.above is not None
        draft = draft.above
    return draft is home
