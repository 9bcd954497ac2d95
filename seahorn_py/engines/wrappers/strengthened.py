"""Any engine on a system whose rules may also use generated invariants.

Limitations, the most common first:

1. The time for the invariants is lost where they say nothing that the inner engine lacks.
2. Invariants do not speak of the elements of arrays.
3. A proof of another kind than a model is not joined by the invariants, and counts for nothing.
"""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.transform.rules.strengthening import Strengthening
from seahorn_py.result import Safe, Verdict


@dataclass(frozen=True)
class Strengthened:
    """`inner` solves the strengthened system; `share` is that of the time for the invariants."""

    inner: Engine
    share: float = 0.3

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Answer; the invariants alone where they exclude the queries."""
        from seahorn_py.invariants.generation import NOTHING, improving  # costs start-up time

        model = NOTHING
        share = budget.deadline.share(self.share)
        for found in improving(system, share, budget.memory_mib, budget.pool):
            if found.proof is not None:
                return Safe(found.proof, found.finder)
            model = found.model
        return Transformed(self.inner, (Strengthening(model),)).solve(system, budget)
