"""A check in the formats of other tools: SARIF, JUnit XML, annotations, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.version import VERSION
from seahorn_py.cli.project.outcomes import Excused, Outcome, Status
from seahorn_py.cli.project.project import Suppression
from seahorn_py.cli.reports import github
from seahorn_py.cli.reports.findings import Finding, message
from seahorn_py.cli.reports.junit import Case, Ending, Suite, document
from seahorn_py.cli.reports.sarif import sarif
from seahorn_py.cli.screen.words import where
from seahorn_py.result import Answer

SCHEMA_NUMBER = 1
"""Goes up when a field of the JSON output goes, or means something else."""

_ENDINGS = {
    Status.AS_EXPECTED: Ending.PASSED,
    Status.DIFFERS: Ending.FAILED,
    Status.REFUSED: Ending.BROKEN,
    Status.BROKEN: Ending.BROKEN,
    Status.UNKNOWN: Ending.SKIPPED,
    Status.SUPPRESSED: Ending.SKIPPED,
    Status.NOT_RUN: Ending.SKIPPED,
}


def as_sarif(seen: Sequence[Outcome], folder: Path) -> str:
    """What fails and is not expected to, what is excused, and what has no answer."""
    found: list[Finding] = []
    for outcome in seen:
        found += [
            f for f in outcome.findings if not outcome.is_good and f.answer is not Answer.SAFE
        ]
        found += [replace(one.finding, suppressed=_reason(one)) for one in outcome.excused]
    return sarif(found, folder)


def _reason(one: Excused) -> str:
    return f"{one.by.reason} (until {one.by.expires})"


def as_junit(file: Path, seen: Sequence[Outcome], seconds: float) -> str:
    """A suite with a case for each proof."""
    suite = Suite(str(file), [_case(one) for one in seen], seconds)
    return document("sea-py check", [suite])


def _case(one: Outcome) -> Case:
    ending, told = _ENDINGS[one.status], one.headline
    if one.difference:
        told = f"{one.difference}: {told}"
    if one.status is Status.SUPPRESSED:
        told = "; ".join(f"suppressed: {_reason(excused)}" for excused in one.excused)
    place = one.proof.place
    seconds = None if one.is_kept else one.seconds
    row = (one.proof.name, seconds, ending, told, "\n".join(one.lines))
    return Case("sea.toml", *row, str(place.file), max(place.line, 1))


def github_lines(seen: Sequence[Outcome], expired: Sequence[Suppression]) -> Iterator[str]:
    """A line of GitHub for each finding that counts, and for each proof without one."""
    for one in expired:
        text = f"this suppression ended on {one.expires}: {one.reason}"
        yield github.command("error", _line(one.place.file, one.place.line), "suppression", text)
    for outcome in seen:
        if outcome.is_good or outcome.status is Status.NOT_RUN:
            continue
        told = [f for f in outcome.findings if f.answer is not Answer.SAFE]
        if told and outcome.answer is not Answer.SAFE:
            yield from github.commands(told)
            continue
        level = "warning" if outcome.status is Status.UNKNOWN else "error"
        text = outcome.difference or outcome.headline
        place = outcome.proof.place
        yield github.command(level, _line(place.file, place.line), outcome.proof.name, text)


def _line(file: Path, line: int) -> tuple[str, int, int]:
    return str(file), line, 0


def as_json(file: Path, verdict: str, seen: Sequence[Outcome], seconds: float) -> str:
    """One JSON object, with a row for each proof."""
    return json.dumps(
        {
            "schema": SCHEMA_NUMBER,
            "version": VERSION,
            "file": str(file),
            "result": verdict,
            "seconds": round(seconds, 3),
            "proofs": [_row(one) for one in seen],
        },
        indent=2,
    )


def _row(one: Outcome) -> dict[str, object]:
    return {
        "name": one.proof.name,
        "line": one.proof.place.line,
        "status": one.status.value,
        "expected": one.proof.expected.value,
        "verdict": one.answer.value if one.answer is not None else None,
        "headline": one.headline,
        "seconds": round(one.seconds, 3),
        "kept": one.is_kept,
        "findings": [_finding(f) for f in one.findings if f.answer is not Answer.SAFE],
        "suppressed": [_finding(e.finding) | _excuse(e) for e in one.excused],
        "command": one.proof.command,
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "property": finding.property,
        "place": where(finding.place),
        "verdict": finding.answer.value,
        "message": message(finding),
    }


def _excuse(one: Excused) -> dict[str, object]:
    return {"reason": one.by.reason, "expires": str(one.by.expires)}
