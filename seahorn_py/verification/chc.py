"""Solves a file of Horn clauses and checks the answer; as in CHC-COMP, `sat` means solvable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.engines.portfolio import Turn
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.text.fixedpoint import print_fixedpoint
from seahorn_py.horn.text.smtlib import print_horn, print_model, read_horn
from seahorn_py.processes import internal_errors
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import InternalErrorReport, Reports
from seahorn_py.processes.journal import enter
from seahorn_py.processes.textfile import text_of
from seahorn_py.verification.solutions import decided


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


def translated(file: Path, for_fixedpoint: bool) -> str:
    """The clauses in `file` as z3's rules and queries, or as CHC-COMP has them.

    Raises InputError if the file cannot be read.
    """
    system = read_horn(text_of(file), str(file))
    return print_fixedpoint(system) if for_fixedpoint else print_horn(system)


def solve(
    system: HornSystem,
    deadline: Deadline,
    memory_mib: int,
    jobs: int,
    turns: Sequence[Turn] = (),
) -> Solved:
    """The answer as the command tells it."""
    found = decided(system, deadline, memory_mib, jobs, turns)
    model = "" if found.model is None else print_model(system, found.model)
    return Solved(found.status, found.reason, model)
