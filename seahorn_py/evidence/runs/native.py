"""Native runs: an `Executable` in a bounded process, on given or on drawn inputs.

What is started behind walls (`launching`) is a server that forks a child for each run, in about 0.1
ms.  Request, response and what a run can tell lie in one shared file, laid out in
`frontend/runtime/protocol.h`.  A run may have written anything into that file, so every value that
is read from it is checked against its bounds (`docs/security.md`).
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import struct
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from math import inf

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.runs import launching
from seahorn_py.evidence.runs.inputs import MASK, TEXT_SIZE, Drawn, Inputs
from seahorn_py.evidence.runs.launching import ALL_LAYERS, NO_LAYERS, REQUIRED, SECRET, Layers
from seahorn_py.frontend.runtime.native import Executable, Refusal
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits
from seahorn_py.processes.deadline import Deadline

_PAGE = mmap.PAGESIZE
_REQUEST = struct.Struct("30Q")
_RESPONSE = struct.Struct("7Q")
_FEED = struct.Struct("2Q")
_RECORD = struct.Struct("5Q")
_READ = struct.Struct("3Q")
_AREA = struct.Struct("4Q")
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
_STEP = _MAX_SITE
"""The site of a mark in the log: which thread makes the next step."""

_MAX_CHECK = 1 << 31
_KEPT_READS = 1 << 18
_MOST_SAID = 1 << 16
_ENDLESS = _ALWAYS_ZERO = (1 << 64) - 1
_AMOUNT = _ALWAYS_ZERO - 1
_UNIT_MICROSECONDS, _LEAST_UNIT = 20_000, 4_000
"""How long the first of many runs may take, and where all long ones together have little time."""


EXPLORE_LIMITS = RunLimits(seconds=10.0, reads=1 << 18)
"""For the exploration; how long a run may take grows from a few milliseconds on."""


@dataclass(frozen=True)
class Exploration:
    """Drawn runs: how many, those that were recorded, and why there is none if the kernel refused.

    A run that violated a check is the last one, and always recorded.  `layers` held around them.
    """

    runs: int
    outcomes: tuple[Outcome, ...]
    refusal: str = ""
    layers: Layers = NO_LAYERS


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
    long_seconds: float = inf

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
    most: int = _ENDLESS,
    long_seconds: float = inf,
) -> Exploration:
    """Runs with seeds `inputs.seed`, `inputs.seed + 1`, ... until a check fails or time is up.

    There are at most `most`, and no more once those that do not end in their time have taken
    `long_seconds` of the processor.  There is one alone where it ends without having read anything:
    all others would be the same.  Records the first `wanted` outcomes (fewer if they read very
    much) and the failed one, if any.
    """
    seconds = deadline.remaining
    answer = _serve(
        executable,
        _Order(inputs, limits, seconds, most, wanted, True, layers, long_seconds=long_seconds),
    )
    found = answer.outcomes
    if found and found[-1].ending is not Ending.FAILED:
        found = found[:wanted]
    return replace(answer, outcomes=found)


def sample(
    executable: Executable, inputs: Drawn, count: int, deadline: Deadline, limits: RunLimits
) -> Exploration:
    """Exactly `count` drawn runs with their inputs, whether they fail or not, if time allows."""
    return _serve(executable, _Order(inputs, limits, deadline.remaining, count, count, False))


def walls(executable: Executable) -> Exploration:
    """One run without inputs: which layers hold around it, or why nothing can be run."""
    return _serve(executable, _Order({}, RunLimits(reads=0), _SLACK, 1, 0, True))


def linked_request(feed: Feed) -> bytes:
    """The request that an executable with these inputs alone is linked with."""
    return _request(_Order(feed, RunLimits(reads=0), 0.0, 1, 0, True), 0, 0)[0]


# --------------------------------------------------------------------------------- the process


def _serve(executable: Executable, order: _Order) -> Exploration:
    try:
        with _ended(executable, order, order.seconds + _GRACE, None) as (_, content, start):
            return _answer(content, start, order, executable.bits)
    except OSError as error:
        return _cannot_run(executable.bits, str(error.strerror))


def says(executable: Executable, seconds: float, memory_mib: int) -> tuple[int, str] | Refusal:
    """Run an executable of `alone.c`: its exit code, and what it wrote to standard error."""
    limits = RunLimits(seconds=seconds, memory_mib=memory_mib, reads=0)
    order = _Order({}, limits, seconds, 1, 0, True, alone=True)
    try:
        with (
            launching.pipe() as (reader, writer),
            _ended(executable, order, seconds, writer) as (code, _, _),
        ):
            os.set_blocking(reader, False)
            with contextlib.suppress(BlockingIOError):
                return code, os.read(reader, _MOST_SAID).decode(errors="replace")
            return code, ""
    except OSError as error:
        return Refusal(str(error.strerror))


@contextlib.contextmanager
def _ended(
    executable: Executable, order: _Order, seconds: float, errors: int | None
) -> Iterator[tuple[int, mmap.mmap, int]]:
    """Start it and wait for its end: its code, the shared file, and where the response begins."""
    with launching.opened(executable) as (program, memory):
        request, response_size = _request(order, executable.bits, memory)
        sizes = (response_size, _area_size(order))
        with launching.shared_file(request, sizes, _RESPONSE.size - SECRET) as shared:
            code = launching.run(executable, (shared, program), errors, seconds)
            size = len(request) + response_size
            with mmap.mmap(shared, size, prot=mmap.PROT_READ) as content:
                yield code, content, len(request)


def _cannot_run(bits: int, reason: str, layers: Layers = NO_LAYERS) -> Exploration:
    return Exploration(0, (), f"{bits}-bit programs cannot be run here: {reason}", layers)


# ------------------------------------------------------------------------- request and response


def _request(order: _Order, bits: int, memory: int) -> tuple[bytes, int]:
    """The request, and the size of the response; `memory`: bytes that the program itself fills."""
    if isinstance(order.inputs, Drawn):
        mode, drawn = _MODE_DRAW, order.inputs
    else:
        mode, drawn = _MODE_FEED, Drawn(0, given=order.inputs)
    sites, values = _feed_table(drawn)
    words = b"".join(map(_value, drawn.dictionary))
    texts = b"".join(text.ljust(TEXT_SIZE, b"\0") for text in drawn.texts)
    tables = (sites, values, words, texts)
    sites_at, values_at, words_at, texts_at, end = accumulate(
        map(len, tables), initial=_REQUEST.size
    )
    size = _whole_pages(end)
    response_size = _whole_pages(order.log_at + _READ.size * order.log_reads)
    limits = order.limits
    most = max(1, int(limits.seconds * 1e6))
    unit = _UNIT_MICROSECONDS if order.long_seconds == inf else _LEAST_UNIT
    unit = unit if order.stop and order.runs > 1 else most
    lost = _ENDLESS if order.long_seconds == inf else int(order.long_seconds * 1e6)
    own = 0 if bits == 0 else os.getpid()
    head = _REQUEST.pack(
        *(size, response_size, _area_size(order), order.layers.value, bits, order.alone, own),
        *(max(memory, limits.memory_mib << 20), int(2 * order.seconds + limits.seconds) + 2),
        *(mode, drawn.seed & _ENDLESS, order.runs, order.keep, order.stop),
        *(int(order.seconds * 1e9), min(unit, most), most, lost),
        *(limits.reads, order.log_reads),
        *(len(sites) // _FEED.size, sites_at, values_at, len(words) // 16, words_at),
        *(len(drawn.texts), texts_at, drawn.watched, _RESPONSE.size, order.log_at),
    )
    return b"".join((head, *tables)).ljust(size, b"\0"), response_size


def _area_size(order: _Order) -> int:
    return _whole_pages(_AREA.size + _READ.size * order.limits.reads)


def _feed_table(drawn: Drawn) -> tuple[bytes, bytes]:
    amounts = drawn.amounts.difference(drawn.given)
    numbers = {*drawn.given, *drawn.zero, *amounts}
    if any(not 0 <= site <= _MAX_SITE for site in numbers):
        raise ValueError("site number out of range")
    sites, values = bytearray((max(numbers, default=-1) + 1) * _FEED.size), bytearray()
    for site, given in drawn.given.items():
        _FEED.pack_into(sites, site * _FEED.size, len(values) // 16, len(given))
        values += b"".join(map(_value, given))
    for site in drawn.zero:
        _FEED.pack_into(sites, site * _FEED.size, 0, _ALWAYS_ZERO)
    for site in amounts:
        _FEED.pack_into(sites, site * _FEED.size, 0, _AMOUNT)
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
    log = [(site, low | high << 64) for site, low, high in _READ.iter_unpack(shared[log_at:end])]
    reads = tuple(read for read in log if read[0] != _STEP)
    steps = tuple(value for site, value in log if site == _STEP) if len(log) > len(reads) else ()
    ending, reason = _ending(status)
    if check > _MAX_CHECK or any(site > _MAX_SITE for site, _ in reads):
        return Outcome(Ending.LIMIT, reason=UNKNOWN_END)
    failed = check if ending is Ending.FAILED else None
    all_read = count < order.limits.reads
    return Outcome(ending, failed, reads, reason, all_read, steps)


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
