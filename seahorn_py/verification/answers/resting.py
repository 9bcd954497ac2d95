"""What an answer rests on beside its evidence."""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.base.errors import Stage
from seahorn_py.frontend.lowering.arguments import SHORT_LINES
from seahorn_py.horn.ledger import Approximation, Ledger
from seahorn_py.result import Answer, VerificationResult


def strictly(result: VerificationResult) -> VerificationResult:
    """The result; an answer with a ledger entry becomes unknown."""
    rests = [entry for entry in result.ledger if entry.kind is not Approximation.PROVED]
    if result.answer is Answer.UNKNOWN or not rests:
        return result
    reason = f"strict: the answer {result.answer.value} rests on: {rests[0].text}"
    return replace(result, answer=Answer.UNKNOWN, stage=Stage.ENCODE, reason=reason, violation=None)


def resting_on(result: VerificationResult, plug_ins: Ledger, strict: bool) -> VerificationResult:
    """The result with what is said of plug-ins; nothing rests on those that gave evidence only."""
    assumed = tuple(entry for entry in plug_ins if entry.kind is Approximation.ASSUMED)
    told = tuple(entry for entry in plug_ins if entry.kind is not Approximation.ASSUMED)
    result = replace(result, ledger=(*result.ledger, *assumed))
    result = strictly(result) if strict else _within(result)
    return replace(result, ledger=(*result.ledger, *told))


def _within(result: VerificationResult) -> VerificationResult:
    """The result; what a proof means says which lines of text it is for."""
    limits = [entry.text for entry in result.ledger if entry.text.startswith(SHORT_LINES)]
    if result.answer is not Answer.SAFE or not limits:
        return result
    return replace(result, meaning=f"{result.meaning}, where {limits[0]}")
