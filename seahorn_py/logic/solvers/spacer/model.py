"""Z3's solution of a Horn system, as formulas over the parameters, and a first check of it.

Spacer has returned wrong solutions, above all with quantified lemmas, so the child asks Z3's
ordinary solver about each rule.  That proves nothing, since another solver re-proves the model
later.  But it keeps a wrong model from ending other configurations, which might find a right one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import z3

from seahorn_py.logic.solvers.spacer.answer import definitions
from seahorn_py.logic.solvers.spacer.native_rules import Clause, is_query, new_solver, parameter

Interpretations = Mapping[str, z3.ExprRef]


def interpretations(answer: z3.ExprRef) -> Interpretations:
    """The formulas of an answer over `p!i` for the i-th argument; or Unreadable."""
    found = {}
    for name, one in definitions(answer).items():
        places = enumerate(one.atom.children())
        found[name] = one.at([parameter(k, place.sort()) for k, place in places])
    return found


def violated(clauses: Sequence[Clause], model: Interpretations) -> int | None:
    """The number of a rule that the model makes false; None when Z3 finds none."""
    for number, clause in enumerate(clauses):
        solver = new_solver()
        solver.add(clause.constraint, *(_value(atom, model) for atom in clause.body))
        if not is_query(clause.head):
            solver.add(z3.Not(_value(clause.head, model)))
        if solver.check() == z3.sat:
            return number
    return None


def _value(atom: z3.ExprRef, model: Interpretations) -> z3.ExprRef:
    """The interpretation of an atom, at its arguments."""
    formula = model.get(atom.decl().name(), z3.BoolVal(True))
    pairs = [(parameter(i, value.sort()), value) for i, value in enumerate(atom.children())]
    return z3.substitute(formula, *pairs) if pairs else formula
