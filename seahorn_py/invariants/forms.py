"""Comparisons as differences of linear forms over features.

The form of a bit-vector term is its value over the integers if nothing wraps.  So it says what is
worth looking at, not what is true.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.invariants.features import Feature, NumberKind
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.linear import Combination, linear
from seahorn_py.logic.terms.terms import Term

_WORDS = (NumberKind.SIGNED, NumberKind.UNSIGNED)

Form = Combination[Feature]
Forms = Mapping[NumberKind, Form]


def compares(node: Term) -> bool:
    """Whether a term compares numbers."""
    if node.is_equals():
        sort = terms.sort_of(node.arg(0))
        return bool(sort is terms.INT or sort.is_bv_type())
    if node.is_le() or node.is_lt():
        return terms.sort_of(node.arg(0)) is terms.INT
    return bool(_signed(node) or node.is_bv_ule() or node.is_bv_ult())


def differences(comparison: Term) -> list[Form]:
    """Left side minus right side, over features; of an equality of bit-vectors in both readings."""
    left, right = comparison.args()
    if terms.sort_of(left) is terms.INT:
        over = linear(left).plus(linear(right), -1)
        return [Combination({Feature(u): c for u, c in over.coefficients.items()}, over.constant)]
    asked = _WORDS if comparison.is_equals() else (_kind(comparison),)
    return [_side(left, r).plus(_side(right, r), -1) for r in asked]


def is_linear(comparison: Term) -> bool:
    """Whether only symbols are compared."""
    return all(
        unit.term.is_symbol() for form in differences(comparison) for unit in form.coefficients
    )


def readings(value: Term) -> tuple[int, ...]:
    """The numbers that an integer or bit-vector constant may stand for."""
    if value.is_array_value():
        return ()
    if value.is_int_constant():
        return (int(value.constant_value()),)
    if value.is_bv_constant():
        number, width = int(value.constant_value()), terms.bv_width(value)
        return tuple(dict.fromkeys((number, _two(number, width))))
    return ()


def _signed(comparison: Term) -> bool:
    return bool(comparison.is_bv_sle() or comparison.is_bv_slt())


def _kind(comparison: Term) -> NumberKind:
    return NumberKind.SIGNED if _signed(comparison) else NumberKind.UNSIGNED


def _two(number: int, width: int) -> int:
    """The number of these bits in two's complement."""
    half = 1 << width - 1
    return (number ^ half) - half


def _side(term: Term, kind: NumberKind) -> Form:
    if term.is_bv_constant():
        numbers = readings(term)
        return Combination({}, numbers[-1 if kind is NumberKind.SIGNED else 0])
    forms: dict[Term, Forms] = {}
    for node in nodes(term):
        if terms.sort_of(node).is_bv_type():
            forms[node] = _forms(node, forms)
    return forms[term][kind]


def _forms(node: Term, forms: Mapping[Term, Forms]) -> Forms:
    """The form in each kind; what is added as a large number is subtracted as a small one."""
    arguments = [forms[a] for a in node.args() if a in forms]
    if node.is_bv_constant():
        return dict.fromkeys(_WORDS, Combination({}, readings(node)[-1]))
    if node.is_bv_add():
        return {r: arguments[0][r].plus(arguments[1][r]) for r in _WORDS}
    if node.is_bv_sub():
        return {r: arguments[0][r].plus(arguments[1][r], -1) for r in _WORDS}
    if node.is_bv_neg():
        return {r: arguments[0][r].times(-1) for r in _WORDS}
    if node.is_bv_zext():
        return dict.fromkeys(_WORDS, arguments[0][NumberKind.UNSIGNED])
    if node.is_bv_sext():
        return dict.fromkeys(_WORDS, arguments[0][NumberKind.SIGNED])
    if node.is_bv_mul():
        for one, other in (arguments, arguments[::-1]):
            if not one[NumberKind.SIGNED].coefficients:
                return {r: other[r].times(one[r].constant) for r in _WORDS}
    return {r: Combination({Feature(node, r): 1}) for r in _WORDS}
