"""Native runs: an `Executable` in a bounded process, on given or on drawn inputs.

What is started is a launcher (`frontend/runtime/launch.c`), which puts walls around itself and then
becomes the program: a server that forks a child for each run (about 0.1 ms).  Request, response and
what a run can tell lie in one shared file, laid out in `frontend/runtime/protocol.h`.  All of it has
its own session, no environment, and is killed and reaped when the wall clock says so.  Nothing that
a run could have written is believed beyond its bounds (`docs/security.md`).
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
from dataclasses import dataclass, replace
from enum import Flag

from seahorn_py.child import Deadline
from seahorn_py.evidence.inputs import MASK, Drawn, Inputs
from seahorn_py.frontend import elf
from seahorn_py.frontend.native import Executable, Refusal
from seahorn_py.frontend.objects import unsafe_header
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits

_PAGE = mmap.PAGESIZE
_REQUEST = struct.Struct("26Q")
_RESPONSE = struct.Struct("7Q")
_SECRET = 16  # bytes at the end of the response's head
_FEED = struct.Struct("2Q")
_RECORD = struct.Struct("5Q")
_READ = struct.Struct("3Q")
_AREA = struct.Struct("4Q")
_SHARED_FILE, _PROGRAM_FILE = 3, 4
_MODE_FEED, _MODE_DRAW = 0, 1
_TIMERS = frozenset({signal.SIGPROF, signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM})
_TRAPS = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP})
"""What the machine does about undefined behaviour."""
_CODES = {0: Ending.ENDED, 97: Ending.LIMIT, 98: Ending.BLOCKED, 99: Ending.FAILED}
UNKNOWN_END = "the run ended in an unknown way"
_STRANGE = {1: "the run ended as if a check had failed", 2: "the run counted impossible inputs"}
_SLACK = 2.0  # seconds of wall time that a run may take beyond its CPU time: a busy machine
_GRACE = 0.2  # seconds after which a server is killed that should have ended by itself
_MAX_SITE = 1 << 22
_MAX_CHECK = 1 << 31
_KEPT_READS = 1 << 18
_MOST_SAID = 1 << 16
_ENDLESS = _ALWAYS_ZERO = (1 << 64) - 1
_UNIT_MICROSECONDS = 20_000


EXPLORE_LIMITS = RunLimits(seconds=10.0, reads=1 << 18)
"""For the exploration; how long a run may take grows from a few milliseconds on."""


class Layers(Flag):
    """What holds around a program; the numbers are those of `runtime/protocol.h`.

    LIMITS: on memory, CPU, files, processes.  PRIVILEGES: no new ones.  SECCOMP: a list of the
    system calls that are left.  USER, MOUNT, NETWORK, IPC, UTS, PROCESSES: namespaces of its own,
    that of mounts with an empty root.  LANDLOCK: no file and no network.
    """

    LIMITS = 1
    PRIVILEGES = 2
    SECCOMP = 4
    USER = 8
    MOUNT = 16
    NETWORK = 32
    IPC = 64
    UTS = 128
    PROCESSES = 256
    LANDLOCK = 512


ALL_LAYERS = ~Layers(0)
REQUIRED = Layers.LIMITS | Layers.PRIVILEGES | Layers.SECCOMP
"""Without these nothing is started, unless they were not asked for; others may be missing."""


@dataclass(frozen=True)
class Exploration:
    """Drawn runs: how many, those that were recorded, and why there is none if the kernel refused.

    A run that violated a check is the last one, and always recorded.  `layers` held around them.
    """

    runs: int
    outcomes: tuple[Outcome, ...]
    refusal: str = ""
    layers: Layers = Layers(0)


@dataclass(frozen=True)
class _Order:
    """What is asked of the server: `seconds` for all `runs`, of which the first `keep` are kept.

    An executable of `alone.c` is not asked anything, and runs behind the same walls.
    """

    inputs: Inputs
    limits: RunLimits
    seconds: float
    runs: int
    keep: int
    stop: bool
    layers: Layers = ALL_LAYERS
    alone: bool = False

    @property
    def log_reads(self) -> int:
        """Entries of the log: room for one run beside those that are kept."""
        return self.limits.reads + (_KEPT_READS if self.keep else 0)

    @property
    def log_at(self) -> int:
        """Where the log begins in the response, after the records."""
        return _RESPONSE.size + _RECORD.size * (self.keep + 1)


def run(
    executable: Executable, inputs: Inputs, limits: RunLimits, layers: Layers = ALL_LAYERS
) -> Outcome:
    """One run; REFUSED where the kernel cannot run the executable."""
    order = _Order(inputs, limits, limits.seconds + _SLACK, 1, 0, True, layers)
    answer = _serve(executable, order)
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
    layers: Layers = ALL_LAYERS,
) -> Exploration:
    """Runs with seeds `inputs.seed`, `inputs.seed + 1`, ... until a check fails or time is up.

    Records the first `wanted` outcomes (fewer if they read very much) and the failed one, if any.
    """
    seconds = deadline.remaining
    answer = _serve(executable, _Order(inputs, limits, seconds, _ENDLESS, wanted, True, layers))
    found = answer.outcomes
    if found and found[-1].ending is not Ending.FAILED:
        found = found[:wanted]
    return replace(answer, outcomes=found)


def sample(
    executable: Executable, inputs: Drawn, count: int, deadline: Deadline, limits: RunLimits
) -> Exploration:
    """Exactly `count` drawn runs with their inputs, whether they fail or not, if time allows."""
    return _serve(executable, _Order(inputs, limits, deadline.remaining, count, count, False))


def linked_request(feed: Feed) -> bytes:
    """The request that an executable with these inputs alone is linked with."""
    return _request(_Order(feed, RunLimits(reads=0), 0.0, 1, 0, True), 0, 0)[0]


# --------------------------------------------------------------------------------- the process


def _serve(executable: Executable, order: _Order) -> Exploration:
    try:
        with _opened(executable) as (program, memory):
            request, response_size = _request(order, executable.bits, memory)
            area_size = _area_size(order)
            sizes = (request, response_size, area_size)
            with _shared_file(*sizes) as shared:
                _run_launched(executable, (shared, program), None, order.seconds + _GRACE)
                size = len(request) + response_size
                with mmap.mmap(shared, size, prot=mmap.PROT_READ) as content:
                    return _answer(content, len(request), order, executable.bits)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return _cannot_run(executable.bits, str(reason))


def says(executable: Executable, seconds: float, memory_mib: int) -> tuple[int, str] | Refusal:
    """Run an executable of `alone.c`: its exit code, and what it wrote to standard error."""
    limits = RunLimits(seconds=seconds, memory_mib=memory_mib, reads=0)
    order = _Order({}, limits, seconds, 1, 0, True, alone=True)
    try:
        with _opened(executable) as (program, memory):
            request, response_size = _request(order, executable.bits, memory)
            with _shared_file(request, response_size, _area_size(order)) as shared, _pipe() as pipe:
                code = _run_launched(executable, (shared, program), pipe[1], seconds)
                os.set_blocking(pipe[0], False)
                with contextlib.suppress(BlockingIOError):
                    return code, os.read(pipe[0], _MOST_SAID).decode(errors="replace")
                return code, ""
    except (OSError, ValueError) as error:
        return Refusal(str(error))


def _cannot_run(bits: int, reason: str, layers: Layers = Layers(0)) -> Exploration:
    return Exploration(0, (), f"{bits}-bit programs cannot be run here: {reason}", layers)


@contextlib.contextmanager
def _opened(executable: Executable) -> Iterator[tuple[int, int]]:
    """The executable, open, and how many bytes of memory it fills; ValueError if it is none."""
    descriptor = _moved_up(os.open(executable.path, os.O_RDONLY | os.O_CLOEXEC))
    try:
        header = elf.read_header(os.pread(descriptor, elf.HEADERS, 0))
        reason = unsafe_header(header, executable.bits)
        if reason:
            raise ValueError(reason)
        yield descriptor, header.memory
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _shared_file(request: bytes, response_size: int, area_size: int) -> Iterator[int]:
    descriptor = _moved_up(os.memfd_create("sea-run"))
    try:
        os.truncate(descriptor, len(request) + response_size + area_size)
        os.pwrite(descriptor, request, 0)
        secret_at = len(request) + _RESPONSE.size - _SECRET
        os.pwrite(descriptor, os.urandom(_SECRET), secret_at)
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    reader, writer = map(_moved_up, os.pipe())
    try:
        yield reader, writer
    finally:
        os.close(reader)
        os.close(writer)


def _moved_up(descriptor: int) -> int:
    """Above the descriptors that a child gets, whatever is open or closed here."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 16)
    finally:
        os.close(descriptor)


def _run_launched(
    executable: Executable, files: tuple[int, int], errors: int | None, seconds: float
) -> int:
    """Start the launcher with the shared file and the program; the code with which it ends."""
    shared, program = files
    actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_DUP2, shared, _SHARED_FILE),
        (os.POSIX_SPAWN_DUP2, program, _PROGRAM_FILE),
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    if errors is not None:
        actions[-1] = (os.POSIX_SPAWN_DUP2, errors, 2)
    path = os.fspath(executable.launcher)
    argv = [path, os.fspath(executable.path)]
    child = os.posix_spawn(path, argv, {}, file_actions=actions, setsid=True)
    try:
        _wait(child, seconds)
    finally:
        # Not reaped yet, so its number is still its own, also that of its process group.
        os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _wait(child: int, seconds: float) -> None:
    descriptor = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.poll(seconds * 1000)
    finally:
        os.close(descriptor)


# ------------------------------------------------------------------------- request and response


def _request(order: _Order, bits: int, memory: int) -> tuple[bytes, int]:
    """The request, and the size of the response; `memory`: bytes that the program itself fills."""
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
    own = 0 if bits == 0 else os.getpid()
    head = _REQUEST.pack(
        *(size, response_size, _area_size(order), order.layers.value, bits, order.alone, own),
        *(max(memory, limits.memory_mib << 20), int(2 * order.seconds + limits.seconds) + 2),
        *(mode, drawn.seed & _ENDLESS, order.runs, order.keep, order.stop),
        *(int(order.seconds * 1e9), min(unit, most), most, limits.reads, order.log_reads),
        *(len(sites) // _FEED.size, sites_at, values_at),
        *(len(words) // 16, words_at, _RESPONSE.size, order.log_at),
    )
    return (head + sites + values + words).ljust(size, b"\0"), response_size


def _area_size(order: _Order) -> int:
    return _whole_pages(_AREA.size + _READ.size * order.limits.reads)


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


def _answer(shared: mmap.mmap, start: int, order: _Order, bits: int) -> Exploration:
    held, started, runs, kept, running, _, _ = _RESPONSE.unpack_from(shared, start)
    layers = Layers(held) & ALL_LAYERS
    missing = REQUIRED & order.layers & ~layers
    if not started:
        reason = f"no {_named(missing)}" if missing else "the run time did not start"
        return _cannot_run(bits, reason, layers)
    recorded = min(kept, order.keep) + (0 if running or runs == 0 else 1)
    outcomes = tuple(_outcome(shared, start, index, order) for index in range(recorded))
    return Exploration(runs, outcomes, layers=layers)


def _named(layers: Layers) -> str:
    return ", ".join(str(layer.name).lower() for layer in layers)


def _outcome(shared: mmap.mmap, start: int, index: int, order: _Order) -> Outcome:
    record_at = start + _RESPONSE.size + index * _RECORD.size
    status, check, first, count, strange = _RECORD.unpack_from(shared, record_at)
    if strange or first > order.log_reads or count > order.log_reads - first:
        return Outcome(Ending.LIMIT, reason=_STRANGE.get(strange, UNKNOWN_END))
    log_at = start + order.log_at + first * _READ.size
    end = log_at + count * _READ.size
    reads = tuple(
        (site, low | high << 64) for site, low, high in _READ.iter_unpack(shared[log_at:end])
    )
    ending, reason = _ending(status)
    if check > _MAX_CHECK or any(site > _MAX_SITE for site, _ in reads):
        return Outcome(Ending.LIMIT, reason=UNKNOWN_END)
    failed = check if ending is Ending.FAILED else None
    all_read = count < order.limits.reads
    return Outcome(ending, failed, reads, reason, all_read)


def _ending(status: int) -> tuple[Ending, str]:
    """What a status of wait4 means, and why it means no more than that the run is over."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in _TIMERS:
            return Ending.LIMIT, ""
        if number in _TRAPS:
            return Ending.ENDED, ""
        return Ending.LIMIT, "a system call" if number == signal.SIGSYS else UNKNOWN_END
    ending = _CODES.get(os.WEXITSTATUS(status))
    return (ending, "") if ending else (Ending.LIMIT, UNKNOWN_END)
