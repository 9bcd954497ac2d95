"""The part of an invariant that excludes the queries and is inductive by itself.

Which conjuncts a rule needs of its body is an unsatisfiable core (Een, Sorensson 2003); what is
needed for a query is needed for what derives it, and so on.  The rest of an invariant only makes it
hard to check and to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import z3

from seahorn_py.horn.system import Atom, HornSystem, Model, Relation, Rule
from seahorn_py.invariants.rules import NativeRule
from seahorn_py.logic import terms
from seahorn_py.logic.terms import Term

QUESTION_SECONDS = 3.0

Conjuncts = Mapping[str, tuple[Term, ...]]


def excluding(system: HornSystem, model: Model, until: float) -> Model | None:
    """A part of an inductive model that excludes all queries; None if z3 finds no such part."""
    known = {name: tuple(conjuncts(model, name)) for name in system.relations}
    leading: dict[str, list[_Needs]] = {name: [] for name in system.relations}
    needed: dict[str, dict[Term, None]] = {name: {} for name in system.relations}
    todo: list[tuple[_Needs, Term]] = []
    for rule in system.rules:
        needs = _Needs(rule, system.relations, known)
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

    def __init__(self, rule: Rule, relations: Mapping[str, Relation], known: Conjuncts) -> None:
        self._native = NativeRule(rule, relations)
        self._labels: dict[str, tuple[str, Term]] = {}
        self._assumed: list[Any] = []
        for place, atom in enumerate(rule.body):
            for conjunct in known[atom.relation]:
                label = self._native.label(len(self._assumed))
                self._assumed.append(label)
                self._labels[str(label)] = (atom.relation, conjunct)
                meaning = self._native.native(place, conjunct)
                self._native.solver.add(z3.Implies(label, meaning))

    def core(self, goal: Term, until: float) -> list[tuple[str, Term]] | None:
        """The conjuncts of the body from which the goal follows for the head; None if it does not.

        The goal of a query is FALSE.
        """
        solver = self._native.solver
        solver.push()
        try:
            if goal is not terms.FALSE:
                solver.add(z3.Not(self._native.native(len(self._native.rule.body), goal)))
            if self._native.check(until, QUESTION_SECONDS, *self._assumed) != z3.unsat:
                return None
            return [self._labels[str(label)] for label in solver.unsat_core()]
        finally:
            solver.pop()
