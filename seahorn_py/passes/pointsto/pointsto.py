"""Points-to analysis: which registers and which memory may hold the address of which objects.

Steensgaard's unification with fields over the whole program: `passes.pointsto.nodes` has the graph
and the papers, `passes.pointsto.flows` what each statement unifies.  Every scalar register may hold
an address, whatever its type: integers carry pointers through casts, sums and memory.

What external code holds is one node, `outside`: every object whose address was given away is in
it, and it points to itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import Address, Operand, Program, Register
from seahorn_py.ir.types import Type
from seahorn_py.passes.pointsto.bindings import Access, Kind, Object
from seahorn_py.passes.pointsto.flows import Rules
from seahorn_py.passes.pointsto.nodes import Cell, Graph


@dataclass(frozen=True)
class Node:
    """What is known of a node: offsets are from its start, modulo `stride` if that is not 0.

    `objects` have the offset of their first byte; `data` are those that are no functions.
    `accesses` are the loads and stores by offset and size in bytes, with their types, `counts` how
    many there are; `spans` the ranges of copies, fills and havocs (size None: not constant).
    `links` are the cells that stored pointers lead to.
    """

    number: int
    stride: int
    objects: tuple[tuple[Object, int], ...]
    data: tuple[tuple[Object, int], ...]
    accesses: Mapping[tuple[int, int], frozenset[Type]]
    counts: Counter[tuple[int, int]]
    spans: frozenset[tuple[int, int | None]]
    links: Mapping[int, Cell]
    is_volatile: bool
    is_outside: bool


class PointsTo:
    """The result: `cell` tells where an operand points, `nodes` what lies there."""

    def __init__(self, rules: Rules) -> None:
        self._graph = rules.graph
        self.registers = rules.registers
        self._symbols = rules.symbols
        self.nodes = _nodes(rules)

    def cell(self, function: str, operand: Operand) -> Cell | None:
        """What the operand points to; None if it cannot point to any object."""
        match operand:
            case Register(name=name):
                found = self.registers.get(function, {}).get(name)
            case Address(symbol=str() as symbol, offset=offset) if symbol in self._symbols:
                found = self._symbols[symbol].moved(offset)
            case _:
                return None
        return None if found is None else self.settled(found)

    def settled(self, cell: Cell) -> Cell | None:
        """A cell of the analysis in its node; None if no object is there."""
        return self._graph.find(cell) if self._graph.is_full(cell) else None

    def node(self, function: str, operand: Operand) -> Node | None:
        """The node of `cell`."""
        found = self.cell(function, operand)
        return None if found is None else self.nodes[found.node]

    def functions(self, function: str, operand: Operand) -> frozenset[str]:
        """The functions that a pointer may lead to."""
        found = self.node(function, operand)
        objects = () if found is None else found.objects
        return frozenset(o.name for o, _ in objects if o.kind is Kind.FUNCTION)


def points_to(program: Program) -> PointsTo:
    """Analyse the program, in almost linear time."""
    rules = Rules(program)
    rules.solve()
    return PointsTo(rules)


@dataclass
class _Held:
    """What was found of one node so far, under the names of `Node`."""

    objects: list[tuple[Object, int]] = field(default_factory=list)
    accesses: dict[tuple[int, int], set[Type]] = field(default_factory=dict)
    counts: Counter[tuple[int, int]] = field(default_factory=Counter)
    spans: set[tuple[int, int | None]] = field(default_factory=set)
    is_volatile: bool = False

    def add(self, access: Access, offset: int) -> None:
        """Count an access at this offset."""
        if access.type is None or access.size is None:
            self.spans.add((offset, access.size))
        else:
            self.accesses.setdefault((offset, access.size), set()).add(access.type)
            self.counts[offset, access.size] += 1
        self.is_volatile |= access.volatile


def _nodes(rules: Rules) -> dict[int, Node]:
    """The nodes that hold objects, by number of their representative."""
    graph = rules.graph
    found: defaultdict[int, _Held] = defaultdict(_Held)
    for made, home in rules.objects:
        node, offset = graph.find(home)
        found[node].objects.append((made, offset))
    for access in rules.accesses:
        node, offset = graph.find(access.cell)
        found[node].add(access, offset)
    outside = graph.find(rules.outside).node
    return {
        number: _node(number, held, graph, number == outside)
        for number, held in found.items()
        if held.objects
    }


def _node(number: int, held: _Held, graph: Graph, is_outside: bool) -> Node:
    start = Cell(number, 0)
    links = sorted(graph.links(start).items())
    return Node(
        number,
        graph.stride(start),
        tuple(held.objects),
        tuple(pair for pair in held.objects if pair[0].kind is not Kind.FUNCTION),
        {key: frozenset(types) for key, types in held.accesses.items()},
        held.counts,
        frozenset(held.spans),
        {at: graph.find(link) for at, link in links if graph.is_full(link)},
        held.is_volatile,
        is_outside,
    )
