"""Unit propagation: conjuncts without the Boolean symbols that they fix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts_below_negations
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term


def propagated(
    conditions: Iterable[Term], before: Mapping[Term, Term]
) -> tuple[list[Term], Mapping[Term, Term]]:
    """The conjuncts that are left, FALSE alone where they contradict, and the values of symbols."""
    known = dict(before)
    parts = [part for condition in conditions for part in conjuncts_below_negations(condition)]
    while True:
        units: dict[Term, Term] = {}
        for part in parts:
            if part is terms.FALSE:
                return [terms.FALSE], known
            symbol = part.arg(0) if part.is_not() else part
            value = terms.bool_const(symbol is part)
            if symbol.is_symbol() and units.setdefault(symbol, value) is not value:
                return [terms.FALSE], known
        if not units:
            return parts, known
        known |= units
        parts = [p for part in parts for p in conjuncts_below_negations(folded(part, units))]
