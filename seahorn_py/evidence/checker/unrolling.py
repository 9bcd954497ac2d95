"""Bounds on loops: no path within them meets a query, and none goes on beyond them.

A path goes through relation instances: a relation, with how often the path came back to the heads
of the loops around it.  Loops are nested as the bounds say: the head of a strongly connected
component is its first relation that has a bound, and what is left without the ways to the head is
taken apart in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .clauses import Malformed, Rule, System, all_of
from .conditions import Condition, Steps, declarations

MAX_INSTANCES = 20_000

Instance = tuple[str, tuple[int, ...]]
"""A relation, and how often the path came back to the heads of the loops around it."""


class Unrolled(Steps):
    """One condition: some path through instances of the relations meets a query or goes on."""

    def __init__(self, system: System, bounds: Mapping[str, int]) -> None:
        if any(len(rule.body) > 1 for rule in system.rules):
            raise Malformed("unrolling is for clauses with one premise")
        super().__init__(system, {})
        self._bounds = bounds
        self._nests = nests(system, list(bounds))
        self._lines = list(self.definitions)
        self._ways: dict[Instance, list[str]] = {}
        self._edges: list[tuple[Instance, Instance]] = []
        self._ends: list[str] = []
        self._todo: list[Instance] = []

    def conditions(self) -> Iterator[Condition]:
        """The one."""
        for rule in self.system.rules:
            if not rule.body:
                self._follow(rule, None)
        while self._todo:
            source = self._todo.pop()
            if len(self._ways) > MAX_INSTANCES:
                raise Malformed("too many instances")
            for rule in self.system.rules:
                if rule.body and rule.body[0].relation == source[0]:
                    self._follow(rule, source)
        _acyclic(list(self._ways), self._edges)
        for target, ways in self._ways.items():
            mark = self.mark(_at(target), target[0])
            self._lines.append(f"(assert (=> {mark} (or false {' '.join(ways)})))")
        self._lines.append(f"(assert (or false {' '.join(self._ends)}))")
        yield Condition("the unrolling", "\n".join(self._lines))

    def _follow(self, rule: Rule, source: Instance | None) -> None:
        """The clause applied to an instance: a way into another, or the end of the path."""
        target = self._target(rule, source)
        derived = self._beyond(rule) if target is None else self._values(target)
        if target is not None and target not in self._ways:
            self._ways[target] = []
            self._todo.append(target)
            self._lines.extend(self.declared(_at(target), target[0]))
        if target is not None and source is not None:
            self._edges.append((source, target))
        marks, ports, at = [], derived, "start"
        if source is not None:
            marks, ports = [self.mark(_at(source), source[0])], [*self._values(source), *derived]
            at = f"{_at(source)}{self.numbers[source[0]]}"
        way = all_of([*marks, self.applied(rule, at, ports, self._lines)])
        (self._ends if target is None else self._ways[target]).append(way)

    def _beyond(self, rule: Rule) -> list[str]:
        """Constants for a state in which no path goes on."""
        if rule.head is None:
            return []
        derived = [f"b!{len(self._ends)}!{k}" for k in range(len(rule.head.arguments))]
        sorts = self.system.relations[rule.head.relation]
        self._lines.extend(declarations(zip(derived, sorts, strict=True)))
        return derived

    def _values(self, instance: Instance) -> list[str]:
        return self.state(_at(instance), instance[0])

    def _target(self, rule: Rule, source: Instance | None) -> Instance | None:
        """What the clause leads to; None for false, and for once more than the bound."""
        if rule.head is None:
            return None
        name = rule.head.relation
        nest = self._nests[name]
        known = dict(zip(self._nests[source[0]], source[1], strict=True)) if source else {}
        counts = []
        for head in nest:
            if head == name and head in known:
                counts.append(known[head] + 1)
                if counts[-1] > self._bounds[head]:
                    return None
            else:
                counts.append(known.get(head, 0))
        return name, tuple(counts)


def _at(instance: Instance) -> str:
    return "_".join(map(str, instance[1])) + "_"


def nests(system: System, heads: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The heads of the loops around each relation, the outermost first, its own included."""
    after: dict[str, set[str]] = {name: set() for name in system.relations}
    for rule in system.rules:
        if rule.body and rule.head:
            after[rule.body[0].relation].add(rule.head.relation)
    found: dict[str, tuple[str, ...]] = {}
    todo: list[tuple[frozenset[str], tuple[str, ...]]] = [(frozenset(after), ())]
    while todo:
        inside, around = todo.pop()
        for name in inside:
            loop = _loop(name, inside, after, frozenset(around))
            head = next((h for h in heads if h in loop and h not in around), None)
            if loop and head is None:
                raise Malformed(f"no bound for the loop of {name}")
            if head is None:
                found[name] = around
            elif name == head:
                todo.append((loop, (*around, head)))
    return found


def _loop(
    name: str, inside: frozenset[str], after: Mapping[str, set[str]], cut: frozenset[str]
) -> frozenset[str]:
    """The strongly connected component of a relation, without ways to `cut`; empty if no loop."""

    def reached(start: str, edges: Mapping[str, set[str]]) -> set[str]:
        met: set[str] = set()
        todo = [start]
        while todo:
            fresh = {n for n in edges[todo.pop()] if n in inside} - met
            met |= fresh
            todo.extend(fresh)
        return met

    forward = {n: after[n] - cut for n in inside}
    backward: dict[str, set[str]] = {n: set() for n in inside}
    for source, targets in forward.items():
        for target in targets & inside:
            backward[target].add(source)
    return frozenset(reached(name, forward) & reached(name, backward))


def _acyclic(instances: Sequence[Instance], edges: Iterable[tuple[Instance, Instance]]) -> None:
    """No path passes an instance twice: each has one state in the condition."""
    following: dict[Instance, list[Instance]] = {i: [] for i in instances}
    count = dict.fromkeys(instances, 0)
    for source, target in edges:
        following[source].append(target)
        count[target] += 1
    free = [i for i in instances if count[i] == 0]
    done = 0
    while free:
        done += 1
        for target in following[free.pop()]:
            count[target] -= 1
            if count[target] == 0:
                free.append(target)
    if done < len(instances):
        raise Malformed("a loop is left in the unrolling")
