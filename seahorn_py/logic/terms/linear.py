"""Integer terms as linear forms, exact and syntactic.

A form is a constant plus multiples of *units*: terms that are no sums, no multiples by numbers and
no numbers.  Terms of sorts other than the integers are units of their own, so that equality of
forms serves them too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import gcd
from typing import Generic, Self, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import Term

Unit = TypeVar("Unit", bound=Hashable)


@dataclass(frozen=True)
class Combination(Generic[Unit]):
    """`constant + sum of coefficients[unit] * unit`; no coefficient is 0."""

    coefficients: Mapping[Unit, int]
    constant: int = 0

    def plus(self, other: Combination[Unit], factor: int = 1) -> Self:
        """`self + factor * other`."""
        sums = dict(self.coefficients)
        for unit, coefficient in other.coefficients.items():
            sums[unit] = sums.get(unit, 0) + factor * coefficient
        kept = {unit: c for unit, c in sums.items() if c}
        return type(self)(kept, self.constant + factor * other.constant)

    def times(self, factor: int) -> Self:
        """`factor * self`."""
        return type(self)({}).plus(self, factor)


class Linear(Combination[Term]):
    """A combination of terms."""

    @property
    def key(self) -> tuple[frozenset[tuple[Term, int]], int]:
        """Equal exactly for equal forms."""
        return frozenset(self.coefficients.items()), self.constant

    def over(self, divisor: int) -> Linear | None:
        """The exact quotient by a positive number; None unless every part is a multiple."""
        if self.constant % divisor or any(c % divisor for c in self.coefficients.values()):
            return None
        quotients = {unit: c // divisor for unit, c in self.coefficients.items()}
        return Linear(quotients, self.constant // divisor)

    def at(self, values: Mapping[Term, Linear]) -> Linear:
        """The form with units replaced by forms."""
        result = Linear({}, self.constant)
        for unit, coefficient in self.coefficients.items():
            result = result.plus(values.get(unit, unit_form(unit)), coefficient)
        return result

    def term(self) -> Term:
        """The form as a term."""
        return _sum(self.coefficients.items(), self.constant)


def unit_form(unit: Term) -> Linear:
    """The form that is one unit."""
    return Linear({unit: 1})


def number_form(value: int) -> Linear:
    """The form that is a number."""
    return Linear({}, value)


def linear(term: Term) -> Linear:
    """The linear form of a term."""
    if terms.sort_of(term) is not terms.INT:
        return unit_form(term)
    forms: dict[Term, Linear] = {}
    for node in nodes(term):
        if terms.sort_of(node) is terms.INT:
            forms[node] = _form(node, forms)
    return forms[term]


def _form(node: Term, forms: Mapping[Term, Linear]) -> Linear:
    if node.is_int_constant():
        return number_form(int(node.constant_value()))
    if node.is_plus():
        total = number_form(0)
        for argument in node.args():
            total = total.plus(forms[argument])
        return total
    if node.is_minus():
        return forms[node.arg(0)].plus(forms[node.arg(1)], -1)
    if node.is_times():
        return _product(node, [forms[a] for a in node.args()])
    return unit_form(node)


def _product(node: Term, factors: Iterable[Linear]) -> Linear:
    result = number_form(1)
    for factor in factors:
        numeric = next((f for f in (factor, result) if not f.coefficients), None)
        if numeric is None:
            return unit_form(node)
        other = result if numeric is factor else factor
        result = other.times(numeric.constant)
    return result


class Forms:
    """Linear forms under assumptions: symbols that these define are replaced.

    A definition is a conjunct `symbol = term`, the term without arrays and bit-vectors.
    """

    def __init__(self, assumptions: Iterable[Term]) -> None:
        self._definitions: dict[Term, Linear] = {}
        for part in (p for a in assumptions for p in (a.args() if a.is_and() else (a,))):
            if part.is_equals() and terms.sort_of(part.arg(0)) is terms.INT:
                for symbol, term in (part.args(), part.args()[::-1]):
                    self._define(symbol, term)

    def _define(self, symbol: Term, term: Term) -> None:
        """Keeps the definitions free of each other: none mentions a symbol that is defined."""
        if not symbol.is_symbol() or symbol in self._definitions:
            return
        if not all(terms.sort_of(n) in (terms.INT, terms.BOOL) for n in nodes(term)):
            return
        form = linear(term).at(self._definitions)
        if symbol in terms.free_symbols(form.term()):
            return
        known = {symbol: form}
        self._definitions = {s: f.at(known) for s, f in self._definitions.items()} | known

    def of(self, term: Term) -> Linear:
        """The form of a term."""
        return linear(term).at(self._definitions)


def equal(left: Linear, right: Linear) -> Term:
    """`left = right`, divided by the common factor; a constant where the forms decide it."""
    difference = left.plus(right, -1)
    if not difference.coefficients:
        return terms.bool_const(difference.constant == 0)
    common = gcd(*difference.coefficients.values())
    reduced = difference.over(common)
    if reduced is None:
        return terms.FALSE
    positive = {u: c for u, c in reduced.coefficients.items() if c > 0}
    negative = {u: -c for u, c in reduced.coefficients.items() if c < 0}
    constant = reduced.constant
    return terms.eq(
        _sum(positive.items(), max(constant, 0)), _sum(negative.items(), max(-constant, 0))
    )


def _sum(parts: Iterable[tuple[Term, int]], constant: int) -> Term:
    summands = [u if c == 1 else terms.times(terms.int_const(c), u) for u, c in parts]
    if len(summands) == 1 and not constant:
        return summands[0]
    return terms.plus(*summands, terms.int_const(constant))
