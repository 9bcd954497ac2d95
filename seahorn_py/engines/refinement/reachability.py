"""The abstract fixpoint: which abstract states the rules derive, and from which others.

`abstract_fixpoint` of Podelski, Rybalchenko (ARMC, PADL 2007), on rules with any number of
premises.  A new state is dropped where a weaker one of its relation is there (`covered`); states
that are kept know the rule and the premises they come from, so the reachable states are a directed
acyclic graph, a tree where the system is linear.

`prune` takes back a part of it: Henzinger, Jhala, Majumdar, Sutre: Lazy abstraction, POPL 2002.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.abstraction import Posts, State
from seahorn_py.engines.refinement.configuration import Order
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.horn.system import Atom, HornSystem, Query, Rule, is_obligation
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import OutOfTime

_LAST = 1 << 30
"""A priority after that of whatever derives facts."""


@dataclass(eq=False)
class Node:
    """An abstract state of a relation, "" for a query, and where it comes from.

    `seen` are the predicates and followed parameters that it was derived with.  `covered` is a node
    with a weaker state, found later; `gone` says that the node was taken back.
    """

    number: int
    relation: str
    state: State
    rule: Rule
    premises: tuple[Node, ...]
    seen: int = 0
    covered: Node | None = None
    gone: bool = False


@dataclass(frozen=True, eq=False)
class Edge:
    """A rule that is to be applied."""

    rule: Rule
    premises: tuple[Node, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for equal edges."""
        return (self.rule.name, *(n.number for n in self.premises))


@dataclass
class Graph:
    """The states found so far, and the edges that rest on a node for being covered by it."""

    nodes: dict[str, list[Node]] = field(default_factory=dict)
    leaning: dict[int, list[Edge]] = field(default_factory=dict)

    def alive(self, relation: str) -> list[Node]:
        """The states that are not covered by others."""
        return [n for n in self.nodes.get(relation, ()) if n.covered is None]


class Reachability:
    """The fixpoint, and what it has to do next."""

    def __init__(self, system: HornSystem, posts: Posts, order: Order, until: float) -> None:
        self._system = system
        self._posts = posts
        self._until = until
        self._uses = uses(system)
        self._distance = distances(system) if order is Order.DISTANCE else {}
        self._order = order
        self._numbers = itertools.count()
        self.begin()

    def begin(self) -> None:
        """With no states at all."""
        self.graph = Graph()
        self._work = _Work(self._order, self._distance)
        for rule in self._system.rules:
            if not rule.body:
                self._work.push(Edge(rule, ()))

    def run(self, precision: Precision) -> Node | None:
        """A node of a query, or None when nothing new can be derived."""
        while (edge := self._work.pop()) is not None:
            if time.monotonic() >= self._until:
                raise OutOfTime
            if not self._needed(edge):
                continue
            states = self._posts.post(
                edge.rule, [n.state for n in edge.premises], precision, self._until
            )
            if states and not isinstance(edge.rule.head, Atom):
                self._work.push(edge)  # to be asked again after the refinement
                return Node(next(self._numbers), "", states[0], edge.rule, edge.premises)
            for state in states:
                self._add(edge, state, precision)
        return None

    def _needed(self, edge: Edge) -> bool:
        """Whether no premise is gone or covered; a covered one makes the edge lean on the other."""
        if any(n.gone for n in edge.premises):
            return False
        covered = next((n for n in edge.premises if n.covered is not None), None)
        if covered is None:
            return True
        assert covered.covered is not None
        self.graph.leaning.setdefault(covered.covered.number, []).append(edge)
        return False

    def _add(self, edge: Edge, state: State, precision: Precision) -> None:
        head = edge.rule.head
        assert isinstance(head, Atom)
        own = self.graph.nodes.setdefault(head.relation, [])
        weaker = next((n for n in own if n.covered is None and n.state <= state), None)
        if weaker is not None:
            self.graph.leaning.setdefault(weaker.number, []).append(edge)
            return
        seen = seen_of(precision, head.relation)
        node = Node(next(self._numbers), head.relation, state, edge.rule, edge.premises, seen)
        for other in own:
            if other.covered is None and state < other.state:
                other.covered = node
        own.append(node)
        self._expand(node)

    def _expand(self, node: Node) -> None:
        """The rules that can be applied now: the node at one position, known ones at the others."""
        for rule, position in self._uses.get(node.relation, ()):
            others = [
                [node] if k == position else self._before(atom.relation, node, k < position)
                for k, atom in enumerate(rule.body)
            ]
            for premises in itertools.product(*others):
                self._work.push(Edge(rule, premises))

    def _before(self, relation: str, node: Node, older: bool) -> list[Node]:
        """Nodes for a position before or after the new node's, so that each choice comes once."""
        return [n for n in self.graph.nodes.get(relation, ()) if not (older and n is node)]

    def alternatives(self, node: Node) -> list[Edge]:
        """Other edges that derive a state that a node covers; not those that use such a state."""
        found = {Edge(node.rule, node.premises).key: Edge(node.rule, node.premises)}
        for edge in self.graph.leaning.get(node.number, ()):
            is_use = any(n.gone or n.covered is node for n in edge.premises)
            head = edge.rule.head
            if not is_use and isinstance(head, Atom) and head.relation == node.relation:
                found.setdefault(edge.key, edge)
        return list(found.values())[1:]

    @property
    def states(self) -> int:
        """How many states there are."""
        return sum(map(len, self.graph.nodes.values()))

    # ------------------------------------------------------------------------------------ pruning

    def prune(self, weak: Iterable[Node]) -> int:
        """Take back nodes and what was derived from them; how many were taken back.

        The states that stay are none too strong: they were derived under a coarser precision.
        """
        for node in weak:
            node.gone = True
        removed = self._spread()
        again: dict[tuple[object, ...], Edge] = {}
        for node in removed:
            edges = [Edge(node.rule, node.premises), *self.graph.leaning.pop(node.number, ())]
            again |= {edge.key: edge for edge in edges}
        for name, own in self.graph.nodes.items():
            self.graph.nodes[name] = [n for n in own if not n.gone]
            self._uncover(self.graph.nodes[name])
        for edge in again.values():
            if not any(n.gone for n in edge.premises):
                self._work.push(edge)
        return len(removed)

    def _spread(self) -> list[Node]:
        """All nodes that rest on one that is gone; premises have smaller numbers."""
        known = (n for own in self.graph.nodes.values() for n in own)
        removed = []
        for node in sorted(known, key=lambda n: n.number):
            node.gone = node.gone or any(p.gone for p in node.premises)
            if node.gone:
                removed.append(node)
        return removed

    @staticmethod
    def _uncover(nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node.covered is not None and node.covered.gone:
                node.covered = None

    # --------------------------------------------------------------------------------------- proof

    def invariant(self) -> dict[str, Term]:
        """The disjunction of the states of each relation."""
        return {
            name: terms.or_(
                terms.and_(sorted(n.state, key=lambda t: t.node_id()))
                for n in self.graph.alive(name)
            )
            for name in self._system.relations
        }


def seen_of(precision: Precision, relation: str) -> int:
    """How much a precision says of a relation; precisions only grow."""
    return len(precision.of(relation)) + len(precision.values(relation))


def uses(system: HornSystem) -> Mapping[str, Sequence[tuple[Rule, int]]]:
    """The rules and places in which a relation is a premise."""
    found: dict[str, list[tuple[Rule, int]]] = {}
    for rule in system.rules:
        for position, atom in enumerate(rule.body):
            found.setdefault(atom.relation, []).append((rule, position))
    return found


def distances(system: HornSystem) -> Mapping[str, int]:
    """How many rules lie between a relation and a query at least."""
    found: dict[str, int] = {}
    todo: deque[tuple[str, int]] = deque()
    leading: dict[str, list[Rule]] = {}
    for rule in system.rules:
        if isinstance(rule.head, Atom):
            leading.setdefault(rule.head.relation, []).append(rule)
        else:
            todo.extend((atom.relation, 1) for atom in rule.body)
    while todo:
        name, distance = todo.popleft()
        if name not in found:
            found[name] = distance
            for rule in leading.get(name, ()):
                todo.extend((atom.relation, distance + 1) for atom in rule.body)
    return found


class _Work:
    """The edges that wait: checks first; whether an operation wraps is asked when all is derived.

    Many an operation does after more steps than anyone follows, and a check fails long before.
    """

    def __init__(self, order: Order, distance: Mapping[str, int]) -> None:
        self._order = order
        self._distance = distance
        self._heap: list[tuple[int, int, Edge]] = []
        self._count = itertools.count()

    def push(self, edge: Edge) -> None:
        number = next(self._count)
        heapq.heappush(self._heap, (self._priority(edge), self._sign * number, edge))

    def pop(self) -> Edge | None:
        return heapq.heappop(self._heap)[2] if self._heap else None

    @property
    def _sign(self) -> int:
        return -1 if self._order is Order.DEPTH else 1

    def _priority(self, edge: Edge) -> int:
        if isinstance(edge.rule.head, Query):
            return _LAST if is_obligation(edge.rule) else 0
        if self._order is not Order.DISTANCE:
            return 1
        return self._distance.get(edge.rule.head.relation, len(self._distance) + 1)
