"""Which predicates are neither implied nor excluded by known invariants; z3 is asked."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_sort, print_term
from seahorn_py.policy.policy import policy


def undecided(predicates: Sequence[Term], given: Term) -> list[Term]:
    """Those predicates that hold in some states of `given` and not in others.

    Of two that are equivalent under it only the first is kept.
    """
    if not predicates:
        return []
    symbols = terms.by_name({s for p in (*predicates, given) for s in terms.free_symbols(p)})
    names = {s: f"x!{k}" for k, s in enumerate(symbols)}
    text = [f"(declare-const {n} {print_sort(s.symbol_type())})" for s, n in names.items()]
    text += [f"(assert {print_term(p, names)})" for p in (given, *predicates)]
    known, *natives = z3.parse_smt2_string("\n".join(text))
    solver = z3.Solver()
    solver.set("timeout", round(1000 * policy().invariants.decided_seconds))
    solver.add(known)
    kept: list[int] = []
    for k, native in enumerate(natives):
        both = solver.check(native) != z3.unsat and solver.check(z3.Not(native)) != z3.unsat
        old = (e for j in kept for e in (native == natives[j], native != natives[j]))
        if both and all(solver.check(e) != z3.unsat for e in old):
            kept.append(k)
    return [predicates[k] for k in kept]
