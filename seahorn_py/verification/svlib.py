"""SV-LIB tasks solved and checked: whether all annotations hold in all runs.

*Correct* rests on a model that a second solver has confirmed and that no random run contradicts,
*incorrect* on a run which the interpreter followed into the violation.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.portfolio import Turn
from seahorn_py.horn.svlib.answers import choices, correctness_witness, violation_witness
from seahorn_py.horn.svlib.emitting import Emitted, emit
from seahorn_py.horn.svlib.following import OtherRun, follow, random_choices, recorded
from seahorn_py.horn.svlib.scripts import read_script
from seahorn_py.horn.svlib.tasks import Annotation, Task
from seahorn_py.horn.system import Refutation
from seahorn_py.horn.text.smtlib import print_horn
from seahorn_py.logic.terms.evaluate import NotEvaluable
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import InternalErrorReport, Reports
from seahorn_py.processes.journal import enter
from seahorn_py.processes.textfile import text_of
from seahorn_py.verification.solutions import Solution, decided

RUNS, RUN_STEPS = 50, 500
"""Random runs with which a proof is compared."""


@dataclass(frozen=True)
class Answered:
    """What is said of a `verify-call`: `correct`, `incorrect` or `unknown`, and why.

    `place` is that of the command.  `violated` is what a run violates.
    """

    word: str
    reason: str
    place: str
    violated: Annotation | None = None
    witness: str = ""
    internal_errors: tuple[InternalErrorReport, ...] = ()


def answer_script(
    file: Path, timeout: float, memory_mib: int, jobs: int, turns: Sequence[Turn] = ()
) -> Iterator[Answered]:
    """Answer each `verify-call` of a script in an equal share of the time, in seconds.

    Raises InputError if the file cannot be read.
    """
    enter(Stage.FRONT_END.value)
    deadline = Deadline.after(timeout)
    tasks = read_script(text_of(file), str(file))
    enter(Stage.SOLVE.value)
    for number, task in enumerate(tasks):
        share = deadline.share(1 / (len(tasks) - number))
        reports = Reports()
        with reports.collecting():
            answered = answer(task, share, memory_mib, jobs, turns)
        yield replace(answered, internal_errors=reports.found())


def clauses_of(file: Path) -> str:
    """The Horn clauses of the only `verify-call`, or of the last one."""
    return print_horn(emit(read_script(text_of(file), str(file))[-1]).system)


def answer(
    task: Task, deadline: Deadline, memory_mib: int, jobs: int, turns: Sequence[Turn] = ()
) -> Answered:
    """The answer to a task."""
    emitted = emit(task)
    found = decided(emitted.system, deadline, memory_mib, jobs, turns)
    place = f"{task.source}:{task.line}"
    if found.refutation is not None:
        return replace(_violated(task, emitted, found.refutation), place=place)
    if found.proof is None:
        return Answered("unknown", found.reason, place)
    return replace(_proved(task, emitted, found), place=place)


def _violated(task: Task, emitted: Emitted, refutation: Refutation) -> Answered:
    try:
        chosen = list(choices(emitted, refutation))
        violated = follow(task, recorded(chosen))
    except (OtherRun, NotEvaluable):
        return Answered("unknown", "replay: the interpreter does not follow the run", "")
    if violated is None:
        return Answered("unknown", "replay: the interpreter's run violates nothing", "")
    reason = "a run that the interpreter confirms"
    return Answered("incorrect", reason, "", violated, violation_witness(task, chosen, violated))


def _proved(task: Task, emitted: Emitted, found: Solution) -> Answered:
    if _is_contradicted(task):
        return Answered("unknown", "replay: a random run violates what was proved", "")
    if task.open:
        first = task.open[0]
        where = f"{first.kind} of line {first.line}"
        return Answered("unknown", f"solve: {where} has no :decreases; all else holds", "")
    witness = correctness_witness(task, emitted, found.model) if found.model is not None else ""
    return Answered("correct", found.reason, "", None, witness)


def _is_contradicted(task: Task) -> bool:
    """Whether some random run violates an annotation."""
    drawn = random_choices(task, random.Random(task.source))
    for _ in range(RUNS if drawn is not None else 0):
        assert drawn is not None
        try:
            if follow(task, drawn, RUN_STEPS) is not None:
                return True
        except (OtherRun, NotEvaluable):
            continue
    return False
