"""Truth values as Boolean terms: what the encodings have in common."""

from __future__ import annotations

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


class Truths:
    """The truth values of an `Algebra[V, Term]`."""

    def truth(self, value: bool) -> Term:
        """A constant truth value."""
        return terms.bool_const(value)

    def not_(self, a: Term) -> Term:
        """Negation."""
        return terms.not_(a)

    def both(self, a: Term, b: Term) -> Term:
        """Conjunction."""
        return terms.and_([a, b])

    def either(self, a: Term, b: Term) -> Term:
        """Disjunction."""
        return terms.or_([a, b])

    def iff(self, a: Term, b: Term) -> Term:
        """Equality of truth values."""
        return terms.iff(a, b)
