"""Comparisons of bit-vectors as C expressions in unsigned arithmetic.

An expression of width w <= 64 is written in `unsigned int` or `unsigned long long` and cut to w
bits, so that its value is the unsigned value of the term.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from seahorn_py.evidence.expressions.lvalue import (
    SIGNED,
    UNSIGNED,
    Lvalue,
    as_signed,
    as_unsigned,
    joined,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

MAX_TEXT = 1_000


class BitsText:
    """Writes comparisons; `truth` writes the conditions of case distinctions."""

    def __init__(self, leaves: Mapping[Term, Lvalue], truth: Callable[[Term], str | None]) -> None:
        self._leaves = leaves
        self._truth = truth
        self._known: dict[Term, str | None] = {}

    def comparison(self, term: Term, positive: bool) -> str | None:
        """`term`, an equality or order of bit-vectors, or its negation."""
        left, right = term.args()
        if left.is_ite() or right.is_ite():
            return self._cases(term, positive)
        signed = bool(term.is_bv_slt() or term.is_bv_sle())
        if term.is_equals():
            operator = "==" if positive else "!="
            signed = any(self._is_signed(side) for side in (left, right))
        elif term.is_bv_slt() or term.is_bv_ult():
            operator = "<" if positive else ">="
        elif term.is_bv_sle() or term.is_bv_ule():
            operator = "<=" if positive else ">"
        else:
            return None
        view = self._signed if signed else self._unsigned
        one, other = view(left), view(right)
        return None if one is None or other is None else f"{one} {operator} {other}"

    def _is_signed(self, side: Term) -> bool:
        leaf = self._leaves.get(side)
        return leaf is not None and leaf.type is not None and leaf.type.signed

    def _cases(self, term: Term, positive: bool) -> str | None:
        """A comparison with a conditional value, as the disjunction of its cases."""
        sides = list(term.args())
        place = 0 if sides[0].is_ite() else 1
        condition, *values = sides[place].args()
        texts = []
        for guard, value in ((condition, values[0]), (terms.not_(condition), values[1])):
            sides[place] = value
            case = terms.eq(*sides) if term.is_equals() else terms.bv(_name(term), *sides)
            text = self._truth(terms.and_((guard, case if positive else terms.not_(case))))
            if text is None:
                return None
            texts.append(text or "1")
        return joined(texts, "||")

    # ---------------------------------------------------------------------------------- views

    def _signed(self, term: Term) -> str | None:
        leaf = self._leaves.get(term)
        if leaf is not None:
            return as_signed(leaf)
        width = terms.bv_width(term)
        if term.is_bv_constant():
            return _signed_number(int(term.bv_signed_value()))
        cast, text = SIGNED.get(width), self._unsigned(term)
        return None if cast is None or text is None else f"({cast}){text}"

    def _unsigned(self, term: Term) -> str | None:
        """A primary or cast expression with the unsigned value of the term."""
        if term not in self._known:
            text = self._written(term) if terms.bv_width(term) <= 64 else None
            self._known[term] = text if text is None or len(text) <= MAX_TEXT else None
        return self._known[term]

    def _written(self, term: Term) -> str | None:
        leaf = self._leaves.get(term)
        if leaf is not None:
            return as_unsigned(leaf)
        width = terms.bv_width(term)
        if term.is_bv_constant():
            return f"{int(term.constant_value())}{'U' if width <= 32 else 'ULL'}"
        if term.is_bv_zext():
            return self._widened(self._unsigned(term.arg(0)), width)
        if term.is_bv_sext():
            inner = self._signed(term.arg(0))
            return None if inner is None else _cut(f"({_word(width)})({inner})", width)
        if term.is_bv_extract():
            return self._extracted(term)
        if term.is_bv_concat():
            return self._concatenated(term)
        if term.is_bv_not() or term.is_bv_neg():
            inner = self._widened(self._unsigned(term.arg(0)), width)
            sign = "~" if term.is_bv_not() else "0U - "
            return None if inner is None else _cut(f"({sign}{inner})", width)
        return self._operation(term)

    def _widened(self, text: str | None, width: int) -> str | None:
        return None if text is None else f"({_word(width)}){text}"

    def _extracted(self, term: Term) -> str | None:
        inner = self._unsigned(term.arg(0))
        low, width = int(term.bv_extract_start()), terms.bv_width(term)
        if inner is None:
            return None
        wide = f"({_word(terms.bv_width(term.arg(0)))}){inner}"
        return _cut(f"({wide} >> {low})" if low else wide, width)

    def _concatenated(self, term: Term) -> str | None:
        high, low = (self._unsigned(a) for a in term.args())
        if high is None or low is None:
            return None
        word, by = _word(terms.bv_width(term)), terms.bv_width(term.arg(1))
        return f"((({word}){high} << {by}) | ({word}){low})"

    def _operation(self, term: Term) -> str | None:
        operator = _operator(term)
        if operator is None:
            return None
        width = terms.bv_width(term)
        left, right = (self._widened(self._unsigned(a), width) for a in term.args())
        if left is None or right is None:
            return None
        return _cut(f"({left} {operator} {right})", width)


def _operator(term: Term) -> str | None:
    """The C operator that does the same in unsigned arithmetic; shifts are by numbers."""
    for found, operator in (
        (term.is_bv_add(), "+"),
        (term.is_bv_sub(), "-"),
        (term.is_bv_mul(), "*"),
        (term.is_bv_and(), "&"),
        (term.is_bv_or(), "|"),
        (term.is_bv_xor(), "^"),
    ):
        if found:
            return operator
    if not (term.args() and len(term.args()) == 2 and term.arg(1).is_bv_constant()):
        return None
    by = int(term.arg(1).constant_value())
    if (term.is_bv_udiv() or term.is_bv_urem()) and by:
        return "/" if term.is_bv_udiv() else "%"
    if (term.is_bv_lshl() or term.is_bv_lshr()) and by < terms.bv_width(term):
        return "<<" if term.is_bv_lshl() else ">>"
    return None


def _word(width: int) -> str:
    """The unsigned type in which terms of this width are computed; it is never promoted."""
    return UNSIGNED[32] if width <= 32 else UNSIGNED[64]


def _cut(text: str, width: int) -> str:
    """The value modulo 2**width."""
    if width in (32, 64):
        return f"({_word(width)}){text}"
    if width in UNSIGNED:
        return f"({UNSIGNED[width]}){text}"
    mask = (1 << width) - 1
    return f"({text} & {mask}{'U' if width <= 32 else 'ULL'})"


def _signed_number(value: int) -> str:
    for width, suffix in ((31, ""), (63, "LL")):
        if -(1 << width) < value < 1 << width:
            return f"{value}{suffix}"
        if value == -(1 << width):
            return f"({value + 1}{suffix} - 1)"
    return f"{value}LL"


def _name(term: Term) -> str:
    for found, name in (
        (term.is_bv_ult(), "bvult"),
        (term.is_bv_ule(), "bvule"),
        (term.is_bv_slt(), "bvslt"),
    ):
        if found:
            return name
    return "bvsle"
