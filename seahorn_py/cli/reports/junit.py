"""Answers as JUnit XML, as CI servers read it: a suite of cases, some failed or skipped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from xml.etree import ElementTree

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.cli.reports.findings import Finding, message
from seahorn_py.result import Answer, VerificationResult

_UNCLEAN = pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Ending(Enum):
    """How a case ended; the values are the names of elements."""

    PASSED = ""
    FAILED = "failure"
    BROKEN = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Case:
    """A case: the class it is shown under, its name, wall seconds, how it ended and why."""

    group: str
    name: str
    seconds: float | None
    ending: Ending
    message: str = ""
    text: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Suite:
    """Cases under a name; all of them took so many wall seconds."""

    name: str
    cases: Sequence[Case]
    seconds: float


def clean(text: str) -> str:
    """The text with U+FFFD for what no XML 1.0 document and no UTF-8 file can have."""
    return _UNCLEAN.sub("\ufffd", text)


def document(name: str, suites: Iterable[Suite]) -> str:
    """The text of a JUnit file."""
    root = ElementTree.Element("testsuites", name=name)
    for suite in suites:
        _write_suite(root, suite)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _write_suite(root: ElementTree.Element, suite: Suite) -> None:
    element = ElementTree.SubElement(root, "testsuite", name=clean(suite.name))
    for case in suite.cases:
        _write_case(element, case)
    counted = ((Ending.FAILED, "failures"), (Ending.BROKEN, "errors"), (Ending.SKIPPED, "skipped"))
    for ending, name in counted:
        element.set(name, str(sum(case.ending is ending for case in suite.cases)))
    element.set("tests", str(len(suite.cases)))
    element.set("time", f"{suite.seconds:.3f}")


def _write_case(suite: ElementTree.Element, case: Case) -> None:
    names = {"classname": clean(case.group), "name": clean(case.name)}
    element = ElementTree.SubElement(suite, "testcase", names)
    if case.file:
        element.set("file", clean(case.file))
        element.set("line", str(case.line))
    if case.seconds is not None:
        element.set("time", f"{case.seconds:.3f}")
    if case.ending is not Ending.PASSED:
        child = ElementTree.SubElement(element, case.ending.value, message=clean(case.message))
        child.text = clean(case.text)


# ---------------------------------------------------------------------- of a verification


_ENDINGS = {
    Answer.SAFE: Ending.PASSED,
    Answer.UNSAFE: Ending.FAILED,
    Answer.UNKNOWN: Ending.SKIPPED,
}


def junit(result: VerificationResult, found: Sequence[Finding], files: Sequence[str]) -> str:
    """An answer as a suite named after the files, with a case for each question."""
    name = " ".join(files)
    suite = Suite(name, [_case(finding, name) for finding in found], sum(result.times.values()))
    return document("sea-py", [suite])


def _case(finding: Finding, name: str) -> Case:
    place = finding.place
    about = f"{finding.text} at {place}" if place is not None else finding.text or name
    ending = _ENDINGS[finding.answer]
    text = ""
    if finding.violation is not None:
        from seahorn_py.cli.screen.answer import of_run

        text = "\n".join(of_run(finding.violation))
    file, line = (place.file, place.line) if place is not None else ("", 0)
    return Case(finding.property, about, None, ending, message(finding), text, file, line)
