"""A longer search for an error by native runs, while others try to prove that there is none."""

from __future__ import annotations

from seahorn_py.child import Deadline
from seahorn_py.evidence import native
from seahorn_py.evidence.inputs import Drawn, undefined_shifts
from seahorn_py.evidence.subject import Subject
from seahorn_py.ir.run import Ending, Outcome

FIRST_SEED = 1 << 32
"""Beyond the seeds of the runs that every program gets."""


def search(subject: Subject, deadline: Deadline) -> Outcome | None:
    """The first run on drawn inputs that violates a check and that the interpreter follows."""
    execution = subject.execution()
    if execution.executable is None:
        return None
    zero = undefined_shifts(subject.source.sites)
    inputs = Drawn(FIRST_SEED, execution.words, zero=zero)
    for run in native.exploration(execution.executable, inputs, deadline).outcomes:
        if run.ending is Ending.FAILED and subject.follows(run):
            return run
    return None
