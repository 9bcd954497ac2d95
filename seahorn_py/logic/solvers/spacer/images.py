"""Interpolants of two conjunctions of z3's formulas, by Spacer in the process that asks.

    a  ->  R(shared)        R(shared) and b  ->  false

What Spacer says of R follows from `a` and excludes `b`.  Its parts are sums of what stands in `b`,
as the proof of an arithmetic conflict has them (Bjorner, Gurfinkel: Property directed polyhedral
abstraction, VMCAI 2015).
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from seahorn_py.logic.solvers.spacer.answer import Unreadable, definitions, formula_of
from seahorn_py.logic.solvers.spacer.fixedpoints import fixedpoint

Formula = z3.ExprRef


def image(
    a: Sequence[Formula],
    b: Sequence[Formula],
    shared: Sequence[Formula],
    others: Sequence[Formula],
    milliseconds: int,
) -> list[Formula] | None:
    """Conjuncts over `shared`; `others` are what else occurs.  None if Spacer has none."""
    relation = z3.Function("image!", *(s.sort() for s in shared), z3.BoolSort())
    query = z3.Function("query!", z3.BoolSort())
    engine = fixedpoint(None, max(1, milliseconds))
    engine.register_relation(relation)
    engine.register_relation(query)
    atom = relation(*shared)
    engine.add_rule(z3.ForAll([*shared, *others], z3.Implies(z3.And(*a), atom)))
    engine.add_rule(z3.ForAll([*shared, *others], z3.Implies(z3.And(atom, *b), query())))
    try:
        if engine.query(query()) != z3.unsat:
            return None
        found = formula_of(definitions(engine.get_answer()), atom)
    except (Unreadable, z3.Z3Exception):
        return None
    return list(found.children()) if z3.is_and(found) else [found]
