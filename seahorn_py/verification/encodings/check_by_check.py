"""An answer for all checks of a program together; without one, answers for one check at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Arithmetic
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.horn.ledger import LedgerEntry
from seahorn_py.horn.system import CheckId
from seahorn_py.options import VerifyOptions
from seahorn_py.passes.slicing.focus import focus
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal
from seahorn_py.result import Answer, CheckResult, VerificationResult
from seahorn_py.verification.clock import Clock
from seahorn_py.verification.encodings.checks import (
    Checks,
    checks_decided,
    checks_of,
    result_of,
    sites_of,
)
from seahorn_py.verification.encodings.merging import together
from seahorn_py.verification.encodings.one_encoding import Task, answer_by_one


def refine(
    subject: Subject,
    arithmetic: Arithmetic,
    options: VerifyOptions,
    jobs: int,
    deadline: Deadline,
    journal: Journal,
) -> VerificationResult:
    """A checked answer from one encoding, or unknown with the stage that failed."""
    task = Task(subject, arithmetic, options, jobs, deadline, Clock(), journal)
    unfolds = arithmetic is Arithmetic.BV and not subject.is_unfolded_elsewhere
    result = _bounded(task) if unfolds else None
    if arithmetic is Arithmetic.INT:
        result = _loosened(task)
    if result is None or result.answer is Answer.UNKNOWN:
        result = _refined(task)
    times = {f"{arithmetic.value}: {name}": spent for name, spent in task.clock.times.items()}
    return replace(result, times=times)


def _loosened(task: Task) -> VerificationResult | None:
    """A proof of rules by less of the program; None if there is none, or it is not wanted."""
    from seahorn_py.verification.encodings.bounded import wants_unfolding  # loads slowly

    if task.options.every_check or not wants_unfolding(task.options):
        return None
    from seahorn_py.verification.encodings.loosening import proved  # loads slowly

    return proved(task)


def refine_unfolded(
    subject: Subject, options: VerifyOptions, deadline: Deadline, journal: Journal
) -> VerificationResult | None:
    """A checked answer from the unfolded program; None if it cannot be unfolded.

    An unknown answer has none for single checks, since some may be checks of unfolding.
    """
    found = _bounded(Task(subject, Arithmetic.BV, options, 1, deadline, Clock(), journal))
    if found is None or found.answer is not Answer.UNKNOWN:
        return found
    return replace(found, checks=())


def _refined(task: Task) -> VerificationResult:
    return each_check(task) if task.options.every_check else answer_or_parts(task)


def _bounded(task: Task) -> VerificationResult | None:
    """The answer for the unfolded program; None if there is none, or it is not wanted."""
    from seahorn_py.verification.encodings.bounded import (  # loads slowly
        LOOSELY_UNFOLDED,
        UNFOLDED,
        loosely_unfolded,
        unfolded,
        wants_unfolding,
    )

    if not wants_unfolding(task.options):
        return None
    found = _of_unfolded(task, loosely_unfolded, LOOSELY_UNFOLDED)
    if found is not None and found.answer is not Answer.UNKNOWN:
        return found
    return _of_unfolded(task, unfolded, UNFOLDED)


def _of_unfolded(
    task: Task, made: Callable[[Subject, Deadline, Journal], Iterator[Subject]], place: str
) -> VerificationResult | None:
    """The answer for the programs that are made, one after the other; None if there is none."""
    programs, found = made(task.subject, task.deadline, task.journal), None
    while found is None or found.answer is Answer.UNKNOWN:
        with task.clock.phase("unfold", Stage.ENCODE):
            subject = next(programs, None)
        if subject is None:
            return found
        if subject.program.checks != task.subject.source.checks and task.options.every_check:
            return None  # the answer for one check must not rest on checks that unfolding added
        task.journal.begins(place, "refinement")
        share = task.deadline.share(policy().race.unfolded_share)
        found = _unfolded(replace(task, subject=subject, deadline=share))
        task.journal.ends(place, "refinement", found.reason or found.answer.value)
    return found


def _unfolded(task: Task) -> VerificationResult:
    """The answer from an unfolded program: first for all of its checks as one.

    That is one formula, on which engines work one after the other: a second one beside the first
    takes its processor.
    """
    from seahorn_py.passes.unfolding.one_check import one_check  # loads slowly

    program = one_check(task.subject.program)
    if task.options.every_check or program is task.subject.program:
        return _refined(task)
    share = task.deadline.share(policy().race.one_check_share)
    subject = replace(task.subject, program=program)
    found = answer_by_one(replace(task, subject=subject, jobs=1, deadline=share))
    is_slow = found.stage in (Stage.SOLVE, Stage.REPROOF)
    return _refined(task) if found.answer is Answer.UNKNOWN and is_slow else found


def answer_or_parts(task: Task) -> VerificationResult:
    """An answer for all checks together; without one, answers for each in the time that is left."""
    whole = answer_by_one(task)
    if whole.answer is not Answer.UNKNOWN or whole.stage is not Stage.SOLVE:
        return whole
    left = checks_of(task.encode(frozenset(), False))
    if len(left) < 2 or task.deadline.remaining < policy().checks.least_seconds * len(left):
        return whole
    found = Found()
    for check, part in _one_by_one(task, left):
        if part.answer is Answer.UNSAFE:
            return part
        found.add(part, check)
    parts = found.together()
    return parts if parts.answer is Answer.SAFE else replace(whole, checks=parts.checks)


def each_check(task: Task) -> VerificationResult:
    """An answer for each check.  A violated check is left out when the others are asked again."""
    found, until = Found(), task.deadline
    telling = min(policy().checks.telling_seconds, policy().checks.telling_share * until.remaining)
    task = replace(task, deadline=Deadline(until.at - telling))
    left = checks_of(task.encode(frozenset(), False))
    while left:
        share = task.deadline.share(policy().checks.together_share if len(left) > 1 else 1.0)
        result = answer_by_one(replace(task, deadline=share), left)
        decided = checks_decided(left, result)
        if not decided and len(left) > 1:
            for check, part in _one_by_one(task, left):
                found.add(part, check)
            break
        found.add(result, *(decided or left))
        left = left - decided if decided else frozenset()
    return found.together()


@dataclass(frozen=True)
class Found:
    """The answers found for single checks, and all that they rest on."""

    checks: list[CheckResult] = field(default_factory=list)
    ledger: dict[LedgerEntry, None] = field(default_factory=dict)
    results: list[VerificationResult] = field(default_factory=list)

    def add(self, result: VerificationResult, *checks: CheckId) -> None:
        """Note what a result says of these checks."""
        self.checks.extend(result_of(check, result) for check in checks)
        self.ledger.update(dict.fromkeys(result.ledger))
        self.results.append(result)

    def together(self) -> VerificationResult:
        """One answer for all of them; a proof of all at once has its invariants."""
        whole = together(self.checks, tuple(self.ledger))
        proofs = self.results if len(self.results) == 1 else []
        return replace(whole, invariants=tuple(i for one in proofs for i in one.invariants))


def _one_by_one(task: Task, left: Checks) -> Iterator[tuple[CheckId, VerificationResult]]:
    """Answers for checks that have none together; each check gets a share of the time.

    At first a run goes on behind all other checks: this program is smaller, but has more runs.
    Checks without a quick answer there are asked about in the program as it is.
    """
    waiting = sorted(left, key=str)
    for go_on in (True, False):
        hard = []
        for number, check in enumerate(waiting):
            share = task.deadline.share(1 / (len(waiting) - number))
            share = share.at_most(policy().checks.easy_seconds) if go_on else share
            alone = replace(_focused(task, check, go_on), deadline=share)
            part = answer_by_one(alone, frozenset({check}))
            if go_on and not checks_decided(frozenset({check}), part):
                hard.append(check)
            else:
                yield check, part
        waiting = hard


def _focused(task: Task, check: CheckId, go_on: bool) -> Task:
    """The task for one check: a program with this check alone.

    A check of the encoding itself, such as an obligation, has no such program.
    """
    sites = sites_of(check, task.subject.program)
    if not sites:
        return task
    with task.clock.phase("slice", Stage.ENCODE):
        program = focus(task.subject.program, sites, go_on=go_on)
    return replace(task, subject=replace(task.subject, program=program))
