"""The states of a linear Horn system for transition power abstraction, between facts and queries.

A fact is the first state of a run, and a query is met in the last one; rules with a premise are the
steps, and a step may stay.  What rules read at the ends has symbols of its own.
"""

from __future__ import annotations

from seahorn_py.engines.imc.steps import Transitions
from seahorn_py.logic.solvers.statespace import StateSpace
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


def space_of(transitions: Transitions, until: float, *, staying: bool = True) -> StateSpace:
    """The states, with facts as the initial ones and the queries as errors."""
    here, there = transitions.symbols(0), transitions.symbols(1)
    same = terms.and_(list(map(_same, here, there)))
    step = terms.or_([transitions.inner, same]) if staying else transitions.inner
    first, last = (
        terms.substitute(
            formula, {s: of_end(s, end) for s in terms.free_symbols(formula) - {*here}}
        )
        for formula, end in ((transitions.first, "first"), (transitions.bad(0), "last"))
    )
    return StateSpace(first, step, here, there, until, last)


def of_end(symbol: Term, end: str) -> Term:
    """The symbol of a fact (`first`) or a query (`last`) in place of one of its rule."""
    return terms.variable(f"{end}!{symbol.symbol_name()}", terms.sort_of(symbol))


def _same(before: Term, after: Term) -> Term:
    is_bool = terms.sort_of(before) is terms.BOOL
    return terms.iff(before, after) if is_bool else terms.eq(before, after)
