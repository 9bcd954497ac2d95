"""Any engine on a system over arrays, by way of a few observed cells (`transform.observation`)."""

from __future__ import annotations

from dataclasses import dataclass

from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.transform.observation import Observation
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
