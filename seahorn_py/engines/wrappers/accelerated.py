"""Any engine on a system whose loops are replaced by their closures (`transform.stages`).

Limitations, the most common first:

1. A system in which no loop has a closure is left open at once.
2. Loops over bit-vectors, reals and arrays have none.
3. Where a closure holds of more than the iterations, errors need a replay.
"""

from __future__ import annotations

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.system import HornSystem, Model, Refutation, Step
from seahorn_py.horn.transform.acceleration.arithmetic import Acceleration
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe, Verdict


@dataclass(frozen=True)
class Accelerated:
    """`inner` decides the accelerated system; without a loop to replace the answer is unknown.

    isl works in the process that asks: give it one of its own.
    """

    inner: Engine

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """A model of the system; a refutation of it, or, where that would be long, of the
        accelerated one.
        """
        chosen = (Acceleration(budget.deadline),)
        return Transformed(_AtOnce(self.inner), chosen).solve(system, budget)


@dataclass(frozen=True)
class _AtOnce:
    """`inner` decides what is not decided by formulas alone."""

    inner: Engine

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """The answer of a formula where no query needs a fact, or that of `inner`."""
        return _at_once(system, budget.deadline) or self.inner.solve(system, budget)


def _at_once(system: HornSystem, deadline: Deadline) -> Safe | Unsafe | None:
    """The answer where no query needs a fact: each is a formula; None where z3 does not decide."""
    if any(rule.body for rule in system.queries):
        return None
    try:
        scripts = [script_of([rule.constraint]) for rule in system.queries]
    except InputError:
        return None
    answers = check_scripts(scripts, Solver.Z3, deadline, seconds_each=deadline.remaining / 2)
    for rule, answer in zip(system.queries, answers, strict=True):
        if answer.status is Status.SAT:
            return Unsafe(Refutation((Step(rule.name, (), ()),)))
    if all(answer.status is Status.UNSAT for answer in answers):
        return Safe(Model({}))
    return None
