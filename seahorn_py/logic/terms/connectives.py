"""The conjuncts of a formula."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


def conjuncts(formula: Term) -> Iterator[Term]:
    """The parts of nested conjunctions, in order; TRUE has none."""
    open_ = [formula]
    while open_:
        part = open_.pop()
        if part.is_and():
            open_.extend(reversed(part.args()))
        elif part is not terms.TRUE:
            yield part


def conjuncts_below_negations(formula: Term) -> Iterator[Term]:
    """The conjuncts, with those of negated disjunctions and implications."""
    open_ = [formula]
    while open_:
        part = open_.pop()
        if part.is_and():
            open_.extend(reversed(part.args()))
        elif part.is_not() and part.arg(0).is_or():
            open_.extend(terms.not_(a) for a in reversed(part.arg(0).args()))
        elif part.is_not() and part.arg(0).is_not():
            open_.append(part.arg(0).arg(0))
        elif part.is_not() and part.arg(0).is_implies():
            left, right = part.arg(0).args()
            open_.extend((terms.not_(right), left))
        elif part is not terms.TRUE:
            yield part
