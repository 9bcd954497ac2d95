"""Where the integers of a Horn system come from: numbers, and distances from a counter.

An allocator that never reuses addresses is a counter: a parameter that only grows, at which arrays
are written.  What was the counter plus `d` once is a place `d` bytes into a block.  The flow is
read off the equations of the rules wherever they stand, so it says what is worth trying, and no
proof rests on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule, atoms
from seahorn_py.horn.transform.cells.arrayflow import ArrayFlow, Classes, array_flow, rule_nodes
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import linear
from seahorn_py.logic.terms.terms import Term

MOST_VALUES = 8
"""Of what has more different values nothing is said."""

Node = tuple[object, ...]
"""A parameter, a symbol of a rule, or the elements of arrays that are versions of one another."""

ANYTHING: Node = ("anything",)
"""What is no place plus a number; values that come from there are left out."""

Position = tuple[str, int]
"""A relation and the number of one of its parameters."""


@dataclass(frozen=True)
class Value:
    """A number, or the counter plus that number."""

    number: int
    counted: bool = False


@dataclass(frozen=True)
class _Source:
    node: Node | None
    offset: int


@dataclass(frozen=True)
class Flow:
    """What is known of the system: the counters, values, and where arrays are written.

    `values` lacks what has too many values.  `columns` are the distances from the counter at which
    the arrays of a class are written; `classes` gives the class of an array parameter.
    """

    counters: frozenset[Position]
    values: Mapping[Node, frozenset[Value]]
    classes: Mapping[Position, Node]
    columns: Mapping[Node, tuple[int, ...]]


def flow_of(system: HornSystem) -> Flow:
    """The flow of a system; without counters there is nothing to say about blocks."""
    return _Reading(system).flow()


class _Reading:
    def __init__(self, system: HornSystem) -> None:
        self._system = system
        self._sources: dict[Node, set[_Source]] = defaultdict(set)
        self._written: list[tuple[Node, list[_Source]]] = []
        self._arrays: Classes[Node] = Classes()
        self._reached: dict[Node, set[Node]] = {}
        self._flows = {rule.name: array_flow(rule_nodes(rule)) for rule in system.rules}
        for rule in system.rules:
            self._join(rule)
        for rule in system.rules:
            self._read(rule)

    def flow(self) -> Flow:
        """All of it."""
        counters = self._counters()
        values = self._values(counters)
        places: set[Node] = {("parameter", *place) for place in counters}
        columns: dict[Node, set[int]] = defaultdict(set)
        for node, sources in self._written:
            for source in sources:
                found = self._of(source, values, places) or ()
                columns[node] |= {v.number for v in found if v.counted}
        classes = {p: self._element(p) for p in self._positions()}
        ordered = {node: tuple(sorted(found)) for node, found in columns.items()}
        return Flow(frozenset(counters), values, classes, ordered)

    def _positions(self) -> Iterator[Position]:
        for relation in self._system.relations.values():
            for k, parameter in enumerate(relation.parameters):
                if parameter.sort.is_array_type():
                    yield relation.name, k

    def _element(self, position: Position) -> Node:
        return ("element", self._arrays.find(("array", *position)))

    # ---------------------------------------------------------------------------------- reading

    def _join(self, rule: Rule) -> None:
        """Arrays of a rule and those that its atoms hold are versions of one another."""
        flow = self._flows[rule.name]
        for atom in atoms(rule):
            for k, argument in enumerate(atom.arguments):
                if terms.sort_of(argument).is_array_type() and not argument.is_array_value():
                    self._arrays.join(("array", atom.relation, k), self._root(rule, flow, argument))

    def _root(self, rule: Rule, flow: ArrayFlow, array: Term) -> Node:
        return ("array of", rule.name, flow.classes.find(array))

    def _read(self, rule: Rule) -> None:
        given = {argument for atom in rule.body for argument in atom.arguments}
        for node in rule_nodes(rule):
            if node.is_equals() and terms.sort_of(node.arg(0)) is terms.INT:
                for symbol, term in (node.args(), node.args()[::-1]):
                    if symbol.is_symbol() and symbol not in given:
                        self._sources[_symbol(rule, symbol)] |= set(self._expand(rule, term))
            elif node.is_store():
                self._read_store(rule, node)
        for atom in rule.body:
            for k, argument in enumerate(atom.arguments):
                if argument.is_symbol():
                    self._sources[_symbol(rule, argument)].add(_Source(_place(atom, k), 0))
        if isinstance(rule.head, Atom):
            self._read_head(rule, rule.head)

    def _read_store(self, rule: Rule, store: Term) -> None:
        element = ("element", self._arrays.find(self._root(rule, self._flows[rule.name], store)))
        self._sources[element] |= set(self._expand(rule, store.arg(2)))
        self._written.append((element, list(self._expand(rule, store.arg(1)))))
        if store.arg(0).is_array_value():
            self._sources[element] |= set(self._default(store.arg(0)))

    def _read_head(self, rule: Rule, head: Atom) -> None:
        for k, argument in enumerate(head.arguments):
            if terms.sort_of(argument) is terms.INT:
                self._sources[_place(head, k)] |= set(self._expand(rule, argument))
            elif argument.is_array_value():
                element = self._element((head.relation, k))
                self._sources[element] |= set(self._default(argument))

    def _default(self, constant: Term) -> Iterator[_Source]:
        default = constant.array_value_default()
        if default.is_int_constant():
            yield _Source(None, int(default.constant_value()))

    def _expand(self, rule: Rule, term: Term) -> Iterator[_Source]:
        """What a term may be, as far as it is a place plus a number."""
        if terms.sort_of(term) is not terms.INT:
            return
        if term.is_ite():
            yield from self._expand(rule, term.arg(1))
            yield from self._expand(rule, term.arg(2))
            return
        form = linear(term)
        if not form.coefficients:
            yield _Source(None, form.constant)
            return
        ((unit, coefficient), *others) = form.coefficients.items()
        if others or coefficient != 1:
            yield _Source(ANYTHING, 0)
        elif unit.is_symbol():
            yield _Source(_symbol(rule, unit), form.constant)
        elif unit.is_select():
            root = self._root(rule, self._flows[rule.name], unit.arg(0))
            yield _Source(("element", self._arrays.find(root)), form.constant)
        elif unit.is_ite():
            for source in self._expand(rule, unit):
                yield _Source(source.node, source.offset + form.constant)
        else:
            yield _Source(ANYTHING, 0)

    # --------------------------------------------------------------------------------- counters

    def _counters(self) -> set[Position]:
        """Parameters that grow in a circle, from numbers and each other, and what leads to them."""
        before = {node: self._before(node) for node in self._parameters()}
        written = {source.node for _, sources in self._written for source in sources}
        written |= {one for node in written if node is not None for one in self._reach(node)}
        found = {
            node
            for node, all_before in before.items()
            if all_before is not None and node in all_before & written and self._grows(node, before)
        }
        ahead = {
            node
            for node, all_before in before.items()
            if all_before is not None
            and any(node in (before[one] or ()) for one in found)
            and all(one in found or one == node for one in all_before & set(before))
        }
        return {(str(node[1]), int(str(node[2]))) for node in found | ahead}

    def _parameters(self) -> Iterator[Node]:
        for relation in self._system.relations.values():
            for k, parameter in enumerate(relation.parameters):
                if parameter.sort is terms.INT:
                    yield ("parameter", relation.name, k)

    def _before(self, start: Node) -> set[Node] | None:
        """All that a place comes from; None if it comes from arrays, or by steps back."""
        seen: set[Node] = set()
        todo = [start]
        while todo:
            for source in self._sources.get(todo.pop(), ()):
                if source.node is None:
                    continue
                if source.offset < 0 or source.node[0] in ("element", ANYTHING[0]):
                    return None
                if source.node not in seen:
                    seen.add(source.node)
                    todo.append(source.node)
        return seen

    def _grows(self, start: Node, before: Mapping[Node, set[Node] | None]) -> bool:
        """Whether a step forward lies on a circle through the place."""
        circle = {node for node in before[start] or () if start in self._reach(node)}
        return any(
            source.offset > 0 and source.node in circle
            for node in circle
            for source in self._sources.get(node, ())
        )

    def _reach(self, node: Node) -> set[Node]:
        if node not in self._reached:
            self._reached[node] = self._before(node) or set()
        return self._reached[node]

    # ----------------------------------------------------------------------------------- values

    def _values(self, counters: Iterable[Position]) -> dict[Node, frozenset[Value]]:
        """The values of each node, by going round until nothing is new."""
        values: dict[Node, frozenset[Value] | None] = {}
        users: dict[Node, set[Node]] = defaultdict(set)
        for node, sources in self._sources.items():
            for source in sources:
                if source.node is not None:
                    users[source.node].add(node)
        known: set[Node] = {("parameter", *place) for place in counters}
        todo = dict.fromkeys(self._sources)
        while todo:
            node = next(iter(todo))
            del todo[node]
            grown = _joined(self._of(source, values, known) for source in self._sources[node])
            if values.get(node, frozenset()) != grown:
                values[node] = grown
                todo |= dict.fromkeys(users[node])
        return {node: found for node, found in values.items() if found is not None}

    def _of(
        self,
        source: _Source,
        values: Mapping[Node, frozenset[Value] | None],
        counters: Collection[Node],
    ) -> frozenset[Value] | None:
        if source.node is None:
            return frozenset({Value(source.offset)})
        if source.node == ANYTHING:
            return frozenset()
        if source.node in counters:
            return frozenset({Value(source.offset, True)})
        found = values.get(source.node, frozenset())
        if found is None:
            return None
        return frozenset(Value(v.number + source.offset, v.counted) for v in found)


def _joined(parts: Iterable[frozenset[Value] | None]) -> frozenset[Value] | None:
    """The values of several sources; None if there are too many."""
    found: set[Value] = set()
    for part in parts:
        if part is None:
            return None
        found |= part
    return frozenset(found) if len(found) <= MOST_VALUES else None


def _symbol(rule: Rule, symbol: Term) -> Node:
    return ("symbol", rule.name, symbol)


def _place(atom: Atom, k: int) -> Node:
    return ("parameter", atom.relation, k)
