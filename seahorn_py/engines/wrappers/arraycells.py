"""Any engine on a system over arrays, by way of a few observed cells (`transform.observation`).

Limitations, the most common first:

1. Errors are no answers.
2. What relates more cells than are observed, as sums do, is not found.
3. A rule has an atom for each cell that it reads: many reads make large rules of two premises.
"""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.transform.cells.observation import Observation
from seahorn_py.horn.transform.order import observing
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class ArrayCells:
    """`inner` decides the system over observed cells; only its proofs count."""

    inner: Engine
    observation: Observation

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Safe with a quantified model, or unknown."""
        return Transformed(self.inner, observing(self.observation)).solve(system, budget)
