"""Invariant generation in the child process: JSON in, JSON out.

The request is `{"system": TEXT, "given": TEXT, "level": N, "levels": N, "seconds": S}` with a
system and a model of `horn.wire`.  The answer is `{"level": N, "model": TEXT, "proof": TEXT,
"finder": SOLVER, "statistics": {...}}`: which level comes next, the invariants, and the part of
them that excludes the queries, null without one, with the solver that proved it.
"""

from __future__ import annotations

import json
import time

from seahorn_py.deadline import OutOfTime
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.wire import model_from_text, model_to_text, system_from_text
from seahorn_py.invariants.core import excluding
from seahorn_py.invariants.fixpoint import Fixpoint, conjoined
from seahorn_py.invariants.spaces import levels, spaces
from seahorn_py.logic.solvers import Solver, solver_for

_MARGIN = 0.1

LEVEL_SHARE = 0.5
"""A level is given up after this share of the time that is left."""

AT_ONCE_SECONDS = 1.0
"""Levels follow each other in one child until so much time has passed."""


def solve(text: str) -> str:
    """Answer a request."""
    request = json.loads(text)
    began = time.monotonic()
    system = system_from_text(request["system"])
    model = model_from_text(request["given"])
    solver = solver_for(system.formulas())
    until = began + request["seconds"] - _MARGIN
    number, joins, proof = int(request["level"]), 0, None
    for level in levels(system)[number : request["levels"]]:
        given = model.interpretations
        now = time.monotonic()
        share = now + (until - now) * LEVEL_SHARE
        fixpoint = Fixpoint(system, spaces(system, level, given), given, share)
        number += 1
        try:
            model = conjoined(system, [model, fixpoint.run()])
        except OutOfTime:
            continue
        joins += fixpoint.joins
        proof = excluding(system, model, until, solver)
        if proof is not None or time.monotonic() > began + AT_ONCE_SECONDS:
            break
    if proof is not None and solver is not Solver.Z3:
        proof, solver = proved_otherwise(system, proof, until, solver)
    return json.dumps(
        {
            "level": number,
            "model": model_to_text(model),
            "proof": None if proof is None else model_to_text(proof),
            "finder": solver.value,
            "statistics": {"joins": joins, "seconds": round(time.monotonic() - began, 3)},
        }
    )


def proved_otherwise(
    system: HornSystem, proof: Model, until: float, finder: Solver
) -> tuple[Model, Solver]:
    """The proof by z3 where it finds one too: then the finder is left to check it, the quickest."""
    again = excluding(system, proof, until)
    return (proof, finder) if again is None else (again, Solver.Z3)
