"""Who begins when: the executions, integers, the longer search, bit-vectors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from changed_policy import change

from seahorn_py import verify
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.encodings import side_by_side

NEVER = 1000.0
COUNTS = """
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0;
  while (i < n) i++;
  if (%s) reach_error();
  return 0;
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "case.c"


def answered(file: Path, error: str) -> VerificationResult:
    file.write_text(COUNTS % error)
    return verify(file, VerifyOptions(timeout=60))


def places(result: VerificationResult) -> set[str]:
    """Where anything was tried, according to the journal."""
    return {attempt.place for attempt in result.attempts}


def names(result: VerificationResult) -> set[str]:
    return {attempt.engine for attempt in result.attempts}


def test_nothing_is_encoded_for_an_error_that_the_first_runs_find(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, "race", runs_alone_seconds=NEVER)
    found = answered(file, "n < 10")
    assert found.answer is Answer.UNSAFE
    assert places(found) == {side_by_side.NATIVE}


def test_integers_begin_when_the_executions_are_over(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the executions could go on alone; and for what is quick nobody else begins."""
    change(monkeypatch, "race", runs_alone_seconds=NEVER, before_search_seconds=NEVER)
    found = answered(file, "i != n")
    assert found.answer is Answer.SAFE
    assert "int" in places(found) and "bv" not in places(found)
    assert "search" not in names(found)


IN_MEMORY = """
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  char *p = malloc(10);
  for (unsigned i = 0; i < n; i++) n--;
  free(p);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("text", "property_", "is_searched"),
    [
        (COUNTS % "i != n", "unreach-call", True),
        (IN_MEMORY, "valid-memcleanup", False),
    ],
)
def test_native_runs_are_not_searched_for_what_they_cannot_tell(
    text: str,
    property_: str,
    is_searched: bool,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(monkeypatch, "race", runs_alone_seconds=NEVER, before_search_seconds=0.0)
    file.write_text(text)
    found = verify(file, VerifyOptions(timeout=60), property=property_)
    assert found.answer is Answer.SAFE
    assert ("search" in names(found)) is is_searched


def test_whoever_waits_begins_when_nobody_is_at_work(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error needs one of 2^32 inputs, which the first runs do not draw."""
    delays = ("runs_alone_seconds", "before_search_seconds", "head_start_seconds")
    change(monkeypatch, "race", **dict.fromkeys(delays, NEVER))
    file.write_text(
        """
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = x * 2654435761u;
  if (y == 0xdeadbeefu) reach_error();
  return 0;
}
"""
    )
    found = verify(file, VerifyOptions(timeout=60))
    assert found.answer is Answer.UNSAFE
    assert {side_by_side.NATIVE, "int"} <= places(found)


def test_what_runs_decide_imports_no_engine_and_no_solver() -> None:
    """The modules behind an answer that rests on runs alone; the others cost as much again."""
    heavy = ("pysmt", "z3", "bitwuzla", "cvc5", "seahorn_py.horn.system", "seahorn_py.encode")
    code = f"""
import sys, seahorn_py.verification.pipeline
print([name for name in {(*heavy, *side_by_side.LATE)} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


LARGE = """
#include <stdlib.h>
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar(), *p = malloc(n + 1u);
  for (unsigned i = 0; i < n %% 4; i++) p[i] = i;
  if (n %% 4 == 3 && %s) reach_error();
  return 0;
}
"""


@pytest.mark.parametrize(
    ("error", "answer"),
    [("p[1] != 1", Answer.SAFE), ("n == 7", Answer.UNSAFE), ("p[2] * n == 14", Answer.UNSAFE)],
)
def test_large_programs_are_decided_while_passes_work(
    error: str, answer: Answer, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs or the unfolded program tell needs no program in encoding form."""
    change(monkeypatch, "race", large_statements=1)
    file.write_text(LARGE % error)
    found = verify(file, VerifyOptions(timeout=60))
    assert found.answer is answer, found.reason


def test_a_large_program_that_is_not_unfolded_is_solved_behind_the_passes(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, "race", large_statements=1)
    found = answered(file, "i != n")
    assert found.answer is Answer.SAFE
    assert "int" in places(found)


@pytest.mark.full
@pytest.mark.parametrize("name", ["value", "sum"])
def test_checks_of_unfolding_are_not_told(
    name: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown answer about the unfolded program names checks of the program alone."""
    change(monkeypatch, "race", large_statements=1, unfolded_share=0.0001)
    file.write_text(LARGE % f"p[n - 1] != 0 && p[1] == {2 if name == 'sum' else 3}")
    found = verify(file, VerifyOptions(timeout=10, encoding=Encodings.BV))
    assert "internal" not in found.reason
    assert not any("none was expected" in check.message for check in found.checks)


OUTSIDE = """
extern void reach_error(void);
extern int other(int);
int main(void) { int n = other(3); if (n > 100 && %s) reach_error(); return 0; }
"""


@pytest.mark.parametrize("error", ["n < 200", "n == 77777", "n < 50"])
def test_large_programs_rest_on_the_same(
    error: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(OUTSIDE % error)
    found = verify(file, VerifyOptions(timeout=30))
    change(monkeypatch, "race", large_statements=1)
    again = verify(file, VerifyOptions(timeout=30))
    assert (again.answer, set(again.ledger)) == (found.answer, set(found.ledger))
    assert any("other" in entry.text for entry in again.ledger)
