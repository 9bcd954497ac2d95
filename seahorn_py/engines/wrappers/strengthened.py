"""Any engine on a system whose rules may also use generated invariants.

An invariant holds of every fact that can be derived, so its conjunction with the body atoms of the
rules leaves the same derivations.  A refutation is one of the system to solve; a model becomes one
when it is joined by the invariants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.errors import Stage
from seahorn_py.horn.system import HornSystem, Model, Rule
from seahorn_py.invariants.fixpoint import conjoined
from seahorn_py.invariants.generation import NOTHING, improving
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict


@dataclass(frozen=True)
class Strengthened:
    """`inner` solves the strengthened system; `share` is that of the time for the invariants."""

    inner: Engine
    share: float = 0.3

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Answer; the invariants alone where they exclude the queries."""
        model = NOTHING
        share = budget.deadline.share(self.share)
        for found in improving(system, share, budget.memory_mib, budget.pool):
            if found.proof is not None:
                return Safe(found.proof, found.finder)
            model = found.model
        verdict = self.inner.solve(strengthened(system, model), budget)
        match verdict:
            case Safe(Model() as proof):
                return replace(verdict, proof=conjoined(system, [proof, model]))
            case Safe():
                return Unknown(Stage.SOLVE, "only a model can be joined by the invariants")
            case Unsafe() | Unknown():
                return verdict


def strengthened(system: HornSystem, model: Model) -> HornSystem:
    """The system in which body atoms are known to satisfy a model."""
    rules = tuple(_under(rule, system, model.interpretations) for rule in system.rules)
    return replace(system, rules=rules)


def _under(rule: Rule, system: HornSystem, formulas: Mapping[str, Term]) -> Rule:
    known = []
    for atom in rule.body:
        symbols = system.relations[atom.relation].symbols
        values = dict(zip(symbols, atom.arguments, strict=True))
        known.append(terms.substitute(formulas.get(atom.relation, terms.TRUE), values))
    return replace(rule, constraint=terms.and_([rule.constraint, *known]))
