"""Substitution that folds: connectives and comparisons of constants vanish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pysmt import operators as op

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.terms import Term


def folded(term: Term, values: Mapping[Term, Term]) -> Term:
    """The term with free symbols replaced, as small as its connectives allow.

    What stands under a quantifier is only substituted.
    """
    built: dict[Term, Term] = {}
    for node in nodes(term):
        if node.is_quantifier():
            built[node] = terms.substitute(node, values)
        elif node.is_symbol():
            built[node] = values.get(node, node)
        else:
            built[node] = _fold(node, [built[a] for a in node.args()])
    return built[term]


def _fold(node: Term, arguments: Sequence[Term]) -> Term:
    match node.node_type():
        case op.AND:
            return terms.and_(arguments)
        case op.OR:
            return terms.or_(arguments)
        case op.NOT:
            return terms.not_(*arguments)
        case op.IMPLIES:
            return terms.implies(*arguments)
        case op.IFF | op.EQUALS:
            return terms.eq(*arguments)
        case op.ITE:
            return terms.ite(*arguments)
        case op.LE:
            return terms.le(*arguments)
        case op.LT:
            return terms.lt(*arguments)
    return rebuilt(node, tuple(arguments))
