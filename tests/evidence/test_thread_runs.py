"""The second native replay of a program with threads: each has its own code and stack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.evidence.runs.subject import Threaded
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification import pipeline, thread_runs

LOST = """#include <pthread.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int x, got;
static void *f(void *given) { int r = x; x = r + 1; return given; }
int main(void) {
  pthread_t a, b; void *p;
  pthread_create(&a, 0, f, &a); pthread_create(&b, 0, f, &b);
  pthread_join(a, &p); pthread_join(b, 0);
  if (x == 1 && p == &a && __VERIFIER_nondet_int() == 77) reach_error();
}
"""


def answered(folder: Path, bits: int) -> VerificationResult:
    file = folder / "case.c"
    file.write_text(LOST)
    return verify(file, timeout=60, bits=bits)


@pytest.mark.parametrize("bits", (32, 64))
def test_threads_repeat_the_run(bits: int, tmp_path: Path) -> None:
    result = answered(tmp_path, bits)
    assert result.answer is Answer.UNSAFE
    assert "threads that made the same" in str(result.evidence)


def test_no_error_that_threads_do_not_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The product counts another check than the threads fail."""

    def wrong(*given: object) -> Threaded | None:
        found = thread_runs.with_threads(*given)  # type: ignore[arg-type]
        return found and replace(found, checks=tuple(check + 1 for check in found.checks))

    monkeypatch.setattr(pipeline, "with_threads", wrong)
    result = answered(tmp_path, 64)
    assert result.answer is Answer.UNKNOWN
    assert "how the steps of threads are put together" in result.reason
