"""The program with threads of its own, for a second native replay.

Proofs, the interpreter and the first replay see the product of threads, one sequential program.  In
the run time each thread has its own code and stack (`frontend/runtime/baton.c`), so that a run
which is found can be repeated without the product.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import Span
from seahorn_py.evidence.runs.subject import Threaded
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.runtime import native
from seahorn_py.frontend.runtime.native import Executable
from seahorn_py.ir.run import STEP_BITS, ThreadStep
from seahorn_py.options import Property
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import VerificationResult, Violation


def with_threads(lowered: Lowered, bits: int, place: Path, deadline: Deadline) -> Threaded | None:
    """The program with threads, built in the folder `place`; None if it has none."""
    if not lowered.threaded:
        return None
    from seahorn_py.frontend.lowering.threads.steps import SCHEDULE  # costs start-up time

    folder = Path(tempfile.mkdtemp(dir=place))  # both encodings may build at the same time
    try:
        built = native.build(lowered.threaded, bits, folder, deadline)
    except ChildError:
        return None
    schedule = frozenset(site.number for site in lowered.sites if site.name == SCHEDULE)
    checks = lowered.threaded_checks
    return Threaded(built, schedule, checks) if isinstance(built, Executable) else None


def with_steps(result: VerificationResult, lowered: Lowered) -> VerificationResult:
    """The result whose run says which thread makes which step, if a native run told that."""
    found = result.violation
    if found is None or found.run is None or not found.run.steps:
        return result
    return replace(
        result,
        violation=replace(found, steps=_steps(found.run.steps, lowered), other=_other(found)),
    )


def _steps(marks: Sequence[int], lowered: Lowered) -> tuple[ThreadStep, ...]:
    """The steps of a run.  A thread is made where the next step of its maker begins."""
    steps = [ThreadStep(m & ((1 << STEP_BITS) - 1), lowered.steps[m >> STEP_BITS]) for m in marks]
    waiting = dict(lowered.makes)
    last: dict[int, int] = {}
    for at, step in enumerate(steps):
        made = step.thread if step.thread in waiting else None
        if made is None:
            makes = (step.thread, step.place)
            made = next((n for n, making in waiting.items() if making == makes), None)
        if made is not None:
            maker, place = waiting.pop(made)
            if place is not None and maker in last:
                before = steps[last[maker]]
                steps[last[maker]] = replace(before, makes=(*before.makes, (made, place)))
        last[step.thread] = at
    return tuple(steps)


def _other(violation: Violation) -> Span | None:
    """The access before which a thread stopped, to meet the one that is the violation."""
    if violation.property != Property.NO_DATA_RACE.value:
        return None
    stops = (i.place for i in violation.inputs if i.name == "schedule" and i.value == -1)
    return next((place for place in stops if place is not None), None)
