"""What an arithmetic may ask of the rule under construction: fresh symbols, facts, the ledger."""

from __future__ import annotations

from typing import Protocol

from seahorn_py.logic.terms.terms import Sort, Term


class OpenRule(Protocol):
    """The place in a rule at which a statement is being translated."""

    def fresh(self, sort: Sort) -> Term:
        """A symbol of the rule that occurs nowhere else."""

    def assume(self, fact: Term) -> None:
        """A fact about fresh symbols that holds whenever the statement's block runs."""

    def approximate(self, what: str) -> None:
        """Record that the statement's result is over-approximated."""
