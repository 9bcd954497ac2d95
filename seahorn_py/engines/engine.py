"""What every engine is: a frozen dataclass of options that answers a Horn system in a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, cast

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem
from seahorn_py.invariants.pool import Pool
from seahorn_py.policy.policy import policy
from seahorn_py.processes import child
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict

Result = TypeVar("Result")


def for_solving(deadline: Deadline) -> Deadline:
    """The part of the time for a question in which engines work; the rest is for evidence."""
    return deadline.share(policy().solving.share)


def working(deadline: Deadline) -> Deadline:
    """Until when an engine works that is to have answered by the deadline."""
    return Deadline(deadline.at - policy().solving.answering_seconds)


@dataclass(frozen=True, slots=True)
class Budget:
    """What an engine may use: time, memory of each child in MiB, and children at once.

    `disposable`: the process that asks is a child made for this question, whose owner ends it soon
    after the deadline; what else would need a child of its own runs here.  `pool` has invariants
    that others have proved, and takes more of them.
    """

    deadline: Deadline
    memory_mib: int = 4096
    jobs: int = 2
    disposable: bool = False
    pool: Pool | None = None

    def call(self, work: Callable[[], Result], deadline: Deadline) -> Result:
        """Do the work, in a copy of this process if need be; raises `child.ChildError`.

        This process has one thread.  What a copy hands back is pickled, so it holds no terms.
        """
        if self.disposable:
            return child.here(work, self.memory_mib)
        with child.Fork(work, deadline, self.memory_mib) as copy:
            return cast(Result, copy.result())


class Engine(Protocol):
    """Decides whether a query of a Horn system is reachable.

    An engine is silent: no output, no state outside its own children, which are gone when `solve`
    returns or raises.  Its verdict has a proof or a refutation, which others check.
    """

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Answer; `Unknown` when the deadline passes, with the reason."""
