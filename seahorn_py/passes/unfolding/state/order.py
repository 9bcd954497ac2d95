"""The order in which copies of blocks are written: each after its predecessors.

A weak topological order (F. Bourdoncle: "Efficient chaotic iteration strategies with widenings",
FMPA 1993) nests the blocks in components, each with a head.  An edge leads forward in the order, or
back to the head of a component around its source.  The *iterations* of the components around a
block tell its copies apart.  The *key* of a copy is greater than the keys of its predecessors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import reverse_postorder, strong_components, successors
from seahorn_py.ir.program import Function

Iterations = tuple[int, ...]
Key = tuple[int, ...]


@dataclass(frozen=True)
class Order:
    """The weak topological order of the reachable blocks of a function.

    `heads`: block -> the heads of the components around it, outermost first.  `positions`: block ->
    the position of each of these components in the one around it, and at last the position of the
    block.  The head of a component belongs to it and has position 0.
    """

    heads: Mapping[str, tuple[str, ...]]
    positions: Mapping[str, tuple[int, ...]]

    def first(self, label: str) -> Iterations:
        """The iterations of the first copy of a block at which a function begins."""
        return (0,) * len(self.heads[label])

    def after(self, source: str, iterations: Iterations, target: str) -> Iterations:
        """The iterations of the target of an edge from a copy of the source."""
        around, wanted = self.heads[source], self.heads[target]
        common = 0
        while common < min(len(around), len(wanted)) and around[common] == wanted[common]:
            common += 1
        kept = iterations[:common]
        if common == len(wanted) and wanted and wanted[-1] == target:
            kept = (*kept[:-1], kept[-1] + 1)
        return (*kept, *(0 for _ in wanted[common:]))

    def key(self, label: str, iterations: Iterations) -> Key:
        """The key of a copy in its activation; keys are ordered as runs visit the copies."""
        positions = self.positions[label]
        pairs = zip(positions, iterations, strict=False)
        return (*(number for pair in pairs for number in pair), positions[-1])

    def leaves_loop(self, source: str, target: str) -> bool:
        """Whether the edge leads out of a component around its source."""
        around = self.heads[source]
        return self.heads[target][: len(around)] != around


def order_of(function: Function) -> Order:
    """The weak topological order of the reachable blocks."""
    heads: dict[str, tuple[str, ...]] = {}
    positions: dict[str, tuple[int, ...]] = {}
    follow = successors(function)
    number = {label: k for k, label in enumerate(reverse_postorder(function))}
    pending: list[tuple[list[str], tuple[str, ...], tuple[int, ...], int]] = [
        (list(number), (), (), 0)
    ]
    while pending:
        labels, around, above, start = pending.pop()
        for position, component in enumerate(_components(labels, follow), start):
            head = min(component, key=number.__getitem__)
            if len(component) == 1 and head not in follow[head]:
                heads[head], positions[head] = around, (*above, position)
                continue
            heads[head] = (*around, head)
            positions[head] = (*above, position, 0)
            rest = [label for label in component if label != head]
            pending.append((rest, (*around, head), (*above, position), 1))
    return Order(heads, positions)


def _components(
    labels: Iterable[str], follow: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    """The strong components of a part of the graph, each before those that it leads to."""
    inside = dict.fromkeys(labels)
    found = strong_components(inside, lambda label: [t for t in follow[label] if t in inside])
    return found[::-1]
