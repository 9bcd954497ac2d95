"""An answer for each check: what is violated does not hide what holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command import sea_py

from seahorn_py import verify
from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.encodings import one_encoding
from seahorn_py.verification.encodings.checks import Checks
from seahorn_py.verification.encodings.one_encoding import Task

PROGRAM = """
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), s = 0;
  if (n < 0 || n > 1000) return 0;
  for (int i = 0; i < n; i++) {
    s++;
    assert(s <= n);
  }
  assert(s != 5);
  assert(s == n);
  assert(s != 7 || n < 3);
  return 0;
}
"""
EXPECTED = {"s<=n": "safe", "s!=5": "unsafe", "s==n": "safe", "s!=7 || n<3": "unsafe"}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "checks.c"
    file.write_text(PROGRAM)
    return file


def test_each_check_has_its_answer(program: Path) -> None:
    result = verify(program, VerifyOptions(every_check=True, encoding=Encodings.INT))
    found = {check.text.replace(" ", ""): check for check in result.checks}
    wanted = {f"assert({text})".replace(" ", ""): answer for text, answer in EXPECTED.items()}
    assert {text: check.answer.value for text, check in found.items()} == wanted
    assert result.answer is Answer.UNSAFE
    for check in result.checks:
        assert check.evidence
        assert (check.violation is not None) is (check.answer is Answer.UNSAFE)
        assert check.place is not None and check.place.line > 0


def test_the_command_prints_a_line_for_each_check(program: Path) -> None:
    done = sea_py("pf", "--all-checks", "--json", program)
    assert done.returncode == 1, done.stderr
    checks = json.loads(done.stdout)["checks"]
    assert [check["property"] for check in checks] == ["unreach-call"] * 4
    assert {check["verdict"] for check in checks} == {"safe", "unsafe"}


def open_but(texts: set[str]) -> Callable[[Task, Checks | None], VerificationResult]:
    """A solver that answers for these checks when they are asked about alone, and nothing else."""
    solve = one_encoding._solved

    def refine(task: Task, only: Checks | None) -> VerificationResult:
        if only is None or not {check.text.replace(" ", "") for check in only} <= texts:
            raise StageFailure(Stage.SOLVE, "left open")
        return solve(task, only)

    return refine


def test_an_unknown_answer_says_what_is_known_of_single_checks(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_encoding, "_solved", open_but({"assert(s<=n)", "assert(s==n)"}))
    result = verify(program, VerifyOptions(encoding=Encodings.INT, executions=0))
    assert (result.answer, result.reason) == (Answer.UNKNOWN, "int: left open")
    found = {check.text.replace(" ", ""): check.answer.value for check in result.checks}
    answers = {"s<=n": "safe", "s!=5": "unknown", "s==n": "safe", "s!=7||n<3": "unknown"}
    assert found == {f"assert({text})": answer for text, answer in answers.items()}


def test_a_violation_of_one_check_is_the_answer_where_all_together_are_open(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_encoding, "_solved", open_but({"assert(s<=n)", "assert(s!=5)"}))
    result = verify(program, VerifyOptions(encoding=Encodings.INT, executions=0))
    assert result.answer is Answer.UNSAFE
    assert result.violation is not None and result.violation.text.replace(" ", "") == "assert(s!=5)"


def test_what_no_path_reaches_is_safe(tmp_path: Path) -> None:
    file = tmp_path / "dead.c"
    file.write_text("#include <assert.h>\nint main(void) { int x = 3; assert(x == 3); return 0; }")
    result = verify(file, VerifyOptions(every_check=True))
    assert result.answer is Answer.SAFE
    assert all(check.answer is Answer.SAFE for check in result.checks)


def test_a_gap_is_the_reason_where_no_path_leads_to_a_check(tmp_path: Path) -> None:
    """Blocks lost in runs without end are a gap of valid-memtrack, not of valid-free."""
    file = tmp_path / "freed.c"
    file.write_text(
        "#include <stdlib.h>\n"
        "int main(void) { int *p = malloc(8); free(p); while (__VERIFIER_nondet_int()) ; }\n"
    )
    checked = frozenset({Property.VALID_FREE, Property.VALID_MEMTRACK})
    options = VerifyOptions(FrontendOptions(properties=checked), every_check=True, executions=0.1)
    found = {check.property: check for check in verify(file, options).checks}
    assert found["valid-free"].answer is Answer.SAFE
    lost = found["valid-memtrack"]
    assert (lost.answer, lost.stage) == (Answer.UNKNOWN, Stage.FRONT_END)
    assert "runs without end" in lost.reason


HARD = """
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, s = 0;
  if (n < 0 || n > 1000) return 0;
  while (i < n) { i++; s += 2; assert(i <= n); }
  assert(s == 2 * n);
  unsigned x = __VERIFIER_nondet_int(), y = x;
  for (int k = 0; k < 8; k++) { x = x * 1103515245u + 12345u; x ^= x >> 7; }
  assert(x != 0xdeadbeefu || y < 0xf0000000u);
  assert(i == n);
  if (n > 5) assert(s > 10);
  if (n == 77) assert(s != 154);
}
"""


@pytest.mark.full
def test_a_hard_check_leaves_time_for_the_others(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(HARD)
    result = verify(file, VerifyOptions(every_check=True, timeout=20))
    found = [check.answer.value for check in result.checks]
    assert found.count("safe") >= 4 and "unsafe" in found
