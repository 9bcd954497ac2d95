"""The unwinding of a Horn system: vertices with labels, and which of them cover others.

McMillan: Lazy abstraction with interpolants, CAV 2006, sections 3 and 4.  A vertex is a `Node`: its
`state` is the label, its `covered` the vertex that covers it.  Where rules have two premises the
unwinding is a directed acyclic graph.  A vertex is *active* when neither it nor any of its
ancestors is covered.  Only active vertices cover others, and only younger ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from seahorn_py.engines.impact.entailment import Entailment
from seahorn_py.engines.refinement.abstraction import State
from seahorn_py.engines.refinement.reachability import Edge, Node, uses
from seahorn_py.horn.system import Atom, HornSystem
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


class Unwinding:
    """All vertices, those that wait to be expanded, and what was expanded already."""

    def __init__(self, system: HornSystem, entailment: Entailment, until: float) -> None:
        self._system = system
        self._entailment = entailment
        self._until = until
        self._uses = uses(system)
        self._numbers = itertools.count()
        self._by_relation: dict[str, list[Node]] = {name: [] for name in system.relations}
        self._inactive: set[int] = set()
        self._applied: set[tuple[object, ...]] = set()
        self._expanded: set[int] = set()
        self.vertices: list[Node] = []
        self.waiting: list[Node] = []

    def add(self, edge: Edge, label: State = frozenset()) -> Node:
        """A vertex for what an edge derives, which waits; one of a query does not."""
        head = edge.rule.head
        name = head.relation if isinstance(head, Atom) else ""
        node = Node(next(self._numbers), name, label, edge.rule, edge.premises)
        if name:
            if any(p.number in self._inactive for p in edge.premises):
                self._inactive.add(node.number)
            self.vertices.append(node)
            self._by_relation[name].append(node)
            self.waiting.append(node)
        return node

    def facts(self) -> Iterator[Edge]:
        """The rules without premises."""
        return (Edge(rule, ()) for rule in self._system.rules if not rule.body)

    def active(self, node: Node) -> bool:
        """Whether neither the vertex nor one that it comes from is covered."""
        return node.number not in self._inactive

    def successors(self, node: Node) -> Iterator[Edge]:
        """The edges from a vertex and others that were expanded, queries first; each comes once."""
        self._expanded.add(node.number)
        found = []
        for rule, position in self._uses.get(node.relation, ()):
            others = [
                [node] if k == position else self._ready(atom.relation)
                for k, atom in enumerate(rule.body)
            ]
            found += [Edge(rule, premises) for premises in itertools.product(*others)]
        for edge in sorted(found, key=lambda e: isinstance(e.rule.head, Atom)):
            if edge.key not in self._applied:
                self._applied.add(edge.key)
                yield edge

    def _ready(self, relation: str) -> list[Node]:
        return [
            n for n in self._by_relation[relation] if n.number in self._expanded and self.active(n)
        ]

    # ------------------------------------------------------------------------------------ covering

    def candidates(self, node: Node) -> Iterator[Node]:
        """The vertices that may cover another, the youngest first."""
        for other in reversed(self._by_relation[node.relation]):
            if other.number < node.number and self.active(other):
                yield other

    def close(self, node: Node) -> bool:
        """Cover a vertex if its label implies that of another."""
        for other in self.candidates(node):
            if self._entailment.holds(node.relation, node.state, other.state, self._until):
                self.cover(node, other)
                return True
        return False

    def cover(self, node: Node, other: Node) -> None:
        """Cover a vertex by another; what rests on it, or is below it, covers nothing any more."""
        node.covered = other
        self.settle()

    def strengthen(self, node: Node, label: Iterable[Term]) -> bool:
        """Add to a label; vertices that its old label covered may be open again."""
        stronger = node.state | frozenset(label)
        if stronger == node.state:
            return False
        node.state = stronger
        for other in self._by_relation[node.relation]:
            if other.covered is node and not self._entailment.holds(
                node.relation, other.state, stronger, self._until
            ):
                other.covered = None
        return True

    def settle(self) -> None:
        """Find out anew who is active; whoever is covered by what is not is open again, and waits.

        In the order of their numbers: premises and covering vertices come first.
        """
        before = self._inactive
        inactive: set[int] = set()
        for node in self.vertices:
            if node.covered is not None and node.covered.number in inactive:
                node.covered = None
            if node.covered is not None or any(p.number in inactive for p in node.premises):
                inactive.add(node.number)
        self._inactive = inactive
        back = before - inactive
        self.waiting += [n for n in self.vertices if n.number in back]

    # --------------------------------------------------------------------------------------- proof

    def invariant(self) -> dict[str, Term]:
        """The disjunction of the labels of the active vertices of each relation."""
        return {
            name: terms.or_(
                terms.and_(sorted(n.state, key=lambda t: t.node_id()))
                for n in nodes
                if self.active(n)
            )
            for name, nodes in self._by_relation.items()
        }
