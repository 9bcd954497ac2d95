"""An answer for each check: what is violated does not hide what holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import sea_py

from seahorn_py import verify
from seahorn_py.errors import Stage
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
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
    done = sea_py("pf", "--all-checks", "--json", program)
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
