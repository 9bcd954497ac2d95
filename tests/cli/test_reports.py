"""SARIF, JUnit XML and annotations: what they say, and that no name or text breaks out of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from command import EXAMPLES, sea_py
from published_schemas import published

from seahorn_py.base.errors import Span, Stage
from seahorn_py.cli.reports.findings import Finding, findings
from seahorn_py.cli.reports.github import annotated, commands
from seahorn_py.cli.reports.junit import junit
from seahorn_py.cli.reports.sarif import FINGERPRINT, sarif
from seahorn_py.cli.reports.weaknesses import RULES
from seahorn_py.options import Property
from seahorn_py.result import (
    Answer,
    Change,
    CheckResult,
    InputValue,
    PropertyResult,
    TraceStep,
    VerificationResult,
    Violation,
)

HOSTILE = "a\n::error::b],c:d%<x>&\"'\x1b[2J ##[warning] [here](http://evil)\ufffe"
PROGRAM = "int main(void) {\n  int ä = 0; reach_error();\n  return 0;\n}\n"


def violation(file: str, line: int = 2, text: str = "reach_error()") -> Violation:
    place = Span(file, line, 15, "main")
    step = TraceStep(place, (), (Change("x", "1"),))
    inputs = (InputValue("__VERIFIER_nondet_int", 1, "int", place, "nondet"),)
    return Violation("unreach-call", text, place, inputs, (step,))


def unsafe(found: Violation) -> VerificationResult:
    return VerificationResult(Answer.UNSAFE, ("seen",), violation=found)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "a.c"
    file.write_text(PROGRAM)
    return file


def sarif_of(result: VerificationResult, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sarif(findings(result, ()), folder))
    return found


# ----------------------------------------------------------------------------------------- SARIF


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return published("/sarif-2.1.0.json", tmp_path_factory.mktemp("schemas"))


def test_what_is_written_is_valid_sarif(schema: dict[str, Any], tmp_path: Path) -> None:
    validator = jsonschema.Draft7Validator(schema)
    out = tmp_path / "a.sarif"
    sea_py("pf", "--all-checks", "--sarif", out, EXAMPLES / "two_checks_unsafe.c")
    written = json.loads(out.read_text())
    assert len(written["runs"][0]["results"]) == 1
    answers = (unsafe(violation(HOSTILE)), unknown(), VerificationResult(Answer.SAFE))
    for log in (written, *(sarif_of(answer, tmp_path) for answer in answers)):
        validator.validate(log)
    assert not validator.is_valid({**written, "version": "2.2"})


def unknown() -> VerificationResult:
    rows = (
        PropertyResult("no-overflow", frozenset(), Answer.SAFE),
        PropertyResult("shift", frozenset(), Answer.UNKNOWN, (), Stage.SOLVE, "time limit"),
    )
    return VerificationResult(
        Answer.UNKNOWN, properties=rows, stage=Stage.SOLVE, reason="time limit"
    )


def test_a_result_points_at_its_place(program: Path) -> None:
    (run,) = sarif_of(unsafe(violation(str(program))), program.parent)["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a.c", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 2, "startColumn": 14}, "columns are characters"
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{program.parent.as_uri()}/"
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], result["level"]) == (result["ruleId"], "error")
    (step,) = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert step["state"] == {"x": {"text": "1"}}


def test_what_has_no_answer_is_no_result(tmp_path: Path) -> None:
    (run,) = sarif_of(unknown(), tmp_path)["runs"]
    assert run["results"] == []
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "no answer for shift: solve: time limit"


def test_a_fingerprint_survives_lines_above(program: Path) -> None:
    def prints(*lines: int) -> list[str]:
        checks = tuple(
            CheckResult("unreach-call", "reach_error()", v.place, Answer.UNSAFE, violation=v)
            for v in (violation(str(program), line) for line in lines)
        )
        result = VerificationResult(Answer.UNSAFE, checks=checks)
        (run,) = sarif_of(result, program.parent)["runs"]
        return [found["partialFingerprints"][FINGERPRINT] for found in run["results"]]

    before = prints(2)
    program.write_text("/* more */\n\n" + PROGRAM.replace("  int", "\tint"))
    assert prints(4) == before
    program.write_text(PROGRAM.replace("int ä = 0;", "int ä = 1;"))
    assert prints(2) != before
    program.write_text(PROGRAM + PROGRAM)
    assert prints(2, 6) == [before[0], before[0].replace(":1", ":2")]


def test_every_property_has_a_rule() -> None:
    assert RULES.keys() == set(Property)
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


def test_a_link_of_the_program_is_none(tmp_path: Path) -> None:
    (run,) = sarif_of(unsafe(violation("no.c", text=HOSTILE)), tmp_path)["runs"]
    assert "](" not in run["results"][0]["message"]["text"]


# ----------------------------------------------------------------------------------------- JUnit


def test_a_case_for_each_question() -> None:
    safe = CheckResult("unreach-call", "f()", Span("a.c", 1, 1, "f"), Answer.SAFE)
    open_ = replace(safe, answer=Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    failed = replace(safe, answer=Answer.UNSAFE, text=HOSTILE, violation=violation(HOSTILE))
    result = VerificationResult(Answer.UNSAFE, checks=(safe, open_, failed), times={"solve": 1.5})
    root = ElementTree.fromstring(junit(result, findings(result, ()), ["a.c", HOSTILE]))
    (suite,) = root
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")]
    assert counts == ["3", "1", "0", "1", "1.500"]
    assert [[child.tag for child in case] for case in suite] == [[], ["skipped"], ["failure"]]
    assert [case.get("line") for case in suite] == ["1", "1", "1"]
    text = suite[2][0].text
    assert text is not None and "input: " in text and "trace: " in text


def test_without_checks_there_is_one_case() -> None:
    (found,) = findings(VerificationResult(Answer.SAFE), (Property.SHIFT, Property.VALID_FREE))
    assert found == Finding("valid-free, shift", "", None, Answer.SAFE)


# ----------------------------------------------------------------------------------- annotations


def test_annotations() -> None:
    assert [*commands(findings(unsafe(violation("a,b:c%.c")), ()))] == [
        "::error file=a%2Cb%3Ac%25.c,line=2,col=15,title=sea-py%3A unreach-call"
        "::reach_error() is reached"
    ]
    (warning,) = commands(findings(unknown(), ()))
    assert warning.startswith("::warning title=sea-py%3A shift::no answer for shift: ")


def test_no_text_is_a_command_of_the_runner() -> None:
    result = unsafe(violation(HOSTILE, text=HOSTILE))
    told = annotated("the text ##[error]x", result, ())
    assert [line[:8] for line in told.splitlines()] == ["::error ", "the text"]
    assert "##[" not in told.splitlines()[1]


# ---------------------------------------------------------------------------------- command line


def test_files_and_annotations_of_a_command(tmp_path: Path) -> None:
    out = [tmp_path / "a.sarif", tmp_path / "a.xml"]
    asked = ("--format", "github", "--sarif", out[0], "--junit", out[1])
    done = sea_py("pf", *asked, EXAMPLES / "counter_unsafe.c")
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1]) == (1, "sat")
    assert re.match(r"::error file=.*counter_unsafe\.c,line=14,col=9,title=", lines[0])
    assert {f"sarif: {out[0]}: results: 1", f"junit: {out[1]}: cases: 1"} <= set(lines)
    assert ElementTree.fromstring(out[1].read_text()).find(".//failure") is not None


def test_a_file_that_cannot_be_written_costs_no_answer(tmp_path: Path) -> None:
    done = sea_py("pf", "--sarif", tmp_path / "no" / "a.sarif", EXAMPLES / "counter_unsafe.c")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (2, "sat")
    assert "cannot write" in done.stderr


def test_a_caret_and_colours_where_they_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("#include <assert.h>\nint main(void) {\n\tint ä = 1; assert(ä == 2);\n}\n")
    lines = sea_py("pf", "--color", "always", file).stdout.splitlines()
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
    assert plain[-4:] == [
        f"unsafe: {file}:3:14: assertion failed: ä == 2",
        "    3 |         int ä = 1; assert(ä == 2);",
        "      |                    ^",
        "sat",
    ]
    assert "\x1b[1;31munsafe:" in lines[-4]
    assert lines[-1] == "sat"


def test_no_colours_in_a_pipe() -> None:
    assert "\x1b" not in sea_py("pf", EXAMPLES / "counter_unsafe.c").stdout


def test_an_engine_of_nearly_that_name() -> None:
    done = sea_py("pf", "--engine", "spacr", EXAMPLES / "counter_safe.c")
    assert "unknown engine spacr, did you mean spacer?" in done.stderr


def test_an_unknown_answer_is_five_lines() -> None:
    done = sea_py("pf", "--engine", "bmc", "--bound", "2", EXAMPLES / "counter_safe.c")
    starts = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert starts == ["in the way", "tried", "try", "unknown", "unknown"]
