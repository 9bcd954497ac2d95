"""The second native replay of a program with threads: each has its own code and stack."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from seahorn_py import verify
from seahorn_py.evidence.replay.confirmation import Denied, with_threads
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.subject import Replay, Threaded
from seahorn_py.evidence.runs.subject import Subject as RealSubject
from seahorn_py.frontend.runtime.native import Executable
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits
from seahorn_py.result import Answer, VerificationResult

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


@dataclass
class Subject:
    """What `with_threads` asks of a subject: the product fails check 5, the threads check 7."""

    with_threads: object

    def run(self, feed: Feed) -> Replay:
        return Replay(Outcome(Ending.FAILED, 5, ((0, 1), (3, 2), (0, 4)), steps=(0, 1, 0)), True)


class Checked(Threaded):
    def run(self, product: Outcome) -> Outcome:
        return Outcome(Ending.FAILED, 7)


@pytest.mark.parametrize(("number", "is_denied"), ((7, False), (6, True)))
def test_threads_are_to_fail_the_same_check(number: int, is_denied: bool) -> None:
    threaded = Checked(Executable(Path(), 64), frozenset({3}), (0,) * 5 + (number,))
    subject = cast("RealSubject", Subject(lambda: threaded))
    found = with_threads(subject, Outcome(Ending.FAILED, 5))
    assert isinstance(found, Denied) == is_denied
    assert is_denied or "threads that made the same 3 steps" in str(found)


def test_inputs_of_threads_have_no_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(executable: Executable, feed: Feed, limits: RunLimits) -> Outcome:
        assert feed == {0: (1, 4), 1: (0, 1, 0)}
        return Outcome(Ending.ENDED)

    monkeypatch.setattr(native, "run", run)
    threaded = Threaded(Executable(Path(), 64), frozenset({3}), ())
    assert threaded.run(Subject(None).run({}).outcome).ending is Ending.ENDED
