"""What an answer found, one entry for each question: the common ground of all formats.

With `--all-checks` a question is a check, with a group of properties a property, else there is one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from seahorn_py.base.errors import Span, Stage
from seahorn_py.base.records import dataclass
from seahorn_py.cli.screen.words import failure
from seahorn_py.options import Property
from seahorn_py.result import Answer, CheckResult, PropertyResult, VerificationResult, Violation


@dataclass(frozen=True)
class Finding:
    """The answer to a question about `property`, and the place it is about, if there is one.

    `text` is what is checked, or what fails.  `violation` is that of an unsafe answer; `reason`,
    with its stage, that of an unknown one.  `suppressed` is why a finding does not count;
    `said` takes the place of the words for a check that fails.
    """

    property: str
    text: str
    place: Span | None
    answer: Answer
    reason: str = ""
    violation: Violation | None = None
    suppressed: str = ""
    said: str = ""


def message(finding: Finding) -> str:
    """A finding in a sentence."""
    match finding.answer:
        case Answer.UNSAFE:
            return finding.said or failure(finding.property, finding.text)
        case Answer.UNKNOWN:
            return f"no answer for {finding.property}: {finding.reason}"
        case Answer.SAFE:
            return f"{finding.property}: no run violates it"


def findings(result: VerificationResult, asked: Collection[Property]) -> tuple[Finding, ...]:
    """All that an answer found; `asked` are the properties, none for error calls."""
    if result.checks:
        return tuple(_of_check(check) for check in result.checks)
    if result.properties:
        return tuple(_of_property(row) for row in result.properties)
    if result.violation is not None:
        return (_of_violation(result.violation),)
    name = ", ".join(p.value for p in Property if p in asked) or Property.UNREACH_CALL.value
    reason = _reason(result.stage, result.reason)
    return (Finding(name, "", None, result.answer, reason),)


def failures(found: Iterable[Finding]) -> Iterator[Finding]:
    """Those that a run shows."""
    return (one for one in found if one.answer is Answer.UNSAFE)


def _of_check(check: CheckResult) -> Finding:
    reason = _reason(check.stage, check.reason)
    row = (check.property, check.text, check.place, check.answer, reason)
    return Finding(*row, check.violation)


def _of_property(row: PropertyResult) -> Finding:
    if row.violation is not None:
        return _of_violation(row.violation)
    return Finding(row.property, "", None, row.answer, _reason(row.stage, row.reason))


def _of_violation(violation: Violation) -> Finding:
    seen = (violation.property, violation.text, violation.place)
    return Finding(*seen, Answer.UNSAFE, violation=violation)


def _reason(stage: Stage | None, reason: str) -> str:
    return ": ".join(filter(None, (stage.value if stage is not None else "", reason)))
