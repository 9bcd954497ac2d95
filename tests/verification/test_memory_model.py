"""What answers about threads say of memory: assumed, or a theorem where there are no races."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import VerificationResult, verify
from seahorn_py.horn.ledger import Approximation
from seahorn_py.ir.program import SEQUENTIAL
from seahorn_py.result import Answer

PROGRAM = """#include <pthread.h>
#include <stdatomic.h>
extern void reach_error(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
{kind} flag, turn; int x;
static void *f(void *given) {{ {body} return 0; }}
int main(void) {{
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  {body}
  pthread_join(t, 0);
  if (x {error}) reach_error();
  return 0;
}}
"""
LOCKED = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
TRIED = "if (!pthread_mutex_trylock(&m)) { x = 1; pthread_mutex_unlock(&m); }"
RACY = "flag = 1; x = 1;"


def answer(
    place: Path, body: str, error: str, kind: str = "int", **asked: str
) -> VerificationResult:
    file = place / "threads.c"
    file.write_text(PROGRAM.format(kind=kind, body=body, error=error))
    return verify(file, timeout=60, **asked)  # type: ignore[arg-type]


def kinds(result: VerificationResult) -> list[Approximation]:
    return [entry.kind for entry in result.ledger if entry.text.startswith(SEQUENTIAL)]


@pytest.mark.parametrize("kind", ["int", "atomic_int"])
def test_a_theorem(kind: str, tmp_path: Path) -> None:
    body = f"flag = 1; {LOCKED}" if kind == "atomic_int" else LOCKED
    result = answer(tmp_path, body, "!= 2", kind)
    assert (result.answer, kinds(result)) == (Answer.SAFE, [Approximation.PROVED])
    assert not any("reach_error" in text for text in result.assumed)


def test_a_theorem_of_the_question_itself(tmp_path: Path) -> None:
    result = answer(tmp_path, LOCKED, "!= 2", property="no-data-race")
    assert (result.answer, kinds(result)) == (Answer.SAFE, [Approximation.PROVED])


@pytest.mark.parametrize("kind", ["int", pytest.param("volatile int", marks=pytest.mark.full)])
def test_an_assumption_where_there_is_a_race(kind: str, tmp_path: Path) -> None:
    result = answer(tmp_path, RACY, "!= 1", kind)
    assert (result.answer, kinds(result)) == (Answer.SAFE, [Approximation.ASSUMED])
    if kind == "int":
        assert any("a data race" in warning for warning in result.warnings)


def test_an_error_does_not_rest_on_it(tmp_path: Path) -> None:
    result = answer(tmp_path, LOCKED, "== 2")
    assert (result.answer, kinds(result)) == (Answer.UNSAFE, [])


@pytest.mark.full
def test_a_lock_that_is_not_taken(tmp_path: Path) -> None:
    """POSIX does not say whether memory is in order behind it."""
    result = answer(tmp_path, TRIED, "> 1")
    assert (result.answer, kinds(result)) == (Answer.SAFE, [Approximation.PROVED])
    assert any(text.startswith("locks that are not taken") for text in result.assumed)


def test_strict(tmp_path: Path) -> None:
    file = tmp_path / "threads.c"
    file.write_text(PROGRAM.format(kind="int", body=LOCKED, error="!= 2"))
    reason = verify(file, timeout=60, strict=True).reason
    assert "a thread can always be made" in reason
