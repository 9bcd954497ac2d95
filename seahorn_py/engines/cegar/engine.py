"""The engine `cegar`."""

from __future__ import annotations

from dataclasses import dataclass, field

from seahorn_py.engines.asking import ask
from seahorn_py.engines.cegar.configuration import Configuration
from seahorn_py.engines.engine import Budget
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.wire import system_to_text
from seahorn_py.invariants.rules import solver_for
from seahorn_py.result import Verdict

_TARGET = "seahorn_py.engines.cegar.cegar_child:solve"


@dataclass(frozen=True)
class Cegar:
    """One configuration of the loop."""

    configuration: Configuration = field(default_factory=Configuration)

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Abstract, check, refine until an answer or the end of the time."""
        request = {
            "system": system_to_text(system),
            "solver": solver_for(system).value,
            "configuration": self.configuration.text(),
            "seconds": budget.deadline.remaining,
        }
        return ask("CEGAR", _TARGET, request, budget)
