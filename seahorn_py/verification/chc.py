"""Solves a file of Horn clauses and checks the answers; as in CHC-COMP, `sat` means solvable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.portfolio import Turn
from seahorn_py.evidence.certificate import certificate
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.text.chcfiles import read_questions
from seahorn_py.horn.text.clp import print_eldarica
from seahorn_py.horn.text.fixedpoint import print_fixedpoint
from seahorn_py.horn.text.refutations import print_refutation
from seahorn_py.horn.text.smtlib import print_horn, print_model, read_horn
from seahorn_py.processes import internal_errors
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import InternalErrorReport, Reports
from seahorn_py.processes.journal import enter
from seahorn_py.processes.textfile import text_of
from seahorn_py.verification.solutions import decided


@dataclass(frozen=True)
class Solved:
    """`status` is sat, unsat or unknown; `reason` says what was checked, or what failed.

    `shows` is what of the evidence the file asks for; `place` names the question where there are
    several.
    """

    status: str
    reason: str
    model: str = ""
    refutation: str = ""
    certificate: Callable[[], Mapping[str, str]] | None = None
    shows: frozenset[str] = frozenset()
    place: str = ""
    internal_errors: tuple[InternalErrorReport, ...] = ()

    def lines(self, shows: Iterable[str] = ()) -> Iterator[str]:
        """What the command prints; the last line is the status."""
        wanted = self.shows.union(shows)
        if "model" in wanted and self.model:
            yield self.model
        if "proof" in wanted and self.refutation:
            yield self.refutation
        yield from internal_errors.lines(self.internal_errors)
        yield f"{self.place}: {self.reason}" if self.place else self.reason
        yield self.status


def solve_file(
    file: Path, timeout: float, memory_mib: int, jobs: int, turns: Sequence[Turn] = ()
) -> Iterator[Solved]:
    """Solve each question of `file`, by `turns` if any are given, in an equal share of the time.

    `timeout` is in seconds.  Raises InputError if the file cannot be read.
    """
    enter(Stage.FRONT_END.value)
    deadline = Deadline.after(timeout)
    questions = read_questions(text_of(file), str(file))
    enter(Stage.SOLVE.value)
    for number, question in enumerate(questions):
        share = deadline.share(1 / (len(questions) - number))
        reports = Reports()
        with reports.collecting():
            solved = solve(question.system, share, memory_mib, jobs, turns)
        if solved.status == "sat" and not question.system.queries:
            solved = replace(solved, reason=f"no clause is a query; {solved.reason}")
        place = question.place if len(questions) > 1 else ""
        bugs = reports.found()
        yield replace(solved, shows=question.shows, place=place, internal_errors=bugs)


def translated(file: Path, to: str) -> str:
    """The clauses in `file` in another format: `fixedpoint` of z3, `eldarica`, or `chc`.

    Raises InputError if the file cannot be read.
    """
    system = read_horn(text_of(file), str(file))
    known = {"fixedpoint": print_fixedpoint, "eldarica": print_eldarica}
    return known.get(to, print_horn)(system)


def solve(
    system: HornSystem,
    deadline: Deadline,
    memory_mib: int,
    jobs: int,
    turns: Sequence[Turn] = (),
) -> Solved:
    """The answer as the command tells it."""
    found = decided(system, deadline, memory_mib, jobs, turns)
    solved = Solved(found.status, found.reason)
    if found.proof is not None:
        model = "" if found.model is None else print_model(system, found.model)
        written = partial(certificate.of_proof, system, found.proof)
        return replace(solved, model=model, certificate=written)
    if found.refutation is not None:
        refutation = print_refutation(system, found.refutation)
        written = partial(certificate.of_refutation, system, found.refutation)
        return replace(solved, refutation=refutation, certificate=written)
    return solved
