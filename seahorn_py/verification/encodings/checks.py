"""Encodings that ask about some of the checks, and what an answer says of each check.

A run ends at the first check that it violates.  So a system without some checks has all runs that
violate another one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from seahorn_py.base.errors import Stage
from seahorn_py.encode.encoding import Encoding
from seahorn_py.encode.integers.wrapping import where
from seahorn_py.horn.system import Check, CheckId, Query, Rule
from seahorn_py.horn.transform.rules.restriction import Restriction
from seahorn_py.ir.program import Program
from seahorn_py.result import Answer, CheckResult, VerificationResult, Violation
from seahorn_py.verification.encodings.merging import reachable_checks

Checks: TypeAlias = frozenset[CheckId]


def checks_of(encoding: Encoding) -> Checks:
    """The checks that the queries of an encoding ask about."""
    asked = (_check(rule) for rule in encoding.system.queries)
    return frozenset(check for check in asked if check is not None)


def _check(rule: Rule) -> CheckId | None:
    head = rule.head
    return head.kind.id if isinstance(head, Query) and isinstance(head.kind, Check) else None


def sites_of(check: CheckId, program: Program) -> frozenset[int]:
    """The numbers of the copies of a check in the program; to the user they are one check."""
    return frozenset(
        site.number
        for site in reachable_checks(program)
        if CheckId(site.property, site.text, where(site.origin)) == check
    )


def restricted(encoding: Encoding, only: Checks | None) -> Encoding:
    """The encoding with all its obligations, but only the queries of these checks."""
    if only is None:
        return encoding
    kept, _ = Restriction(lambda r: _check(r) is None or _check(r) in only).apply(encoding.system)
    return replace(encoding, system=kept)


def checks_decided(asked: Checks, result: VerificationResult) -> Checks:
    """The checks that a result is an answer for, among those that were asked about."""
    match result.answer:
        case Answer.SAFE:
            return asked
        case Answer.UNSAFE:
            shown = result.violation
            return frozenset(c for c in asked if shown is not None and _is_of(shown, c))
        case Answer.UNKNOWN:
            return frozenset()


def _is_of(violation: Violation, check: CheckId) -> bool:
    shown = violation.property, violation.text, violation.place
    return shown == (check.property, check.text, check.origin.span)


def result_of(check: CheckId, result: VerificationResult) -> CheckResult:
    """What a result says of a check; unknown if its run violates another check first."""
    name = check.property, check.text, check.origin.span
    if result.answer is Answer.UNSAFE and not checks_decided(frozenset({check}), result):
        reason = "the run found violates another check first"
        return CheckResult(*name, Answer.UNKNOWN, stage=Stage.REPLAY, reason=reason)
    return CheckResult(
        *name,
        result.answer,
        result.evidence,
        result.stage,
        result.reason,
        result.violation,
    )
