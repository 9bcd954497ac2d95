"""Processes that belong together: all below this one, what they take, and their common limit."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Sequence
from pathlib import Path

_KIB_A_MIB = 1024
_PAGE_KIB = os.sysconf("SC_PAGESIZE") // 1024
_TICKS_A_S = os.sysconf("SC_CLK_TCK")
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PAUSE_S = 0.002


def adopt_orphans() -> None:
    """Become the parent of all processes below this one whose own parent ends.

    So whoever waits for this process learns the times of all of them, once they are reaped.
    """
    import ctypes  # costs start-up time

    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Be killed by the kernel when the parent ends; at once if it has already ended."""
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def take_signals_as_usual() -> None:
    """Reset what others wanted of signals: handlers, ignored and blocked ones, also for children.

    Where the ends of children are ignored nobody learns how they ended. What Python ignores for
    itself stays so.
    """
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        with contextlib.suppress(OSError, ValueError):  # those that nobody can handle
            signal.signal(number, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def lower(kind: int, wanted: int) -> None:
    """Lower a limit of this process for good, for all that it starts too; bytes where it is one."""
    _, hard = resource.getrlimit(kind)
    bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (bound, bound))


def end_all_below(seconds: float) -> None:
    """Kill all processes below this one and reap those that are its children, for so long."""
    until = time.monotonic() + seconds
    while True:
        for pid in descendants(os.getpid()):
            kill(pid)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        if time.monotonic() >= until:
            return
        time.sleep(_PAUSE_S)


def largest_above(pids: Sequence[int], mib: int) -> int | None:
    """The largest of these processes if all of them together take more than `mib`, else None.

    Memory that they share counts once. To find that out takes time, so the sum that counts it for
    each of them is looked at first.
    """
    most = mib * _KIB_A_MIB
    if sum(map(resident_kib, pids)) <= most:
        return None
    sizes = {pid: proportional_kib(pid) for pid in pids}
    return max(sizes, key=sizes.__getitem__) if sum(sizes.values()) > most else None


def kill(pid: int) -> None:
    """Kill a process, if it is still there and ours."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_tree(pid: int) -> None:
    """Kill a child of this process and all below it, which it cannot add to meanwhile.

    The child must adopt the orphans below it; it is not reaped.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGSTOP)
    killed: set[int] = set()
    while new := set(descendants(pid)) - killed:
        for one in new:
            kill(one)
        killed |= new
    kill(pid)


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


def worked_below(pid: int) -> float:
    """CPU seconds of all processes below one, with those that it has reaped."""
    own = _ticks(pid)
    return (sum(own[2:]) + sum(sum(_ticks(one)) for one in descendants(pid))) / _TICKS_A_S


def age(pid: int) -> float:
    """Seconds since a process was made; 0 where nobody knows."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    made = int(text.rpartition(")")[2].split()[19]) / _TICKS_A_S
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - made)


def _ticks(pid: int) -> tuple[int, ...]:
    """Ticks in user and system mode, of a process and of the children it reaped; none if gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ()
    return tuple(map(int, text.rpartition(")")[2].split()[11:15]))


def resident_kib(pid: int) -> int:
    """KiB that the process takes, with all of what it shares; 0 when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_KIB
    except OSError:
        return 0


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
