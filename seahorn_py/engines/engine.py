"""What every engine is: a frozen dataclass of options that answers a Horn system in a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from seahorn_py.child import Deadline
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True, slots=True)
class Budget:
    """What an engine may use: time, memory of each child in MiB, and children at once."""

    deadline: Deadline
    memory_mib: int = 4096
    jobs: int = 2


class Engine(Protocol):
    """Decides whether a query of a Horn system is reachable.

    An engine is silent: no output, no state outside its own children, which are gone when `solve`
    returns or raises.  Its answer is a claim with evidence that others check.
    """

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Answer; `Unknown` when the deadline passes, with the reason."""
