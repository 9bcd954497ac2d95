"""A longer search for an error by native runs, while others try to prove that there is none."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn, undefined_shifts
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.processes.deadline import Deadline

FIRST_SEED = 1 << 32
"""Beyond the seeds of the runs that every program gets."""

MOST_DENIED = 20
"""After so many runs whose error the interpreter denies, no more are made."""


def search(subject: Subject, deadline: Deadline) -> Iterator[Outcome]:
    """Runs on drawn inputs that violate a check; each is looked for when it is asked for."""
    execution = subject.execution()
    if execution.executable is None:
        return
    zero, seed = undefined_shifts(subject.source.sites), FIRST_SEED
    for _ in range(MOST_DENIED):
        inputs = Drawn(seed, execution.words, zero=zero)
        found = native.exploration(execution.executable, inputs, deadline)
        failed = [run for run in found.outcomes if run.ending is Ending.FAILED]
        if not failed:
            return
        yield from failed
        seed += max(found.runs, 1)
