"""Native runs: an `Executable` in a bounded process, on given or on drawn inputs.

The process is a server that forks a child for each run (about 0.1 ms); request and response lie in
one shared file, laid out in `frontend/runtime/protocol.h`.  The server puts itself and the runs
under limits (address space, CPU, file size, core, stack, descriptors, seccomp) before any code of
the program runs.  It has its own session, no environment, and is killed and reaped when the wall
clock says so.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import select
import signal
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from seahorn_py.child import Deadline
from seahorn_py.evidence.inputs import MASK, Drawn, Inputs
from seahorn_py.frontend.native import Executable
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits

_PAGE = mmap.PAGESIZE
_REQUEST = struct.Struct("20Q")
_RESPONSE = struct.Struct("6Q")
_FEED = struct.Struct("2Q")
_RECORD = struct.Struct("4Q")
_READ = struct.Struct("3Q")
_SHARED_FILE = 3
_MODE_FEED, _MODE_DRAW = 0, 1
_TIMERS = frozenset({signal.SIGPROF, signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM})
_SLACK = 2.0  # seconds of wall time that a run may take beyond its CPU time: a busy machine
_GRACE = 0.2  # seconds after which a server is killed that should have ended by itself
_MAX_SITE = 1 << 22
_KEPT_READS = 1 << 18
_ENDLESS = _ALWAYS_ZERO = (1 << 64) - 1
_UNIT_MICROSECONDS = 20_000


EXPLORE_LIMITS = RunLimits(seconds=10.0, reads=1 << 18)
"""For the exploration; how long a run may take grows from a few milliseconds on."""


@dataclass(frozen=True)
class Exploration:
    """Drawn runs: how many, those that were recorded, and why there is none if the kernel refused.

    A run that violated a check is the last one, and always recorded.
    """

    runs: int
    outcomes: tuple[Outcome, ...]
    refusal: str = ""


@dataclass(frozen=True)
class _Order:
    """What is asked of the server: `seconds` for all `runs`, of which the first `keep` are kept."""

    inputs: Inputs
    limits: RunLimits
    seconds: float
    runs: int
    keep: int
    stop: bool

    @property
    def log_reads(self) -> int:
        """Entries of the log: room for one run beside those that are kept."""
        return self.limits.reads + (_KEPT_READS if self.keep else 0)

    @property
    def log_at(self) -> int:
        """Where the log begins in the response, after the records."""
        return _RESPONSE.size + _RECORD.size * (self.keep + 1)


def run(executable: Executable, inputs: Inputs, limits: RunLimits) -> Outcome:
    """One run; REFUSED where the kernel cannot run the executable."""
    answer = _serve(executable, _Order(inputs, limits, limits.seconds + _SLACK, 1, 0, True))
    if answer.refusal:
        return Outcome(Ending.REFUSED, reason=answer.refusal)
    return answer.outcomes[0] if answer.outcomes else Outcome(Ending.LIMIT, reason="time limit")


def explore(
    executable: Executable,
    deadline: Deadline,
    *,
    words: tuple[int, ...] = (),
    zero: frozenset[int] = frozenset(),
    wanted: int = 0,
    seed: int = 0,
    limits: RunLimits = EXPLORE_LIMITS,
) -> tuple[Outcome, ...]:
    """Drawn runs until a check fails or time is up, as `exploration` makes them."""
    inputs = Drawn(seed, words, zero=zero)
    return exploration(executable, inputs, deadline, wanted, limits).outcomes


def exploration(
    executable: Executable,
    inputs: Drawn,
    deadline: Deadline,
    wanted: int = 0,
    limits: RunLimits = EXPLORE_LIMITS,
) -> Exploration:
    """Runs with seeds `inputs.seed`, `inputs.seed + 1`, ... until a check fails or time is up.

    Records the first `wanted` outcomes (fewer if they read very much) and the failed one, if any.
    """
    answer = _serve(executable, _Order(inputs, limits, deadline.remaining, _ENDLESS, wanted, True))
    found = answer.outcomes
    if found and found[-1].ending is not Ending.FAILED:
        found = found[:wanted]
    return Exploration(answer.runs, found, answer.refusal)


def sample(
    executable: Executable, inputs: Drawn, count: int, deadline: Deadline, limits: RunLimits
) -> Exploration:
    """Exactly `count` drawn runs with their inputs, whether they fail or not, if time allows."""
    return _serve(executable, _Order(inputs, limits, deadline.remaining, count, count, False))


def linked_request(feed: Feed) -> bytes:
    """The request that an executable with these inputs alone is linked with."""
    return _request(_Order(feed, RunLimits(reads=0), 0.0, 1, 0, True))[0]


# --------------------------------------------------------------------------------- the process


def _serve(executable: Executable, order: _Order) -> Exploration:
    request, response_size = _request(order)
    with _shared_file(request, response_size) as descriptor:
        try:
            _run_server(executable, descriptor, order.seconds + _GRACE)
        except OSError as error:
            return _cannot_run(executable, str(error.strerror))
        size = len(request) + response_size
        with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as shared:
            answer = _answer(shared, len(request), order)
    return answer or _cannot_run(executable, "the run time did not start")


def _cannot_run(executable: Executable, reason: str) -> Exploration:
    reason = f"{executable.bits}-bit programs cannot be run here: {reason}"
    return Exploration(0, (), reason)


@contextlib.contextmanager
def _shared_file(request: bytes, response_size: int) -> Iterator[int]:
    created = os.memfd_create("sea-run")
    try:
        # Above the descriptors that the child gets, whatever is open or closed here.
        descriptor = fcntl.fcntl(created, fcntl.F_DUPFD_CLOEXEC, 16)
    finally:
        os.close(created)
    try:
        os.truncate(descriptor, len(request) + response_size)
        os.pwrite(descriptor, request, 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _run_server(executable: Executable, descriptor: int, seconds: float) -> None:
    actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_DUP2, descriptor, _SHARED_FILE),
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    path = os.fspath(executable.path)
    child = os.posix_spawn(path, [path], {}, file_actions=actions, setsid=True)
    try:
        _wait(child, seconds)
    finally:
        # Not reaped yet, so its number is still its own, also that of its process group.
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _wait(child: int, seconds: float) -> None:
    descriptor = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.poll(seconds * 1000)
    finally:
        os.close(descriptor)


# ------------------------------------------------------------------------- request and response


def _request(order: _Order) -> tuple[bytes, int]:
    """The request, and the size of the response."""
    if isinstance(order.inputs, Drawn):
        mode, drawn = _MODE_DRAW, order.inputs
    else:
        mode, drawn = _MODE_FEED, Drawn(0, given=order.inputs)
    words = b"".join(map(_value, drawn.dictionary))
    sites, values = _feed_table(drawn)
    sites_at = _REQUEST.size
    values_at = sites_at + len(sites)
    words_at = values_at + len(values)
    size = _whole_pages(words_at + len(words))
    response_size = _whole_pages(order.log_at + _READ.size * order.log_reads)
    limits = order.limits
    most = max(1, int(limits.seconds * 1e6))
    unit = _UNIT_MICROSECONDS if order.stop and order.runs > 1 else most
    head = _REQUEST.pack(
        *(size, response_size, mode, drawn.seed & _ENDLESS, order.runs, order.keep, order.stop),
        *(int(order.seconds * 1e9), min(unit, most), most, limits.memory_mib << 20),
        *(limits.reads, order.log_reads),
        *(len(sites) // _FEED.size, sites_at, values_at),
        *(len(words) // 16, words_at, _RESPONSE.size, order.log_at),
    )
    return (head + sites + values + words).ljust(size, b"\0"), response_size


def _feed_table(drawn: Drawn) -> tuple[bytes, bytes]:
    numbers = {*drawn.given, *drawn.zero}
    if any(not 0 <= site <= _MAX_SITE for site in numbers):
        raise ValueError("site number out of range")
    sites, values = bytearray((max(numbers, default=-1) + 1) * _FEED.size), bytearray()
    for site, given in drawn.given.items():
        _FEED.pack_into(sites, site * _FEED.size, len(values) // 16, len(given))
        values += b"".join(map(_value, given))
    for site in drawn.zero:
        _FEED.pack_into(sites, site * _FEED.size, 0, _ALWAYS_ZERO)
    return bytes(sites), bytes(values)


def _value(value: int) -> bytes:
    return (value & MASK).to_bytes(16, "little")


def _whole_pages(size: int) -> int:
    return (size + _PAGE - 1) // _PAGE * _PAGE


def _answer(shared: mmap.mmap, start: int, order: _Order) -> Exploration | None:
    """None: the run time did not start."""
    started, runs, kept, running, _, _ = _RESPONSE.unpack_from(shared, start)
    if not started:
        return None
    recorded = min(kept, order.keep) + (0 if running or runs == 0 else 1)
    outcomes = tuple(_outcome(shared, start, index, order) for index in range(recorded))
    return Exploration(runs, outcomes)


def _outcome(shared: mmap.mmap, start: int, index: int, order: _Order) -> Outcome:
    record_at = start + _RESPONSE.size + index * _RECORD.size
    status, check, first, count = _RECORD.unpack_from(shared, record_at)
    # The program could have written into the response: nothing outside the log is read.
    first = min(first, order.log_reads)
    log_at = start + order.log_at + first * _READ.size
    end = log_at + min(count, order.log_reads - first) * _READ.size
    reads = tuple(
        (site, low | high << 64) for site, low, high in _READ.iter_unpack(shared[log_at:end])
    )
    ending = _ending(status)
    failed = check if ending is Ending.FAILED else None
    return Outcome(ending, failed, reads, all_read=count < order.limits.reads)


def _ending(status: int) -> Ending:
    """What a status of wait4 means; a signal that is not a limit's is undefined behaviour."""
    if os.WIFSIGNALED(status):
        return Ending.LIMIT if os.WTERMSIG(status) in _TIMERS else Ending.ENDED
    match os.WEXITSTATUS(status):
        case 99:
            return Ending.FAILED
        case 98:
            return Ending.BLOCKED
        case 97:
            return Ending.LIMIT
        case _:
            return Ending.ENDED
