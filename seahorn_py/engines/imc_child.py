"""Interpolation-based model checking of one linear Horn system, in the child: JSON in, JSON out.

The request is `{"system": TEXT, "solver", "method", "most": K | null, "seconds"}` with a system of
`horn.wire`; `asking` says what the answer is.
"""

from __future__ import annotations

import json

import cvc5  # noqa: F401  the copies of this process that check interpolants need it

from seahorn_py.engines.bmc_terms import BitwuzlaTerms, UnsupportedTerm, Z3Terms
from seahorn_py.engines.engine import working
from seahorn_py.engines.imc_search import Method, Search
from seahorn_py.engines.kinduction_child import Base, Limit, in_json
from seahorn_py.horn.wire import system_from_text
from seahorn_py.logic.solvers import Solver


def solve(text: str) -> str:
    """Answer a request."""
    data = json.loads(text)
    system = system_from_text(data["system"])
    solver = Solver(data["solver"])
    deadline = working(data["seconds"])
    try:
        base = Base(system, BitwuzlaTerms() if solver is Solver.BITWUZLA else Z3Terms())
    except UnsupportedTerm as refused:
        return json.dumps(in_json(Limit(f"cannot be unrolled: {refused}")) | {"statistics": {}})
    search = Search(system, base, solver, deadline)
    answer = in_json(search.run(Method(data["method"]), data["most"]))
    answer["statistics"] = {"k": search.k, "interpolants": search.interpolants}
    return json.dumps(answer)
