"""Boolean programs for one Horn system."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.printing import print_program
from seahorn_py.engines.boolean.rendering import rendered
from seahorn_py.engines.boolean.slam import Loop
from seahorn_py.engines.conclusion import Proved, verdict
from seahorn_py.engines.refinement.configuration import Configuration, Initial, Split
from seahorn_py.engines.refinement.initial import beginning
from seahorn_py.engines.refinement.precision import (
    Precision,
    read_precision,
    section,
    write_precision,
)
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.choice import strategy
from seahorn_py.engines.refinement.tracing import observer
from seahorn_py.horn.system import HornSystem
from seahorn_py.options import Semantics
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Task:
    """What `BooleanPrograms` is asked."""

    semantics: Semantics
    initial: Initial
    precision: Path | None
    program: Path | None
    trace: Path | None
    deadline: Deadline
    memory_mib: int


def solve(system: HornSystem, task: Task) -> Verdict:
    """Abstract, check and refine, with the predicates of a file before and after."""
    known = Precision() if task.precision is None else read_precision(task.precision, system)
    first = beginning(system, task.initial, Split.CONJUNCTS, task.deadline, task.memory_mib)
    if first.proof is not None:
        return verdict(Proved(first.proof, first.finder), {"rounds": 0})
    problem = Problem(system, task.deadline)
    learns = strategy(Configuration(), problem, task.memory_mib)
    loop = Loop(problem, task.semantics, learns, observer(task.trace, system, "boolean"))
    conclusion = loop.run(known.plus(first.precision.pairs))
    if task.precision is not None:
        write_precision(task.precision, loop.precision, system)
    if task.program is not None:
        _append(task.program, loop, system)
    return verdict(conclusion, loop.statistics())


def _append(file: Path, loop: Loop, system: HornSystem) -> None:
    """Write the last program in one go, so that two encodings do not mix theirs."""
    program = rendered(system, loop.precision, loop.rules)
    remark = f"{section(system)}, after {loop.progress.rounds} refinements"
    text = print_program(replace(program, remarks=(remark,)))
    with contextlib.suppress(OSError):
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)
