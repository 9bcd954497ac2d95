"""Any engine on a system whose loops are replaced by their closures (`transform.acceleration`)."""

from __future__ import annotations

from dataclasses import dataclass

from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Accelerated:
    """`inner` decides the accelerated system; without a loop to replace the answer is unknown.

    isl works in the process that asks: give it one of its own.
    """

    inner: Engine

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """A model of the system; a refutation of it or of the accelerated one."""
        # isl loads slowly
        from seahorn_py.engines.wrappers.accelerated_work import solve_accelerated

        return solve_accelerated(self.inner, system, budget)
