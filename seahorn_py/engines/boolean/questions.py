"""A rule in a solver, with a Boolean constant for each predicate at each of its atoms."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from seahorn_py.horn.system import Relation, Rule
from seahorn_py.invariants.rules import NativeRule
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import OutOfTime

At = tuple[int, Term]
"""A predicate at the atom of a position: an index into the body, or its length for the head."""

_LABEL = terms.variable("boolean!label", terms.BOOL)


class Questions:
    """Asks which valuations of predicates the rule allows."""

    def __init__(self, rule: Rule, relations: Mapping[str, Relation], solvers: Solvers) -> None:
        self._native = NativeRule(rule, relations, solvers)
        self._labels: dict[At, tuple[str, Native, Native]] = {}
        self.asked = 0

    def possible(self, literals: Sequence[tuple[At, bool]], until: float) -> Status:
        """Whether these values of predicates allow the rule; OutOfTime from `until` on."""
        if time.monotonic() >= until:
            raise OutOfTime
        self.asked += 1
        labels = [self.label(at) for at, _ in literals]
        assumed = [
            positive if value else negative
            for (_, positive, negative), (_, value) in zip(labels, literals, strict=True)
        ]
        return self._native.check(until, policy().refinement.boolean_question_seconds, assumed)

    def valuation(self, ats: Sequence[At]) -> int:
        """The predicates that are true under the last assignment, as a set of their positions."""
        values = [self._native.solver.value(self.label(at)[0], _LABEL) for at in ats]
        return sum(1 << position for position, value in enumerate(values) if value)

    def label(self, at: At) -> tuple[str, Native, Native]:
        """The name of the constant, the constant and its negation."""
        if at not in self._labels:
            solver = self._native.solver
            name = f"b!{len(self._labels)}"
            solver.declare({_LABEL: name})
            positive = solver.formula(_LABEL, {_LABEL: name})
            negative = solver.negation(positive)
            native = self._native.native(*at)
            solver.add(solver.implication(positive, native))
            solver.add(solver.implication(negative, solver.negation(native)))
            self._labels[at] = name, positive, negative
        return self._labels[at]
