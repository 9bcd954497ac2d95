"""Predicate abstraction of one Horn system."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.engines.cegar.loop import Loop
from seahorn_py.engines.conclusion import Proved, verdict
from seahorn_py.engines.refinement.configuration import Configuration, Domain, Initial
from seahorn_py.engines.refinement.initial import beginning, invariants
from seahorn_py.engines.refinement.precision import Precision, read_precision, write_precision
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.choice import strategy
from seahorn_py.engines.refinement.tracing import observer
from seahorn_py.horn.system import HornSystem
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Task:
    """What `Cegar` is asked."""

    configuration: Configuration
    trace: Path | None
    precision: Path | None
    deadline: Deadline
    memory_mib: int


def solve(system: HornSystem, task: Task) -> Verdict:
    """The loop, with the predicates of a file before and after."""
    chosen, file, limits = task.configuration, task.precision, (task.deadline, task.memory_mib)
    known = Precision() if file is None else read_precision(file, system)
    first = beginning(system, chosen.initial, chosen.split, *limits)
    if first.proof is not None:
        return verdict(Proved(first.proof, first.finder), {"rounds": 0})
    problem = Problem(system, task.deadline)
    rescue = partial(invariants, system, chosen.split, *limits)
    loop = Loop(
        problem,
        chosen,
        strategy(chosen, problem, task.memory_mib),
        observer(task.trace, system, "cegar"),
        rescue if chosen.initial is Initial.DEMAND else None,
        first.precision,
    )
    later = chosen.domain is Domain.BOTH and chosen.initial is Initial.DEMAND
    conclusion = loop.run(known if later else known.plus(first.precision.pairs))
    if file is not None:
        write_precision(file, loop.precision, system)
    return verdict(conclusion, loop.statistics())
