"""The part of an invariant that excludes the queries and is inductive by itself.

An unsatisfiable core says which conjuncts a rule needs of its body (Een, Sorensson 2003).  The
search begins at the queries; what a rule needs of its body, the rules that derive the body must
establish, and so on.  The rest of an invariant only makes it hard to check and to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from seahorn_py.horn.system import Atom, HornSystem, Model, Relation, Rule
from seahorn_py.invariants.rules import NativeRule
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

Conjuncts = Mapping[str, tuple[Term, ...]]


def excluding(
    system: HornSystem, model: Model, until: float, solver: Solver = Solver.Z3
) -> Model | None:
    """A part of an inductive model that excludes all queries; None if the solver finds none."""
    known = {name: tuple(conjuncts(model, name)) for name in system.relations}
    solvers = Solvers(solver)
    leading: dict[str, list[_Needs]] = {name: [] for name in system.relations}
    needed: dict[str, dict[Term, None]] = {name: {} for name in system.relations}
    todo: list[tuple[_Needs, Term]] = []
    for rule in system.rules:
        needs = _Needs(rule, system.relations, known, solvers)
        if isinstance(rule.head, Atom):
            leading[rule.head.relation].append(needs)
        else:
            todo.append((needs, terms.FALSE))
    while todo:
        needs, goal = todo.pop()
        core = needs.core(goal, until)
        if core is None:
            return None
        for relation, conjunct in core:
            if conjunct not in needed[relation]:
                needed[relation][conjunct] = None
                todo.extend((other, conjunct) for other in leading[relation])
    return Model({name: terms.and_(found) for name, found in needed.items()})


def conjuncts(model: Model, name: str) -> Iterator[Term]:
    """The conjuncts of an interpretation, those under a condition one by one."""
    formula = model.interpretations.get(name, terms.TRUE)
    for part in formula.args() if formula.is_and() else (formula,):
        if part.is_implies() and part.arg(1).is_and():
            yield from (terms.implies(part.arg(0), held) for held in part.arg(1).args())
        else:
            yield part


class _Needs:
    """One rule, with a label for each conjunct of its body."""

    def __init__(
        self,
        rule: Rule,
        relations: Mapping[str, Relation],
        known: Conjuncts,
        solvers: Solvers,
    ) -> None:
        self._rule, self._relations, self._known = rule, relations, known
        self._solvers = solvers
        self._labels: list[Native] = []
        self._labelled: list[tuple[str, Term]] = []

    @cached_property
    def _native(self) -> NativeRule:
        """The rule, made when it is asked about for the first time."""
        native = NativeRule(self._rule, self._relations, self._solvers)
        for position, atom in enumerate(self._rule.body):
            for conjunct in self._known[atom.relation]:
                label = native.solver.label(len(self._labels))
                self._labels.append(label)
                self._labelled.append((atom.relation, conjunct))
                held = native.native(position, conjunct)
                native.solver.add(native.solver.implication(label, held))
        return native

    def core(self, goal: Term, until: float) -> list[tuple[str, Term]] | None:
        """The conjuncts of the body from which the goal follows for the head; None if it does not.

        The goal of a query is FALSE.
        """
        native = self._native
        solver = native.solver
        solver.push()
        try:
            if goal is not terms.FALSE:
                solver.add(solver.negation(native.native(len(self._rule.body), goal)))
            seconds = policy().invariants.core_question_seconds
            if native.check(until, seconds, self._labels) is not Status.UNSAT:
                return None
            return [self._labelled[k] for k in solver.core(self._labels)]
        finally:
            solver.pop()
