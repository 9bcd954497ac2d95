"""Invariants that a user suggests: candidates, each proved before anything rests on it.

Candidates become checks of the program (`asserting`).  So every engine tries to prove them beside
the property, and may use those that it has proved; in an inductive proof they are conjuncts.  A
candidate that a run contradicts is dropped, and the others are tried again.  A proof in which no
candidate fails is a proof of the program, since only failing candidates end further runs.  After
half of the time without an answer, the program is verified without candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path

from seahorn_py.base.errors import InputError, StageFailure
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText
from seahorn_py.evidence.replay import showing
from seahorn_py.evidence.replay.confirmation import Denied
from seahorn_py.evidence.runs.execution import Execution
from seahorn_py.evidence.runs.subject import Replay, Subject
from seahorn_py.ir.run import Ending
from seahorn_py.options import VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal
from seahorn_py.result import Answer, VerificationResult, Violation
from seahorn_py.validation.asserting import Asserted, asserted, failed
from seahorn_py.validation.expression import ExpressionError
from seahorn_py.validation.macros import read_texts
from seahorn_py.validation.own_checks import if_asked
from seahorn_py.validation.places import PlaceError
from seahorn_py.validation.repeating import Differs, Kept, Original, repeated
from seahorn_py.validation.unchanged import unchanged
from seahorn_py.verification.clock import Progress
from seahorn_py.verification.pipeline import load, prepared, verify
from seahorn_py.witness.witness import Invariant


@dataclass
class _Candidates:
    """The candidates that are left, and a line for each that was dropped."""

    left: list[Invariant]
    dropped: list[str] = field(default_factory=list)

    def drop(self, invariant: Invariant, why: str) -> None:
        """Go on without a candidate."""
        self.left.remove(invariant)
        text = f"invariant at {invariant.place} not used: {why}"
        self.dropped.append(" ".join(text.split()))


@dataclass(frozen=True)
class _Task:
    """The program and the time that is left."""

    files: Sequence[Path]
    texts: Sequence[CText]
    options: VerifyOptions
    progress: Progress | None
    journal: Journal
    deadline: Deadline


def verify_with(
    files: Sequence[Path],
    options: VerifyOptions,
    invariants: Sequence[Invariant],
    progress: Progress | None = None,
    journal: Journal | None = None,
) -> VerificationResult:
    """The answer as of `pipeline.verify`; warnings name the invariants without use, and why."""
    deadline = Deadline.after(options.timeout)
    contents = [(file, _content(file)) for file in files]
    candidates = _Candidates(list(dict.fromkeys(invariants)))
    try:
        texts = read_texts(contents, options.frontend, deadline)
        task = _Task(files, texts, options, progress, journal or Journal(), deadline)
        found = _hinted(task, candidates)
    except (StageFailure, ChildError):
        found = None
    if found is None:
        left = replace(options, timeout=max(deadline.remaining, 0.1))
        found = verify(files, left, progress, journal)
    return replace(found, warnings=(*found.warnings, *candidates.dropped))


def _hinted(task: _Task, candidates: _Candidates) -> VerificationResult | None:
    """An answer from the program with candidates that hold, if there is one in time."""
    _drop_unusable(task, candidates)
    share = task.deadline.share(policy().validation.hinted_share)
    while candidates.left and share.remaining > 0:
        program = asserted(candidates.left, task.texts)
        kept = Kept()
        result = verify(
            task.files,
            with_checks(task.options, program, share),
            task.progress,
            task.journal,
            adapt=kept,
        )
        match result.answer:
            case Answer.SAFE:
                count = len(candidates.left)
                proved = f"{count} suggested invariant{'' if count == 1 else 's'} proved"
                told = replace(result, evidence=(*result.evidence, proved))
                return if_asked(told, task.files, task.options, task.deadline)
            case Answer.UNSAFE if result.violation is not None:
                number = failed(program, result.violation.text)
                if number is None:
                    return _as_it_is(task, result, result.violation, kept)
                candidates.drop(candidates.left[number], "a run violates it")
            case _:
                return None
    return None


def with_checks(options: VerifyOptions, program: Asserted, limit: Deadline) -> VerifyOptions:
    """The options to verify a program with its invariants until the limit."""
    functions = (*options.frontend.error_functions, *program.names)
    frontend = replace(options.frontend, error_functions=functions, edited=program.edited)
    return replace(options, frontend=frontend, timeout=max(limit.remaining, 0.1))


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot read: {error.strerror}") from None


# ------------------------------------------------------------------------------------ candidates


def _drop_unusable(task: _Task, candidates: _Candidates) -> None:
    """Drop candidates that have no place, are no expression or do not compile.

    A candidate whose evaluation may end a run is dropped too: behind it nothing would be proved.
    """
    for invariant in list(candidates.left):
        try:
            if asserted([invariant], task.texts).may_end:
                candidates.drop(invariant, "it divides or reads memory, which may end a run")
        except (PlaceError, ExpressionError) as error:
            candidates.drop(invariant, str(error))
    if not candidates.left or _complaint(task, candidates.left) is None:
        return
    for invariant in list(candidates.left):
        complaint = _complaint(task, [invariant])
        if complaint is not None:
            candidates.drop(invariant, complaint)


def _complaint(task: _Task, invariants: Sequence[Invariant]) -> str | None:
    """Why the invariants cannot be checks of the program; None if they can."""
    program = asserted(invariants, task.texts)
    try:
        load(task.files, with_checks(task.options, program, task.deadline), task.deadline)
    except InputError as error:
        return str(error).splitlines()[0]
    frontend = task.options.frontend
    if not unchanged(task.files, task.texts, program.bare, frontend, task.deadline):
        return "it cannot be put in its place without changing the program"
    return None


# ---------------------------------------------------------------------------- the program as it is


def _as_it_is(
    task: _Task, result: VerificationResult, violation: Violation, kept: Kept
) -> VerificationResult | None:
    """The violation as one of the program without candidates; None if that has no such run."""
    if violation.run is None:
        return None
    original = Original.of(task.files, task.options, task.deadline)
    try:
        outcome, _ = repeated(original, kept.sites, violation.run, task.deadline)
    except Differs:
        return None
    if outcome.ending is not Ending.FAILED:
        return None
    source = original.source
    subject = Subject(source, prepared(source, task.options), lambda: Execution(None))
    shown = showing.show(subject, Replay(outcome, is_native=False))
    return None if isinstance(shown, Denied) else replace(result, violation=shown.violation)
