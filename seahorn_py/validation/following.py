"""Violation witnesses: a run that follows the waypoints to the target is looked for.

1. The watched program is run with the values that the witness tells.
2. All engines look for a run of the watched program that fails.
3. A run from either is repeated in the program as it is, on the same inputs in the same order.  The
   witness is confirmed only if that run violates the property at the target.
4. The witness is rejected if the watched program is proved safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText
from seahorn_py.evidence.runs.execution import watches_memory
from seahorn_py.evidence.runs.subject import REPLAY_LIMITS
from seahorn_py.ir import interpreter
from seahorn_py.ir.program import CheckSite, Program, Site
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.options import VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.validation.expression import ExpressionError
from seahorn_py.validation.guide import guide
from seahorn_py.validation.places import PlaceError
from seahorn_py.validation.repeating import (
    Differs,
    Kept,
    Original,
    repeated,
    repeated_natively,
    run_natively,
)
from seahorn_py.validation.unchanged import Edited, unchanged
from seahorn_py.validation.verdict import Validation, Verdict, unknown
from seahorn_py.validation.watching import Watched, watched
from seahorn_py.verification.pipeline import load, verify
from seahorn_py.witness.witness import ViolationWitness


@dataclass(frozen=True)
class _Task:
    """The witness, the program, and the time that is left."""

    witness: ViolationWitness
    files: Sequence[Path]
    texts: Sequence[CText]
    options: VerifyOptions
    deadline: Deadline

    def edited(self, texts: Edited) -> VerifyOptions:
        """The options for the program with these texts, in the time that is left."""
        frontend = replace(self.options.frontend, edited=texts)
        timeout = max(self.deadline.remaining, 0.1)
        return replace(self.options, frontend=frontend, timeout=timeout)


def follow(
    witness: ViolationWitness,
    files: Sequence[Path],
    texts: Sequence[CText],
    options: VerifyOptions,
) -> Validation:
    """Look for a run that follows the witness.  SeaError if the program itself is wrong input."""
    deadline = Deadline.after(options.timeout)
    task = _Task(witness, files, texts, options, deadline)
    original = Original.of(files, options, deadline)
    try:
        watch = watched(witness, texts)
    except (PlaceError, ExpressionError) as error:
        return unknown(f"the witness cannot be followed: {error}")
    if not unchanged(files, texts, watch.bare, options.frontend, deadline):
        return unknown("a waypoint cannot be put in its place without changing the program")
    if not any(watch.is_target(check.origin.span) for check in original.source.checks):
        return unknown(f"nothing is checked at the target, {watch.target.place}")
    try:
        program = watch.gated(load(files, task.edited(watch.edited), deadline)[1])
    except InputError as error:
        return unknown(f"what the witness says does not compile: {str(error).splitlines()[0]}")
    run = _as_told(task, original, watch, program)
    if run.ending is Ending.FAILED:
        return _confirmed(original, watch, program.sites, run, deadline)
    if run.ending is Ending.LIMIT and (found := _natively(task, original, watch)):
        return found
    return _searched(task, original, watch)


def _as_told(task: _Task, original: Original, watch: Watched, program: Program) -> Outcome:
    """The interpreter's run of the watched program with the values that the witness tells."""
    seconds = max(task.deadline.share(policy().validation.guided_share).remaining, 1.0)
    limits = replace(REPLAY_LIMITS, seconds=seconds)
    return interpreter.run(program, {}, limits, draw=guide(task.witness, task.texts).draw)


def _natively(task: _Task, original: Original, watch: Watched) -> Validation | None:
    """The same run in a native process, judged if it fails at the target; otherwise None.

    None too for questions about memory, which no native run can answer.
    """
    last = watch.last_statement(original.source)
    if last is None or watches_memory(original.source):
        return None
    stopped = watched(task.witness, task.texts, last=last)
    try:
        lowered, program = load(task.files, task.edited(stopped.edited), task.deadline)
    except InputError:
        return None
    feed = guide(task.witness, task.texts).feed(program.sites)
    if feed is None:
        return None
    run = run_natively(original, lowered, feed, task.deadline)
    check = _check(program, run)
    span = None if check is None else check.origin.span
    if span is None or stopped.statement(span) != last:
        return None
    again = repeated_natively(original, program.sites, run, task.deadline)
    return None if again is None else _judged(original, watch, again, "native run")


def _searched(task: _Task, original: Original, watch: Watched) -> Validation:
    """What engines find in the watched program."""
    kept = Kept(watch.gated)
    result = verify(task.files, task.edited(watch.edited), adapt=kept)
    match result.answer:
        case Answer.UNSAFE if result.violation is not None and result.violation.run is not None:
            run = result.violation.run
            return _confirmed(original, watch, kept.sites, run, task.deadline)
        case Answer.SAFE if not task.witness.is_whole:
            return unknown("no run follows the path that was tried, but the witness has others")
        case Answer.SAFE if not task.witness.is_dense:
            return _loosely(task)
        case Answer.SAFE:
            return _rejected(result)
        case _:
            stage = "" if result.stage is None else f"{result.stage.value}: "
            return unknown(f"no run that follows the witness was found; {stage}{result.reason}")


def _loosely(task: _Task) -> Validation:
    """Reject only if no run passes the waypoints, at any time and at any place they may mean."""
    try:
        watch = watched(task.witness, task.texts, loosely=True)
    except PlaceError as error:
        return unknown(f"no run was found that follows the witness: {error}")
    frontend, deadline = task.options.frontend, task.deadline
    if not unchanged(task.files, task.texts, watch.bare, frontend, deadline):
        return unknown("no run was found, and no waypoint can be put elsewhere in its lines")
    try:
        result = verify(task.files, task.edited(watch.edited), adapt=watch.gated)
    except InputError:
        return unknown("no run was found, and no waypoint can be put elsewhere in its lines")
    if result.answer is Answer.SAFE:
        return _rejected(result)
    return unknown("no run passes each waypoint at its first chance, but one may pass it later")


def _rejected(result: VerificationResult) -> Validation:
    proof = "; ".join(result.evidence)
    reason = f"no run that follows the witness violates the property: {proof}"
    return Validation(Verdict.REJECTED, reason)


# ---------------------------------------------------------------------------- the program as it is


def _confirmed(
    original: Original, watch: Watched, sites: Sequence[Site], run: Outcome, deadline: Deadline
) -> Validation:
    """The judgement of a run of the watched program, which is repeated in the original one."""
    try:
        outcome, how = repeated(original, sites, run, deadline)
    except Differs as error:
        return unknown(f"the run that follows the witness is not one of the program: {error}")
    if outcome.ending is Ending.LIMIT and watch.is_empty:
        # there are no waypoints to follow, so the native run alone is told
        again = repeated_natively(original, sites, run, deadline)
        outcome, how = (again, "native run") if again else (outcome, how)
    return _judged(original, watch, outcome, how)


def _judged(original: Original, watch: Watched, outcome: Outcome, how: str) -> Validation:
    """Confirmed if a run of the program as it is fails at the target; otherwise unknown."""
    check = _check(original.source, outcome)
    if check is None or not watch.is_target(check.origin.span):
        return unknown(f"in the program itself the run is {outcome.ending.value} ({how})")
    where = check.origin.span or "?"
    count = watch.segments
    return Validation(
        Verdict.CONFIRMED,
        f"a run follows the {count} waypoint{'' if count == 1 else 's'}"
        f" and violates {check.property} at {where} ({how})",
    )


def _check(program: Program, outcome: Outcome) -> CheckSite | None:
    if outcome.ending is not Ending.FAILED:
        return None
    return next((c for c in program.checks if c.number == outcome.check), None)
