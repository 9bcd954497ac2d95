"""Where a block stands in its function, so that copies of blocks are visited in the order of runs.

F. Bourdoncle: "Efficient chaotic iteration strategies with widenings" (FMPA 1993): a weak
topological order nests the blocks in components, each with a head.  An edge leads forward in it, or
back to the head of a component that contains its source.  A copy of a block is told apart by the
iterations of the components around it; the key of a copy is greater than those of its predecessors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from seahorn_py.ir.graph import reverse_postorder, strong_components, successors
from seahorn_py.ir.program import Function

Iterations = tuple[int, ...]
Key = tuple[int, ...]


@dataclass(frozen=True)
class Order:
    """For each reachable block the heads of the components around it, outermost first.

    `positions` has one number more: those of the components, each among its neighbours, and that
    of the block in the innermost.  The head of a component is a member of it, at position 0.
    """

    heads: Mapping[str, tuple[str, ...]]
    positions: Mapping[str, tuple[int, ...]]

    def first(self, label: str) -> Iterations:
        """The iterations in which a function's entry begins."""
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
        """Keys of copies in one activation are ordered as they are visited."""
        positions = self.positions[label]
        pairs = zip(positions, iterations, strict=False)
        return (*(number for pair in pairs for number in pair), positions[-1])

    def leaves_loop(self, source: str, target: str) -> bool:
        """The edge leads out of a component around its source."""
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
    """The strong components of a part of the graph, each before those it leads to."""
    inside = dict.fromkeys(labels)
    found = strong_components(inside, lambda label: [t for t in follow[label] if t in inside])
    return found[::-1]
