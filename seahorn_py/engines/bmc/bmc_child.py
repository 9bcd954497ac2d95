"""Bounded model checking of one Horn system."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.engines.bmc.code import code_of
from seahorn_py.engines.bmc.rounds import Rounds, Sufficient
from seahorn_py.engines.bmc.shape import UnsupportedShape, shape_of
from seahorn_py.engines.bmc.symbolic import Values
from seahorn_py.engines.conclusion import Limit, Proved, verdict
from seahorn_py.horn.system import HornSystem, Unrolling
from seahorn_py.logic.solvers.construction.construction import terms_of
from seahorn_py.logic.solvers.construction.protocol import UnsupportedTerm
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


def solve(
    system: HornSystem, bound: int | None, bounds: Mapping[str, int], deadline: Deadline
) -> Verdict:
    """Unwind and ask, with a solver that knows all sorts of the system; `Bmc` has the bounds."""
    solver = solver_for(system.formulas())
    try:
        rounds = _rounds(system, solver, bound, bounds, deadline)
        found = rounds.run()
    except (UnsupportedShape, UnsupportedTerm) as refused:
        return verdict(Limit(f"cannot be unwound: {refused}"))
    if isinstance(found, Sufficient):
        return verdict(Proved(Unrolling(found.bounds), rounds.finder), rounds.statistics())
    return verdict(found, rounds.statistics())


def formula(
    system: HornSystem, bound: int | None, bounds: Mapping[str, int], deadline: Deadline
) -> str:
    """The question whether a query is reached within the bound, as SMT-LIB text."""
    solver = solver_for(system.formulas())
    return _rounds(system, solver, bound, bounds, deadline).script()


def _rounds(
    system: HornSystem,
    solver: Solver,
    bound: int | None,
    bounds: Mapping[str, int],
    deadline: Deadline,
) -> Rounds:
    values = Values(terms_of(solver))
    shape = shape_of(system)
    codes = {rule.name: code_of(rule, values) for rule in system.rules}
    return Rounds(
        system.relations,
        shape,
        codes,
        values,
        bound=bound,
        bounds=bounds,
        until=deadline.at,
    )
