"""Predicate abstraction of one Horn system: the work of `cegar` and of `impact`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import assert_never

from seahorn_py.engines.cegar.cegar import Cegar
from seahorn_py.engines.cegar.loop import Loop
from seahorn_py.engines.impact.impact import Impact
from seahorn_py.engines.impact.loop import Unwound
from seahorn_py.engines.outcome import Proved, verdict
from seahorn_py.engines.refinement.configuration import Configuration, Domain, Initial, Refinement
from seahorn_py.engines.refinement.derivation import Formulas
from seahorn_py.engines.refinement.horn_interpolants import HornInterpolation
from seahorn_py.engines.refinement.initial import beginning, invariants
from seahorn_py.engines.refinement.precision import Precision, read_precision, write_precision
from seahorn_py.engines.refinement.refinement import Strategy
from seahorn_py.engines.refinement.rounds import Observer, nobody
from seahorn_py.engines.refinement.strategies.core_atoms import CoreAtoms
from seahorn_py.engines.refinement.strategies.cut_interpolants import CutInterpolants
from seahorn_py.engines.refinement.strategies.path_invariants import PathInvariants
from seahorn_py.engines.refinement.strategies.preconditions import Preconditions
from seahorn_py.engines.refinement.strategies.tree_interpolants import TreeInterpolants
from seahorn_py.engines.refinement.text_interpolants import TextInterpolation
from seahorn_py.engines.refinement.tracing import Trace
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.interpolation.interpolation import Backend
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


def solve(engine: Cegar, system: HornSystem, deadline: Deadline, memory_mib: int) -> Verdict:
    """The loop of `cegar`, with the predicates of a file before and after."""
    chosen, file = engine.configuration, engine.precision
    known = Precision() if file is None else read_precision(file, system)
    first = beginning(system, chosen.initial, chosen.split, deadline, memory_mib)
    if first.proof is not None:
        return verdict(Proved(first.proof, first.finder), {"rounds": 0})
    loop = _loop(engine, system, deadline, memory_mib, first.precision)
    later = chosen.domain is Domain.BOTH and chosen.initial is Initial.DEMAND
    outcome = loop.run(known if later else known.plus(first.precision.pairs))
    if file is not None:
        write_precision(file, loop.precision, system)
    return verdict(outcome, loop.statistics())


def _loop(
    engine: Cegar,
    system: HornSystem,
    deadline: Deadline,
    memory_mib: int,
    reserve: Precision,
) -> Loop:
    chosen = engine.configuration
    solver, formulas = solver_for(system.formulas()), Formulas(system)
    rescue = partial(invariants, system, chosen.split, deadline, memory_mib)
    return Loop(
        system,
        chosen,
        solver,
        strategy(chosen, system, formulas, solver, memory_mib),
        formulas,
        deadline,
        _observer(engine.trace, system, "cegar"),
        rescue if chosen.initial is Initial.DEMAND else None,
        reserve,
    )


def unwind(engine: Impact, system: HornSystem, deadline: Deadline) -> Verdict:
    """The unwinding of `impact`."""
    solver, formulas = solver_for(system.formulas()), Formulas(system)
    unwound = Unwound(
        system,
        solver,
        _trees(formulas, solver),
        formulas,
        deadline,
        _observer(engine.trace, system, "impact"),
        forced=engine.forced,
    )
    outcome = unwound.run()
    return verdict(outcome, unwound.statistics())


def _observer(trace: Path | None, system: HornSystem, engine: str) -> Observer:
    return nobody if trace is None else Trace(trace, system, engine)


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
