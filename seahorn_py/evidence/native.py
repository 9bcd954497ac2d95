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
from typing import assert_never

from seahorn_py.evidence.inputs import MASK, Drawn, Fed, Inputs
from seahorn_py.frontend.native import Executable
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits

_PAGE = mmap.PAGESIZE
_REQUEST = struct.Struct("18Q")
_RESPONSE = struct.Struct("4Q")
_FEED = struct.Struct("2Q")
_RECORD = struct.Struct("4Q")
_READ = struct.Struct("3Q")
_SHARED_FILE = 3
_MODE_FEED, _MODE_DRAW = 0, 1
_TIMERS = frozenset({signal.SIGPROF, signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM})
_SLACK = 2.0  # seconds that the server may take longer than it was told to
_MAX_SITE = 1 << 22
_MAX_DRAWN_READS = 1 << 20
_SEED = (1 << 64) - 1


@dataclass(frozen=True)
class Exploration:
    """Many drawn runs: how many, and the first that violated a check, if any."""

    runs: int
    failure: Outcome | None
    reason: str = ""


@dataclass(frozen=True)
class _Order:
    """What is asked of the server; `log_reads` bounds the recorded inputs of all runs together."""

    inputs: Inputs
    limits: RunLimits
    seconds: float
    runs: int
    keep_all: bool
    log_reads: int


@dataclass(frozen=True)
class _Answer:
    started: bool
    runs: int
    outcomes: tuple[Outcome, ...]
    reason: str = ""


def run(executable: Executable, inputs: Inputs, limits: RunLimits) -> Outcome:
    """One run; REFUSED where the kernel cannot run the executable."""
    seconds = limits.seconds + _SLACK
    order = _Order(inputs, limits, seconds, 1, keep_all=False, log_reads=limits.reads)
    answer = _serve(executable, order)
    if not answer.started:
        return Outcome(Ending.REFUSED, reason=answer.reason)
    return answer.outcomes[-1] if answer.outcomes else Outcome(Ending.LIMIT, reason=answer.reason)


def explore(
    executable: Executable, inputs: Drawn, seconds: float, limits: RunLimits
) -> Exploration:
    """Runs with seeds `inputs.seed`, `inputs.seed + 1`, ... until a check fails or time is up."""
    reads = min(limits.reads, _MAX_DRAWN_READS)
    order = _Order(inputs, limits, seconds, _SEED >> 1, keep_all=False, log_reads=reads)
    answer = _serve(executable, order)
    failures = [outcome for outcome in answer.outcomes if outcome.ending is Ending.FAILED]
    return Exploration(answer.runs, failures[0] if failures else None, answer.reason)


def sample(
    executable: Executable, inputs: Drawn, count: int, seconds: float, limits: RunLimits
) -> tuple[Outcome, ...]:
    """At most `count` drawn runs with all their inputs, as many as fit into `seconds`.

    A single REFUSED outcome where the kernel cannot run the executable.
    """
    order = _Order(inputs, limits, seconds, count, keep_all=True, log_reads=_MAX_DRAWN_READS)
    answer = _serve(executable, order)
    if not answer.started:
        return (Outcome(Ending.REFUSED, reason=answer.reason),)
    return answer.outcomes


# --------------------------------------------------------------------------------- the process


def _serve(executable: Executable, order: _Order) -> _Answer:
    request, response_size = _request(order)
    with _shared_file(request, response_size) as descriptor:
        try:
            _run_server(executable, descriptor, order.seconds + order.limits.seconds + _SLACK)
        except OSError as error:
            return _Answer(False, 0, (), _cannot_run(executable, str(error.strerror)))
        size = len(request) + response_size
        with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as shared:
            answer = _answer(shared, len(request), order)
    if answer.started:
        return answer
    return _Answer(False, 0, (), _cannot_run(executable, "the run time did not start"))


def _cannot_run(executable: Executable, reason: str) -> str:
    return f"{executable.bits}-bit programs cannot be run here: {reason}"


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
    sites, values, words, mode, seed = b"", b"", b"", _MODE_FEED, 0
    match order.inputs:
        case Fed(feed):
            sites, values = _feed_table(feed)
        case Drawn():
            mode, seed = _MODE_DRAW, order.inputs.seed & _SEED
            words = b"".join(_value(word) for word in order.inputs.dictionary)
        case _:
            assert_never(order.inputs)
    sites_at = _REQUEST.size
    values_at = sites_at + len(sites)
    words_at = values_at + len(values)
    size = _whole_pages(words_at + len(words))
    log_at = _log_at(order)
    response_size = _whole_pages(log_at + _READ.size * order.log_reads)
    limits = order.limits
    head = _REQUEST.pack(
        *(size, response_size, mode, seed, order.runs, order.keep_all),
        *(int(order.seconds * 1e9), max(1, int(limits.seconds * 1e6)), limits.memory_mib << 20),
        *(min(limits.reads, order.log_reads), order.log_reads),
        *(len(sites) // _FEED.size, sites_at, values_at),
        *(len(words) // 16, words_at, _RESPONSE.size, log_at),
    )
    return (head + sites + values + words).ljust(size, b"\0"), response_size


def _feed_table(feed: Feed) -> tuple[bytes, bytes]:
    if any(not 0 <= site <= _MAX_SITE for site in feed):
        raise ValueError("site number out of range")
    sites, values = bytearray((max(feed, default=-1) + 1) * _FEED.size), bytearray()
    for site, given in feed.items():
        _FEED.pack_into(sites, site * _FEED.size, len(values) // 16, len(given))
        values += b"".join(map(_value, given))
    return bytes(sites), bytes(values)


def _value(value: int) -> bytes:
    return (value & MASK).to_bytes(16, "little")


def _whole_pages(size: int) -> int:
    return (size + _PAGE - 1) // _PAGE * _PAGE


def _log_at(order: _Order) -> int:
    """The records come first: one, or one for each run and one that is begun in vain."""
    return _RESPONSE.size + _RECORD.size * (order.runs + 1 if order.keep_all else 1)


def _answer(shared: mmap.mmap, start: int, order: _Order) -> _Answer:
    started, runs, _, _ = _RESPONSE.unpack_from(shared, start)
    recorded = min(runs, order.runs if order.keep_all else 1)
    outcomes = tuple(_outcome(shared, start, index, order) for index in range(recorded))
    return _Answer(bool(started), runs, outcomes, "" if runs else "no run came to its end")


def _outcome(shared: mmap.mmap, start: int, index: int, order: _Order) -> Outcome:
    record_at = start + _RESPONSE.size + index * _RECORD.size
    status, check, first, count = _RECORD.unpack_from(shared, record_at)
    # The program could have written into the response: nothing outside the log is read.
    first = min(first, order.log_reads)
    log_at = start + _log_at(order) + first * _READ.size
    end = log_at + min(count, order.log_reads - first) * _READ.size
    reads = tuple(
        (site, low | high << 64) for site, low, high in _READ.iter_unpack(shared[log_at:end])
    )
    ending = _ending(status)
    return Outcome(ending, check if ending is Ending.FAILED else None, reads)


def _ending(status: int) -> Ending:
    """What a status of wait4 means; other signals than those of the limits are undefined behaviour."""
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
