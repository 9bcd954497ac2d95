"""Predicate abstraction of one Horn system, in the child process: JSON in, JSON out.

The request is `{"system": TEXT, "solver", "configuration": TEXT, "precision": TEXT, "seconds",
"memory_mib", "trace": PATH | null, "keep": PATH | null}` with a system of `horn.wire`; `asking`
says what the answer is.
"""

from __future__ import annotations

import json

from seahorn_py.child import Deadline
from seahorn_py.engines.cegar.configuration import Configuration, configured
from seahorn_py.engines.cegar.derivation import Formulas
from seahorn_py.engines.cegar.horn_interpolants import HornInterpolation
from seahorn_py.engines.cegar.loop import Loop
from seahorn_py.engines.cegar.precision import Precision
from seahorn_py.engines.cegar.refine_tree import TreeInterpolants
from seahorn_py.engines.cegar.refinement import Strategy
from seahorn_py.engines.kinduction_child import in_json
from seahorn_py.horn.wire import system_from_text
from seahorn_py.logic.solvers import Solver

_MARGIN = 0.3
"""Seconds kept for the answer to be written."""


def solve(text: str) -> str:
    """Answer a request."""
    data = json.loads(text)
    system = system_from_text(data["system"])
    configuration = configured(data["configuration"])
    deadline = Deadline.after(data["seconds"] - _MARGIN)
    formulas = Formulas(system)
    loop = Loop(
        system,
        configuration,
        Solver(data["solver"]),
        strategy(configuration, formulas),
        formulas,
        deadline,
        lambda _: None,
    )
    answer = in_json(loop.run(Precision()))
    answer["statistics"] = loop.statistics()
    return json.dumps(answer)


def strategy(configuration: Configuration, formulas: Formulas) -> Strategy:
    """The strategy of a configuration."""
    match configuration.refinement:
        case _:
            return TreeInterpolants(HornInterpolation(formulas))
