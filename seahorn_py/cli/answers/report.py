"""Results as JSON for machines; progress on a terminal."""

from __future__ import annotations

import json
import shutil
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from seahorn_py.base.version import VERSION
from seahorn_py.cli.screen.words import where
from seahorn_py.result import (
    CheckResult,
    Invariant,
    LoopResult,
    PropertyResult,
    VerificationResult,
    Violation,
)

if TYPE_CHECKING:
    from seahorn_py.verification.clock import Progress

SCHEMA_NUMBER = 1
"""Goes up when a field of the JSON output goes, or means something else."""


def as_json(result: VerificationResult) -> str:
    """One JSON object with everything the result holds."""
    return json.dumps(
        {
            "schema": SCHEMA_NUMBER,
            "version": VERSION,
            "verdict": result.answer.value,
            "stage": result.stage.value if result.stage is not None else None,
            "reason": result.reason,
            "violation": violation_of(result.violation),
            "checks": [_check(check) for check in result.checks],
            "properties": [_property(row) for row in result.properties],
            "loops": [_loop(loop) for loop in result.loops],
            "evidence": list(result.evidence),
            "ledger": [
                {"kind": e.kind.value, "text": e.text, "place": str(e.origin)}
                for e in result.ledger
            ],
            "invariants": [_invariant(invariant) for invariant in result.invariants],
            "contracts": [asdict(c) | {"place": where(c.place)} for c in result.contracts],
            "warnings": list(result.warnings),
            "times": dict(result.times),
            "statistics": dict(result.statistics),
            "attempts": [asdict(attempt) for attempt in result.attempts],
            "obstacles": list(result.obstacles),
            "internal_errors": [asdict(error) for error in result.internal_errors],
        },
        indent=2,
    )


def _invariant(invariant: Invariant) -> dict[str, Any]:
    return {
        "function": invariant.function,
        "place": where(invariant.place),
        "text": invariant.text,
        "c": invariant.c,
        "smt": list(invariant.other),
    }


def _property(row: PropertyResult) -> dict[str, Any]:
    return {
        "property": row.property,
        "verdict": row.answer.value,
        "stage": row.stage.value if row.stage is not None else None,
        "reason": row.reason,
        "evidence": list(row.evidence),
        "violation": violation_of(row.violation),
    }


def _check(check: CheckResult) -> dict[str, Any]:
    return {
        "property": check.property,
        "text": check.text,
        "place": where(check.place),
        "verdict": check.answer.value,
        "stage": check.stage.value if check.stage is not None else None,
        "reason": check.reason,
        "evidence": list(check.evidence),
        "violation": violation_of(check.violation),
    }


def violation_of(found: Violation | None) -> dict[str, Any] | None:
    """A violation for JSON."""
    if found is None:
        return None
    inputs = [
        {
            "name": i.name,
            "value": i.value,
            "type": i.c_type,
            "place": where(i.place),
            "kind": i.kind,
        }
        for i in found.inputs
    ]
    from seahorn_py.evidence.trace import text as trace_text

    return {
        "property": found.property,
        "text": found.text,
        "place": where(found.place),
        "inputs": inputs,
        "trace": trace_text.data(found),
    }


def _loop(loop: LoopResult) -> dict[str, Any]:
    calls = [str(call) for call in loop.calls]
    verdict = {"verdict": loop.answer.value, "place": where(loop.place), "calls": calls}
    return {name: value for name, value in asdict(loop).items() if name != "answer"} | verdict


class _Terminal:
    """One line on standard error, rewritten at each phase: what goes on, and for how long."""

    def __init__(self, timeout: float) -> None:
        self._began = time.monotonic()
        self._timeout = timeout

    def phase(self, name: str) -> None:
        """Show the phase."""
        passed = time.monotonic() - self._began
        end = f" ... {passed:.0f} of {self._timeout:.0f} s"
        width = shutil.get_terminal_size().columns - len(end) - 1
        sys.stderr.write(f"\r\033[K{name[: max(width, 0)]}{end}\r")
        sys.stderr.flush()


class _Lines:
    """A line on standard error for each phase."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def phase(self, name: str) -> None:
        """Tell the phase, and when it begins."""
        sys.stderr.write(f"{time.monotonic() - self._began:6.1f} s  {name}\n")


class _Quiet:
    """In a pipe: nothing."""

    def phase(self, name: str) -> None:
        """Show nothing."""


def progress(chosen: dict[str, Any]) -> Progress:
    """Progress for this standard error: a line on a terminal, lines if asked for, else nothing."""
    if chosen.get("quiet", False):
        return _Quiet()
    if sys.stderr.isatty():
        return _Terminal(chosen["timeout"])
    return _Lines() if chosen.get("verbose", False) else _Quiet()
