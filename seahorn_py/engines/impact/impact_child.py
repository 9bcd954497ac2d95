"""Lazy abstraction with interpolants of one Horn system."""

from __future__ import annotations

from pathlib import Path

from seahorn_py.engines.conclusion import verdict
from seahorn_py.engines.impact.loop import Unwound
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.choice import trees
from seahorn_py.engines.refinement.tracing import observer
from seahorn_py.horn.system import HornSystem
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


def solve(system: HornSystem, forced: bool, trace: Path | None, deadline: Deadline) -> Verdict:
    """The unwinding; each refinement is appended to the file `trace`."""
    problem = Problem(system, deadline)
    observe = observer(trace, system, "impact")
    unwound = Unwound(problem, trees(problem), observe, forced=forced)
    conclusion = unwound.run()
    return verdict(conclusion, unwound.statistics())
