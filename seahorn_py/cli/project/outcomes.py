"""What an answer is worth: whether it is the expected one, and what of it is excused."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.cli.project.project import Proof, Suppression
from seahorn_py.cli.project.running import Answered
from seahorn_py.cli.reports.findings import Finding, failures, message
from seahorn_py.cli.screen.words import where
from seahorn_py.result import Answer, VerificationResult


class Status(Enum):
    """How a proof went, the worst first.

    DIFFERS: another answer than the expected one.  BROKEN: an error of ours.  REFUSED: wrong input.
    UNKNOWN: no answer.  NOT_RUN: it was not its turn.  SUPPRESSED: as expected but for findings
    that are excused.
    """

    DIFFERS = "differs"
    BROKEN = "broken"
    REFUSED = "wrong input"
    UNKNOWN = "unknown"
    NOT_RUN = "not run"
    SUPPRESSED = "suppressed"
    AS_EXPECTED = "as expected"


ORDER = list(Status)
GOOD = frozenset({Status.SUPPRESSED, Status.AS_EXPECTED})


@dataclass(frozen=True)
class Excused:
    """A finding and the suppression that excuses it."""

    finding: Finding
    by: Suppression


@dataclass(frozen=True)
class Outcome:
    """What came of a proof: how it went, its answer, and what is to be told of it.

    `headline` says it in a line; `lines` are those of `pf`.  `findings` are those that count,
    `excused` those that do not.  `is_kept`: it was not run, since nothing has changed; `key` is
    what the answer is kept under.  `result` is that of a verification, for reports at length.
    """

    proof: Proof
    status: Status
    answer: Answer | None
    headline: str
    lines: tuple[str, ...] = ()
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    excused: tuple[Excused, ...] = ()
    is_kept: bool = False
    key: str = ""
    result: VerificationResult | None = None

    @property
    def is_good(self) -> bool:
        """Whether nothing is to be done about it."""
        return self.status in GOOD

    @property
    def difference(self) -> str:
        """What was expected where that is not what came; "" otherwise."""
        if self.status is not Status.DIFFERS or self.answer is None:
            return ""
        return f"expected {self.proof.expected.value}, is {self.answer.value}"

    @property
    def place(self) -> Span:
        """Where it is about: the first finding, else the line of the proof."""
        for finding in self.findings:
            if finding.answer is not Answer.SAFE and finding.place is not None:
                return finding.place
        return Span(str(self.proof.place.file), self.proof.place.line, 0, "")


def judged(proof: Proof, found: Answered, live: Sequence[Suppression]) -> Outcome:
    """The outcome of an answer; `live` are the suppressions that count today."""
    excused = tuple(_excused(proof, found, live)) if proof.expected is not Answer.UNSAFE else ()
    hidden = [one.finding for one in excused]
    counted = tuple(f for f in found.findings if not any(f is one for one in hidden))
    answer = found.answer
    if excused:
        answers = {finding.answer for finding in counted}
        answer = next((a for a in (Answer.UNSAFE, Answer.UNKNOWN) if a in answers), Answer.SAFE)
    status = _status(proof, answer, found, bool(excused))
    lines = tuple(_lines_of(counted, answer)) if excused else found.lines
    row = Outcome(proof, status, answer, _headline(answer, counted, found), lines)
    return replace(
        row, seconds=found.seconds, findings=counted, excused=excused, result=found.result
    )


def _status(proof: Proof, answer: Answer, found: Answered, is_excused: bool) -> Status:
    if answer is Answer.UNKNOWN and found.bugs:
        return Status.BROKEN
    if answer is proof.expected:
        return Status.SUPPRESSED if is_excused else Status.AS_EXPECTED
    if answer is Answer.UNKNOWN:
        return Status.UNKNOWN
    return Status.DIFFERS


def _excused(proof: Proof, found: Answered, live: Sequence[Suppression]) -> list[Excused]:
    """The first suppression of each finding that has one."""
    pairs = (
        (f, next((s for s in live if s.fits(proof, f)), None)) for f in failures(found.findings)
    )
    return [Excused(finding, by) for finding, by in pairs if by is not None]


def _headline(answer: Answer, counted: Sequence[Finding], found: Answered) -> str:
    """The answer in a line, with the first finding that says why."""
    about = next((f for f in counted if f.answer is answer), None)
    if answer is not found.answer and answer is Answer.SAFE:
        return "all else is safe"
    if answer is Answer.SAFE or about is None:
        said = found.lines[-2] if len(found.lines) > 1 else ""
        return said.removeprefix(f"{answer.value}: ")
    if answer is Answer.UNKNOWN:
        return about.reason
    more = sum(f.answer is answer for f in counted) - 1
    also = f" (and {more} more)" if more else ""
    return f"{where(about.place)}: {message(about)}{also}"


def _lines_of(counted: Sequence[Finding], answer: Answer) -> Iterator[str]:
    """What `pf` would say of the first finding that counts; what is excused is told apart."""
    from seahorn_py.cli.screen.answer import LAST_LINES, of_run

    for finding in counted:
        if finding.answer is Answer.UNSAFE and finding.violation is not None:
            yield from of_run(finding.violation)
            break
    for finding in counted:
        if finding.answer is not Answer.SAFE:
            yield f"{finding.answer.value}: {where(finding.place)}: {message(finding)}"
    yield LAST_LINES[answer]


def expired(
    suppressions: Sequence[Suppression], proofs: Sequence[Proof], today: datetime.date
) -> tuple[Suppression, ...]:
    """Those of these proofs whose day is past."""
    return tuple(
        one
        for one in suppressions
        if one.is_expired(today) and any(one.is_about(proof) for proof in proofs)
    )
