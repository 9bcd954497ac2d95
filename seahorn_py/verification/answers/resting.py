"""What an answer rests on beside its evidence."""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.base.errors import Stage
from seahorn_py.horn.ledger import Approximation, Ledger
from seahorn_py.result import Answer, VerificationResult


def strictly(result: VerificationResult) -> VerificationResult:
    """The result; an answer with a ledger entry becomes unknown."""
    if result.answer is Answer.UNKNOWN or not result.ledger:
        return result
    reason = f"strict: the answer {result.answer.value} rests on: {result.ledger[0].text}"
    return replace(result, answer=Answer.UNKNOWN, stage=Stage.ENCODE, reason=reason, violation=None)


def resting_on(result: VerificationResult, plug_ins: Ledger, strict: bool) -> VerificationResult:
    """The result with what is said of plug-ins; nothing rests on those that gave evidence only."""
    assumed = tuple(entry for entry in plug_ins if entry.kind is Approximation.ASSUMED)
    told = tuple(entry for entry in plug_ins if entry.kind is not Approximation.ASSUMED)
    result = replace(result, ledger=(*result.ledger, *assumed))
    result = strictly(result) if strict else result
    return replace(result, ledger=(*result.ledger, *told))
