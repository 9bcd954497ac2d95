"""Work in a process of its own, whose limits on time and memory hold wherever that process is.

Whoever asks becomes a light supervisor.  The worker is a copy of it, made before anything heavy is
imported; it is a session of its own, adopts the orphans below it, and has a hard limit on address
space that all below it inherit.  The supervisor waits, adds up the memory of the worker and all
below it, and kills all of them when it is time: in the code of a solver, in a loop, in swap.  What
the worker noted in the journal outlives it.

A process with other threads cannot be copied safely: there the worker is a fresh process, and its
work must be plain data (`functools.partial` of a function of a module).  A worker starts no other
worker: what is supervised stays so, with all that it calls.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from seahorn_py.base import run_time
from seahorn_py.base.errors import SeaError, Stage
from seahorn_py.base.records import dataclass
from seahorn_py.processes import child, journal, limits, scratch, timeline
from seahorn_py.processes.cancellation import Cancellation
from seahorn_py.processes.child import Work
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import InternalErrorReport, lacking, reported
from seahorn_py.processes.journal import Journal

EARLIER_S, EARLIER_SHARE = 0.1, 0.05
"""How much earlier than the supervisor a worker ends its work: a worker explains its answer better.
"""

TELLING_S, REAPING_S = 0.05, 2.0
"""Seconds to wait for the end of what was killed, whose times are wanted: if it is late, if not."""

CANCELLED = "cancelled"
"""Why work ended that its caller no longer wants."""

HEADROOM_MIB = 1024
"""Address space that libraries and thread stacks reserve beside the memory that is taken."""

_PERIOD_S = 0.1
_OUT_OF_MEMORY = 77
"""The exit code of a worker that has no memory left to say so."""
_UNKNOWN_CODE = 255


@dataclass(frozen=True)
class Returned:
    """The work is done."""

    value: object


@dataclass(frozen=True)
class Refused:
    """The input is wrong."""

    error: SeaError


@dataclass(frozen=True)
class Ended:
    """A limit ended the work in a stage; `settled` is what the worker had settled before, if so."""

    stage: str
    reason: str
    settled: object = None


@dataclass(frozen=True)
class Crashed:
    """The work, or its process, broke in a stage."""

    stage: str
    report: InternalErrorReport
    settled: object = None


Ending = Returned | Refused | Ended | Crashed


@dataclass(frozen=True)
class Bounds:
    """Until when, and how many MiB for the worker and all below it together."""

    deadline: Deadline
    memory_mib: int


def earlier(seconds: float) -> float:
    """The seconds that a worker gives itself of those that its supervisor gives it."""
    return seconds - min(EARLIER_S, EARLIER_SHARE * seconds)


_settled: int | None = None
"""In a worker and its copies: the file for what is settled."""


def at_work() -> bool:
    """Whether this process is a worker, or a copy of one."""
    return _settled is not None


def settle(value: object) -> None:
    """What to answer if the rest of the work does not come to its end; plain data."""
    if _settled is not None:
        data = pickle.dumps(value)
        os.pwrite(_settled, data, 0)
        os.truncate(_settled, len(data))


@contextlib.contextmanager
def begin(work: Work, bounds: Bounds, notes: Journal, *, alone: bool = False) -> Iterator[Worker]:
    """Start the work; in the end nothing is left of it, neither process nor file.

    `alone`: this process is a command, which has no other threads, and its work is no plain data.
    """
    with scratch.folder() as place:
        worker = Worker(work, bounds, notes, place, alone)
        try:
            scratch.sweep()
            yield worker
        finally:
            worker.end()


class Worker:
    """The process that works, seen by its supervisor."""

    def __init__(
        self, work: Work, bounds: Bounds, notes: Journal, place: Path, alone: bool
    ) -> None:
        self._bounds = bounds
        self._notes = notes
        self._order = _Order(bounds, notes, str(place))
        self._done, told = os.pipe()
        start = _copy if alone or child.threads() == 1 else _fresh
        self._pid = start(work, self._order, told)
        os.close(told)
        self._ended = os.pidfd_open(self._pid)
        self._code: int | None = None
        self.is_late = False

    def wait(
        self, tick: Callable[[], None] = lambda: None, cancel: Cancellation | None = None
    ) -> Ending:
        """How the work ends, at the latest when `cancel` says so; `tick` is called now and then."""
        poll = select.poll()
        for descriptor in (self._done, self._ended):
            poll.register(descriptor, select.POLLIN)
        if cancel is not None:
            poll.register(cancel, select.POLLIN)
        while remaining := self._bounds.deadline.remaining:
            if poll.poll(1000 * min(_PERIOD_S, remaining)):
                return self._cancelled() if cancel and cancel.is_cancelled else self._ending()
            if self._exceeds_memory():
                return self._killed(self._memory_limit)
            tick()
        return self._killed("time limit")

    @property
    def _memory_limit(self) -> str:
        return f"memory limit ({self._bounds.memory_mib} MiB)"

    def _exceeds_memory(self) -> bool:
        """Whether there is no going on; among engines only the largest process ends."""
        pids = [self._pid, *limits.descendants(self._pid)]
        largest = limits.largest_above(pids, self._bounds.memory_mib)
        if largest is None:
            return False
        if largest == self._pid or self._notes.stage() != Stage.SOLVE.value:
            return True
        limits.kill(largest)
        self._notes.remarks("limits", "memory: the largest process was ended")
        return False

    def _cancelled(self) -> Ended:
        """Nobody waits for the answer, so there is time to see the worker gone."""
        ended = self._killed(CANCELLED)
        self._reap(REAPING_S)
        return ended

    def _killed(self, reason: str) -> Ended:
        self.is_late = True
        limits.kill_tree(self._pid)
        return Ended(self._stage, reason, _plain(self._order.settled))

    @property
    def _stage(self) -> str:
        return self._notes.stage() or Stage.FRONT_END.value

    def _ending(self) -> Ending:
        """What the worker wrote before it said that it is done, or how it ended without."""
        if os.read(self._done, 1):
            kind, value = pickle.loads(_content(self._order.answer))
            match kind:
                case "ok":
                    return Returned(value)
                case "refused":
                    return Refused(value)
            return Crashed(
                self._stage, replace(value, stage=self._stage), _plain(self._order.settled)
            )
        self._reap(REAPING_S)
        if self._code == _OUT_OF_MEMORY:
            return Ended(self._stage, self._memory_limit, _plain(self._order.settled))
        code = self._code or 0
        by = f"signal {-code}" if code < 0 else f"exit code {code}"
        words = _content(self._order.errors).decode(errors="replace").strip().splitlines()
        said = ": ".join([f"by {by}", *words[-1:]])
        report = reported("WorkerEnded", said, "", self._stage)
        return Crashed(self._stage, report, _plain(self._order.settled))

    def kill(self) -> None:
        """End the work now."""
        if self._code is None:
            limits.kill_tree(self._pid)

    def end(self) -> None:
        """Kill all that is left, and reap the worker unless that takes long."""
        self.kill()
        if self._code is None:
            self._reap(TELLING_S if self.is_late else REAPING_S)
        self._order.close()
        for descriptor in (self._done, self._ended):
            os.close(descriptor)

    def _reap(self, seconds: float) -> None:
        poll = select.poll()
        poll.register(self._ended, select.POLLIN)
        if poll.poll(1000 * seconds):
            try:
                _, status, used = os.wait4(self._pid, 0)
                self._code = os.waitstatus_to_exitcode(status)
                timeline.process_ends(self._pid, used.ru_utime + used.ru_stime)
            except ChildProcessError:  # whoever called us has children reaped in another way
                self._code = _UNKNOWN_CODE


class _Order:
    """What a worker gets: limits, journal, a folder for its files, files for what it says."""

    def __init__(self, bounds: Bounds, notes: Journal, place: str) -> None:
        self.seconds = bounds.deadline.remaining
        self.memory_mib = bounds.memory_mib
        self.notes = notes
        self.place = place
        self.answer, self.settled, self.errors = (os.memfd_create("sea-worker") for _ in range(3))

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The open files, which a worker has under the same numbers."""
        return *self.notes.descriptors, self.answer, self.settled, self.errors

    def close(self) -> None:
        """Close the files that belong to the order."""
        for descriptor in (self.answer, self.settled, self.errors):
            os.close(descriptor)


def _copy(work: Work, order: _Order, told: int) -> int:
    """A copy of this process that works."""
    supervisor = os.getpid()
    pid = os.fork()
    if pid == 0:
        _work(work, order, told, supervisor)
    return pid


def _fresh(work: Work, order: _Order, told: int) -> int:
    """A new process that works, where a copy would lack the other threads."""
    own = [one or os.getcwd() for one in sys.path]
    data = pickle.dumps(own) + pickle.dumps((work, order, told, os.getpid()))
    argv = [sys.executable, "-P", "-m", "seahorn_py.processes.supervision"]
    stdin = os.memfd_create("sea-work")
    try:
        os.pwrite(stdin, data, 0)
        kept = ((stdin, 0), *((one, one) for one in (*order.descriptors, told)))
        actions = [(os.POSIX_SPAWN_DUP2, *pair) for pair in kept]
        return os.posix_spawn(sys.executable, argv, os.environ, file_actions=actions)
    finally:
        os.close(stdin)


def _work(work: Work, order: _Order, told: int, supervisor: int) -> NoReturn:
    """In the worker: work, write what comes of it, wait to be killed with all below."""
    status = 1
    try:
        _settle_in(order, supervisor)
        try:
            answer = pickle.dumps(("ok", work()))
        except MemoryError:
            status = _OUT_OF_MEMORY
            raise
        except SeaError as error:
            answer = pickle.dumps(("refused", error))
        except BaseException as error:  # the border of a process
            refusal = lacking(error)
            ending = ("crashed", InternalErrorReport.of(error))
            answer = pickle.dumps(("refused", refusal) if refusal else ending)
        os.pwrite(order.answer, answer, 0)
        os.write(told, b".")
        while True:  # what is below this process is found there as long as it lives
            signal.pause()
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)


def _settle_in(order: _Order, supervisor: int) -> None:
    """Become a session with limits that dies with its supervisor."""
    global _settled
    gc.freeze()  # a search for garbage would copy the memory of the supervisor
    os.setsid()
    limits.adopt_orphans()
    limits.die_with(supervisor)
    faulthandler.disable()  # it would write to the terminal
    limits.take_signals_as_usual()
    limits.lower(resource.RLIMIT_AS, (order.memory_mib + HEADROOM_MIB) << 20)
    limits.lower(resource.RLIMIT_CORE, 0)
    for standard in (1, 2):  # what a library prints concerns nobody
        os.dup2(order.errors, standard)
    tempfile.tempdir = order.place
    journal.use(order.notes)
    run_time.begin(order.seconds)
    timeline.process_begins("worker")
    _settled = order.settled


def _content(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _plain(descriptor: int) -> object:
    """What was settled, None if nothing was."""
    data = _content(descriptor)
    with contextlib.suppress(Exception):  # killed while it was written
        return pickle.loads(data) if data else None
    return None


if __name__ == "__main__":
    from seahorn_py.processes import supervision  # this module under its own name

    for entry in pickle.load(sys.stdin.buffer):  # last, so that no module of ours is hidden
        sys.path += [] if entry in sys.path else [entry]
    supervision._work(*pickle.load(sys.stdin.buffer))
