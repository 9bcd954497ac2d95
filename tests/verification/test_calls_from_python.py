"""Calls from Python: who watches is told, who cancels is left with neither processes nor files."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import threading
import time
from dataclasses import dataclass
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


def processes() -> dict[int, str]:
    """What is known of each process below this one: number, command, state."""
    found: dict[int, str] = {}
    for pid in descendants(os.getpid()):
        with contextlib.suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/stat").read_text()
    return found


@dataclass(frozen=True)
class Place:
    """A folder for temporary files, and the processes that were there before the test."""

    folder: Path
    before: frozenset[int]

    def left(self) -> list[str]:
        """Processes and files of the test that stay for some seconds."""
        until = time.monotonic() + 5
        while True:
            left = [stat for pid, stat in processes().items() if pid not in self.before]
            left += map(str, self.folder.glob("sea-py-*"))
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.01)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Where temporary files are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Place(tmp_path, frozenset(processes()))


def test_each_moment_tells_something_new() -> None:
    moments: list[Moment] = []
    assert verify(UNSAFE, on_progress=moments.append).answer is Answer.UNSAFE
    assert moments[0].phase == "front end" or moments[0].stage == "front end"
    assert any(moment.attempts for moment in moments)
    assert [m.seconds for m in moments] == sorted(m.seconds for m in moments)
    assert all(a != b for a, b in pairwise(moments))


def test_cancelled_from_a_callback(endless: Path, temporary: Place) -> None:
    token = Cancellation()
    began = time.monotonic()

    def watch(moment: Moment) -> None:
        if moment.running:
            token.cancel()

    result = verify(endless, timeout=60, on_progress=watch, cancel=token)
    assert (result.answer, result.reason) == (Answer.UNKNOWN, "cancelled")
    assert result.attempts and time.monotonic() - began < 20
    assert not temporary.left()


def test_cancelled_before_it_begins(temporary: Place) -> None:
    token = Cancellation()
    token.cancel()
    assert verify(SAFE, cancel=token).reason == "cancelled"
    assert not temporary.left() and "not" not in repr(token)


def test_what_an_observer_raises_ends_the_work(endless: Path, temporary: Place) -> None:
    def watch(moment: Moment) -> None:
        raise LookupError(moment.stage)

    with pytest.raises(LookupError):
        verify(endless, timeout=60, on_progress=watch)
    assert not temporary.left()


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


def test_a_cancelled_task_leaves_nothing(endless: Path, temporary: Place) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(verify_async(endless, timeout=60))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not temporary.left()

    asyncio.run(cancelled())


def test_an_observer_in_the_loop_may_raise(endless: Path, temporary: Place) -> None:
    def watch(moment: Moment) -> None:
        raise LookupError(moment.stage)

    with pytest.raises(LookupError):
        asyncio.run(verify_async(endless, timeout=60, on_progress=watch))
    assert not temporary.left()
