"""What a spurious counterexample teaches: formulas for its steps, by one of the strategies.

A strategy is given a derivation whose rules have no values that fit together.  For some of its
steps it returns formulas over the parameters of the step's relation.  All strategies have in common
that these formulas are then split into predicates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from seahorn_py.engines.refinement.configuration import Split
from seahorn_py.engines.refinement.derivation import Derivation
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import pieces
from seahorn_py.horn.system import Refutation
from seahorn_py.logic.terms.terms import Term

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


def refined(precision: Precision, of: Derivation, lessons: Lessons, split: Split) -> Precision:
    """The precision with the predicates that were learnt."""
    found = ((of.steps[k].node.relation, f) for k, own in lessons.items() for f in own)
    return precision.plus((name, piece) for name, f in found for piece in pieces(f, split))
