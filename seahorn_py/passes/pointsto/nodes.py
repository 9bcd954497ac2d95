"""The graph of points-to analysis: nodes that are unified, with an arithmetic of offsets.

A cell `(node, offset)` stands for a set of addresses.  A node of stride 0 is a piece of memory with
exact offsets; one of stride s > 0 knows offsets only modulo s (an array of elements of s bytes); in
one of stride 1 every byte may be every other.  Unifying two cells puts one node into the other at
the distance of their offsets; where the distance is not unique, the stride becomes the greatest
common divisor of all distances.  Each offset has at most one outgoing link, the cell that is
pointed to by what is stored there, so unifying cells unifies what they point to.

B. Steensgaard: "Points-to analysis in almost linear time", POPL 1996; the nodes with offsets are
those of C. Lattner's data structure analysis (PLDI 2007) and of J. Kuderski, J. Navas,
A. Gurfinkel: "Unification-based pointer analysis without oversharing", FMCAD 2019.
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple


class Cell(NamedTuple):
    """The bytes at `offset` of a node."""

    node: int
    offset: int

    def moved(self, by: int) -> Cell:
        """The cell at a distance."""
        return Cell(self.node, self.offset + by)


class Graph:
    """Nodes as a union-find structure in which an edge carries a distance."""

    def __init__(self) -> None:
        self._parents: list[int] = []
        self._shifts: list[int] = []
        self._weights: list[int] = []
        self._strides: list[int] = []
        self._links: list[dict[int, Cell]] = []
        self._full: list[bool] = []
        self._pending: list[tuple[Cell, Cell]] = []
        self.version = 0

    def node(self) -> Cell:
        """The start of a new node that stands for no object."""
        number = len(self._parents)
        self._parents.append(number)
        self._shifts.append(0)
        self._weights.append(1)
        self._strides.append(0)
        self._links.append({})
        self._full.append(False)
        return Cell(number, 0)

    def find(self, cell: Cell) -> Cell:
        """The cell in its representative, the offset modulo the stride."""
        node, offset = cell
        parents, shifts = self._parents, self._shifts
        if parents[node] != node:
            path = []
            while parents[node] != node:
                path.append(node)
                node = parents[node]
            total = 0
            for below in reversed(path):
                total += shifts[below]
                parents[below], shifts[below] = node, total
            offset += total
        stride = self._strides[node]
        return Cell(node, offset % stride if stride else offset)

    def stride(self, cell: Cell) -> int:
        """The stride of the cell's node."""
        return self._strides[self.find(cell).node]

    def is_full(self, cell: Cell) -> bool:
        """The node stands for some object."""
        return self._full[self.find(cell).node]

    def fill(self, cell: Cell) -> None:
        """The node stands for an object."""
        node = self.find(cell).node
        if not self._full[node]:
            self._full[node] = True
            self.version += 1

    def links(self, cell: Cell) -> dict[int, Cell]:
        """What is pointed to from the node, by offset."""
        return self._links[self.find(cell).node]

    def link(self, cell: Cell) -> Cell:
        """What the pointer stored in the cell points to."""
        node, offset = self.find(cell)
        found = self._links[node].get(offset)
        if found is None:
            found = self._links[node][offset] = self.node()
        return found

    def unify(self, a: Cell, b: Cell) -> None:
        """The two cells stand for the same addresses, and so does what they point to."""
        self._pending.append((a, b))
        while self._pending:
            self._join(*self._pending.pop())

    def restride(self, cell: Cell, step: int) -> None:
        """Addresses `step` bytes apart are the same cell of this node."""
        if step:
            self._restride(self.find(cell).node, step)
            self._settle()

    def _settle(self) -> None:
        while self._pending:
            self._join(*self._pending.pop())

    def _join(self, a: Cell, b: Cell) -> None:
        a, b = self.find(a), self.find(b)
        distance = a.offset - b.offset
        if a.node == b.node:
            if distance:
                self._restride(a.node, distance)
            return
        if self._weights[a.node] < self._weights[b.node]:
            a, b, distance = b, a, -distance
        above, below = a.node, b.node
        self._parents[below], self._shifts[below] = above, distance
        self._weights[above] += self._weights[below]
        if self._full[above] != self._full[below]:
            self._full[above] = True
            self.version += 1
        moved, self._links[below] = self._links[below], {}
        self._restride(above, self._strides[below])
        for offset, target in moved.items():
            self._put(above, offset + distance, target)

    def _put(self, node: int, offset: int, target: Cell) -> None:
        stride, links = self._strides[node], self._links[node]
        key = offset % stride if stride else offset
        if key in links:
            self._pending.append((links[key], target))
        else:
            links[key] = target

    def _restride(self, node: int, step: int) -> None:
        stride = gcd(self._strides[node], step)
        if stride == self._strides[node]:
            return
        self.version += 1
        self._strides[node] = stride
        links, self._links[node] = self._links[node], {}
        for offset, target in links.items():
            self._put(node, offset, target)
