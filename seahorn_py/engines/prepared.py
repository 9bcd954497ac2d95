"""Any engine on a Horn system with fewer relations and arguments.

    relations that derive nothing of themselves   `horn.transform.rules.unfolding`
    rules that derive nothing new                 `horn.transform.rules.fewerrules`
    arguments that say nothing of the queries     `horn.transform.arguments.slicing`
    relations that no query needs any more        `horn.transform.rules.pruning`
    bit-vectors as numbers                        `horn.transform.arguments.bitnumbers`

The system is prepared once, for all engines.  What a model says of the relations that are gone is
found by Spacer: the rules between them do not repeat.

Limitations, the most common first:

1. A model whose rest Spacer does not find has quantifiers, and may not be confirmed.
2. Proofs that are no models do not go back.
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, Engine, working
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.transformed import carried
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.transform.arguments.bitnumbers import BitNumbers
from seahorn_py.horn.transform.arguments.slicing import Slicing
from seahorn_py.horn.transform.order import transformed
from seahorn_py.horn.transform.rules.fewerrules import FewerRules
from seahorn_py.horn.transform.rules.pruning import Pruning
from seahorn_py.horn.transform.rules.unfolding import Unfolding
from seahorn_py.horn.transform.transformation import Back, Inapplicable
from seahorn_py.logic.terms.binding import is_quantified
from seahorn_py.policy.policy import policy
from seahorn_py.result import Safe, Verdict


class _Completing:
    """Solves what is left between relations that are gone, in the time of who asks."""

    def __init__(self) -> None:
        self.budget: Budget | None = None

    def __call__(self, system: HornSystem) -> Model | None:
        """A solution, or None; without quantifiers if one is found, for Spacer reads none.

        Most relations need few of their arguments.
        """
        assert self.budget is not None
        left = replace(self.budget, deadline=working(self.budget.deadline), pool=None)
        model: Model | None = None
        for chosen in ((Slicing(), Pruning()), ()):
            fewer, ways = transformed(system, chosen)
            found = carried(Spacer(checked=False).solve(fewer, left), fewer, ways)
            model = _model_of(found) or model
            if model and not any(map(is_quantified, model.interpretations.values())):
                break
        return model


def _model_of(found: Verdict) -> Model | None:
    return found.proof if isinstance(found, Safe) and isinstance(found.proof, Model) else None


@dataclass(frozen=True)
class Preparation:
    """The smaller system, and the ways back."""

    system: HornSystem
    ways: tuple[Back, ...]
    completing: _Completing


def prepare(system: HornSystem) -> Preparation:
    """The preparation of a system, which may stay as it is."""
    completing = _Completing()
    found, ways = transformed(system, (Unfolding(completing), FewerRules(), Slicing(), Pruning()))
    return Preparation(found, ways, completing)


def in_numbers(before: Preparation) -> Preparation | None:
    """The same with numbers for bit-vectors; None where they cannot be."""
    try:
        found, ways = transformed(before.system, (BitNumbers(),))
    except Inapplicable:
        return None
    return Preparation(found, (*before.ways, *ways), before.completing)


@dataclass(frozen=True)
class Prepared:
    """`inner` decides the prepared system, in most of the time."""

    inner: Engine
    preparation: Preparation

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """The verdict of `inner` on the preparation of this system, read back."""
        ready = self.preparation
        ready.completing.budget = budget
        share = budget.deadline.share(policy().solving.prepared_share)
        solving = replace(budget, deadline=share, pool=None)
        return carried(self.inner.solve(ready.system, solving), ready.system, ready.ways)
