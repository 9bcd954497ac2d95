"""Formulas that C cannot say, as SMT-LIB on one line, cut where they are long."""

from __future__ import annotations

from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.printing import print_term

MAX_CHARACTERS = 500


def smt(term: Term) -> str:
    """The term as SMT-LIB."""
    text = " ".join(print_term(term).split())
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]} ..."
