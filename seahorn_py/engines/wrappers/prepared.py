"""Any engine on a Horn system with fewer relations and arguments.

    relations that derive nothing of themselves   `horn.transform.unfolding`
    arguments that say nothing new                `horn.transform.arguments`
    bit-vectors as numbers                        `horn.transform.bitnumbers`

What a model says of the relations that are gone is found by Spacer: the rules between them do not
repeat.

Limitations, the most common first:

1. A model whose rest Spacer does not find has quantifiers, and may not be confirmed.
2. Proofs that are no models do not go back.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, Engine, working
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.transform.arguments import FewerArguments
from seahorn_py.horn.transform.bitnumbers import BitNumbers
from seahorn_py.horn.transform.order import transformed
from seahorn_py.horn.transform.transformation import Inapplicable, Transformation
from seahorn_py.horn.transform.unfolding import Unfolding
from seahorn_py.policy.policy import policy
from seahorn_py.result import Safe, Verdict


@dataclass(frozen=True)
class Prepared:
    """`inner` decides the smaller system, in most of the time; `numbers` has no bit-vectors."""

    inner: Engine
    numbers: bool = False

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """The verdict of `inner`, read back; unknown where it cannot be."""
        chosen: tuple[Transformation, ...]
        chosen = Unfolding(partial(_completed, budget=budget)), FewerArguments()
        chosen += (BitNumbers(),) if self.numbers else ()
        solving = Budget(
            budget.deadline.share(policy().solving.share),
            budget.memory_mib,
            budget.jobs,
            budget.disposable,
        )
        return Transformed(self.inner, chosen).solve(system, solving)


def prepared(system: HornSystem) -> HornSystem:
    """The smaller system; what cannot be made smaller stays as it is."""
    return transformed(system, (Unfolding(), FewerArguments()))[0]


def in_numbers(system: HornSystem) -> HornSystem | None:
    """The smaller system with numbers for its bit-vectors; None where they cannot be."""
    try:
        return transformed(prepared(system), (BitNumbers(),))[0]
    except Inapplicable:
        return None


def _completed(system: HornSystem, budget: Budget) -> Model | None:
    """A solution of the rules between the relations that are gone."""
    left = Budget(working(budget.deadline), budget.memory_mib, budget.jobs, budget.disposable)
    found = Spacer().solve(system, left)
    return found.proof if isinstance(found, Safe) and isinstance(found.proof, Model) else None
