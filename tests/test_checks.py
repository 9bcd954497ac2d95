"""An answer for each check: what is violated does not hide what holds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.result import Answer

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
    wanted = {text.replace(" ", ""): answer for text, answer in EXPECTED.items()}
    assert {text: check.answer.value for text, check in found.items()} == wanted
    assert result.answer is Answer.UNSAFE
    for check in result.checks:
        assert check.evidence
        assert (check.violation is not None) is (check.answer is Answer.UNSAFE)
        assert check.place is not None and check.place.line > 0


def test_the_command_prints_a_line_for_each_check(program: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "seahorn_py.cli", "pf", "--all-checks", "--json", program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    checks = json.loads(done.stdout)["checks"]
    assert [check["property"] for check in checks] == ["unreach-call"] * 4
    assert {check["verdict"] for check in checks} == {"safe", "unsafe"}


def test_what_no_path_reaches_is_safe(tmp_path: Path) -> None:
    file = tmp_path / "dead.c"
    file.write_text("#include <assert.h>\nint main(void) { int x = 3; assert(x == 3); return 0; }")
    result = verify(file, VerifyOptions(every_check=True))
    assert result.answer is Answer.SAFE
    assert all(check.answer is Answer.SAFE for check in result.checks)
