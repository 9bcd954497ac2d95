"""Calls from Python: who watches is told, who cancels is left with neither processes nor files."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from command import EXAMPLES

from seahorn_py import Answer, Cancellation, verify, verify_async
from seahorn_py.processes.limits import descendants
from seahorn_py.verification.clock import Moment

SAFE, UNSAFE = EXAMPLES / "counter_safe.c", EXAMPLES / "counter_unsafe.c"

ENDLESS = """
extern unsigned long any(void);
void reach_error(void) {}
int main(void) {
  unsigned long a = any(), b = any(), n = any();
  for (unsigned long k = 0; k < n; k++) { a = a * a + b; b ^= a >> 7; }
  if (a == 0x123456789abcdef1 && a * b == 0xfedcba9876543217 && n > 9) reach_error();
}
"""


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A program that nothing answers soon."""
    file = tmp_path / "endless.c"
    file.write_text(ENDLESS)
    return file


def is_clean(folder: Path) -> bool:
    """Whether no process and no file is left, now or very soon."""
    until = time.monotonic() + 5
    while descendants(os.getpid()) or list(folder.glob("sea-py-*")):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_each_moment_tells_something_new() -> None:
    moments: list[Moment] = []
    assert verify(UNSAFE, on_progress=moments.append).answer is Answer.UNSAFE
    assert moments[0].phase == "front end" or moments[0].stage == "front end"
    assert any(moment.attempts for moment in moments)
    assert [m.seconds for m in moments] == sorted(m.seconds for m in moments)
    assert all(a != b for a, b in pairwise(moments))


def test_cancelled_from_a_callback(endless: Path, temporary: Path) -> None:
    token = Cancellation()
    began = time.monotonic()

    def watch(moment: Moment) -> None:
        if moment.running:
            token.cancel()

    result = verify(endless, timeout=60, on_progress=watch, cancel=token)
    assert (result.answer, result.reason) == (Answer.UNKNOWN, "cancelled")
    assert result.attempts and time.monotonic() - began < 20
    assert is_clean(temporary)


def test_cancelled_before_it_begins(temporary: Path) -> None:
    token = Cancellation()
    token.cancel()
    assert verify(SAFE, cancel=token).reason == "cancelled"
    assert is_clean(temporary) and "not" not in repr(token)


def test_what_an_observer_raises_ends_the_work(endless: Path, temporary: Path) -> None:
    def watch(moment: Moment) -> None:
        raise LookupError(moment.stage)

    with pytest.raises(LookupError):
        verify(endless, timeout=60, on_progress=watch)
    assert is_clean(temporary)


def test_work_in_this_process_is_not_cancelled() -> None:
    with pytest.raises(ValueError, match="cannot be cancelled"):
        verify(SAFE, cancel=Cancellation(), adapt=lambda program: program)


def test_beside_an_event_loop() -> None:
    threads: set[int] = set()

    async def both() -> list[Answer]:
        def told(moment: Moment) -> None:
            threads.add(threading.get_ident())

        found = await asyncio.gather(
            verify_async(SAFE, timeout=60, on_progress=told), verify_async(UNSAFE, timeout=60)
        )
        return [result.answer for result in found]

    assert asyncio.run(both()) == [Answer.SAFE, Answer.UNSAFE]
    assert threads == {threading.get_ident()}


def test_a_cancelled_task_leaves_nothing(endless: Path, temporary: Path) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(verify_async(endless, timeout=60))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert is_clean(temporary)

    asyncio.run(cancelled())


def test_an_observer_in_the_loop_may_raise(endless: Path, temporary: Path) -> None:
    def watch(moment: Moment) -> None:
        raise LookupError(moment.stage)

    with pytest.raises(LookupError):
        asyncio.run(verify_async(endless, timeout=60, on_progress=watch))
    assert is_clean(temporary)
