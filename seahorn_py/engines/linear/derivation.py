"""From a failing check that the search reached to a refutation: which edges came from which.

Every event of the search adds edges that follow from earlier ones.  So a point is traced back to
the first event that added it, and its premises are looked for among the edges of earlier events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import TypeAlias

from seahorn_py.base.records import dataclass
from seahorn_py.engines.linear.edges import Repetition, Search, Turn
from seahorn_py.horn.system import Atom, HornSystem, Query, Refutation, Rule, Step
from seahorn_py.horn.transform.acceleration.reading_back import MAX_STEPS, TooLong
from seahorn_py.horn.transform.transitions import constants, ports
from seahorn_py.logic.presburger.presburger import Map, Set, dimensions, product, sample
from seahorn_py.logic.terms.terms import Term

Point: TypeAlias = tuple[int, ...]
Fact: TypeAlias = tuple[str, Point]


@dataclass(frozen=True)
class _Need:
    """Derive a fact by events before this one."""

    fact: Fact
    before: int


@dataclass(frozen=True)
class _Emit:
    """All premises are derived: add the step."""

    rule: str
    fact: Fact | None
    premises: tuple[Fact, ...]


_Task: TypeAlias = _Need | _Emit


@dataclass
class Derivation:
    """Refutations of the search's system.

    With `written_out` each iteration of a loop is a step; otherwise a repetition is one step, by a
    rule of its own, which `repetitions` has.
    """

    search: Search
    written_out: bool
    repetitions: dict[str, Rule] = field(default_factory=dict)
    _steps: list[Step] = field(default_factory=list)
    _numbers: dict[Fact, int] = field(default_factory=dict)

    def of(self, rule: Rule) -> Refutation:
        """A refutation that ends with the query rule; TooLong when it has too many steps."""
        assert isinstance(rule.head, Query)
        stack: list[_Task] = self._by(rule, (), None, len(self.search.events))
        while stack:
            match stack.pop():
                case _Need(fact, before):
                    if fact not in self._numbers:
                        stack.extend(self._derive(fact, before))
                case _Emit(name, fact, premises):
                    self._emit(name, fact, premises)
            if len(stack) > 4 * MAX_STEPS:
                raise TooLong(f"more than {MAX_STEPS} steps")
        return Refutation(tuple(self._steps))

    @property
    def system(self) -> HornSystem:
        """The search's system with a rule for each repetition used."""
        rules = (*self.search.system.rules, *self.repetitions.values())
        return replace(self.search.system, rules=rules)

    def _emit(self, name: str, fact: Fact | None, premises: Sequence[Fact]) -> None:
        if fact is not None and fact in self._numbers:
            return
        if len(self._steps) >= MAX_STEPS:
            raise TooLong(f"more than {MAX_STEPS} steps")
        numbers = tuple(self._numbers[p] for p in premises)
        arguments: tuple[Term, ...] = ()
        if fact is not None:
            arguments = constants(fact[1], self.search.system.relations[fact[0]])
            self._numbers[fact] = len(self._steps)
        self._steps.append(Step(name, arguments, numbers))

    def _derive(self, fact: Fact, before: int) -> list[_Task]:
        """Tasks, the last first, that derive a fact."""
        vertex, point = fact
        target = self.search.arithmetic.point(point)
        number, event = next(
            (k, e)
            for k, e in enumerate(self.search.events[:before])
            if e.vertex == vertex and target.is_subset(e.edges)
        )
        match event.cause:
            case Rule() as rule:
                return self._by(rule, point, fact, number)
            case Repetition() as repetition if self.written_out:
                return self._written_out(repetition, fact, number)
            case Repetition() as repetition:
                return self._at_once(repetition, fact, number)

    def _by(self, rule: Rule, point: Point, fact: Fact | None, before: int) -> list[_Task]:
        """Tasks for one application of a rule that derives the point."""
        known = [self._edges_before(atom.relation, before) for atom in rule.body]
        tau = self.search.transitions[rule.name]
        end = self.search.arithmetic.point(point)
        found: Set = tau.intersect_range(end).domain()
        if known:
            found = found.intersect(product(*known))
        chosen = sample(found)
        assert chosen is not None
        premises = tuple(_split(rule, chosen, known))
        return [_Emit(rule.name, fact, premises), *(_Need(p, before) for p in premises)]

    def _edges_before(self, vertex: str, before: int) -> Set:
        found = self.search.arithmetic.empty(len(self.search.system.relations[vertex].parameters))
        for event in self.search.events[:before]:
            if event.vertex == vertex:
                found = found.union(event.edges)
        return found

    # -------------------------------------------------------------------------------- repetition

    def _written_out(self, repetition: Repetition, fact: Fact, before: int) -> list[_Task]:
        """Every iteration from edges that were there before."""
        vertex, goal = fact
        points = self._path(repetition.step, vertex, goal, before)
        tasks: list[_Task] = []
        for old, new in pairwise(points):
            tasks = [*self._iteration(repetition, vertex, old, new, before), *tasks]
        return [*tasks, _Need((vertex, points[0]), before)]

    def _path(self, step: Map, vertex: str, goal: Point, before: int) -> list[Point]:
        """Points from one that was there before to the goal, a step from each to the next."""
        start = self._edges_before(vertex, before)
        back, all_edges = step.reverse(), self.search.edges(vertex)
        layers = [self.search.arithmetic.point(goal)]
        while layers[-1].is_disjoint(start):
            layers.append(layers[-1].apply(back).intersect(all_edges).coalesce())
            if len(layers) > MAX_STEPS or layers[-1].is_empty():
                raise TooLong(f"more than {MAX_STEPS} iterations")
        points: list[Point] = []
        reached = layers[-1].intersect(start)
        for layer in layers[-2::-1]:
            point = sample(reached)
            assert point is not None
            points.append(point)
            reached = self.search.arithmetic.point(point).apply(step).intersect(layer)
        return [*points, goal]

    def _iteration(
        self, repetition: Repetition, vertex: str, old: Point, new: Point, before: int
    ) -> list[_Task]:
        for turn in repetition.turns:
            premises = self._premises(turn, old, new, before)
            if premises is not None:
                others = (p for k, p in enumerate(premises) if k != turn.position)
                emit = _Emit(turn.rule.name, (vertex, new), premises)
                return [emit, *(_Need(p, before) for p in others)]
        raise AssertionError("no rule makes this step")

    def _premises(self, turn: Turn, old: Point, new: Point, before: int) -> tuple[Fact, ...] | None:
        """The premises of a rule that leads from one point to the next."""
        arithmetic, rule = self.search.arithmetic, turn.rule
        known = [self._edges_before(atom.relation, before) for atom in rule.body]
        known[turn.position] = arithmetic.point(old)
        tau = self.search.transitions[rule.name].intersect_range(arithmetic.point(new))
        chosen = sample(tau.domain().intersect(product(*known)))
        return None if chosen is None else tuple(_split(rule, chosen, known))

    def _at_once(self, repetition: Repetition, fact: Fact, before: int) -> list[_Task]:
        """One step by the closure."""
        vertex, goal = fact
        if repetition.pairs is None:
            raise TooLong("iterations without a closure")
        start = self._edges_before(vertex, before)
        end = self.search.arithmetic.point(goal)
        chosen = sample(repetition.pairs.intersect_range(end).domain().intersect(start))
        assert chosen is not None
        rule = self._rule(repetition.pairs, vertex)
        return [_Emit(rule, fact, ((vertex, chosen),)), _Need((vertex, chosen), before)]

    def _rule(self, pairs: Map, vertex: str) -> str:
        name = f"{vertex} repeats {len(self.repetitions)}"
        symbols = self.search.system.relations[vertex].symbols
        before, after = ports("from", symbols), ports("to", symbols)
        constraint = self.search.arithmetic.pairs(pairs, before, after)
        body, head = Atom(vertex, tuple(before)), Atom(vertex, tuple(after))
        self.repetitions[name] = Rule(name, (body,), constraint, head)
        return name


def _split(rule: Rule, chosen: Point, known: Sequence[Set]) -> Iterator[Fact]:
    """The facts of the body in one row of coordinates."""
    at = 0
    for atom, edges in zip(rule.body, known, strict=True):
        size = dimensions(edges)
        yield atom.relation, chosen[at : at + size]
        at += size
