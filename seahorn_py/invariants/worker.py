"""Invariant generation in a process of its own."""

from __future__ import annotations

import time

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.wire import model_to_text
from seahorn_py.horn.transform.rules.strengthening import conjoined
from seahorn_py.invariants.core import excluding
from seahorn_py.invariants.domains import MakesDomain
from seahorn_py.invariants.fixpoint import Fixpoint
from seahorn_py.invariants.spaces import levels, spaces
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline, OutOfTime

_MARGIN = 0.1
"""Seconds kept for the answer to be handed over."""


@dataclass(frozen=True)
class Made:
    """The level that comes next, the invariants, and the part of them that excludes the queries.

    Models are texts of `horn.text.wire`; the proof is "" without such a part.  `finder` is the
    solver that proved it.
    """

    level: int
    model: str
    proof: str
    finder: Solver


def work(
    system: HornSystem,
    model: Model,
    level: int,
    most: int,
    deadline: Deadline,
    domains: tuple[MakesDomain, ...] = (),
) -> Made:
    """Strengthen a model by the levels from `level` on, until about the deadline.

    `domains` are looked at beside our own.
    """
    began = time.monotonic()
    solver = solver_for(system.formulas())
    until = deadline.at - _MARGIN
    number, proof = level, None
    for features in levels(system)[level:most]:
        given = model.interpretations
        now = time.monotonic()
        share = now + (until - now) * policy().invariants.level_share
        looked_at = spaces(system, features, given, domains)
        fixpoint = Fixpoint(system, looked_at, given, share)
        number += 1
        try:
            model = conjoined(system, [model, fixpoint.run()])
        except OutOfTime:
            continue
        proof = excluding(system, model, until, solver)
        if proof is not None or time.monotonic() > began + policy().invariants.at_once_seconds:
            break
    if proof is not None and solver is not Solver.Z3:
        proof, solver = proved_otherwise(system, proof, until, solver)
    said = "" if proof is None else model_to_text(proof)
    return Made(number, model_to_text(model), said, solver)


def proved_otherwise(
    system: HornSystem, proof: Model, until: float, finder: Solver
) -> tuple[Model, Solver]:
    """The proof by z3 where it finds one too: then the finder is left to check it, the quickest."""
    again = excluding(system, proof, until)
    return (proof, finder) if again is None else (again, Solver.Z3)
