"""Results as text for people and as JSON for machines; progress on a terminal."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from seahorn_py.base.errors import Span, visible
from seahorn_py.base.version import VERSION
from seahorn_py.ir.program import NOT_COVERED
from seahorn_py.options import Property
from seahorn_py.processes import internal_errors
from seahorn_py.result import (
    Answer,
    CheckResult,
    InputValue,
    Invariant,
    LoopResult,
    PropertyResult,
    VerificationResult,
    Violation,
)

if TYPE_CHECKING:
    from seahorn_py.verification.clock import Progress

LAST_LINES = {Answer.SAFE: "unsat", Answer.UNSAFE: "sat", Answer.UNKNOWN: "unknown"}
MAX_INPUTS_SHOWN = 20


def as_text(result: VerificationResult, show_invariants: bool, full_trace: bool = False) -> str:
    """Lines for people; the last one is `unsat`, `sat` or `unknown`, the one above says it."""
    return "\n".join(map(visible, _lines(result, show_invariants, full_trace)))


def _lines(result: VerificationResult, show_invariants: bool, full_trace: bool) -> Iterator[str]:
    uncovered = [e for e in result.ledger if e.text.startswith(NOT_COVERED)]
    yield from (entry.text for entry in uncovered)
    for warning in result.warnings:
        yield f"warning: {warning}"
    if result.violation is not None:
        yield from _inputs(result.violation.inputs)
        yield from _trace(result.violation, full_trace)
    if show_invariants:
        yield from _invariants(result)
    for entry in (e for e in result.ledger if e not in uncovered):
        yield f"{entry.kind.value}: {entry.text} ({entry.origin})"
    for line in result.evidence:
        yield f"evidence: {line}"
    yield from _loops(result.loops)
    yield from internal_errors.lines(result.internal_errors)
    for check in result.checks:
        yield f"check: {_place(check.place)}: {check.text} ({check.property}): {_verdict(check)}"
    width = max((len(row.property) for row in result.properties), default=0)
    for row in result.properties:
        yield f"property: {row.property:<{width}}  {_told(row)}"
    yield _sentence(result)
    yield LAST_LINES[result.answer]


def _invariants(result: VerificationResult) -> Iterator[str]:
    """Contracts and invariants as C expressions; what C cannot say is marked as SMT-LIB."""
    for contract in result.contracts:
        where = f"{_place(contract.place)} in {contract.function}"
        yield from (f"requires: {where}: {text}" for text in contract.requires)
        yield from (f"ensures: {where}: {text}" for text in contract.ensures)
        yield from (f"contract: {where}: not in C: {text}" for text in contract.left_out)
    for invariant in result.invariants:
        where = f"{_place(invariant.place)} in {invariant.function}"
        if invariant.c or not invariant.other:
            yield f"invariant: {where}: {invariant.c or invariant.text}"
        yield from (f"invariant: {where}: not in C: {text}" for text in invariant.other)


def _loops(loops: tuple[LoopResult, ...]) -> Iterator[str]:
    """What is known of how often loops go round, and when they end."""
    for loop in loops:
        unless = ", unless signed arithmetic overflows" if loop.needs_no_overflow else ""
        where = loop.text + "".join(f", called at {call}" for call in loop.calls)
        if loop.bound:
            yield f"bound: {where}: at most {loop.bound} times each time it is entered{unless}"
        if loop.in_all:
            yield f"bound: {where}: at most {loop.in_all} times in all{unless}"
        if loop.ends_if:
            yield f"condition: {where}: ends if {loop.ends_if}{unless}"


def _told(row: PropertyResult) -> str:
    if row.violation is None:
        return _verdict(row)
    return f"unsafe: {_place(row.violation.place)}: {row.violation.text}"


def _verdict(check: CheckResult | PropertyResult) -> str:
    if check.answer is not Answer.UNKNOWN:
        return str(check.answer.value)
    stage = check.stage.value if check.stage is not None else "?"
    return f"unknown: {stage}: {check.reason}"


def _inputs(inputs: tuple[InputValue, ...]) -> Iterator[str]:
    for value in inputs[:MAX_INPUTS_SHOWN]:
        yield f"input: {_place(value.place)}: {value.name} = {value.value}"
    if len(inputs) > MAX_INPUTS_SHOWN:
        yield f"input: ... {len(inputs) - MAX_INPUTS_SHOWN} more (all of them with --json)"


def _trace(violation: Violation, full: bool) -> Iterator[str]:
    if violation.trace:
        from seahorn_py.evidence.trace import text as trace_text

        yield from (f"trace: {line}" for line in trace_text.lines(violation, full))


def _sentence(result: VerificationResult) -> str:
    match result.answer:
        case Answer.SAFE:
            return f"safe: {result.meaning}"
        case Answer.UNSAFE:
            assert result.violation is not None
            return f"unsafe: {_place(result.violation.place)}: {_event(result.violation)}"
        case Answer.UNKNOWN:
            assert result.stage is not None
            return f"unknown: {result.stage.value}: {result.reason}"


def _event(violation: Violation) -> str:
    """What happens at the place of a violation."""
    if violation.property == Property.UNREACH_CALL.value:
        return f"{violation.text} is reached"
    return f"{violation.property}: {violation.text}"


def _place(span: Span | None) -> str:
    return str(span) if span is not None else "?"


def as_json(result: VerificationResult) -> str:
    """One JSON object with everything the result holds."""
    return json.dumps(
        {
            "version": VERSION,
            "verdict": result.answer.value,
            "stage": result.stage.value if result.stage is not None else None,
            "reason": result.reason,
            "violation": _violation(result.violation),
            "checks": [_check(check) for check in result.checks],
            "properties": [_property(row) for row in result.properties],
            "loops": [_loop(loop) for loop in result.loops],
            "evidence": list(result.evidence),
            "ledger": [
                {"kind": e.kind.value, "text": e.text, "place": str(e.origin)}
                for e in result.ledger
            ],
            "invariants": [_invariant(invariant) for invariant in result.invariants],
            "contracts": [asdict(c) | {"place": _place(c.place)} for c in result.contracts],
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
        "place": _place(invariant.place),
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
        "violation": _violation(row.violation),
    }


def _check(check: CheckResult) -> dict[str, Any]:
    return {
        "property": check.property,
        "text": check.text,
        "place": _place(check.place),
        "verdict": check.answer.value,
        "stage": check.stage.value if check.stage is not None else None,
        "reason": check.reason,
        "evidence": list(check.evidence),
        "violation": _violation(check.violation),
    }


def _violation(found: Violation | None) -> dict[str, Any] | None:
    if found is None:
        return None
    inputs = [
        {
            "name": i.name,
            "value": i.value,
            "type": i.c_type,
            "place": _place(i.place),
            "kind": i.kind,
        }
        for i in found.inputs
    ]
    from seahorn_py.evidence.trace import text as trace_text

    return {
        "property": found.property,
        "text": found.text,
        "place": _place(found.place),
        "inputs": inputs,
        "trace": trace_text.data(found),
    }


def _loop(loop: LoopResult) -> dict[str, Any]:
    calls = [str(call) for call in loop.calls]
    verdict = {"verdict": loop.answer.value, "place": _place(loop.place), "calls": calls}
    return {name: value for name, value in asdict(loop).items() if name != "answer"} | verdict


class _Terminal:
    """One line on standard error, rewritten at each phase."""

    def phase(self, name: str) -> None:
        """Show the phase."""
        width = shutil.get_terminal_size().columns - len(" ...")
        sys.stderr.write(f"\r\033[K{name[:width]} ...\r")
        sys.stderr.flush()


class _Quiet:
    """In a pipe: nothing."""

    def phase(self, name: str) -> None:
        """Show nothing."""


def progress() -> Progress:
    """Progress for this standard error: a line on a terminal, nothing in a pipe."""
    return _Terminal() if sys.stderr.isatty() else _Quiet()
