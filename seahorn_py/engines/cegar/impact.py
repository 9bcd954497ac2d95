"""The engine `impact`: lazy abstraction with interpolants.

McMillan: Lazy abstraction with interpolants, CAV 2006; `impact_loop` says which step is where.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from seahorn_py.engines.asking import ask
from seahorn_py.engines.engine import Budget
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.wire import system_to_text
from seahorn_py.logic.solvers import solver_for
from seahorn_py.result import Verdict

_TARGET = "seahorn_py.engines.cegar.cegar_child:unwind"


@dataclass(frozen=True)
class Impact:
    """`forced` says whether covering is forced; each refinement is appended to the file `trace`."""

    forced: bool = True
    trace: Path | None = None

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Unwind until everything is covered, or a query is reached."""
        request = {
            "system": system_to_text(system),
            "solver": solver_for(system.formulas()).value,
            "forced": self.forced,
            "seconds": budget.deadline.remaining,
            "trace": None if self.trace is None else str(self.trace),
        }
        return ask("IMPACT", _TARGET, request, budget)
