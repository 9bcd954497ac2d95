"""What is said of a check: that it fails, how, and where."""

from __future__ import annotations

from seahorn_py.base.errors import TIME_LIMIT, Span, is_late
from seahorn_py.options import Property
from seahorn_py.result import (
    Answer,
    CheckResult,
    PropertyResult,
    VerificationResult,
    Violation,
)

_ASSERTION = "assert("


def where(span: Span | None) -> str:
    """The place, `?` where there is none."""
    return str(span) if span is not None else "?"


def failure(property_: str, text: str) -> str:
    """What happens where a check with this text fails."""
    if property_ != Property.UNREACH_CALL.value:
        return f"{property_}: {text}"
    if text.startswith(_ASSERTION) and text != f"{_ASSERTION})":
        return f"assertion failed: {text.removeprefix(_ASSERTION).removesuffix(')')}"
    return f"{text} is reached"


def event(violation: Violation) -> str:
    """What happens at the place of a violation."""
    text = violation.text
    if violation.property == Property.TERMINATION.value:
        text = text.replace(f" at {violation.place}", "")
    return failure(violation.property, text)


def verdict(check: CheckResult | PropertyResult) -> str:
    """The answer for a check or property in a few words, with the stage that gave up.

    Which engines had no time is told once, in the sentence about all.
    """
    if check.answer is not Answer.UNKNOWN:
        return str(check.answer.value)
    stage = check.stage.value if check.stage is not None else "?"
    told_shortly = is_late(check.reason) and not check.reason.startswith(TIME_LIMIT)
    return f"unknown: {stage}: {TIME_LIMIT if told_shortly else check.reason}"


def sentence(result: VerificationResult) -> str:
    """The answer in a sentence."""
    match result.answer:
        case Answer.SAFE:
            return f"safe: {result.meaning}"
        case Answer.UNSAFE:
            assert result.violation is not None
            return f"unsafe: {where(result.violation.place)}: {event(result.violation)}"
        case Answer.UNKNOWN:
            assert result.stage is not None
            return f"unknown: {result.stage.value}: {result.reason}"
