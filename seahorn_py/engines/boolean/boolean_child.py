"""Boolean programs for one Horn system."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path

from seahorn_py.engines.boolean.boolean import BooleanPrograms
from seahorn_py.engines.boolean.loop import Loop
from seahorn_py.engines.boolean.printing import print_program
from seahorn_py.engines.boolean.rendering import rendered
from seahorn_py.engines.cegar.cegar_child import strategy
from seahorn_py.engines.outcome import Proved, verdict
from seahorn_py.engines.refinement.configuration import Configuration, Split
from seahorn_py.engines.refinement.derivation import Formulas
from seahorn_py.engines.refinement.initial import beginning
from seahorn_py.engines.refinement.precision import (
    Precision,
    read_precision,
    section,
    write_precision,
)
from seahorn_py.engines.refinement.rounds import nobody
from seahorn_py.engines.refinement.tracing import Trace
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


def solve(
    engine: BooleanPrograms, system: HornSystem, deadline: Deadline, memory_mib: int
) -> Verdict:
    """Abstract, check and refine, with the predicates of a file before and after."""
    solver, formulas = solver_for(system.formulas()), Formulas(system)
    known = Precision() if engine.precision is None else read_precision(engine.precision, system)
    first = beginning(system, engine.initial, Split.CONJUNCTS, deadline, memory_mib)
    if first.proof is not None:
        return verdict(Proved(first.proof, first.finder), {"rounds": 0})
    learns = strategy(Configuration(), system, formulas, solver, memory_mib)
    observe = nobody if engine.trace is None else Trace(engine.trace, system, "boolean")
    loop = Loop(system, engine.semantics, solver, learns, formulas, deadline, observe)
    outcome = loop.run(known.plus(first.precision.pairs))
    if engine.precision is not None:
        write_precision(engine.precision, loop.precision, system)
    if engine.program is not None:
        _append(engine.program, loop, system)
    return verdict(outcome, loop.statistics())


def _append(file: Path, loop: Loop, system: HornSystem) -> None:
    """Write the last program in one go, so that two encodings do not mix theirs."""
    program = rendered(system, loop.precision, loop.rules)
    remark = f"{section(system)}, after {loop.rounds} refinements"
    text = print_program(replace(program, remarks=(remark,)))
    with contextlib.suppress(OSError):
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)
