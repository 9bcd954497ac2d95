"""Bounded model checking of one Horn system, in the child process: JSON in, JSON out.

The request is `{"system": TEXT, "solver", "bound", "bounds", "seconds"}` with a system of
`horn.wire`; `asking` says what the answer is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from seahorn_py.engines.bmc_code import code_of
from seahorn_py.engines.bmc_rounds import Limit, Outcome, Reached, Rounds, Sufficient
from seahorn_py.engines.bmc_shape import UnsupportedShape, shape_of
from seahorn_py.engines.bmc_terms import BitwuzlaTerms, Terms, UnsupportedTerm, Z3Terms
from seahorn_py.engines.bmc_values import Values
from seahorn_py.engines.engine import working
from seahorn_py.horn.system import HornSystem, Unrolling
from seahorn_py.horn.wire import proof_to_text, refutation_to_text, system_from_text
from seahorn_py.logic.solvers import Solver


@dataclass(frozen=True)
class Request:
    """What the parent asks for."""

    system: HornSystem
    solver: Solver
    bound: int | None
    bounds: Mapping[str, int]
    until: float


def solve(text: str) -> str:
    """Answer a request."""
    request = _request(text)
    try:
        rounds = _rounds(request)
        answer = _answer(rounds.run(), request.solver)
        statistics = rounds.statistics()
    except (UnsupportedShape, UnsupportedTerm) as refused:
        answer = {"answer": "unknown", "reason": f"cannot be unwound: {refused}"}
        statistics = {}
    return json.dumps({**answer, "statistics": statistics})


def formula(text: str) -> str:
    """The question whether a query is reached within the bound of a request, as SMT-LIB text."""
    request = _request(text)
    return _rounds(request).script()


def _request(text: str) -> Request:
    data = json.loads(text)
    return Request(
        system_from_text(data["system"]),
        Solver(data["solver"]),
        data["bound"],
        data["bounds"],
        working(data["seconds"]).at,
    )


def _rounds(request: Request) -> Rounds:
    solver: Terms = BitwuzlaTerms() if request.solver is Solver.BITWUZLA else Z3Terms()
    values = Values(solver)
    shape = shape_of(request.system)
    codes = {rule.name: code_of(rule, values) for rule in request.system.rules}
    return Rounds(
        request.system.relations,
        shape,
        codes,
        values,
        bound=request.bound,
        bounds=request.bounds,
        until=request.until,
    )


def _answer(outcome: Outcome, finder: Solver) -> dict[str, object]:
    match outcome:
        case Sufficient(bounds):
            proof = proof_to_text(Unrolling(bounds))
            return {"answer": "safe", "proof": proof, "finder": finder.value}
        case Reached(refutation):
            return {"answer": "unsafe", "refutation": refutation_to_text(refutation)}
        case Limit(reason):
            return {"answer": "unknown", "reason": reason}
