"""Answers as SARIF 2.1.0 (OASIS standard, "Static Analysis Results Interchange Format", 2020).

    a run of sea-py          run                        3.14
    a property               reportingDescriptor        3.49, in tool.driver.rules
    a check that fails       result                     3.27
    the violating run        codeFlow, one threadFlow   3.36, 3.37
    a question left open     notification               3.58, in the invocation

Code hosts show each result as an alert, whatever its `kind`; so what is proved or left open is no
result.  What a project excuses is a result with a suppression (3.35).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

from seahorn_py.base.errors import Span
from seahorn_py.base.version import VERSION
from seahorn_py.cli.reports.findings import Finding, failures, message
from seahorn_py.cli.reports.weaknesses import RULES
from seahorn_py.cli.screen.inputs_told import lines as input_lines
from seahorn_py.evidence.trace.source import source_lines
from seahorn_py.evidence.trace.text import Line, steps
from seahorn_py.frontend.compiling.support import OUR_FOLDERS
from seahorn_py.options import Property
from seahorn_py.result import Answer, Violation

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"
FINGERPRINT = "seaPyCheck/v1"
MOST_STEPS = 1_000
"""Steps of a code flow; of a longer run its start and its end."""

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json]"
_Object: TypeAlias = "dict[str, Json]"


def sarif(found: Sequence[Finding], folder: Path) -> str:
    """The text of a SARIF file; files below `folder` are told relative to it."""
    return json.dumps(_log(found, _Files(folder)), indent=2) + "\n"


def _log(found: Sequence[Finding], files: _Files) -> _Object:
    told = sorted({Property(name) for name in _names(found)}, key=list(Property).index)
    numbers = {property_.value: number for number, property_ in enumerate(told)}
    driver: _Object = {
        "name": "sea-py",
        "semanticVersion": VERSION,
        "rules": [_rule(property_) for property_ in told],
    }
    unanswered = [f for f in found if f.answer is Answer.UNKNOWN]
    invocation: _Object = {
        "executionSuccessful": True,
        "toolExecutionNotifications": [_notification(f, files) for f in unanswered],
    }
    run: _Object = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"uri": f"{files.folder.as_uri().rstrip('/')}/"}},
        "invocations": [invocation],
        "results": list(_results(found, numbers, files)),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _names(found: Sequence[Finding]) -> Iterator[str]:
    """The properties that were asked about; an answer may be about several at once."""
    for finding in found:
        yield from finding.property.split(", ")


def _rule(property_: Property) -> _Object:
    rule = RULES[property_]
    markdown = f"{rule.violated}\n\n**Repair:** {rule.repair}"
    return {
        "id": property_.value,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.violated},
        "help": {"text": f"{rule.violated} {rule.repair}", "markdown": markdown},
        "helpUri": rule.page,
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": [f"external/cwe/cwe-{rule.cwe}"], "precision": "very-high"},
    }


def _notification(finding: Finding, files: _Files) -> _Object:
    told: _Object = {"level": "warning", "message": _text(message(finding))}
    if finding.place is not None:
        told["locations"] = [files.location(finding.place)]
    return told


# --------------------------------------------------------------------------------------- results


def _results(
    found: Sequence[Finding], numbers: Mapping[str, int], files: _Files
) -> Iterator[_Object]:
    """Of equal fingerprints the second one has a number, in the order of places."""
    seen: Counter[str] = Counter()
    for finding in sorted(failures(found), key=_order):
        print_ = _fingerprint(finding, files)
        seen[print_] += 1
        result: _Object = {
            "ruleId": finding.property,
            "ruleIndex": numbers[finding.property],
            "level": "error",
            "message": _text(_message(finding)),
            "partialFingerprints": {FINGERPRINT: f"{print_}:{seen[print_]}"},
        }
        if finding.place is not None:
            result["locations"] = [files.location(finding.place)]
        if finding.violation is not None and finding.violation.trace:
            result["codeFlows"] = [_flow(finding.violation, files)]
        if finding.suppressed:
            excuse: _Object = {"kind": "external", "justification": finding.suppressed}
            result["suppressions"] = [excuse]
        yield result


def _order(finding: Finding) -> tuple[str, int, int]:
    place = finding.place
    return (place.file, place.line, place.column) if place is not None else ("", 0, 0)


def _message(finding: Finding) -> str:
    """What fails, and for which inputs."""
    told = [message(finding)]
    if finding.violation is not None:
        told += input_lines(finding.violation)
    return "\n".join(told)


def _text(text: str) -> _Object:
    """A message; what the program wrote must not become a link (3.11.6)."""
    return {"text": text.replace("](", "] (")}


def _fingerprint(finding: Finding, files: _Files) -> str:
    """Of what fails and where, without the number of the line: lines move when text is edited."""
    place = finding.place
    about = (
        ("", "", "") if place is None else (files.name(place), place.function, files.line(place))
    )
    parts = (finding.property, finding.text, *about)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _flow(violation: Violation, files: _Files) -> _Object:
    told = [line for line in steps(violation) if line.tells or line.text]
    if len(told) > MOST_STEPS:
        told = [*told[: MOST_STEPS // 2], *told[-MOST_STEPS // 2 :]]
    locations: list[Json] = [_step(line, files) for line in told]
    return {"threadFlows": [{"locations": locations}]}


def _step(line: Line, files: _Files) -> _Object:
    step = line.step
    location = files.location(step.place)
    location["message"] = _text(line.told() or step.place.function or "step")
    changes: _Object = {change.name: {"text": change.value} for change in step.changes}
    return {
        "location": location,
        "nestingLevel": len(step.chain),
        "importance": "essential" if line.tells else "unimportant",
        **({"state": changes} if changes else {}),
    }


# ----------------------------------------------------------------------------------------- files


class _Files:
    """The files that places are in, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._lines: dict[str, list[bytes]] = {}

    def name(self, place: Span) -> str:
        """The path from the folder, if the file is below it."""
        path = self.folder / place.file
        is_below = path.resolve().is_relative_to(self.folder)
        return path.resolve().relative_to(self.folder).as_posix() if is_below else str(path)

    def line(self, place: Span) -> str:
        """The text of a line, with one space for each white space."""
        found = self._read(place.file)
        at = found[place.line - 1] if 0 < place.line <= len(found) else b""
        return " ".join(at.decode("utf-8", "replace").split())

    def location(self, place: Span) -> _Object:
        """A location; of a file below the folder relative to it."""
        artifact: _Object
        name = self.name(place)
        if place.file.startswith(OUR_FOLDERS):
            artifact = {"uri": quote(place.file.replace("<", "").replace(">", ""))}
        elif Path(name).is_absolute():
            artifact = {"uri": Path(name).as_uri()}
        else:
            artifact = {"uri": quote(name, errors="surrogateescape"), "uriBaseId": ROOT}
        physical: _Object = {"artifactLocation": artifact}
        if place.line > 0:
            physical["region"] = self._region(place)
        found: _Object = {"physicalLocation": physical}
        if place.function:
            found["logicalLocations"] = [{"name": place.function, "kind": "function"}]
        return found

    def _region(self, place: Span) -> _Object:
        """The compiler counts columns in bytes."""
        region: _Object = {"startLine": place.line}
        if place.column > 0:
            found = self._read(place.file)
            line = found[place.line - 1] if place.line <= len(found) else b""
            before = line[: place.column - 1].decode("utf-8", "replace")
            region["startColumn"] = len(before) + 1 if line else place.column
        return region

    def _read(self, file: str) -> list[bytes]:
        if file not in self._lines:
            self._lines[file] = source_lines(self.folder / file)
        return self._lines[file]
