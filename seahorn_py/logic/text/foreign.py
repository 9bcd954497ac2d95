"""Formulas that others have made, as SMT-LIB text with what it mentions.

pySMT's formulas may be of any environment, so they cross as text as those of other libraries do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pysmt import operators as op

from seahorn_py.base.errors import InputError, InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import INT, RESERVED, Term
from seahorn_py.logic.text.printing import print_sort, print_term

Signature = tuple[tuple[str, ...], str]
"""The sorts of the arguments and of the result, as SMT-LIB text."""


@dataclass(frozen=True)
class Written:
    """A formula as text, its sort, and the functions and free constants in it by their names."""

    text: str
    sort: str
    functions: Mapping[str, Signature]


def check_names(names: Iterable[str]) -> None:
    """InputError for a name that a text would take for something else, or could not have."""
    for name in names:
        if name in ("true", "false"):
            raise InputError(f"{name}: as a name it would be taken for the truth value")
        if not name or "|" in name or "\\" in name:
            raise InputError(f"{name!r}: no name that SMT-LIB can write")


def written(term: Term) -> Written:
    """A formula of pySMT; InputError if it uses what SMT-LIB or we do not have."""
    functions: dict[str, Signature] = {}
    _collect(term, frozenset(), functions)
    check_names(functions)
    try:
        return Written(print_term(term), print_sort(terms.sort_of(term)), functions)
    except InternalError as error:
        raise InputError(str(error)) from None


def _collect(term: Term, bound: frozenset[str], functions: dict[str, Signature]) -> None:
    """Add the functions and the free symbols of a term."""
    for node in nodes(term):
        if node.is_quantifier():
            own = {v.symbol_name() for v in node.quantifier_vars()}
            check_names(own)
            inside = bound | own
            _collect(node.arg(0), inside, functions)
        elif node.node_type() == op.DIV and terms.sort_of(node.arg(0)) is INT:
            raise InputError(
                "a quotient of integers, which pySMT does not define: use SMT-LIB text"
            )
        elif node.is_function_application():
            name = node.function_name()
            if name.symbol_name() not in RESERVED:
                sort = name.symbol_type()
                sorts = tuple(map(print_sort, sort.param_types))
                functions[name.symbol_name()] = sorts, print_sort(sort.return_type)
        elif node.is_symbol() and node.symbol_name() not in bound:
            functions[node.symbol_name()] = (), print_sort(node.symbol_type())
