"""A longer search for an error by native runs, while others try to prove that there is none."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.evidence.runs.execution import suspicions
from seahorn_py.evidence.runs.inputs import Drawn, amounts, undefined_shifts
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.ir.run import Outcome
from seahorn_py.processes.deadline import Deadline

FIRST_SEED = 1 << 32
"""Beyond the seeds of the runs that every program gets."""


def search(subject: Subject, deadline: Deadline) -> Iterator[Outcome]:
    """Runs on drawn inputs that violate a check; each is looked for when it is asked for.

    Where checks ask whether memory is valid, the runs are watched, and the caller asks the
    interpreter.
    """
    execution = subject.execution()
    if execution.executable is None:
        return
    zero = undefined_shifts(subject.source.sites)
    inputs = Drawn(
        FIRST_SEED,
        execution.words,
        zero=zero,
        amounts=amounts(subject.source.sites),
        texts=execution.texts,
        watched=subject.watches_memory,
    )
    yield from suspicions(execution.executable, inputs, deadline)
