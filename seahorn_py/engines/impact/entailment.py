"""Whether one set of literals over the parameters of a relation implies another."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.engines.refinement.abstraction import State
from seahorn_py.engines.refinement.predicates import predicate
from seahorn_py.horn.system import Relation
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy


class Entailment:
    """One incremental solver a relation; answers are remembered."""

    def __init__(self, relations: Mapping[str, Relation], solvers: Solvers) -> None:
        self._relations = relations
        self._solvers = solvers
        self._own: dict[str, _Relation] = {}

    def holds(self, relation: str, left: State, right: State, until: float) -> bool:
        """Whether `left` implies `right`, as far as the solver knows."""
        if right <= left:
            return True
        if relation not in self._own:
            self._own[relation] = _Relation(self._relations[relation], self._solvers)
        own = self._own[relation]
        return all(own.holds(left, one, until) for one in right - left)


class _Relation:
    def __init__(self, relation: Relation, solvers: Solvers) -> None:
        self._solver = solvers.backend()
        self._names = {s: f"p!{k}" for k, s in enumerate(relation.symbols)}
        self._solver.declare(self._names)
        self._labels: dict[Term, Native] = {}
        self._known: dict[tuple[State, Term], bool] = {}
        self._cores: dict[Term, list[State]] = {}

    def holds(self, left: State, one: Term, until: float) -> bool:
        if any(core <= left for core in self._cores.get(one, ())):
            return True
        if (left, one) not in self._known:
            self._known[left, one] = self._asked(left, one, until)
        return self._known[left, one]

    def _asked(self, left: State, one: Term, until: float) -> bool:
        order = sorted(left, key=lambda term: term.node_id())
        assumed = [self._label(term) for term in order]
        goal = self._solver.negation(self._label(one))
        seconds = policy().refinement.entailment_seconds
        if self._solver.check([*assumed, goal], until, seconds) is not Status.UNSAT:
            return False
        core = self._solver.core([*assumed, goal])
        needed = frozenset(order[k] for k in core if k < len(order))
        self._cores.setdefault(one, []).append(needed)
        return True

    def _label(self, literal: Term) -> Native:
        base = predicate(literal)
        if base not in self._labels:
            label = self._solver.label(len(self._labels))
            native = self._solver.formula(base, self._names)
            self._solver.add(self._solver.implication(label, native))
            negative = self._solver.negation(label)
            self._solver.add(self._solver.implication(negative, self._solver.negation(native)))
            self._labels[base] = label
        found = self._labels[base]
        return self._solver.negation(found) if literal.is_not() else found
