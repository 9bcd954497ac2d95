"""Reasons of an unknown: three that matter, whatever the number of engines."""

from __future__ import annotations

import pytest

from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.answers.reasons import that_matter, with_what_matters

LATE = "; ".join(f"Spacer, {k} cells: time limit" for k in range(13))
BMC = "BMC: time limit after bound {}, beyond which runs go on"
REASONS = {
    "left open": "left open",
    "int: left open; bv: left open": "int: left open; bv: left open",
    f"int: no loop has a closure; {LATE}; bv: {BMC.format(16)}; spacer: time limit": (
        f"bv: {BMC.format(16)}; 14 engines: time limit"
    ),
    f"int: {LATE}; bv: {LATE}": "13 engines: time limit",
    f"int: {LATE}; bv: {BMC.format(8)}; spacer: time limit; {BMC.format(32)}": (
        f"bv: {BMC.format(32)}; 14 engines: time limit"
    ),
    f"int: spacer: memory limit; {LATE}; bv: {BMC.format(4)}; kinduction: out of steps": (
        f"int: spacer: memory limit; bv: kinduction: out of steps; {BMC.format(4)}"
    ),
    "int: a: one; b: two; c: three; bv: a: one; d: four": "a: one; int: b: two; c: three",
    "int: no loop has a closure; x: nothing to work on; y: no loop has a closure; z: time limit": (
        "int: z: time limit"
    ),
}


@pytest.mark.parametrize("reason", REASONS)
def test_what_is_told(reason: str) -> None:
    assert that_matter(reason) == REASONS[reason]


def test_only_unknown_results_change() -> None:
    late = VerificationResult(Answer.UNKNOWN, reason=f"int: {LATE}")
    assert with_what_matters(late).reason == "13 engines: time limit"
    safe = VerificationResult(Answer.SAFE, reason=f"int: {LATE}")
    assert with_what_matters(safe) is safe
