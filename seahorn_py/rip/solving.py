"""Solve a `.rip` program by any engine, and check every answer before it is given."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.engines import catalogue
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.profile import profile_of
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Model, Proof, Refutation
from seahorn_py.horn.text.smtlib import print_model
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, Safe, Unknown, Unsafe, Verdict
from seahorn_py.rip.encoding import encode
from seahorn_py.rip.interpreter import Failed, Value, run
from seahorn_py.rip.replay import initial_values
from seahorn_py.rip.syntax import Program

RUNS, RUN_STEPS = 50, 500
"""Runs that a proof is compared with."""


@dataclass(frozen=True)
class Solved:
    """The answer, what was checked or what failed, the model of a proof as SMT-LIB.

    `line` is that of the assertion that fails; `initial` are the values that variables have before
    anything is assigned to them, the globals first, then the locals of each call.
    """

    answer: Answer
    reason: str
    model: str = ""
    line: int | None = None
    initial: Sequence[dict[str, Value]] = field(default=())


def solve(program: Program, turns: Sequence[Turn], deadline: Deadline, budget: Budget) -> Solved:
    """The first verdict that is confirmed, as an answer; the engines have the time of `budget`."""
    system = encode(program)
    if not system.queries:
        return Solved(Answer.UNKNOWN, "nothing to check: no assertion in the program")
    chosen = tuple(turns) or catalogue.schedule(profile_of(system), bits=False, bound=None)
    failed: Solved | None = None
    with closing(Portfolio(chosen).verdicts(system, budget)) as verdicts:
        for verdict in verdicts:
            solved = _checked(program, system, verdict, deadline)
            if solved.answer is not Answer.UNKNOWN:
                return solved
            failed = failed or solved
    assert failed is not None
    return failed


def _checked(program: Program, system: HornSystem, verdict: Verdict, deadline: Deadline) -> Solved:
    match verdict:
        case Safe(proof, finder):
            return _compared(program, _proved(system, proof, finder, deadline))
        case Unsafe(refutation):
            return _refuted(program, system, refutation, deadline)
        case Unknown(stage, reason):
            return Solved(Answer.UNKNOWN, f"{stage.value}: {reason}")


def _proved(system: HornSystem, proof: Proof, finder: Solver, deadline: Deadline) -> Solved:
    checked = check_proof(system, proof, finder=finder, deadline=deadline)
    if not checked.ok:
        return Solved(Answer.UNKNOWN, f"re-proof: {checked.reason}")
    model = print_model(system, proof) if isinstance(proof, Model) else ""
    return Solved(Answer.SAFE, f"the proof was re-proved by {checked.solver}", model)


def _compared(program: Program, proved: Solved) -> Solved:
    """What was proved, unless a run with random values says otherwise.

    A second solver checks the proof, not the encoding; a run that fails does.
    """
    rng = random.Random(program.file)
    for _ in range(RUNS if proved.answer is Answer.SAFE else 0):
        if isinstance(run(program, _random_values(program, rng), RUN_STEPS), Failed):
            return Solved(Answer.UNKNOWN, "replay: a run violates what was proved")
    return proved


def _random_values(program: Program, rng: random.Random) -> Iterator[dict[str, Value]]:
    variables = (*program.variables, *(v for f in program.functions for v in f.variables))
    names = sorted({variable.name for variable in variables})
    while True:
        yield {name: rng.choice((0, 1, -1, rng.randrange(-100, 101))) for name in names}


def _refuted(
    program: Program, system: HornSystem, refutation: Refutation, deadline: Deadline
) -> Solved:
    checked = check_refutation(system, refutation, deadline)
    if not checked.ok:
        return Solved(Answer.UNKNOWN, f"replay: {checked.reason}")
    initial = [dict(values) for values in initial_values(program, system, refutation)]
    end = run(program, initial)
    if not isinstance(end, Failed):
        return Solved(Answer.UNKNOWN, "replay: the interpreter's run does not fail")
    return Solved(
        Answer.UNSAFE, "a run that the interpreter confirms", line=end.line, initial=initial
    )
