"""Boolean programs for one Horn system, in the child process: JSON in, JSON out.

The request is `{"system": TEXT, "solver", "semantics", "initial", "predicates": TEXT | null,
"program": PATH | null, "seconds", "memory_mib"}` with a system of `horn.wire` and predicates as
`cegar.precision` writes them; `asking` says what the answer is.
"""

from __future__ import annotations

import json
from pathlib import Path

from seahorn_py.child import Deadline
from seahorn_py.engines.boolean.loop import Loop
from seahorn_py.engines.boolean.printing import print_program
from seahorn_py.engines.boolean.rendering import rendered
from seahorn_py.engines.boolean.semantics import Semantics
from seahorn_py.engines.cegar.cegar_child import strategy
from seahorn_py.engines.cegar.configuration import Configuration, Initial, Split
from seahorn_py.engines.cegar.derivation import Formulas
from seahorn_py.engines.cegar.initial import beginning
from seahorn_py.engines.cegar.precision import Precision, precision_from_text
from seahorn_py.engines.kinduction_child import Proved, in_json
from seahorn_py.horn.wire import system_from_text
from seahorn_py.logic.solvers import Solver

_MARGIN = 0.3
"""Seconds kept for the answer to be written."""


def solve(text: str) -> str:
    """Answer a request."""
    data = json.loads(text)
    system = system_from_text(data["system"])
    solver, formulas = Solver(data["solver"]), Formulas(system)
    deadline = Deadline.after(data["seconds"] - _MARGIN)
    given = data["predicates"]
    known = Precision() if given is None else precision_from_text(given, system)
    initial = Initial(data["initial"])
    first = beginning(system, initial, Split.CONJUNCTS, deadline, data["memory_mib"])
    if first.proof is not None:
        return json.dumps(
            in_json(Proved(first.proof, first.finder)) | {"statistics": {"rounds": 0}}
        )
    learns = strategy(Configuration(), formulas, solver)
    loop = Loop(system, Semantics(data["semantics"]), solver, learns, formulas, deadline)
    answer = in_json(loop.run(known.plus(first.precision.pairs)))
    if data["program"] is not None:
        program = rendered(system, loop.precision, loop.rules)
        Path(data["program"]).write_text(print_program(program))
    answer["statistics"] = loop.statistics()
    return json.dumps(answer)
