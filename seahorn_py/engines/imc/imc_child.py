"""Interpolation-based model checking of one linear Horn system."""

from __future__ import annotations

import cvc5  # noqa: F401  the copies of this process that check interpolants need it

from seahorn_py.engines.conclusion import Limit, verdict
from seahorn_py.engines.frames import Base
from seahorn_py.engines.imc.method import Method
from seahorn_py.engines.imc.search import Search
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.solvers.construction.construction import terms_of
from seahorn_py.logic.solvers.construction.protocol import UnsupportedTerm
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


def solve(system: HornSystem, method: Method, most: int | None, deadline: Deadline) -> Verdict:
    """Search with at most `most` steps, until the deadline."""
    solver = solver_for(system.formulas())
    try:
        base = Base(system, terms_of(solver))
    except UnsupportedTerm as refused:
        return verdict(Limit(f"cannot be unrolled: {refused}"))
    search = Search(system, base, solver, deadline)
    conclusion = search.run(method, most)
    return verdict(conclusion, {"k": search.k, "interpolants": search.interpolants})
