"""The process that executes a program on random and boundary inputs, and what it gives."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.evidence.runs.execution import Execution, execute
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.ir.program import Program
from seahorn_py.options import EngineName, Property, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import ChildError, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import working
from seahorn_py.processes.journal import Journal
from seahorn_py.verification.encodings.side_by_side import NATIVE


def begun(
    lowered: Lowered,
    source: Program,
    options: VerifyOptions,
    place: Path,
    deadline: Deadline,
    journal: Journal,
) -> Fork:
    """The process that executes the program."""
    seconds = min(options.executions, options.timeout / 10)
    bits, natively = options.frontend.bits, options.native
    share = policy().race.first_runs_share if _goes_on(options) else 1.0
    work = partial(execute, lowered, source, bits, place, seconds, deadline, natively, share)
    journal.begins(NATIVE, EngineName.EXECUTE.value)
    with working(Stage.REPLAY.value, NATIVE):
        return Fork(work, deadline)


def _goes_on(options: VerifyOptions) -> bool:
    """Whether a search makes more runs beside the solving (`side_by_side`)."""
    ends = options.frontend.wants(Property.TERMINATION)
    return options.jobs > 1 and not options.engines and not options.every_check and not ends


def execution(executing: Fork, journal: Journal) -> Execution:
    """The runs of the process that executes the program, once it has ended."""
    try:
        found = executing.result()
    except ChildError as error:
        found = Execution(None, f"executing: {error}")
    assert isinstance(found, Execution)
    outcome = found.refusal or f"{len(found.runs)} runs"
    journal.ends(NATIVE, EngineName.EXECUTE.value, outcome)
    return found
