"""Refinement by weakest preconditions along the counterexample.

Podelski, Rybalchenko: ARMC, PADL 2007, figure 6.  Ball, Rajamani: Generating abstract explanations
of spurious counterexamples in C programs, MSR-TR-2002-09 (Newton).

The steps are taken from the query backwards, as many as are possible together.  An assignment that
satisfies them chooses a path through each rule.  Guards and updates of that path say what the facts
must satisfy that the path uses.  The atoms of this precondition are predicates.  Its negation is
one too: the steps before establish it.
"""

from __future__ import annotations

import time

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.derivation import Derivation, Formulas
from seahorn_py.engines.refinement.paths import NoPath, eliminated, implicant
from seahorn_py.engines.refinement.predicates import can_follow
from seahorn_py.engines.refinement.refinement import Lessons, NothingLearnt
from seahorn_py.horn.ruleformula import RuleFormula
from seahorn_py.logic.solvers.natives import Backend, Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy


@dataclass(frozen=True)
class Preconditions:
    """Asks a solver for the assignment that chooses the path."""

    formulas: Formulas
    solver: Solver

    def learn(self, of: Derivation, until: float) -> Lessons:
        """Atoms of the precondition at each step on the way that is possible, and their clash."""
        backend = Solvers(self.solver).backend()
        first, values_of = self._possible(of, backend, until)
        needed: dict[int, list[Term]] = {}
        instances = self.formulas.instances(of.steps)
        for number in reversed(range(first, len(of.steps))):
            rule, names = instances[number]
            values = {s: values_of[name] for s, name in names.items() if can_follow(s)}
            fact = dict(zip(self._symbols(of, number), rule.ports[-1], strict=False))
            goal = [terms.substitute(one, fact) for one in needed.get(number, ())]
            try:
                chosen = implicant(terms.and_([rule.formula, *goal]), values)
            except NoPath:
                raise NothingLearnt("the values of a model lead nowhere") from None
            for position, premise in enumerate(of.steps[number].premises):
                needed.setdefault(premise, []).extend(self._at(rule, position, chosen))
        lessons = {k: _lesson(own) for k, own in needed.items() if own}
        if not lessons:
            raise NothingLearnt("no atom speaks of one fact alone")
        return lessons

    def _symbols(self, of: Derivation, step: int) -> tuple[Term, ...]:
        name = of.steps[step].node.relation
        return self.formulas.relations[name].symbols if name else ()

    def _at(self, rule: RuleFormula, position: int, chosen: list[Term]) -> list[Term]:
        """What a path needs of one premise, over the parameters of its relation."""
        ports = rule.ports[position]
        relation = self.formulas.relations[rule.rule.body[position].relation]
        back = dict(zip(ports, relation.symbols, strict=True))
        return [terms.substitute(one, back) for one in eliminated(chosen, ports)]

    def _possible(
        self, of: Derivation, backend: Backend, until: float
    ) -> tuple[int, dict[str, bool | int]]:
        """The first step from which on all are possible together, and values of their symbols."""
        declared: dict[str, Term] = {}
        values: dict[str, bool | int] = {}
        instances = self.formulas.instances(of.steps)
        for number in reversed(range(len(of.steps))):
            rule, names = instances[number]
            fresh = {s: name for s, name in names.items() if name not in declared}
            backend.declare(fresh)
            declared |= {name: s for s, name in fresh.items()}
            backend.add(backend.formula(rule.formula, names))
            seconds = min(policy().refinement.preconditions_seconds, until - time.monotonic())
            if backend.check((), until, seconds) is not Status.SAT:
                return number + 1, values
            values = {name: backend.value(name, s) for name, s in declared.items()}
        raise NothingLearnt("the counterexample is possible")


def _lesson(literals: list[Term]) -> tuple[Term, ...]:
    own = tuple(dict.fromkeys(literals))
    return own if len(own) == 1 else (*own, terms.not_(terms.and_(own)))
