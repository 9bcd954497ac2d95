"""Processes that belong together: all below this one, what they take, and their common limit."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

_KIB_A_MIB = 1024
_PR_SET_CHILD_SUBREAPER = 36
_PAUSE_S = 0.002


def adopt_orphans() -> None:
    """Become the parent of all processes below this one whose own parent ends.

    So whoever waits for this process learns the times of all of them, once they are reaped.
    """
    import ctypes  # costs start-up time

    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_all_below(seconds: float) -> None:
    """Kill all processes below this one and reap those that are its children, for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for pid in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(_PAUSE_S)


def end_largest_above(mib: int) -> bool:
    """End the largest descendant of this process if all of them together take more than `mib`.

    What processes share is counted once.  Who waits for the one that was ended takes it for crashed
    and goes on without its answer.
    """
    sizes = {pid: size for pid in descendants(os.getpid()) if (size := proportional_kib(pid))}
    if sum(sizes.values()) <= mib * _KIB_A_MIB:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(max(sizes, key=sizes.__getitem__), signal.SIGKILL)
    return True


def descendants(pid: int) -> list[int]:
    """All processes below one, as they are now; they come and go."""
    found: list[int] = []
    todo = [pid]
    while todo:
        children = _children(todo.pop())
        found.extend(children)
        todo.extend(children)
    return found


def _children(pid: int) -> list[int]:
    """The children of all threads of a process; none when it is gone."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            words = Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
            found.extend(map(int, words))
    return found


def proportional_kib(pid: int) -> int:
    """KiB that the process takes, with its part of what it shares; 0 when it is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0
