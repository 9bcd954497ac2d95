"""SMT-LIB text of terms, both ways; the border across which terms leave this process.

`parse_term(print_term(t), names) is t` for every term that `logic.terms` builds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.base.errors import InputError
from seahorn_py.logic.terms.datatypes import folds_of
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text import reading, sexpr
from seahorn_py.logic.text.datatypes import (
    known_scope,
    print_datatypes,
    print_fold_definitions,
    print_folds,
    read_datatypes,
)
from seahorn_py.logic.text.operators import Constructor
from seahorn_py.logic.text.printing import print_sort, print_term, print_variables
from seahorn_py.logic.text.reading import Scope
from seahorn_py.logic.text.sexpr import quoted

__all__ = [
    "Scope",
    "datatypes_scope",
    "parse_sort",
    "parse_term",
    "print_datatypes",
    "print_fold_definitions",
    "print_folds",
    "print_sort",
    "print_symbol",
    "print_term",
    "print_variables",
    "quoted",
]


def parse_term(
    text: str, symbols: Mapping[str, Term], source: str = "<term>", scope: Scope | None = None
) -> Term:
    """The term of a text, whose free names `symbols` explains.

    Its datatypes are those of `scope`, or else those of this process.  Accepts what z3, cvc5 and
    bitwuzla print.  InputError, with `source` and line, for an unknown
    name or operator and for wrong sorts.
    """
    return reading.read_term(_single(text, source), _with(scope, symbols), source)


def parse_sort(text: str, source: str = "<sort>", scope: Scope | None = None) -> Sort:
    """The sort of a text; `scope` as of `parse_term`."""
    return reading.read_sort(_single(text, source), _with(scope, {}), source)


def datatypes_scope(declarations: Iterable[str], source: str) -> Scope:
    """What the names of datatypes mean after these declarations, which are made in this process."""
    scope = Scope()
    folds: dict[str, Constructor] = {}
    for text in declarations:
        form = _single(text, source)
        if isinstance(form, str):
            raise InputError(f"{source}:1: {text} declares no datatype")
        declared = read_datatypes(form, scope, source)
        functions: dict[str, Constructor] = {**scope.functions, **declared.functions}
        scope = Scope({}, functions, {**scope.sorts, **declared.sorts})
        for sort in declared.sorts.values():
            folds |= folds_of(sort)
    return Scope({}, {**scope.functions, **folds}, scope.sorts)


def _with(scope: Scope | None, symbols: Mapping[str, Term]) -> Scope:
    if scope is None:
        return known_scope(symbols)
    return Scope(symbols, scope.functions, scope.sorts)


def _single(text: str, source: str) -> sexpr.Node:
    found = sexpr.read(text, source)
    if len(found) != 1:
        raise InputError(f"{source}:1: {len(found)} expressions instead of 1")
    return found[0]


def print_symbol(symbol: Term) -> str:
    """The name of a symbol as SMT-LIB text."""
    return quoted(symbol.symbol_name())
