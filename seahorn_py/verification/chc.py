"""Solves a file of Horn clauses and checks the answer; as in CHC-COMP, `sat` means solvable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.engines import catalogue
from seahorn_py.engines.engine import Budget, for_solving
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.profile import profile_of
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.smtlib import print_model, read_horn
from seahorn_py.processes import internal_errors
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import InternalErrorReport, Reports
from seahorn_py.processes.journal import enter
from seahorn_py.processes.textfile import text_of
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict


@dataclass(frozen=True)
class Solved:
    """`status` is sat, unsat or unknown; `reason` says what was checked, or what failed."""

    status: str
    reason: str
    model: str = ""
    internal_errors: tuple[InternalErrorReport, ...] = ()

    def lines(self, show_model: bool) -> Iterator[str]:
        """What the command prints; the last line is the status."""
        if show_model and self.model:
            yield self.model
        yield from internal_errors.lines(self.internal_errors)
        yield self.reason
        yield self.status


def solve_file(
    file: Path, timeout: float, memory_mib: int, jobs: int, turns: Sequence[Turn] = ()
) -> Solved:
    """Solve the clauses in `file`, by `turns` if any are given.

    `timeout` is in seconds.  Raises InputError if the file cannot be read.
    """
    enter(Stage.FRONT_END.value)
    text = text_of(file)
    deadline = Deadline.after(timeout)
    system = read_horn(text, str(file))
    enter(Stage.SOLVE.value)
    reports = Reports()
    with reports.collecting():
        solved = solve(system, deadline, memory_mib, jobs, turns)
    if solved.status == "sat" and not system.queries:
        solved = replace(solved, reason=f"no clause is a query; {solved.reason}")
    return replace(solved, internal_errors=reports.found())


def solve(
    system: HornSystem,
    deadline: Deadline,
    memory_mib: int,
    jobs: int,
    turns: Sequence[Turn] = (),
) -> Solved:
    """Solve `system` and check verdicts until one holds; a quarter of the time is for the checks.

    Models with quantifiers are not looked for, since no run of a program could contradict them.
    """
    if not turns:
        turns = catalogue.schedule(
            replace(profile_of(system), arrays=False), bits=False, bound=None
        )
    budget = Budget(for_solving(deadline), memory_mib, jobs)
    failed: Solved | None = None
    with closing(Portfolio(tuple(turns)).verdicts(system, budget)) as verdicts:
        for verdict in verdicts:
            solved = _checked(system, verdict, deadline)
            if solved.status != "unknown":
                return solved
            failed = failed or solved
    assert failed is not None
    return failed


def _checked(system: HornSystem, verdict: Verdict, deadline: Deadline) -> Solved:
    match verdict:
        case Safe(proof, finder):
            checked = check_proof(system, proof, finder=finder, deadline=deadline)
            model = print_model(system, proof) if isinstance(proof, Model) else ""
            if checked.ok:
                return Solved("sat", f"the solution was re-proved by {checked.solver}", model)
            return Solved("unknown", f"re-proof: {checked.reason}")
        case Unsafe(refutation):
            checked = check_refutation(system, refutation, deadline)
            if checked.ok:
                steps = len(refutation.steps)
                return Solved("unsat", f"the refutation of {steps} steps was checked")
            return Solved("unknown", f"replay: {checked.reason}")
        case Unknown(stage, reason):
            return Solved("unknown", f"{stage.value}: {reason}")
