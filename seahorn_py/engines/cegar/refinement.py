"""What a spurious counterexample teaches: formulas for its steps, by one of the strategies.

A strategy gives, for steps of a derivation that has no instances, formulas over the parameters of
the relation of the step.  What becomes of them is the same for all: they are split into predicates,
or the parameters that they mention are followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from seahorn_py.engines.cegar.abstraction import can_follow
from seahorn_py.engines.cegar.configuration import Domain, Split
from seahorn_py.engines.cegar.derivation import Derivation
from seahorn_py.engines.cegar.precision import Precision
from seahorn_py.engines.cegar.predicates import pieces
from seahorn_py.horn.system import Refutation
from seahorn_py.logic import terms
from seahorn_py.logic.terms import Term

Lessons = Mapping[int, tuple[Term, ...]]
"""Formulas for steps of a derivation, by their positions."""


class NothingLearnt(Exception):
    """The strategy has nothing to say; the text says why."""


class RealCounterexample(Exception):
    """The strategy has found a derivation of a query with values."""

    def __init__(self, refutation: Refutation) -> None:
        super().__init__()
        self.refutation = refutation


class Strategy(Protocol):
    """One way to learn from a counterexample."""

    def learn(self, of: Derivation, until: float) -> Lessons:
        """Formulas for the steps.

        NothingLearnt when there are none, RealCounterexample if there is one.
        """


def refined(
    precision: Precision, of: Derivation, lessons: Lessons, domain: Domain, split: Split
) -> Precision:
    """The precision with what was learnt."""
    found = [(of.steps[k].node.relation, f) for k, own in lessons.items() for f in own]
    match domain:
        case Domain.PREDICATES:
            return precision.plus(_predicates(found, split))
        case Domain.EXPLICIT:
            return precision.following(_mentioned(found))
        case Domain.BOTH:
            following = precision.following(_mentioned(found))
            if following.beyond(precision):
                return following
            return precision.plus(_predicates(found, split))


def _predicates(found: Iterable[tuple[str, Term]], split: Split) -> Iterator[tuple[str, Term]]:
    return ((name, piece) for name, formula in found for piece in pieces(formula, split))


def _mentioned(found: Iterable[tuple[str, Term]]) -> Iterator[tuple[str, Term]]:
    for name, formula in found:
        for symbol in terms.by_name(terms.free_symbols(formula)):
            if can_follow(symbol):
                yield name, symbol
