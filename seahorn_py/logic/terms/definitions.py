"""Symbols that a conjunction defines, replaced by what they are."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term


def values_given(formula: Term) -> Iterator[tuple[Term, Term]]:
    """The symbols that a formula says the value of, by itself, with the values."""
    if formula.is_symbol():
        yield formula, terms.TRUE
    elif formula.is_not() and formula.arg(0).is_symbol():
        yield formula.arg(0), terms.FALSE
    elif formula.is_equals() or formula.is_iff():
        left, right = formula.args()
        if left.is_symbol():
            yield left, right
        if right.is_symbol():
            yield right, left


def without_definitions(formula: Term, kept: frozenset[Term]) -> Term:
    """The formula with the existential quantifiers of defined symbols resolved.

    `exists s. s = t and rest` becomes `rest` at `t`, for each symbol that is not `kept`; the values
    of the other symbols for which it holds are the same.
    """
    while True:
        values, rest = _split(formula, kept)
        if not values:
            return formula
        formula = terms.and_(folded(part, values) for part in rest)


def _split(formula: Term, kept: frozenset[Term]) -> tuple[dict[Term, Term], list[Term]]:
    """Definitions free of each other's symbols, and the conjuncts that are none of them."""
    values: dict[Term, Term] = {}
    used: set[Term] = set()
    rest: list[Term] = []
    for part in conjuncts(formula):
        found = _definition(part, kept, values, used)
        if found is None:
            rest.append(part)
            continue
        symbol, value = found
        value = folded(value, values)
        if symbol in terms.free_symbols(value):
            rest.append(part)
            continue
        values[symbol] = value
        used |= terms.free_symbols(value)
    return values, rest


def _definition(
    part: Term, kept: frozenset[Term], values: dict[Term, Term], used: set[Term]
) -> tuple[Term, Term] | None:
    """Symbol and value; a symbol that another definition has or uses waits for the next pass."""

    def free(symbol: Term) -> bool:
        if not symbol.is_symbol() or symbol in kept:
            return False
        return symbol not in values and symbol not in used

    if part.is_equals() or part.is_iff():
        left, right = part.args()
        for symbol, value in ((left, right), (right, left)):
            if free(symbol) and symbol not in terms.free_symbols(value):
                return symbol, value
    if free(part):
        return part, terms.TRUE
    if part.is_not() and free(part.arg(0)):
        return part.arg(0), terms.FALSE
    return None
