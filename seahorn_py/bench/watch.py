"""One command, watched: limits on CPU, wall time, memory and output over all of its processes.

`watch` is run in a child of its own (`child.start`).  That child adopts the orphans of the command
(`limits.adopt_orphans`), so that nothing of the command leaves its sight: their times count, and
none of them outlives the run, also not when SIGTERM or the death of the parent ends it.  Times are
exact, the kernel's; memory is sampled.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType

from seahorn_py.base.records import dataclass
from seahorn_py.bench.rows import Ended, Limits
from seahorn_py.cli.serving.asked_for import VARIABLE as SERVER
from seahorn_py.processes import scratch
from seahorn_py.processes.child import Child, Command, Completed, start
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.limits import adopt_orphans, descendants, end_all_below, proportional_kib

MOST_OUTPUT = 64 << 20
"""Bytes that a command may write."""
KEPT = 1 << 20
"""Characters of the beginning, and of the end, of each of its streams that a log keeps."""
TAIL = 1 << 16
"""Characters of the end of each stream, in whole lines, that a report carries."""
GRACE_S = 1.0
"""Seconds that a command has to end by itself after its time, so that it may say something."""
SLACK_S = 30.0
"""Seconds that the watching may take beyond the limits of the command and its grace."""

_FIRST_PERIOD_S, _PERIOD_S = 0.01, 0.1
_SAMPLING_SHARE = 0.02
"""The share of the time in which memory may be added up exactly."""
_PR_SET_PDEATHSIG = 1
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_KIB = os.sysconf("SC_PAGESIZE") // 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """How a command ended, what it took, and the ends of what it wrote.

    `problem` says why it could not be started, or why its log could not be written.
    """

    ended: Ended
    exit_code: int | None = None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory_mib: int = 0
    output: str = ""
    errors: str = ""
    logged: bool = False
    problem: str = ""

    @staticmethod
    def from_json(text: str) -> Measured:
        """What `watch` returned."""
        data = json.loads(text)
        return Measured(**{**data, "ended": Ended(data["ended"])})


def start_watching(argv: Sequence[str], limits: Limits, log: Path | None) -> Child:
    """Start a command in its watcher; `child.result` gives the text of a `Measured`."""
    order = {"argv": list(argv), "limits": asdict(limits), "log": str(log) if log else None}
    deadline = Deadline.after(limits.wall_s + GRACE_S + SLACK_S)
    return start("seahorn_py.bench.watch:watch", json.dumps(order), deadline, None)


def watch(text: str) -> str:
    """Run the command of an order (JSON) to its end or limits; what was measured (JSON)."""
    order = json.loads(text)
    argv, limits = order["argv"], Limits(**order["limits"])
    log = Path(order["log"]) if order["log"] else None
    _end_tidily()
    adopt_orphans()
    with scratch.folder() as place:
        try:
            measured = asdict(_run(argv, limits, log, str(place)))
        finally:
            end_all_below(SLACK_S / 2)  # what the command left behind
    return json.dumps({**measured, "ended": measured["ended"].value})


def _end_tidily() -> None:
    """SIGTERM, which the kernel now sends when the parent dies, ends the command's processes too.

    SIGKILL would end only the command itself: those that it has started would go on, unlimited.
    """
    signal.signal(signal.SIGTERM, _leave)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _leave(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    end_all_below(SLACK_S / 2)
    sys.exit(1)


def _run(argv: Sequence[str], limits: Limits, log: Path | None, place: str) -> Measured:
    """Run the command, whose temporary files go to `place`: one that is killed leaves some.

    No server does it (`sea-py serve`), which is not below this process.
    """
    began = time.monotonic()
    deadline = Deadline.after(limits.wall_s + GRACE_S + SLACK_S / 2)
    try:
        command = Command(argv, deadline, None, env={**os.environ, "TMPDIR": place, SERVER: "0"})
    except (OSError, subprocess.SubprocessError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        return Measured(Ended.ERROR, problem=f"{argv[0]}: cannot start: {why}")
    meter = _Meter()
    with command:
        ended = _until_ended(command, meter, limits, began)
        wall = time.monotonic() - began
        done = command.wait()
    end_all_below(SLACK_S / 2)  # before their times are read
    if ended is Ended.EXIT and done.code < 0:
        ended = Ended.KILLED
    cpu = _cpu_of_ended()
    peak = meter.peak_kib()
    logged, problem = _write_log(log, argv, done)
    ends = _tail(done.output), _tail(done.errors)
    return Measured(
        ended, done.code, round(cpu, 3), round(wall, 3), peak // 1024, *ends, logged, problem
    )


def _until_ended(command: Command, meter: _Meter, limits: Limits, began: float) -> Ended:
    """Wait for the end of the command, or bring it about."""
    poll = select.poll()
    poll.register(command.fileno(), select.POLLIN)
    period = _FIRST_PERIOD_S
    while True:
        left = began + limits.wall_s - time.monotonic()
        if poll.poll(1000 * max(0.0, min(period, left))):
            return Ended.EXIT
        period = min(2 * period, _PERIOD_S)
        exceeded = _exceeded(command, meter, limits, began)
        if exceeded is None:
            continue
        if exceeded in (Ended.TIMEOUT, Ended.CPU_TIMEOUT):
            os.kill(command.pid, signal.SIGTERM)
            _until_gone(poll, command, meter, limits)
        _kill_all()
        return exceeded


def _until_gone(poll: select.poll, command: Command, meter: _Meter, limits: Limits) -> None:
    """Wait until the command has ended or its grace is over; memory and output stay limited."""
    until = time.monotonic() + GRACE_S
    while (left := until - time.monotonic()) > 0 and not poll.poll(1000 * min(_PERIOD_S, left)):
        _, kib = meter.sample(limits.memory_mib * 1024)
        if kib > limits.memory_mib * 1024 or command.written > MOST_OUTPUT:
            return


def _exceeded(command: Command, meter: _Meter, limits: Limits, began: float) -> Ended | None:
    """Which limit is exceeded now."""
    cpu, kib = meter.sample(limits.memory_mib * 1024)
    if kib > limits.memory_mib * 1024:
        return Ended.OUT_OF_MEMORY
    if limits.cpu_s is not None and cpu > limits.cpu_s:
        return Ended.CPU_TIMEOUT
    if time.monotonic() - began >= limits.wall_s:
        return Ended.TIMEOUT
    return Ended.TOO_MUCH_OUTPUT if command.written > MOST_OUTPUT else None


class _Meter:
    """Samples what all processes of the command take together.

    The sum of their resident sets is read each time.  It counts what they share more than once, so
    it bounds their memory from above; the exact sum costs more, and is taken only where the bound
    says more than is known: at once where that is twice as much, otherwise within a share of time.
    """

    def __init__(self) -> None:
        self._peak = 0
        self._next = 0.0

    def sample(self, limit_kib: int) -> tuple[float, int]:
        """CPU seconds up to now; KiB taken now, exact if above the limit."""
        pids = descendants(os.getpid())
        cpu, resident = _cpu_of_ended(), 0
        for pid in pids:
            seconds, kib = _times_and_resident(pid)
            cpu += seconds
            resident += kib
        now = time.monotonic()
        due = now >= self._next or resident > 2 * self._peak
        if resident > limit_kib or (resident > self._peak and due):
            resident = sum(map(proportional_kib, pids))
            self._next = now + (time.monotonic() - now) / _SAMPLING_SHARE
            self._peak = max(self._peak, resident)
        return cpu, resident

    def peak_kib(self) -> int:
        """The most seen, or that the kernel has seen of a single process.

        What the kernel says of a child begins with the size of its parent, from which it is copied.
        """
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return max(self._peak, largest if largest > own else 0)


def _times_and_resident(pid: int) -> tuple[float, int]:
    """CPU seconds of a process and its ended children, and its resident KiB; 0 when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0, 0
    words = stat[stat.rindex(")") + 2 :].split()  # from the third on; proc(5)
    return sum(map(int, words[11:15])) / _TICKS, int(words[21]) * _PAGE_KIB


def _cpu_of_ended() -> float:
    """CPU seconds of all processes that have been reaped."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _kill_all() -> None:
    for pid in descendants(os.getpid()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _write_log(log: Path | None, argv: Sequence[str], done: Completed) -> tuple[bool, str]:
    """Whether a log was written, and if not, why it could not be; none for no output."""
    if log is None or not (done.output or done.errors):
        return False, ""
    try:
        with log.open("w", encoding="utf-8", errors="replace") as stream:
            stream.write(f"$ {' '.join(argv)}\n{_shortened(done.output)}")
            if done.errors:
                stream.write(f"--- standard error\n{_shortened(done.errors)}")
    except OSError as error:
        return False, f"{log}: cannot write: {error.strerror}"
    return True, ""


def _tail(text: str) -> str:
    """The last lines; a line that would begin in its middle might mean something else."""
    return text if len(text) <= TAIL else text[-TAIL:].partition("\n")[2]


def _shortened(text: str) -> str:
    if len(text) <= 2 * KEPT:
        return text
    return f"{text[:KEPT]}\n--- {len(text) - 2 * KEPT} characters left out\n{text[-KEPT:]}"
