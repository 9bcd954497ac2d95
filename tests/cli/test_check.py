"""`sea-py check`: which proofs are run, what is told of them, exit codes, what is kept."""

from __future__ import annotations

import datetime
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from command import EXAMPLES, ROOT, SEA_PY, Done, interruptible, sea_py

from seahorn_py.base.errors import Span, Stage
from seahorn_py.cli.project import kept_answers, running
from seahorn_py.cli.project.outcomes import Outcome, Status, expired, judged
from seahorn_py.cli.project.project import Place, Proof, Suppression
from seahorn_py.cli.project.running import Answered
from seahorn_py.cli.project.shown import by_urgency, details, row, summary
from seahorn_py.cli.reports.findings import Finding
from seahorn_py.options import VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification import pipeline

SAFE = "void reach_error(void);\nint main(void) {\n  if (%s)\n    reach_error();\n}\n"
UNSAFE = "void reach_error(void);\nint main(void) {\n  reach_error();\n}\n"
TWO = """void reach_error(void);
int __VERIFIER_nondet_int(void);
static void other(int x) {
  if (x == OTHER)
    reach_error();
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 1)
    reach_error();
  other(x);
}
"""
PROOFS = """
[defaults]
timeout = 60
property = "unreach-call"

[[proof]]
name = "good"
sources = ["good.c"]

[[proof]]
name = "bad"
sources = ["bad.c"]

[[proof]]
name = "known"
sources = ["bad.c"]
expected = "unsafe"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.c").write_text(SAFE % "0")
    (tmp_path / "bad.c").write_text(UNSAFE)
    (tmp_path / "sea.toml").write_text(PROOFS)
    return tmp_path


def check(folder: Path, *arguments: str | Path) -> Done:
    return sea_py("check", "--jobs", "2", *arguments, cwd=folder)


def test_a_check_tells_what_differs_and_runs_what_has_changed(folder: Path) -> None:
    """All in one run of several commands, for each proof takes half a second."""
    first = check(folder, "--sarif", "a.sarif", "--junit", "a.xml")
    assert first.returncode == 1
    *_, counts, last = first.stdout.splitlines()
    assert (last, counts.partition(";")[0]) == (
        "failed",
        "3 proofs: 1 other than expected, 2 as expected",
    )
    assert "--- bad (sea.toml:10): expected safe, is unsafe" in first.stdout
    assert "trace: bad.c:3: main: reach_error();" in first.stdout
    assert "alone: sea-py pf --timeout=60 --property=unreach-call bad.c" in first.stdout
    _files(folder)
    second = check(folder, "--format", "json")
    schema = json.loads((ROOT / "docs" / "reference" / "check.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(second.stdout))
    rows = {proof["name"]: proof for proof in json.loads(second.stdout)["proofs"]}
    assert [name for name, proof in rows.items() if proof["kept"]] == ["good", "known"]
    assert rows["bad"]["findings"][0]["place"] == "bad.c:3:3"
    (folder / "good.c").write_text("/* a comment */\n" + (folder / "good.c").read_text())
    assert "kept" in check(folder, "good").stdout
    (folder / "good.c").write_text(SAFE % "1 < 0")
    third = check(folder, "g*d", "--format", "github")
    assert third.returncode == 0 and "kept" not in third.stdout
    assert third.stdout.splitlines()[-1] == "passed"


def _files(folder: Path) -> None:
    (result,) = json.loads((folder / "a.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("bad.c", 3)
    cases = ElementTree.parse(folder / "a.xml").getroot().findall(".//testcase")
    told = {case.get("name"): [child.tag for child in case] for case in cases}
    assert told == {"good": [], "bad": ["failure"], "known": []}
    assert (folder / ".sea-py" / ".gitignore").read_text() == "*\n"


def test_names_and_files_that_are_not_there(folder: Path) -> None:
    wrong = check(folder, "goood")
    assert wrong.returncode == 2
    assert wrong.stderr == (
        "sea-py: error: sea.toml: no proof goood, did you mean good?; there are: good, bad, known"
        " [E104]\n"
    )
    listed = check(folder, "--list", "good")
    assert listed.stdout == "good: sea-py pf --timeout=60 --property=unreach-call good.c\n"
    (folder / "sea.toml").unlink()
    assert "`sea-py init` writes one" in check(folder).stderr


def test_a_report_that_cannot_be_written_costs_no_answer(folder: Path) -> None:
    done = check(folder, "good", "--sarif", "nowhere/a.sarif")
    assert done.returncode == 2 and done.stdout.splitlines()[-1] == "passed"
    assert done.stderr.startswith("sea-py: error: nowhere/a.sarif: cannot write: ")


def test_a_report_has_a_table_and_pages(folder: Path) -> None:
    done = check(folder, "--report", "pages", "--quiet")
    assert "report: pages/index.html: proofs: 3, pages: 3\n" in done.stdout
    assert "[1/3]" not in done.stdout and done.stdout.splitlines()[-1] == "failed"
    table = (folder / "pages" / "index.html").read_text()
    assert table.index(">bad<") < table.index(">good<")
    assert "1 other than expected" in done.stdout and "2 unsafe, 1 safe" in table
    page = (folder / "pages" / "answer-1.html").read_text()
    assert "sea-py pf --timeout=60 --property=unreach-call bad.c" in page
    again = check(folder, "good", "--report", "pages")
    assert "pages: 0\n" in again.stdout, again
    assert "kept from before: as expected" in (folder / "pages" / "index.html").read_text()
    assert not (folder / "pages" / "answer-1.html").exists()


def test_wrong_input_of_one_proof_leaves_the_others(folder: Path) -> None:
    (folder / "bad.c").write_text("int main(void) { return }\n")
    done = check(folder, "bad", "good", "--format", "github")
    assert done.returncode == 2
    assert "bad.c:1:25" in done.stdout and "1 wrong input, 1 as expected" in done.stdout
    assert "\n::error file=sea.toml,line=10,title=sea-py%3A bad::" in done.stdout


EXCUSED = """
[defaults]
property = "unreach-call"
[[proof]]
name = "excused"
sources = ["two.c"]
define = ["OTHER=1"]
[[proof]]
name = "more"
sources = ["two.c"]
define = ["OTHER=2"]
[[suppress]]
file = "two.c"
function = "main"
reason = "issue 7"
expires = 2999-01-01
"""


@pytest.mark.full
def test_what_is_excused_is_told_and_the_rest_is_looked_at(folder: Path) -> None:
    (folder / "sea.toml").write_text(EXCUSED)
    (folder / "two.c").write_text(TWO)
    done = check(folder, "--sarif", "a.sarif")
    assert done.returncode == 1, done.stdout
    assert "2 proofs: 1 other than expected, 1 suppressed" in done.stdout
    until = "until 2999-01-01: issue 7 (sea.toml:12)"
    assert f"suppressed: excused: two.c:10:5: reach_error() is reached; {until}" in done.stdout
    assert re.search(r"differs +more .* two\.c:5:5: reach_error\(\) is reached\n", done.stdout)
    results = json.loads((folder / "a.sarif").read_text())["runs"][0]["results"]
    excuses = [[one["justification"] for one in r.get("suppressions", [])] for r in results]
    assert sorted(excuses) == [[], ["issue 7 (until 2999-01-01)"], ["issue 7 (until 2999-01-01)"]]


def test_a_suppression_that_is_past_fails(folder: Path) -> None:
    excuse = '[[suppress]]\nproof = "good"\nfile = "x.c"\nreason = "r"\nexpires = 2020-01-01\n'
    (folder / "sea.toml").write_text(PROOFS + excuse)
    done = check(folder, "good", "--format", "github")
    assert done.returncode == 1
    assert "expired: sea.toml:18: this suppression ended on 2020-01-01 (r): mend" in done.stdout
    assert "::error file=sea.toml,line=18" in done.stdout
    assert check(folder, "known").returncode == 0


def test_a_folder_that_others_may_write_keeps_nothing(folder: Path) -> None:
    (folder / "open").mkdir()
    (folder / "open").chmod(0o777)
    done = check(folder, "--cache", "open")
    assert done.returncode == 2 and "others may write here" in done.stderr


LOOP = """void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  for (unsigned i = 0; i < a * b; i++)
    if (i * i * b == 77777777 * a + i)
      b ^= i * a;
  if (b * a == 1234567 && a % 77 == 3 && b % 13 == 5 && a > b)
    reach_error();
}
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_gives_what_is_known_and_leaves_nothing(
    folder: Path, number: signal.Signals
) -> None:
    (folder / "good.c").write_text(LOOP)
    command = [*SEA_PY, "check", "--jobs", "1", "bad", "good", "--junit", "a.xml"]
    text = PROOFS.replace('[[proof]]\nname = "good"\nsources = ["good.c"]\n', "")
    (folder / "sea.toml").write_text(f'{text}[[proof]]\nname = "good"\nsources = ["good.c"]\n')
    running = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, preexec_fn=interruptible
    )
    assert running.stdout is not None
    line = running.stdout.readline()  # of the first proof; the second one runs now
    time.sleep(0.3)
    running.send_signal(number)
    rest = running.stdout.read()
    assert running.wait(20) == 128 + number
    assert "bad" in line and "1 not run" in rest and rest.splitlines()[-1] == "failed"
    skipped = [c.tag for c in ElementTree.parse(folder / "a.xml").getroot().iter("skipped")]
    assert len(skipped) == 1
    marked = f"{folder}".encode()
    assert not [
        pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _in(pid, marked)
    ]


def _in(pid: int, folder: bytes) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/cwd").encode() == folder
    except OSError:
        return False


# --------------------------------------------------------------------------- without running


def proof(name: str = "p", expected: Answer = Answer.SAFE, line: int = 3) -> Proof:
    return Proof(name, Place(Path("sea.toml"), line), (Path("a.c"),), (), expected)


def finding(answer: Answer, line: int = 1, property_: str = "shift") -> Finding:
    place = Span("src/a.c", line, 1, "f")
    return Finding(property_, "x << y", place, answer, "solve: time limit")


def answered(answer: Answer, *found: Finding) -> Answered:
    return Answered(answer, found, (f"{answer.value}: told", "last"))


def excuse(**fields: str) -> Suppression:
    place = Place(Path("sea.toml"), 9)
    return Suppression(place, "known", datetime.date(2030, 1, 1), **fields)


@pytest.mark.parametrize(
    ("expected", "answer", "status"),
    [
        (Answer.SAFE, Answer.SAFE, Status.AS_EXPECTED),
        (Answer.SAFE, Answer.UNSAFE, Status.DIFFERS),
        (Answer.SAFE, Answer.UNKNOWN, Status.UNKNOWN),
        (Answer.UNSAFE, Answer.SAFE, Status.DIFFERS),
        (Answer.UNSAFE, Answer.UNSAFE, Status.AS_EXPECTED),
        (Answer.UNSAFE, Answer.UNKNOWN, Status.UNKNOWN),
        (Answer.UNKNOWN, Answer.SAFE, Status.DIFFERS),
        (Answer.UNKNOWN, Answer.UNKNOWN, Status.AS_EXPECTED),
    ],
)
def test_an_answer_is_compared(expected: Answer, answer: Answer, status: Status) -> None:
    assert judged(proof(expected=expected), answered(answer, finding(answer)), ()).status is status


FITS = {
    "property": ("shift", "bounds"),
    "file": ("src/*.c", "lib/*.c"),
    "function": ("f", "g"),
    "check": ("x << y", "x >> y"),
    "proof": ("p*", "q"),
}


@pytest.mark.parametrize("field", FITS)
def test_a_suppression_fits_what_it_names(field: str) -> None:
    found = answered(Answer.UNSAFE, finding(Answer.UNSAFE))
    right, wrong = ({"file": "*", field: text} for text in FITS[field])
    assert judged(proof(), found, [excuse(**right)]).status is Status.SUPPRESSED
    assert judged(proof(), found, [excuse(**wrong)]).status is Status.DIFFERS


def test_what_is_not_excused_counts() -> None:
    bad, other = finding(Answer.UNSAFE), finding(Answer.UNSAFE, 2, "bounds")
    live = [excuse(property="shift")]
    both = judged(proof(), answered(Answer.UNSAFE, bad, other), live)
    assert (both.status, both.findings) == (Status.DIFFERS, (other,))
    left = finding(Answer.UNKNOWN, 3)
    unknown = judged(proof(), answered(Answer.UNSAFE, bad, left), live)
    assert (unknown.status, unknown.answer) == (Status.UNKNOWN, Answer.UNKNOWN)
    wanted = judged(proof(expected=Answer.UNSAFE), answered(Answer.UNSAFE, bad), live)
    assert (wanted.status, wanted.excused) == (Status.AS_EXPECTED, ())


@pytest.mark.parametrize("again", [Answer.SAFE, Answer.UNKNOWN])
def test_nothing_is_safe_where_the_excused_check_is_not_found_again(
    again: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where its other checks are not answered, nor where they are called safe."""
    later = VerificationResult(again, stage=Stage.SOLVE, reason="time limit")
    monkeypatch.setattr(pipeline, "verify", lambda *_: later)
    bad = finding(Answer.UNSAFE, property_="no-overflow")
    deadline = Deadline.after(1)
    found = running._further(proof(), VerifyOptions(), answered(Answer.UNSAFE, bad), deadline)
    outcome = judged(proof(), answered(Answer.UNSAFE, *found), [excuse(file="*")])
    assert (outcome.status, outcome.answer) == (Status.UNKNOWN, Answer.UNKNOWN)


def test_a_suppression_ends_with_its_day() -> None:
    one = excuse(proof="p")
    days = [datetime.date(2030, 1, 1), datetime.date(2030, 1, 2)]
    assert [expired([one], [proof()], day) for day in days] == [(), (one,)]
    assert expired([one], [proof("q")], days[1]) == ()


def shown(statuses: Sequence[Status]) -> list[Outcome]:
    return [
        Outcome(proof(status.value.replace(" ", "-"), line=k), status, Answer.SAFE, "a\x1b[2Jb")
        for k, status in enumerate(statuses)
    ]


def test_failures_come_first_and_nothing_commands_the_terminal() -> None:
    seen = shown([Status.AS_EXPECTED, Status.UNKNOWN, Status.DIFFERS, Status.SUPPRESSED])
    order = [one.status for one in by_urgency(seen)]
    assert order == [Status.DIFFERS, Status.UNKNOWN, Status.SUPPRESSED, Status.AS_EXPECTED]
    told = [*details(seen), *(row(one, 5) for one in seen)]
    assert told and not [line for line in told if not line.isprintable()]
    assert summary(seen, 2.0) == (
        "4 proofs: 1 other than expected, 1 without an answer, 1 suppressed, 1 as expected; 2.0 s"
    )


def test_a_key_depends_on_what_the_answer_depends_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "a.yml").write_text("int:\n  - spacer\n")
    one = Proof("p", Place(Path("sea.toml"), 3), (Path("good.c"),))
    inputs = replace(one, inputs=(Path("a.yml"),))
    other = replace(one, arguments=("-DX",), values=(("define", "X"),))
    kinds = [one, inputs, other, replace(one, values=(("bits", 32),)), replace(one, sources=())]
    found = [kept_answers.key_of(each, "tool") for each in kinds[:4]]
    assert len({*found, kept_answers.key_of(one, "later tool")}) == 5
    slower = replace(one, values=(("timeout", 5),), place=Place(Path("x"), 1))
    assert kept_answers.key_of(slower, "tool") == found[0]
    (folder / "a.yml").write_text("int:\n  - bmc\n")
    assert kept_answers.key_of(inputs, "tool") != found[1]
    pieces = replace(one, values=(("modular", True),), arguments=("--modular",))
    assert kept_answers.key_of(pieces, "tool") == ""


def test_a_broken_state_is_none(folder: Path) -> None:
    for text in ("", "{", "[]", '{"edition": 1, "answers": 3}', '{"edition": 0, "answers": {}}'):
        (folder / kept_answers.STATE).write_text(text)
        assert kept_answers.KeptAnswers(folder).of(proof()) is None


def test_the_example_project_is_as_expected(tmp_path: Path) -> None:
    """Its cheap proof; the whole is run with the tutorial."""
    done = sea_py("check", "--file", EXAMPLES / "project" / "sea.toml", "--list")
    assert re.search(r"^arith: sea-py pf .*--modular .*arith\.c$", done.stdout, re.MULTILINE)
