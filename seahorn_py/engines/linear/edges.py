"""Path edges and summary edges of a Horn system, by a worklist, as unions of integer polyhedra.

The procedure of eureka; `engines.linear` has the citation and the map from the paper.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Query, Rule
from seahorn_py.horn.transform.transitions import transition
from seahorn_py.logic.presburger.closure import Repeated
from seahorn_py.logic.presburger.presburger import Map, Presburger, Set, fixed_around, product
from seahorn_py.processes.deadline import NEVER, Deadline

MAX_PIECES = 256
"""The most polyhedra of a relation; one that needs more is given up."""


class Unfinished(Exception):
    """No answer: edges of more than MAX_PIECES polyhedra, no time left, and the like."""


@dataclass(frozen=True)
class Repetition:
    """Any number of applications of `step`: rules from a vertex to itself.

    `pairs` is the closure where that was found exactly.
    """

    turns: tuple[Turn, ...]
    step: Map
    pairs: Map | None


@dataclass(frozen=True)
class Turn:
    """A rule as a step from its premise at `position`, the others being what they were then."""

    rule: Rule
    position: int


@dataclass(frozen=True)
class Event:
    """Edges that came to a vertex, and why."""

    vertex: str
    cause: Rule | Repetition
    edges: Set


class Search:
    """The state of the procedure: worklist, path edges P, summary edges S, and its history."""

    def __init__(
        self, system: HornSystem, arithmetic: Presburger, deadline: Deadline = NEVER
    ) -> None:
        self.system = system
        self.arithmetic = arithmetic
        self.deadline = deadline
        self.summaries = frozenset(atom.relation for rule in system.rules for atom in rule.body[1:])
        empty = {
            name: arithmetic.empty(len(relation.parameters))
            for name, relation in system.relations.items()
        }
        self.P = {name: edges for name, edges in empty.items() if name not in self.summaries}
        self.S = {name: edges for name, edges in empty.items() if name in self.summaries}
        self.events: list[Event] = []
        self._worklist: deque[str] = deque()
        self._repeated: dict[tuple[str, int], Repeated] = {}

    @cached_property
    def transitions(self) -> Mapping[str, Map]:
        """The transition relation of each rule, by its name; `Beyond` when one has none."""
        return {rule.name: transition(self.arithmetic, rule) for rule in self.system.rules}

    def run(self) -> Rule | None:
        """The rule by which a failing check is reached, None when none is: P and S are complete."""
        self._go_on()
        for rule in self.system.rules:
            if not rule.body and self._follow(rule):
                return rule
        while self._worklist:
            self._go_on()
            vertex = self._worklist.popleft()
            self.repeat(vertex)
            for rule in self._onward[vertex]:
                if self._follow(rule):
                    return rule
        return None

    def _go_on(self) -> None:
        if self.deadline.remaining == 0:
            raise Unfinished("time limit")

    def _follow(self, rule: Rule) -> bool:
        """Extend the edges at the premises by a rule; whether vertex 0 is reached by it."""
        edges = self.extended(rule)
        match rule.head:
            case Query():
                return not edges.is_empty()
            case Atom(relation=vertex):
                self.propagate(vertex, edges, rule)
                return False

    # ----------------------------------------------------------------- the operations of the paper

    def extended(self, rule: Rule) -> Set:
        """The edges at the head that those at the premises give."""
        tau = self.transitions[rule.name]
        match rule.body:
            case ():
                return tau.range()
            case (Atom(relation=vertex),):
                return join(self.edges(vertex), tau)
            case (Atom(relation=vertex), *others):
                summaries = [self.edges(atom.relation) for atom in others]
                return summary_join(self.edges(vertex), summaries, tau)
        raise AssertionError

    def edges(self, vertex: str) -> Set:
        """The path edges or the summary edges of a vertex."""
        return self.S[vertex] if vertex in self.summaries else self.P[vertex]

    def propagate(self, vertex: str, edges: Set, cause: Rule | Repetition) -> None:
        """Add edges, and the vertex to the worklist, unless those that are there entail them."""
        known = self.edges(vertex)
        if edges.is_subset(known):
            return
        joined = known.union(edges).coalesce()
        if joined.n_basic_set() > MAX_PIECES:
            raise Unfinished(f"more than {MAX_PIECES} polyhedra at {vertex}")
        (self.S if vertex in self.summaries else self.P)[vertex] = joined
        self.events.append(Event(vertex, cause, edges))
        if vertex not in self._worklist:
            self._worklist.append(vertex)

    # -------------------------------------------------------------------------------- repetition

    def repeat(self, vertex: str) -> None:
        """Add what the rules from a vertex to itself lead to, at once where a closure is found."""
        for number, turns in enumerate(self._loops[vertex]):
            step = self._step(turns)
            if step.is_empty():
                continue
            known = self._repeated.get((vertex, number))
            if known is None or not step.is_equal(known.step):
                known = self._repeated[vertex, number] = Repeated(self.arithmetic, step)
            edges = known.advance(self.edges(vertex))
            self.propagate(vertex, edges, Repetition(turns, known.step, known.closure))

    def _step(self, turns: Sequence[Turn]) -> Map:
        found = [self._turn(turn) for turn in turns]
        step = found[0]
        for other in found[1:]:
            step = step.union(other)
        return step.coalesce()

    def _turn(self, turn: Turn) -> Map:
        """From the premise at the turn's position to the head; the other premises are what they
        are now.
        """
        tau = self.transitions[turn.rule.name]
        others = [self.edges(atom.relation) for atom in turn.rule.body]
        return fixed_around(tau, others, turn.position)

    @cached_property
    def _loops(self) -> Mapping[str, Sequence[tuple[Turn, ...]]]:
        """For each vertex the groups of turns from it to itself: rules with one occurrence of it
        together, each occurrence in other rules alone.
        """
        found: dict[str, list[tuple[Turn, ...]]] = {}
        for name in self.system.relations:
            once: list[Turn] = []
            more: list[tuple[Turn, ...]] = []
            for rule in self.system.rules:
                if not isinstance(rule.head, Atom) or rule.head.relation != name:
                    continue
                positions = [k for k, atom in enumerate(rule.body) if atom.relation == name]
                turns = [Turn(rule, k) for k in positions]
                if len(turns) == 1:
                    once.extend(turns)
                else:
                    more.extend((turn,) for turn in turns)
            found[name] = [*([tuple(once)] if once else []), *more]
        return found

    @cached_property
    def _onward(self) -> Mapping[str, Sequence[Rule]]:
        """The rules in whose bodies a vertex occurs; queries first."""
        found: dict[str, list[Rule]] = {name: [] for name in self.system.relations}
        ordered = sorted(self.system.rules, key=lambda rule: isinstance(rule.head, Atom))
        for rule in ordered:
            for name in dict.fromkeys(atom.relation for atom in rule.body):
                found[name].append(rule)
        return found


def join(edges: Set, tau: Map) -> Set:
    """Edges extended by a transition relation."""
    return edges.apply(tau).coalesce()


def summary_join(edges: Set, summaries: Sequence[Set], tau: Map) -> Set:
    """Edges at a call extended by the summary edges of what is called."""
    return product(edges, *summaries).apply(tau).coalesce()


def facts(search: Search) -> Iterator[tuple[str, Set]]:
    """All edges by vertex."""
    yield from search.P.items()
    yield from search.S.items()
