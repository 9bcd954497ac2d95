"""Predicates in a normal form, so that one is not taken for two.

A comparison of integers becomes `sum <= number` or `sum = number` with coefficients that have no
common divisor, the first of them positive; `x > 5` is then the negation of `x <= 5`.  A *literal*
is a predicate or its negation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import gcd

from seahorn_py.engines.refinement.configuration import Split
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.connectives import conjuncts_below_negations
from seahorn_py.logic.terms.linear import Linear, linear, number_form
from seahorn_py.logic.terms.terms import Term


def literal(formula: Term) -> Term:
    """The literal that a formula without top-level conjunctions is; a constant if it is one."""
    if formula.is_not():
        return terms.not_(literal(formula.arg(0)))
    if formula.is_le() or formula.is_lt():
        return _bound(formula)
    if formula.is_equals() and terms.sort_of(formula.arg(0)) is terms.INT:
        return _equation(linear(formula.arg(0)).plus(linear(formula.arg(1)), -1))
    return formula


def normal(formula: Term) -> Term:
    """The formula with its comparisons in normal form."""
    built: dict[Term, Term] = {}
    for node in nodes(formula):
        if _is_atom(node):
            built[node] = literal(node)
        elif node.is_and():
            built[node] = terms.and_(built[a] for a in node.args())
        elif node.is_or():
            built[node] = terms.or_(built[a] for a in node.args())
        elif node.is_not():
            built[node] = terms.not_(built[node.arg(0)])
        else:
            built[node] = rebuilt(node, tuple(built.get(a, a) for a in node.args()))
    return built[formula]


def predicate(one: Term) -> Term:
    """What a literal speaks of, without its negation."""
    return one.arg(0) if one.is_not() else one


def pieces(formula: Term, split: Split) -> Iterator[Term]:
    """The predicates that a formula becomes; none for constants."""
    match split:
        case Split.WHOLE:
            found: Iterator[Term] = iter((normal(formula),))
        case Split.CONJUNCTS:
            found = (normal(part) for part in conjuncts_below_negations(formula))
        case Split.ATOMS:
            found = (literal(part) for part in atoms_of(formula))
    return (predicate(one) for one in found if not one.is_bool_constant())


def literals(formula: Term) -> frozenset[Term]:
    """The conjuncts of a formula in normal form; FALSE is one, TRUE none."""
    return frozenset(normal(part) for part in conjuncts_below_negations(formula)) - {terms.TRUE}


def atoms_of(formula: Term) -> Iterator[Term]:
    """The comparisons and Boolean symbols, each once."""
    return (node for node in nodes(formula) if _is_atom(node))


def is_literal(formula: Term) -> bool:
    """Whether a formula is a comparison or a Boolean symbol, or the negation of one."""
    return _is_atom(formula.arg(0) if formula.is_not() else formula)


def _is_atom(node: Term) -> bool:
    if terms.sort_of(node) is not terms.BOOL:
        return False
    connective = node.is_bool_op() or node.is_ite() or node.is_iff()
    return not (connective or node.is_bool_constant()) or bool(node.is_quantifier())


def _bound(formula: Term) -> Term:
    """`left <= right` or `left < right`, of integers or reals."""
    left, right = formula.args()
    if terms.sort_of(left) is not terms.INT:
        return terms.not_(terms.le(right, left)) if formula.is_lt() else formula
    form = linear(left).plus(linear(right), -1)
    if formula.is_lt():
        form = form.plus(number_form(1))
    if not form.coefficients:
        return terms.bool_const(form.constant <= 0)
    # sum <= limit; the quotient rounds down, which is exact for integers
    limit = -form.constant
    form = Linear(form.coefficients)
    if _leading(form) < 0:
        return terms.not_(_at_most(form.times(-1), -limit - 1, terms.le))
    return _at_most(form, limit, terms.le)


def _equation(form: Linear) -> Term:
    if not form.coefficients:
        return terms.bool_const(form.constant == 0)
    common = gcd(*form.coefficients.values())
    if form.constant % common:
        return terms.FALSE
    form = form.times(-1) if _leading(form) < 0 else form
    return _at_most(Linear(form.coefficients), -form.constant, terms.eq)


def _at_most(form: Linear, limit: int, compare: Callable[[Term, Term], Term]) -> Term:
    common = gcd(*form.coefficients.values())
    positive = {u: c // common for u, c in _ordered(form) if c > 0}
    negative = {u: -c // common for u, c in _ordered(form) if c < 0}
    left, right = Linear(positive), Linear(negative, limit // common)
    return compare(left.term(), right.term())


def _ordered(form: Linear) -> Sequence[tuple[Term, int]]:
    return sorted(form.coefficients.items(), key=lambda pair: str(pair[0]))


def _leading(form: Linear) -> int:
    return _ordered(form)[0][1]


def can_follow(symbol: Term) -> bool:
    """Whether the values of a parameter are numbers or truth values."""
    sort = terms.sort_of(symbol)
    return bool(sort is terms.BOOL or sort is terms.INT or sort.is_bv_type())
