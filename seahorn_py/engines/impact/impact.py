"""The engine `impact`: lazy abstraction with interpolants.

McMillan: Lazy abstraction with interpolants, CAV 2006; `impact.loop` says which step is where.

Limitations, the most common first:

1. Labels that differ in numbers only become ever more where loops count, and nothing rescues.
2. Labels belong to vertices: what is learnt on one path is learnt again on the next.
3. Where rules have two premises every choice of vertices is unwound and covering is not forced, so
   recursion is better given to `cegar`.
4. What holds of all elements of an array is not found.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Impact:
    """`forced` says whether covering is forced; each refinement is appended to the file `trace`."""

    forced: bool = True
    trace: Path | None = None

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Unwind until everything is covered, or a query is reached."""
        from seahorn_py.engines.impact.impact_child import solve  # solvers load slowly

        work = partial(solve, system, self.forced, self.trace, working(budget.deadline))
        return ask("IMPACT", work, budget)
