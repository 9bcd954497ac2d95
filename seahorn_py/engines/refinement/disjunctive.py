"""Many derivations of one system at once, as a Horn system without recursion for a solver of bits.

Spacer takes such a system as it is (`horn_interpolants`); others have it as a tree.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.derivation import Derivation, Formulas
from seahorn_py.horn.system import Atom, Rule
from seahorn_py.logic.interpolation.disjunctive import Clause, RecursionFree, solution
from seahorn_py.logic.interpolation.interpolation import Backend, Interpolants, Satisfiable
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline


@dataclass(frozen=True)
class DisjunctiveInterpolation:
    """Asks the backends in turn, each in a child."""

    formulas: Formulas
    backends: Sequence[Backend]

    def ask(self, of: Derivation, until: float, seconds: float) -> list[Term] | str:
        """A formula over the parameters of its relation for each step but the last; or why not."""
        deadline = Deadline(min(until, time.monotonic() + seconds))
        match solution(recursion_free(of, self.formulas), deadline, self.backends):
            case Interpolants(found):
                return list(found)
            case Satisfiable():
                return "there is a derivation"
            case nothing:
                return nothing.reason


def recursion_free(of: Derivation, formulas: Formulas) -> RecursionFree:
    """A relation for each step, and a clause for each rule that derives its fact."""
    parameters = [
        formulas.relations[s.rule.head.relation].symbols if isinstance(s.rule.head, Atom) else ()
        for s in of.steps
    ]
    clauses = [[_clause(s.rule, s.premises, formulas)] for s in of.steps]
    for other in of.alternatives:
        clauses[other.step].append(_clause(other.rule, other.premises, formulas))
    return RecursionFree(tuple(parameters), tuple(map(tuple, clauses)))


def _clause(rule: Rule, premises: Sequence[int], formulas: Formulas) -> Clause:
    own = formulas.of(rule)
    body = tuple(zip(premises, own.ports, strict=False))
    head = own.ports[-1] if isinstance(rule.head, Atom) else ()
    return Clause(own.formula, body, head)
