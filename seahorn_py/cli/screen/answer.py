"""An answer as lines for people; the last one is `unsat`, `sat` or `unknown`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.base.errors import visible
from seahorn_py.cli.messages.codes import with_code
from seahorn_py.cli.screen import assumptions, inputs_told
from seahorn_py.cli.screen.words import event, sentence, verdict, where
from seahorn_py.processes import internal_errors
from seahorn_py.result import Answer, LoopResult, PropertyResult, VerificationResult, Violation

LAST_LINES = {Answer.SAFE: "unsat", Answer.UNSAFE: "sat", Answer.UNKNOWN: "unknown"}


def as_text(
    result: VerificationResult,
    show_invariants: bool,
    full_trace: bool = False,
    in_colour: bool = False,
) -> str:
    """Lines for people; the last one is `unsat`, `sat` or `unknown`, the one above says it.

    In colours a line of C with its caret stands between the two.
    """
    lines = [*map(visible, _lines(result, show_invariants, full_trace))]
    if in_colour:
        from seahorn_py.cli.screen.colours import excerpt, painted

        place = None if result.violation is None else result.violation.place
        lines = [*map(painted, lines), *excerpt(place)]
    return "\n".join([*lines, LAST_LINES[result.answer]])


def explained(result: VerificationResult, files: Sequence[str], at_length: bool) -> Iterator[str]:
    """Why there is an answer or none; of an unknown one always the most important lines."""
    if at_length:
        from seahorn_py.verification.answers import explanation

        yield from (f"explain: {line}" for line in explanation.lines(result, files))
    elif result.answer is Answer.UNKNOWN:
        from seahorn_py.verification.answers import explanation

        yield from explanation.in_short(result, files)


def _lines(result: VerificationResult, show_invariants: bool, full_trace: bool) -> Iterator[str]:
    yield from (with_code("L", line) for line in assumptions.uncovered(result))
    for warning in result.warnings:
        yield f"warning: {warning}"
    if result.violation is not None:
        yield from of_run(result.violation, full_trace)
    if show_invariants:
        yield from _invariants(result)
    yield from assumptions.lines(result)
    for line in result.evidence:
        yield f"evidence: {line}"
    yield from _loops(result.loops)
    yield from internal_errors.lines(result.internal_errors)
    for check in result.checks:
        yield f"check: {where(check.place)}: {check.text} ({check.property}): {verdict(check)}"
    width = max((len(row.property) for row in result.properties), default=0)
    for row in result.properties:
        yield f"property: {row.property:<{width}}  {_told(row)}"
    yield _said(result)


def _said(result: VerificationResult) -> str:
    said = sentence(result)
    return said if result.answer is not Answer.UNKNOWN else with_code("U", said)


def in_two_lines(result: VerificationResult) -> Iterator[str]:
    """The answer in a sentence, and the word for it."""
    yield visible(_said(result))
    yield LAST_LINES[result.answer]


def of_run(violation: Violation, full_trace: bool = False) -> Iterator[str]:
    """The inputs of a run and its steps."""
    yield from inputs_told.lines(violation)
    yield from _trace(violation, full_trace)


def _loops(loops: tuple[LoopResult, ...]) -> Iterator[str]:
    """What is known of how often loops go round, and when they end."""
    for loop in loops:
        unless = ", unless signed arithmetic overflows" if loop.needs_no_overflow else ""
        which = loop.text + "".join(f", called at {call}" for call in loop.calls)
        if loop.bound:
            yield f"bound: {which}: at most {loop.bound} times each time it is entered{unless}"
        if loop.in_all:
            yield f"bound: {which}: at most {loop.in_all} times in all{unless}"
        if loop.ends_if:
            yield f"condition: {which}: ends if {loop.ends_if}{unless}"


def _told(row: PropertyResult) -> str:
    if row.violation is None:
        return verdict(row)
    return f"unsafe: {where(row.violation.place)}: {_of_row(row.violation)}"


def _of_row(violation: Violation) -> str:
    """What happens; the row has the name of the property already."""
    return event(violation).removeprefix(f"{violation.property}: ")


def _invariants(result: VerificationResult) -> Iterator[str]:
    """Contracts and invariants as C expressions; what C cannot say is marked as SMT-LIB."""
    for contract in result.contracts:
        place = f"{where(contract.place)} in {contract.function}"
        yield from (f"requires: {place}: {text}" for text in contract.requires)
        yield from (f"ensures: {place}: {text}" for text in contract.ensures)
        yield from (f"contract: {place}: not in C: {text}" for text in contract.left_out)
    for invariant in result.invariants:
        place = f"{where(invariant.place)} in {invariant.function}"
        if invariant.c or not invariant.other:
            yield f"invariant: {place}: {invariant.c or invariant.text}"
        yield from (f"invariant: {place}: not in C: {text}" for text in invariant.other)


def _trace(violation: Violation, full: bool) -> Iterator[str]:
    if violation.trace:
        from seahorn_py.evidence.trace import text as trace_text

        yield from (f"trace: {line}" for line in trace_text.lines(violation, full))
