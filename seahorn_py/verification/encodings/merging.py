"""One answer for all checks of a program, put together from answers for some of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from seahorn_py.base.errors import Span, Stage
from seahorn_py.horn.ledger import Ledger
from seahorn_py.ir.program import ENDLESS, CheckSite, Fail, Program
from seahorn_py.options import Property
from seahorn_py.result import Answer, CheckResult, VerificationResult


def together(checks: Sequence[CheckResult], ledger: Ledger) -> VerificationResult:
    """Unsafe if one check is violated, safe if all hold, otherwise unknown with all reasons."""
    ordered = tuple(sorted(checks, key=lambda check: str(check.place)))
    violated = next((c for c in ordered if c.answer is Answer.UNSAFE), None)
    if violated is not None:
        return VerificationResult(
            Answer.UNSAFE,
            violated.evidence,
            violation=violated.violation,
            checks=ordered,
            ledger=ledger,
        )
    unknown = next((c for c in ordered if c.answer is Answer.UNKNOWN), None)
    if unknown is not None:
        return VerificationResult(
            Answer.UNKNOWN,
            stage=unknown.stage,
            reason=unknown.reason,
            checks=ordered,
            ledger=ledger,
        )
    evidence = tuple(dict.fromkeys(line for c in ordered for line in c.evidence))
    return VerificationResult(Answer.SAFE, evidence, checks=ordered, ledger=ledger)


def reachable_checks(program: Program) -> tuple[CheckSite, ...]:
    """The checks to which a path of the control-flow graph leads."""
    ends = (b.terminator for f in program.functions.values() for b in f.blocks)
    return tuple(end.check for end in ends if isinstance(end, Fail))


def merged(
    results: Sequence[VerificationResult], checks: Sequence[CheckSite], program: Program
) -> VerificationResult:
    """An answer with one for each check: a definite one, if one of the results has it.

    `program` is in encoding form.  A check that its control-flow graph does not reach is safe,
    unless the program has gaps.  A run that violates a check outweighs everything.
    """
    reachable = {_key(check) for check in reachable_checks(program)}
    found = {
        _key(check): _beforehand(check, _key(check) in reachable, program.gaps) for check in checks
    }
    for result in results:
        for key, outcome_ in _outcomes(result):
            if outcome_.answer is Answer.UNSAFE or found[key].answer is Answer.UNKNOWN:
                found[key] = outcome_
    ledger = dict.fromkeys(entry for result in results for entry in result.ledger)
    whole = together(tuple(found.values()), tuple(ledger))
    invariants = tuple(i for result in results for i in result.invariants)
    return replace(whole, invariants=invariants)


def _beforehand(check: CheckSite, reachable: bool, gaps: Sequence[str]) -> CheckResult:
    """What the control-flow graph alone says of a check."""
    name = _key(check)
    if reachable:
        return CheckResult(*name, Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    tracked = check.property == Property.VALID_MEMTRACK.value
    gap = next((gap for gap in gaps if tracked or gap != ENDLESS), None)
    if gap is not None:
        reason = f"not everything was checked: {gap}"
        return CheckResult(*name, Answer.UNKNOWN, stage=Stage.FRONT_END, reason=reason)
    return CheckResult(*name, Answer.SAFE, ("no path of the control-flow graph reaches it",))


_Key: TypeAlias = tuple[str, str, Span | None]


def _key(check: CheckSite) -> _Key:
    return check.property, check.text, check.origin.span


def _outcomes(result: VerificationResult) -> Iterator[tuple[_Key, CheckResult]]:
    """The answers of a result for single checks; its run is one for the check that it violates."""
    for check in result.checks:
        yield (check.property, check.text, check.place), check
    shown = result.violation
    if shown is not None and not result.checks:
        key = shown.property, shown.text, shown.place
        yield key, CheckResult(*key, Answer.UNSAFE, result.evidence, violation=shown)
