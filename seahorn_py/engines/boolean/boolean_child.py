"""Boolean programs for one Horn system, in the child process: JSON in, JSON out.

The request is `{"system": TEXT, "solver", "semantics", "initial", "precision": PATH | null,
"program": PATH | null, "trace": PATH | null, "seconds", "memory_mib"}` with a system of `horn.wire`
and a precision of `cegar.precision`; `asking` says what the answer is.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from pathlib import Path

from seahorn_py.engines.boolean.loop import Loop
from seahorn_py.engines.boolean.printing import print_program
from seahorn_py.engines.boolean.rendering import rendered
from seahorn_py.engines.cegar.cegar_child import strategy
from seahorn_py.engines.cegar.configuration import Configuration, Initial, Split
from seahorn_py.engines.cegar.derivation import Formulas
from seahorn_py.engines.cegar.initial import beginning
from seahorn_py.engines.cegar.precision import (
    Precision,
    read_precision,
    section,
    write_precision,
)
from seahorn_py.engines.cegar.rounds import nobody
from seahorn_py.engines.cegar.tracing import Trace
from seahorn_py.engines.engine import working
from seahorn_py.engines.kinduction_child import Proved, in_json
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.wire import system_from_text
from seahorn_py.logic.solvers import Solver
from seahorn_py.options import Semantics


def solve(text: str) -> str:
    """Answer a request."""
    data = json.loads(text)
    system = system_from_text(data["system"])
    solver, formulas = Solver(data["solver"]), Formulas(system)
    deadline = working(data["seconds"])
    file = None if data["precision"] is None else Path(data["precision"])
    known = Precision() if file is None else read_precision(file, system)
    initial = Initial(data["initial"])
    first = beginning(system, initial, Split.CONJUNCTS, deadline, data["memory_mib"])
    if first.proof is not None:
        return json.dumps(
            in_json(Proved(first.proof, first.finder)) | {"statistics": {"rounds": 0}}
        )
    learns = strategy(Configuration(), system, formulas, solver, data["memory_mib"])
    trace = data["trace"]
    observe = nobody if trace is None else Trace(Path(trace), system, "boolean")
    semantics = Semantics(data["semantics"])
    loop = Loop(system, semantics, solver, learns, formulas, deadline, observe)
    answer = in_json(loop.run(known.plus(first.precision.pairs)))
    if file is not None:
        write_precision(file, loop.precision, system)
    if data["program"] is not None:
        _append(data["program"], loop, system)
    answer["statistics"] = loop.statistics()
    return json.dumps(answer)


def _append(file: str, loop: Loop, system: HornSystem) -> None:
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
