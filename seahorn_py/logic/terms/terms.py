"""The pySMT seam: formulas, typed, with the few simplifications that keep them small.

pySMT ships no types; only this module, `logic.terms.binding` and `logic.text.operators` (the
reader's exact constructors) build its nodes.  Terms are hash-consed within one process; across a
process border they go as text (`logic.text.smtlib`).  Sorts: Booleans, unbounded integers,
bit-vectors, reals, arrays.  Integer `div` and `mod` are the Euclidean ones of SMT-LIB, as
interpreted functions with reserved names, and may be built only where the divisor is known not to
be 0.  An array constant has a default only; further elements are stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pysmt import operators
from pysmt.environment import get_env
from pysmt.exceptions import PysmtTypeError
from pysmt.fnode import FNode
from pysmt.typing import BOOL, INT, REAL, ArrayType, BVType, FunctionType, PySMTType

from seahorn_py.logic.terms.binding import (
    by_name,
    free_symbols,
    fresh_like,
    is_quantified,
    substitute,
)

Term: TypeAlias = FNode
Sort: TypeAlias = PySMTType

_manager = get_env().formula_manager

RESERVED = {
    "div": FunctionType(INT, [INT, INT]),
    "mod": FunctionType(INT, [INT, INT]),
    "to_int": FunctionType(INT, [REAL]),
}
"""Function symbols with a meaning in SMT-LIB; printers must not declare them."""

__all__ = [
    "BOOL",
    "INT",
    "REAL",
    "RESERVED",
    "Sort",
    "Term",
    "array_sort",
    "bv_sort",
    "by_name",
    "free_symbols",
    "fresh_like",
    "is_quantified",
    "substitute",
]


def bv_sort(width: int) -> Sort:
    """Bit-vectors of `width` bits."""
    return BVType(width)


def array_sort(index: Sort, element: Sort) -> Sort:
    """Arrays from `index` to `element`."""
    return ArrayType(index, element)


def sort_of(term: Term) -> Sort:
    """The sort of a term."""
    return term.symbol_type() if term.is_symbol() else get_env().stc.get_type(term)


def symbol(name: str, sort: Sort) -> Term:
    """The symbol of this name; one name has one sort in a process (pySMT raises otherwise)."""
    return _manager.Symbol(name, sort)


def variable(name: str, sort: Sort) -> Term:
    """The symbol of this name, or a fresh `name!K` where the name has another sort already."""
    try:
        return _manager.Symbol(name, sort)
    except PysmtTypeError:
        return _manager.new_fresh_symbol(sort, name.replace("%", "%%") + "!%d")


def fresh_predicate(name: str, sorts: Sequence[Sort]) -> Term:
    """The symbol of a Boolean function that nothing in this process has used yet."""
    sort = FunctionType(BOOL, list(sorts)) if sorts else BOOL
    return _manager.new_fresh_symbol(sort, name.replace("%", "%%") + "!%d")


def apply(predicate: Term, arguments: Sequence[Term]) -> Term:
    """A predicate applied to arguments of its sorts; one without arguments is its own symbol."""
    return _manager.Function(predicate, tuple(arguments))


# -------------------------------------------------------------------------------------- Booleans

TRUE: Term = _manager.TRUE()
FALSE: Term = _manager.FALSE()


def bool_const(value: bool) -> Term:
    """TRUE or FALSE."""
    return TRUE if value else FALSE


def and_(parts: Iterable[Term]) -> Term:
    """Conjunction; drops TRUE and duplicates, folds FALSE."""
    kept = [p for p in dict.fromkeys(parts) if p is not TRUE]
    if FALSE in kept:
        return FALSE
    return TRUE if not kept else kept[0] if len(kept) == 1 else _manager.And(kept)


def or_(parts: Iterable[Term]) -> Term:
    """Disjunction; drops FALSE and duplicates, folds TRUE."""
    kept = [p for p in dict.fromkeys(parts) if p is not FALSE]
    if TRUE in kept:
        return TRUE
    return FALSE if not kept else kept[0] if len(kept) == 1 else _manager.Or(kept)


def not_(term: Term) -> Term:
    """Negation; folds constants and double negation."""
    if term is TRUE:
        return FALSE
    if term is FALSE:
        return TRUE
    return term.arg(0) if term.is_not() else _manager.Not(term)


def implies(left: Term, right: Term) -> Term:
    """Implication, as a disjunction when a side is constant."""
    if left is TRUE:
        return right
    if left is FALSE or right is TRUE:
        return TRUE
    return not_(left) if right is FALSE else _manager.Implies(left, right)


def iff(left: Term, right: Term) -> Term:
    """Equivalence of two Booleans."""
    if left is right:
        return TRUE
    for one, other in ((left, right), (right, left)):
        if one is TRUE:
            return other
        if one is FALSE:
            return not_(other)
    return _manager.Iff(left, right)


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """If-then-else on any sort."""
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if then is TRUE and otherwise is FALSE:
        return condition
    if then is FALSE and otherwise is TRUE:
        return not_(condition)
    return _manager.Ite(condition, then, otherwise)


def eq(left: Term, right: Term) -> Term:
    """Equality on any sort."""
    if left is right:
        return TRUE
    if left.is_constant() and right.is_constant():
        return FALSE
    return iff(left, right) if sort_of(left) is BOOL else _manager.Equals(left, right)


def forall(variables: Iterable[Term], body: Term) -> Term:
    """Universal quantification; the body itself without variables."""
    bound = list(variables)
    return _manager.ForAll(bound, body) if bound else body


def exists(variables: Iterable[Term], body: Term) -> Term:
    """Existential quantification; the body itself without variables."""
    bound = list(variables)
    return _manager.Exists(bound, body) if bound else body


# -------------------------------------------------------------------------------------- integers


def int_const(value: int) -> Term:
    """An unbounded integer."""
    return _manager.Int(value)


def number(constant: Term) -> int:
    """The number that an integer or, unsigned, a bit-vector constant is."""
    return int(constant.constant_value())


def real_const(numerator: int, denominator: int = 1) -> Term:
    """A rational."""
    return _manager.Real((numerator, denominator))


def plus(*parts: Term) -> Term:
    """Sum of integers or reals; folds integer constants."""
    constant = sum(number(p) for p in parts if p.is_int_constant())
    rest = [p for p in parts if not p.is_int_constant()]
    if not rest:
        return int_const(constant)
    terms = [*rest, int_const(constant)] if constant else rest
    return terms[0] if len(terms) == 1 else _manager.Plus(terms)


def minus(left: Term, right: Term) -> Term:
    """Difference of integers or reals."""
    if right.is_int_constant():
        return plus(left, int_const(-number(right)))
    return _manager.Minus(left, right)


def times(left: Term, right: Term) -> Term:
    """Product of integers or reals; folds integer constants 0 and 1."""
    if left.is_int_constant() and right.is_int_constant():
        return int_const(number(left) * number(right))
    for one, other in ((left, right), (right, left)):
        if one.is_int_constant() and one.constant_value() in (0, 1):
            return other if one.constant_value() else one
    return _manager.Times(left, right)


def le(left: Term, right: Term) -> Term:
    """`left <= right` on integers or reals."""
    if left.is_int_constant() and right.is_int_constant():
        return bool_const(left.constant_value() <= right.constant_value())
    return _manager.LE(left, right)


def lt(left: Term, right: Term) -> Term:
    """`left < right` on integers or reals."""
    if left.is_int_constant() and right.is_int_constant():
        return bool_const(left.constant_value() < right.constant_value())
    return _manager.LT(left, right)


def _interpreted(name: str, *arguments: Term) -> Term:
    return _manager.Function(_manager.Symbol(name, RESERVED[name]), arguments)


def div(left: Term, right: Term) -> Term:
    """Euclidean quotient; only where `right != 0`."""
    if left.is_int_constant() and right.is_int_constant() and right.constant_value():
        divisor = number(right)
        quotient = number(left) // abs(divisor)
        return int_const(quotient if divisor > 0 else -quotient)
    return _interpreted("div", left, right)


def mod(left: Term, right: Term) -> Term:
    """Euclidean remainder, `0 <= mod < |right|`; only where `right != 0`."""
    if left.is_int_constant() and right.is_int_constant() and right.constant_value():
        return int_const(number(left) % abs(number(right)))
    return _interpreted("mod", left, right)


def to_real(term: Term) -> Term:
    """An integer as a real."""
    return _manager.ToReal(term)


def to_int(term: Term) -> Term:
    """The greatest integer that is not above a real."""
    return _interpreted("to_int", term)


def real_div(left: Term, right: Term) -> Term:
    """Quotient of reals; by a constant other than 0, a product."""
    if right.is_real_constant() and right.constant_value():
        return _manager.Div(left, right)
    return _manager.create_node(operators.DIV, (left, right))


# ----------------------------------------------------------------------------------- bit-vectors


def bv_const(value: int, width: int) -> Term:
    """`value` modulo 2**width as a bit-vector."""
    return _manager.BV(value % (1 << width), width)


def bv_width(term: Term) -> int:
    """Width in bits of a bit-vector term."""
    return int(sort_of(term).width)


_BV_BINARY = {
    "bvadd": operators.BV_ADD,
    "bvsub": operators.BV_SUB,
    "bvmul": operators.BV_MUL,
    "bvudiv": operators.BV_UDIV,
    "bvurem": operators.BV_UREM,
    "bvsdiv": operators.BV_SDIV,
    "bvsrem": operators.BV_SREM,
    "bvshl": operators.BV_LSHL,
    "bvlshr": operators.BV_LSHR,
    "bvashr": operators.BV_ASHR,
    "bvand": operators.BV_AND,
    "bvor": operators.BV_OR,
    "bvxor": operators.BV_XOR,
}
_BV_COMPARISON = {
    "bvult": operators.BV_ULT,
    "bvule": operators.BV_ULE,
    "bvslt": operators.BV_SLT,
    "bvsle": operators.BV_SLE,
}


def bv(operator: str, left: Term, right: Term) -> Term:
    """A binary bit-vector operation or comparison by its SMT-LIB name."""
    if operator in _BV_COMPARISON:
        return _manager.create_node(_BV_COMPARISON[operator], (left, right))
    width = bv_width(left)
    if operator == "concat":
        width += bv_width(right)
        return _manager.create_node(operators.BV_CONCAT, (left, right), (width,))
    return _manager.create_node(_BV_BINARY[operator], (left, right), (width,))


def bv_not(term: Term) -> Term:
    """Bitwise complement."""
    return _manager.create_node(operators.BV_NOT, (term,), (bv_width(term),))


def bv_neg(term: Term) -> Term:
    """Two's complement negation."""
    return _manager.create_node(operators.BV_NEG, (term,), (bv_width(term),))


def bv_extract(term: Term, low: int, high: int) -> Term:
    """Bits `low` to `high`, both included."""
    return _manager.create_node(operators.BV_EXTRACT, (term,), (high - low + 1, low, high))


def bv_zext(term: Term, by: int) -> Term:
    """Widen by `by` zero bits."""
    if not by:
        return term
    return _manager.create_node(operators.BV_ZEXT, (term,), (bv_width(term) + by, by))


def bv_sext(term: Term, by: int) -> Term:
    """Widen by `by` copies of the sign bit."""
    if not by:
        return term
    return _manager.create_node(operators.BV_SEXT, (term,), (bv_width(term) + by, by))


def bv_rotate(term: Term, left: int) -> Term:
    """Rotate to the left by `left` bits, modulo the width."""
    width = bv_width(term)
    return _manager.create_node(operators.BV_ROL, (term,), (width, left % width))


def bv_comp(left: Term, right: Term) -> Term:
    """One bit: 1 where both sides are equal."""
    return _manager.create_node(operators.BV_COMP, (left, right), (1,))


def bv_to_int(term: Term) -> Term:
    """The unsigned value of a bit-vector as an integer (`bv2nat`)."""
    return _manager.BVToNatural(term)


# ---------------------------------------------------------------------------------------- arrays


def select(array: Term, index: Term) -> Term:
    """Read an array."""
    return _manager.Select(array, index)


def store(array: Term, index: Term, value: Term) -> Term:
    """The array with one element changed."""
    return _manager.Store(array, index, value)


def const_array(index: Sort, default: Term) -> Term:
    """The array that holds `default` everywhere."""
    return _manager.Array(index, default)
