"""Predicate abstraction of one Horn system, in the child process: JSON in, JSON out.

The request of `cegar` is `{"system": TEXT, "solver", "configuration": TEXT, "seconds",
"memory_mib", "trace": PATH | null, "precision": PATH | null}` with a system of `horn.wire`, that
of `impact` `{"system": TEXT, "solver", "forced": BOOL, "seconds", "trace": PATH | null}`; `asking`
says what the answer is.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any, assert_never

from seahorn_py.child import Deadline
from seahorn_py.engines.cegar.configuration import (
    Configuration,
    Domain,
    Initial,
    Refinement,
    configured,
)
from seahorn_py.engines.cegar.derivation import Formulas
from seahorn_py.engines.cegar.horn_interpolants import HornInterpolation
from seahorn_py.engines.cegar.impact_loop import Unwound
from seahorn_py.engines.cegar.initial import beginning, invariants
from seahorn_py.engines.cegar.loop import Loop
from seahorn_py.engines.cegar.precision import (
    Precision,
    read_precision,
    write_precision,
)
from seahorn_py.engines.cegar.refine_core import CoreAtoms
from seahorn_py.engines.cegar.refine_cuts import CutInterpolants
from seahorn_py.engines.cegar.refine_paths import PathInvariants
from seahorn_py.engines.cegar.refine_tree import TreeInterpolants
from seahorn_py.engines.cegar.refine_wp import Preconditions
from seahorn_py.engines.cegar.refinement import Strategy
from seahorn_py.engines.cegar.rounds import Observer, nobody
from seahorn_py.engines.cegar.text_interpolants import TextInterpolation
from seahorn_py.engines.cegar.tracing import Trace
from seahorn_py.engines.engine import working
from seahorn_py.engines.kinduction_child import Proved, in_json
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.wire import system_from_text
from seahorn_py.logic.interpolation import Backend
from seahorn_py.logic.solvers import Solver


def solve(text: str) -> str:
    """Answer a request of `cegar`."""
    data = json.loads(text)
    system = system_from_text(data["system"])
    chosen = configured(data["configuration"])
    deadline = working(data["seconds"])
    file = None if data["precision"] is None else Path(data["precision"])
    known = Precision() if file is None else read_precision(file, system)
    first = beginning(system, chosen.initial, chosen.split, deadline, data["memory_mib"])
    if first.proof is not None:
        return json.dumps(
            in_json(Proved(first.proof, first.finder)) | {"statistics": {"rounds": 0}}
        )
    loop = _loop(data, system, chosen, deadline, first.precision)
    later = chosen.domain is Domain.BOTH and chosen.initial is Initial.DEMAND
    answer = in_json(loop.run(known if later else known.plus(first.precision.pairs)))
    if file is not None:
        write_precision(file, loop.precision, system)
    answer["statistics"] = loop.statistics()
    return json.dumps(answer)


def _loop(
    data: dict[str, Any],
    system: HornSystem,
    chosen: Configuration,
    deadline: Deadline,
    reserve: Precision,
) -> Loop:
    solver, formulas = Solver(data["solver"]), Formulas(system)
    rescue = partial(invariants, system, chosen.split, deadline, data["memory_mib"])
    return Loop(
        system,
        chosen,
        solver,
        strategy(chosen, system, formulas, solver, data["memory_mib"]),
        formulas,
        deadline,
        _observer(data, system, "cegar"),
        rescue if chosen.initial is Initial.DEMAND else None,
        reserve,
    )


def unwind(text: str) -> str:
    """Answer a request of `impact`."""
    data = json.loads(text)
    system = system_from_text(data["system"])
    deadline = working(data["seconds"])
    solver, formulas = Solver(data["solver"]), Formulas(system)
    unwound = Unwound(
        system,
        solver,
        _trees(formulas, solver),
        formulas,
        deadline,
        _observer(data, system, "impact"),
        forced=data["forced"],
    )
    answer = in_json(unwound.run())
    answer["statistics"] = unwound.statistics()
    return json.dumps(answer)


def _observer(data: dict[str, Any], system: HornSystem, engine: str) -> Observer:
    return nobody if data["trace"] is None else Trace(Path(data["trace"]), system, engine)


def strategy(
    configuration: Configuration,
    system: HornSystem,
    formulas: Formulas,
    solver: Solver,
    memory_mib: int = 4096,
) -> Strategy:
    """The strategy of a configuration."""
    match configuration.refinement:
        case Refinement.TREE | Refinement.SEQUENCE as chosen:
            return _trees(formulas, solver, paths=chosen is Refinement.SEQUENCE)
        case Refinement.CUTS:
            bits = solver is Solver.BITWUZLA
            backend = Backend.BITWUZLA if bits else Backend.SPACER
            return CutInterpolants(TextInterpolation(formulas, backend))
        case Refinement.WP:
            return Preconditions(formulas, solver)
        case Refinement.CORE:
            return CoreAtoms(formulas, solver)
        case Refinement.PATHS:
            others = _trees(formulas, solver), CoreAtoms(formulas, solver)
            return PathInvariants(system, others, memory_mib)
        case _:
            assert_never(configuration.refinement)


def _trees(formulas: Formulas, solver: Solver, *, paths: bool = False) -> TreeInterpolants:
    return TreeInterpolants(HornInterpolation(formulas), asked_before(formulas, solver), paths)


def asked_before(formulas: Formulas, solver: Solver) -> tuple[TextInterpolation, ...]:
    """Who is asked for interpolants before Spacer."""
    if solver is Solver.BITWUZLA:
        return (TextInterpolation(formulas, Backend.BITWUZLA),)
    return ()
