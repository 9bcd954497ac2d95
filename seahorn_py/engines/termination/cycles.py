"""What a round of a loop does, as a relation between the values at two visits of its head.

A round leads from the head over cut points inside of the loop, each at most once, back to the head.
At the head of an inner loop all that the inner loop may change becomes arbitrary, within what is
known to hold there.  So any number of its rounds is part of one round of the outer loop.  Rounds
that drift say more: no linear sum falls there that every round of the inner loop keeps or raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Parameter, Rule
from seahorn_py.horn.transform.acceleration.linearpart import linear_part
from seahorn_py.horn.transform.transitions import transition
from seahorn_py.logic.presburger.presburger import (
    Beyond,
    Map,
    Presburger,
    Set,
    bounded,
    drifting,
    fixed_around,
    loosened_after,
    pieces,
    union,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

DRIFT_OPERATIONS = 400_000
"""Elementary steps of isl for the rounds of an inner loop."""


def repeated(system: HornSystem) -> HornSystem:
    """The system with those of its rules that a run may use again and again."""
    follow: dict[str, list[str]] = {name: [] for name in system.relations}
    leading = [r for r in system.rules if r.body and isinstance(r.head, Atom)]
    for rule in leading:
        assert isinstance(rule.head, Atom)
        follow[rule.body[0].relation].append(rule.head.relation)
    reached = {name: reached_from(name, follow) for name in follow}
    rules = (
        r
        for r in leading
        if isinstance(r.head, Atom) and r.body[0].relation in reached[r.head.relation]
    )
    return replace(system, rules=tuple(rules))


def reached_from(name: str, follow: Mapping[str, Sequence[str]]) -> set[str]:
    """The names that one or more edges lead to."""
    found: set[str] = set()
    pending = list(follow[name])
    while pending:
        at = pending.pop()
        if at not in found:
            found.add(at)
            pending.extend(follow[at])
    return found


@dataclass(frozen=True)
class Inner:
    """A cut point inside of a loop.

    `kept`, if it is the head of an inner loop: the coordinates that the inner loop does not change.
    `inside`: the cut points inside of that loop.
    """

    relation: str
    kept: frozenset[int] | None = None
    inside: tuple[Inner, ...] = ()


@dataclass(frozen=True)
class Cycle:
    """The head of a loop, and the cut points inside of it in the order of runs."""

    head: str
    inside: tuple[Inner, ...] = ()


class Rounds:
    """The rounds of the loops of one system, with what is known to hold at its relations.

    `typed` says whether the full range of a type counts as known.
    """

    def __init__(
        self,
        system: HornSystem,
        known: Model,
        arithmetic: Presburger,
        *,
        typed: bool = True,
        drifts: bool = False,
    ) -> None:
        self._typed = typed
        self._is_drifting = drifts
        self._system = system
        self._known = known
        self._arithmetic = arithmetic
        self._steps: dict[str, Map] = {}
        self._sets: dict[str, Set] = {}
        self._drifts: dict[str, Map | None] = {}

    def of(self, cycle: Cycle, *, lasting: bool = False) -> list[Map]:
        """Convex relations whose union is a round of the loop.

        If `lasting`, only rounds that another one may follow.  Raises Beyond if isl cannot have
        them.
        """
        with bounded():
            return self._of(cycle, lasting)

    def arrivals(self, cycle: Cycle) -> dict[str, Map]:
        """From the head to each cut point inside, in a round; `Beyond` where isl gives up."""
        with bounded():
            found = self._arrivals(cycle)
            return {name: one for name, one in found.items() if one is not None}

    def calls(self, cycle: Cycle, entry: str) -> list[Map]:
        """From the head, which is the entry of a function, to the entry of one that it calls."""
        with bounded():
            found = self._arriving(self._arrivals(cycle), entry)
            if found is None:
                return []
            found = found.intersect_domain(self.known(cycle.head))
            return pieces(found.intersect_range(self.known(entry)).coalesce())

    def _of(self, cycle: Cycle, lasting: bool) -> list[Map]:
        back = self._arriving(self._arrivals(cycle), cycle.head)
        if back is None:
            return []
        known = self.known(cycle.head)
        back = back.intersect_domain(known).intersect_range(known)
        if lasting:
            back = back.intersect_range(back.domain())
        return pieces(back.coalesce())

    def _arrivals(self, cycle: Cycle) -> dict[str, Map | None]:
        """None stands for the head itself."""
        arrived: dict[str, Map | None] = {cycle.head: None}
        for inner in cycle.inside:
            found = self._arriving(arrived, inner.relation)
            if found is None:
                continue
            if inner.kept is not None:
                found = self._repeated(found, inner, inner.kept)
            arrived[inner.relation] = found.intersect_range(self.known(inner.relation))
        return arrived

    def _repeated(self, found: Map, inner: Inner, kept: frozenset[int]) -> Map:
        """Followed by any number of rounds of an inner loop."""
        drift = self._drift(inner) if self._is_drifting else None
        if drift is None:
            return loosened_after(found, kept)
        return union([found, found.apply_range(drift)])

    def _drift(self, inner: Inner) -> Map | None:
        """One round of an inner loop or more; None where isl gives up.

        No sum falls that none of them lowers; what begins the first one and what ends the last one
        is known.
        """
        if inner.relation not in self._drifts:
            try:
                with self._arithmetic.within(DRIFT_OPERATIONS):
                    rounds = self._of(Cycle(inner.relation, inner.inside), False)
                    self._drifts[inner.relation] = _drifted(rounds)
            except Beyond:
                self._drifts[inner.relation] = None
        return self._drifts[inner.relation]

    def _arriving(self, arrived: Mapping[str, Map | None], at: str) -> Map | None:
        """From the head to a cut point, by one rule from where the round has arrived before."""
        found = []
        for rule in self._system.rules:
            if not isinstance(rule.head, Atom) or rule.head.relation != at or not rule.body:
                continue
            if rule.body[0].relation in arrived:
                so_far, step = arrived[rule.body[0].relation], self._step(rule)
                found.append(step if so_far is None else so_far.apply_range(step))
        found = [one for one in found if not one.is_empty()]
        return union(found) if found else None

    def _step(self, rule: Rule) -> Map:
        """From the first premise of a rule to its head; other premises are any known states."""
        if rule.name not in self._steps:
            step = self._transition(rule)
            step = step.intersect_domain(self._premises(rule))
            if len(rule.body) > 1:
                step = fixed_around(step, [self.known(a.relation) for a in rule.body], 0)
            self._steps[rule.name] = step
        return self._steps[rule.name]

    def _transition(self, rule: Rule) -> Map:
        """What the rule relates, or its linear part; `Beyond` where that is too much."""
        try:
            return transition(self._arithmetic, rule)
        except Beyond:
            alone = replace(self._system, rules=(rule,))
            return transition(self._arithmetic, linear_part(alone, self._arithmetic).rules[0])

    def _premises(self, rule: Rule) -> Set:
        first, *others = (self.known(atom.relation) for atom in rule.body)
        for other in others:
            first = first.flat_product(other)
        return first

    def known(self, name: str) -> Set:
        """The states that a relation may have: by the ranges of its parameters and by the model."""
        if name not in self._sets:
            symbols = self._system.relations[name].symbols
            said, *bounds = known_parts(self._system, self._known, name, typed=self._typed)
            try:
                found = self._arithmetic.set(terms.and_([said, *bounds]), symbols)
            except Beyond:
                found = self._arithmetic.set(terms.and_(bounds), symbols)
            self._sets[name] = found
        return self._sets[name]


def _drifted(rounds: Sequence[Map]) -> Map | None:
    if not rounds:
        return None
    one = union(rounds)
    return drifting(one).intersect_domain(one.domain()).intersect_range(one.range())


def known_parts(system: HornSystem, known: Model, name: str, *, typed: bool) -> list[Term]:
    """What the model says of a relation, and the bounds of its parameters."""
    said = known.interpretations.get(name, terms.TRUE)
    parameters = system.relations[name].parameters
    return [said, *(bound for p in parameters for bound in _bounds(p, typed))]


def _bounds(parameter: Parameter, typed: bool) -> Iterator[Term]:
    """What is known of a parameter, and if the bounds of types count these too."""
    if parameter.range is None or parameter.width is None or parameter.sort is not terms.INT:
        return
    low, high = parameter.range
    least = -(1 << parameter.width - 1) if parameter.signed else 0
    if typed or low != least:
        yield terms.le(terms.int_const(low), parameter.symbol)
    if typed or high != least + (1 << parameter.width) - 1:
        yield terms.le(parameter.symbol, terms.int_const(high))
