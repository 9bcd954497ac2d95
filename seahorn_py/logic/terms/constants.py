"""Constants: some value of a sort, and the value of a term without symbols."""

from __future__ import annotations

from fractions import Fraction

from seahorn_py.logic.terms import datatypes, terms
from seahorn_py.logic.terms.evaluate import NotEvaluable, compile_term
from seahorn_py.logic.terms.terms import Sort, Term


def any_value(sort: Sort) -> Term:
    """A value of the sort, always the same one."""
    if sort.is_array_type():
        return terms.const_array(sort.index_type, any_value(sort.elem_type))
    if sort.is_bv_type():
        return terms.bv_const(0, sort.width)
    known = {
        terms.BOOL: terms.FALSE,
        terms.INT: terms.int_const(0),
        terms.REAL: terms.real_const(0),
    }
    return known[sort] if sort in known else datatypes.any_value(sort, any_value)


def known_value(term: Term) -> Term:
    """The constant that a term without symbols is; arrays and datatypes stay as they are."""
    sort = terms.sort_of(term)
    if term.is_constant() or sort.is_array_type():
        return term
    try:
        value = compile_term(term, ())(())
    except NotEvaluable:
        return term
    if sort is terms.BOOL:
        return terms.bool_const(bool(value))
    if sort.is_bv_type():
        assert isinstance(value, int)
        return terms.bv_const(value, sort.width)
    if sort is terms.INT:
        assert isinstance(value, int)
        return terms.int_const(value)
    if sort is terms.REAL:
        assert isinstance(value, int | Fraction)
        exact = Fraction(value)
        return terms.real_const(exact.numerator, exact.denominator)
    return term
