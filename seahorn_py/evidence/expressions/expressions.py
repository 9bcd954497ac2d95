"""Formulas over registers as C expressions that evaluate without undefined behaviour.

Integers of the `int` encoding are exact, so their arithmetic is done in `long long`, and only where
the bounds that are known show that it fits.  Bit-vectors become unsigned arithmetic of their width,
which wraps as they do; a signed view is a cast.  No calls, no conditional operator: validators know
neither.  `None` means that C cannot express the formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.expressions.bits import BitsText
from seahorn_py.evidence.expressions.integers import IntegerText
from seahorn_py.evidence.expressions.lvalue import Lvalue, is_word, joined
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.connectives import conjuncts_below_negations
from seahorn_py.logic.terms.terms import Term

MAX_NODES = 400
MAX_CHARACTERS = 1_000


@dataclass(frozen=True)
class Written:
    """The conjuncts that C can say, each with its text, and those that it cannot."""

    said: tuple[tuple[Term, str], ...]
    left_out: tuple[Term, ...]


def written(formula: Term, leaves: Mapping[Term, Lvalue]) -> Written:
    """A formula over the symbols of `leaves`, conjunct by conjunct, bounds of variables first."""
    parts = list(dict.fromkeys(conjuncts_below_negations(formula)))
    integers = IntegerText(leaves, parts)
    first = [part for part in parts if integers.is_bound(part)]
    said, left_out = [], []
    for part in dict.fromkeys([*first, *parts]):
        if integers.is_implied(part):
            continue
        text = Expression(leaves, integers).of(part)
        if text is None:
            left_out.append(part)
        elif text:
            said.append((part, text))
    return Written(tuple(said), tuple(left_out))


class Expression:
    """The C expression of one Boolean term."""

    def __init__(self, leaves: Mapping[Term, Lvalue], integers: IntegerText) -> None:
        self._leaves = leaves
        self._integers = integers
        self._bits = BitsText(leaves, self.of)

    def of(self, term: Term) -> str | None:
        """The text, "" if it is always true; None if C cannot say it in a few lines."""
        if sum(1 for _ in nodes(term)) > MAX_NODES:
            return None
        text = self._text(term)
        return None if text is None or len(text) > MAX_CHARACTERS else text

    def _text(self, term: Term) -> str | None:
        if term.is_and() or term.is_or():
            return self._all(term.args(), "&&" if term.is_and() else "||")
        if term.is_not():
            return self._negation(term.arg(0))
        if term.is_implies():
            return self._all((terms.not_(term.arg(0)), term.arg(1)), "||")
        if term.is_ite() and terms.sort_of(term) is terms.BOOL:
            condition, then, otherwise = term.args()
            taken = terms.and_((condition, then))
            return self._all((taken, terms.and_((terms.not_(condition), otherwise))), "||")
        if term.is_iff():
            return self._same(*term.args())
        if term.is_symbol() and terms.sort_of(term) is terms.BOOL:
            leaf = self._leaves.get(term)
            return None if leaf is None else f"{leaf.name} != 0"
        if term.is_bool_constant():
            return "" if term.is_true() else "0"
        return self._comparison(term, positive=True)

    def _comparison(self, term: Term, positive: bool) -> str | None:
        if not term.args():
            return None
        sort = terms.sort_of(term.arg(0))
        if sort is terms.INT:
            return self._integers.comparison(term, positive)
        if sort.is_bv_type():
            return self._bits.comparison(term, positive)
        return None

    def _negation(self, term: Term) -> str | None:
        """The negation, moved inwards."""
        if term.is_and() or term.is_or():
            parts = [terms.not_(a) for a in term.args()]
            return self._all(parts, "||" if term.is_and() else "&&")
        if term.is_not():
            return self._text(term.arg(0))
        if term.is_equals() or term.is_le() or term.is_lt() or is_word(term):
            return self._comparison(term, positive=False)
        if term.is_symbol():
            leaf = self._leaves.get(term)
            return None if leaf is None else f"{leaf.name} == 0"
        inner = self._text(term)
        return None if inner is None else f"!({inner or '1'})"

    def _same(self, left: Term, right: Term) -> str | None:
        one, other = self._text(left), self._text(right)
        if one is None or other is None:
            return None
        return f"({one or '1'}) == ({other or '1'})"

    def _all(self, parts: Iterable[Term], operator: str) -> str | None:
        """The parts joined, without those that decide nothing; "" and "0" where one decides all."""
        neutral, final = ("", "0") if operator == "&&" else ("0", "")
        texts = []
        for part in parts:
            text = self._text(part)
            if text is None:
                return None
            if text == final:
                return final
            if text != neutral:
                texts.append(text)
        return joined(texts, operator) if texts else neutral
