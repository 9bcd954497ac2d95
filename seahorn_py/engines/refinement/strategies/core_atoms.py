"""Refinement by the atoms of an unsatisfiable core of the counterexample.

Ball, Rajamani: Generating abstract explanations of spurious counterexamples in C programs,
MSR-TR-2002-09 (Newton).

The conjuncts of the steps that a core needs say where the counterexample breaks.  Their atoms,
with defined symbols replaced, are predicates wherever they speak of one fact.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.derivation import Derivation, Formulas
from seahorn_py.engines.refinement.paths import eliminated
from seahorn_py.engines.refinement.predicates import atoms_of
from seahorn_py.engines.refinement.refinement import Lessons, NothingLearnt
from seahorn_py.horn.ruleformula import RuleFormula
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts_below_negations
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy


@dataclass(frozen=True)
class CoreAtoms:
    """Asks a solver for the core."""

    formulas: Formulas
    solver: Solver

    def learn(self, of: Derivation, until: float) -> Lessons:
        """The atoms of the core at the facts of each step."""
        found: dict[int, dict[Term, None]] = {}
        for number, parts in self._core(of, until).items():
            step = of.steps[number]
            rule = self.formulas.of(step.rule)
            for position, source in enumerate((*step.premises, number)[: len(rule.ports)]):
                own = found.setdefault(source, {})
                own |= dict.fromkeys(self._at(rule, position, parts))
        lessons = {k: tuple(own) for k, own in found.items() if own}
        if not lessons:
            raise NothingLearnt("no atom of the core speaks of one fact alone")
        return lessons

    def _core(self, of: Derivation, until: float) -> dict[int, list[Term]]:
        """The conjuncts of each step that a core needs."""
        backend = Solvers(self.solver).backend()
        labels: list[Native] = []
        labelled: list[tuple[int, Term]] = []
        declared: set[str] = set()
        for number, (rule, names) in enumerate(self.formulas.instances(of.steps)):
            fresh = {s: name for s, name in names.items() if name not in declared}
            declared.update(fresh.values())
            backend.declare(fresh)
            for part in (p for whole in rule.parts for p in conjuncts_below_negations(whole)):
                label = backend.label(len(labels))
                backend.add(backend.implication(label, backend.formula(part, names)))
                labels.append(label)
                labelled.append((number, part))
        if backend.check(labels, until, policy().refinement.core_seconds) is not Status.UNSAT:
            raise NothingLearnt("the solver finds no core")
        found: dict[int, list[Term]] = {}
        for k in sorted(backend.core(labels)):
            number, part = labelled[k]
            found.setdefault(number, []).append(part)
        return found

    def _at(self, rule: RuleFormula, position: int, parts: list[Term]) -> Iterator[Term]:
        """The atoms of the core at one position of a rule, over the parameters of the relation."""
        ports = rule.ports[position]
        is_head = position == len(rule.rule.body)
        atom = rule.rule.head if is_head else rule.rule.body[position]
        relation = self.formulas.relations[atom.relation]  # type: ignore[union-attr]
        back = dict(zip(ports, relation.symbols, strict=True))
        equations = [p for p in parts if p.is_equals() or p.is_iff()]
        for part in parts:
            for one in atoms_of(part):
                for simple in eliminated([one, *equations], ports):
                    yield terms.substitute(simple, back)
