"""What the contracts allow: predicates over the results, errno, the memory and the streams.

Each looks at one call and at what is known from those before it.  They are written apart from the
models, from the standard and from `contracts.txt`.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from seahorn_py.frontend.library.contracts import contract_of
from sequences.calls import Call, Outcome, Seen, Sequence, signed
from sequences.operations import Operation, operations

SKIPPED = -9999
_STREAMS = 4


@dataclass
class _Stream:
    """What is known of a stream: None is unknown."""

    pushed: list[int] = field(default_factory=list)
    ended: bool | None = False
    failed: bool | None = False


@dataclass
class Known:
    """What the calls so far have told."""

    memory: bytes
    errno: int = 0
    streams: dict[int, _Stream] = field(default_factory=lambda: {0: _Stream(), 1: _Stream()})
    environment: dict[str, tuple[int, ...]] = field(default_factory=dict)
    numbers: dict[tuple[str, int, int], int] = field(default_factory=dict)
    seeds: dict[str, tuple[int, int]] = field(default_factory=dict)
    clock: int = -1
    process: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """A call, what is known before it, and what was seen; `a` are its arguments with signs."""

    operation: Operation
    a: tuple[int, ...]
    known: Known
    seen: Seen
    results: tuple[int, ...]

    @property
    def result(self) -> int:
        return self.results[0]

    def text(self, at: int) -> bytes:
        """The string in the memory before the call."""
        return self.known.memory[at:].split(b"\0", 1)[0]


_WRITING = frozenset(
    {
        *("fgets", "fgets_unlocked", "gets", "fread", "fread_unlocked", "read", "qsort", "bsearch"),
        *("snprintf", "sprintf", "vsnprintf", "vsprintf", "memcpy", "mempcpy", "memmove", "memset"),
        *("memccpy", "bcopy", "bzero", "explicit_bzero", "strcpy", "stpcpy", "strncpy", "stpncpy"),
        *("qsort_r", "lsearch", "swab", "strxfrm"),
        *("strcat", "strncat", "strlcpy", "strlcat", "strsep", "strtok", "strtok_r", "getopt"),
        *("__atomic_load", "__atomic_store", "__atomic_exchange", "__atomic_compare_exchange"),
    }
)
_TOGETHER = {"setvbuf": ("fopen",), "setbuf": ("fopen",), "popen": ("pclose",)}
_TOGETHER |= dict.fromkeys(("hcreate", "hdestroy"), ("hsearch",))
"""Functions that an operation calls as well."""
_FORGETTING = frozenset({"scanf", "fscanf", "sscanf", "vsscanf"})


def wrong(sequence: Sequence, outcome: Outcome) -> Iterator[str]:
    """What of an outcome no contract allows."""
    known = Known(struct.pack("<16Q", *sequence.memory))
    for call, seen in zip(sequence.calls, outcome.calls(), strict=False):
        if not seen.is_whole:
            return
        step = _step(call, seen, known)
        if SKIPPED not in step.results:
            yield from (f"{step.operation.function}{step.a}: {w} {seen}" for w in _wrong(step))
        known.errno = seen.errno
        known.memory = struct.pack("<16Q", *seen.memory)


def _step(call: Call, seen: Seen, known: Known) -> Step:
    operation = operations()[call.operation]
    arguments = tuple(signed(x) for x in call.arguments[: len(operation.kinds)])
    return Step(operation, arguments, known, seen, tuple(signed(x) for x in seen.results))


def _wrong(step: Step) -> Iterator[str]:
    function = step.operation.function
    if function != "__errno_location" and not _may_set(step):
        yield "errno"
    if function not in _WRITING and struct.pack("<16Q", *step.seen.memory) != step.known.memory:
        yield "memory"
    rule = _RULES.get(function)
    if rule is not None and not rule(step):
        yield "result"


def _may_set(step: Step) -> bool:
    now = step.seen.errno
    functions = (step.operation.function, *_TOGETHER.get(step.operation.function, ()))
    found = [contract for name in functions if (contract := contract_of(name))]
    reasons = {getattr(errno, name) for contract in found for name in contract.errno}
    return (
        now == step.known.errno
        or now in reasons
        or (now == 0 and step.operation.function in _FORGETTING)
        or (now == 0 and step.operation.function in ("strtod", "strtof", "strtold"))
    )


# ------------------------------------------------------------------------------------ streams


def _stream(step: Step, number: int) -> _Stream:
    return step.known.streams.setdefault(number, _Stream())


def _got(number: int | None) -> Callable[[Step], bool]:
    """A character, the last that was pushed back first, or the end or an error."""

    def rule(step: Step) -> bool:
        stream = _stream(step, step.a[0] if number is None else number)
        if stream.pushed:
            return step.result == stream.pushed.pop()
        if step.result == -1:
            stream.ended = None if stream.ended is False else stream.ended
            stream.failed = None if stream.failed is False else stream.failed
            return stream.ended is None or stream.ended or stream.failed is not False
        was_at_end = stream.ended is True
        stream.ended = False
        return 0 <= step.result <= 255 and not was_at_end

    return rule


def _pushed(step: Step) -> bool:
    stream = _stream(step, step.a[1])
    if step.result == -1:
        return step.a[0] == -1 or bool(stream.pushed) or step.a[1] > 0
    stream.pushed.append(step.result)
    stream.ended = False
    return step.result == step.a[0] & 255


def _is_ended(step: Step) -> bool:
    stream = _stream(step, step.a[0])
    is_ended, before = step.result != 0, stream.ended
    stream.ended = is_ended
    if before is None and not is_ended and stream.failed is None:
        stream.failed = True
    return before is None or before == is_ended


def _has_failed(step: Step) -> bool:
    stream = _stream(step, step.a[0])
    has_failed, before = step.result != 0, stream.failed
    stream.failed = has_failed
    if before is None and not has_failed and stream.ended is None:
        stream.ended = True
    return before is None or before == has_failed


def _cleared(step: Step) -> bool:
    stream = _stream(step, step.a[0])
    stream.ended = stream.failed = False
    return True


def _opened(step: Step) -> bool:
    number = step.a[2] if step.operation.function == "freopen" else 2 + step.a[0] % 2
    step.known.streams[number] = _Stream()
    return step.result in (0, 1)


def _anything(number: int | None) -> Callable[[Step], bool]:
    """Afterwards nothing is known of a stream, the argument of that number or the output."""

    def rule(step: Step) -> bool:
        at = 1 if number is None else step.a[number]
        step.known.streams[at] = _Stream([], None, None)
        return True

    return rule


def _then(rule: Callable[[Step], bool], number: int | None) -> Callable[[Step], bool]:
    after = _anything(number)
    return lambda step: rule(step) and after(step)


def _put(step: Step) -> bool:
    return step.result in (step.a[0] & 255, -1)


def _not_negative(step: Step) -> bool:
    return step.result >= -1


def _at_most(number: int) -> Callable[[Step], bool]:
    return lambda step: 0 <= step.result <= step.a[number]


def _up_to(number: int) -> Callable[[Step], bool]:
    return lambda step: -1 <= step.result <= step.a[number]


def _scanned(step: Step) -> bool:
    """The count, and what the width of each conversion admits."""
    wanted = (
        2 if step.a[0] in (1, 2) and step.operation.function == "scanf" else 1 + (step.a[0] == 1)
    )
    count, x, y = step.results[:3]
    few = step.a[0] == 1 and count >= 1 and not 0 <= y <= 9
    narrow = step.a[0] == 3 and count >= 1 and not -9 <= x <= 99
    return -1 <= count <= wanted and not few and not narrow


# ----------------------------------------------------------------------------- text and numbers


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)


def _compared(step: Step) -> bool:
    """Only the sign of the first difference."""
    function, memory = step.operation.function, step.known.memory
    left, right = (step.text(at) for at in step.a[:2])
    if function in ("memcmp", "bcmp"):
        left, right = (memory[at : at + step.a[2]] for at in step.a[:2])
    elif function.startswith("strn"):
        left, right = left[: step.a[2]], right[: step.a[2]]
    wanted = (left > right) - (left < right)
    if function == "bcmp":
        return (step.result != 0) == (wanted != 0)
    return _sign(step.result) == wanted


def _sorted(step: Step) -> bool:
    at, size = step.a[0], 2 * (step.a[1] + 2)
    now = struct.pack("<16Q", *step.seen.memory)
    before, after = (
        [memory[k : k + 2] for k in range(at, at + size, 2)] for memory in (step.known.memory, now)
    )
    keys = [struct.unpack("b", one[:1])[0] for one in after]
    outside = now[:at] + now[at + size :] == step.known.memory[:at] + step.known.memory[at + size :]
    return sorted(before) == sorted(after) and keys == sorted(keys) and outside


def _found(step: Step) -> bool:
    now = struct.pack("<16Q", *step.seen.memory)
    key, at, count = now[step.a[0]], step.a[1], step.a[2] + 1
    places = [k for k in range(at, at + count) if now[k] == key]
    return step.result in places if places else step.result == -1


def _random(generator: str) -> Callable[[Step], bool]:
    """The same seed gives the same numbers."""

    def rule(step: Step) -> bool:
        seed, place = step.known.seeds.get(generator, (1, 0))
        step.known.seeds[generator] = (seed, place + 1)
        known = step.known.numbers.setdefault((generator, seed, place), step.result)
        return known == step.result and 0 <= step.result < 2**31

    return rule


def _seeded(generator: str) -> Callable[[Step], bool]:
    def rule(step: Step) -> bool:
        step.known.seeds[generator] = (step.a[0], 0)
        return True

    return rule


def _value(step: Step) -> bool:
    """The same for the same name; of an environment that changed nothing is known."""
    if step.operation.function == "secure_getenv" or step.operation.kinds == ("p",):
        return step.result >= -1
    name = {0: "ONE", 1: "TWO"}.get(step.a[0], "NONE")
    return step.known.environment.setdefault(name, step.results) == step.results


def _changed(step: Step) -> bool:
    step.known.environment.clear()
    return step.result in (0, -1)


def _clock(step: Step) -> bool:
    before, step.known.clock = step.known.clock, max(step.known.clock, step.result)
    return step.result == -1 or step.result >= before


def _process(step: Step) -> bool:
    before, step.known.process = step.known.process, step.result
    return step.result > 0 and before in (0, step.result)


def _named(names: str, rule: Callable[[Step], bool]) -> dict[str, Callable[[Step], bool]]:
    return dict.fromkeys(names.split(), rule)


_RULES: Mapping[str, Callable[[Step], bool]] = {
    **_named("getc fgetc getc_unlocked fgetc_unlocked _IO_getc", _got(None)),
    **_named("getchar getchar_unlocked", _got(0)),
    **_named("ungetc", _pushed),
    **_named("feof feof_unlocked", _is_ended),
    **_named("ferror ferror_unlocked", _has_failed),
    **_named("clearerr clearerr_unlocked", _cleared),
    **_named("fopen fdopen freopen tmpfile setvbuf setbuf", _opened),
    **_named("fgets fgets_unlocked", _anything(2)),
    **_named("gets", lambda step: _got_line(step)),
    **_named("fread fread_unlocked fwrite fwrite_unlocked", _then(_at_most(2), 3)),
    **_named("scanf", lambda step: _scanned(step) and _forgot(step, 0)),
    **_named("fscanf", _then(_scanned, 1)),
    **_named("fputc putc putc_unlocked fputc_unlocked _IO_putc", _then(_put, 1)),
    **_named("putchar putchar_unlocked", _then(_put, None)),
    **_named("puts printf vprintf", _then(_not_negative, None)),
    **_named("fputs fputs_unlocked vfprintf", _then(_not_negative, 1)),
    **_named("fprintf", _then(_not_negative, 3)),
    **_named("fseek fseeko ftell ftello rewind", _anything(0)),
    **_named(
        "fflush fclose fflush_unlocked", lambda step: step.result in (0, -1) and _forgot(step)
    ),
    **_named("remove rename unlink close ftruncate fsync", lambda step: step.result in (0, -1)),
    **_named("fdatasync fchown fchdir fchmod setuid setgid", lambda s: s.result in (0, -1)),
    **_named("read write", _up_to(2)),
    **_named("open open64 creat dup dup2 lseek getpgid getsid setsid sysconf", _not_negative),
    **_named("isatty", lambda step: step.result in (0, 1)),
    **_named("memcmp bcmp strcmp strncmp strcoll", _compared),
    **_named("qsort", _sorted),
    **_named("bsearch", _found),
    **_named("rand", _random("rand")),
    **_named("random", _random("random")),
    **_named("srand", _seeded("rand")),
    **_named("srandom", _seeded("random")),
    **_named("getenv secure_getenv", _value),
    **_named("setenv unsetenv putenv clearenv", _changed),
    **_named("time", lambda step: step.a[0] == 0 or step.results[0] == step.results[1]),
    **_named("clock", _clock),
    **_named("getpid", _process),
    **_named("gettimeofday", lambda step: 0 <= step.results[2] < 1_000_000),
    **_named("usleep pause", lambda step: step.result in (0, -1)),
    **_named("sleep", lambda step: step.result == 0),
}


def _got_line(step: Step) -> bool:
    return step.result in (0, -1) and _forgot(step, 0)


def _forgot(step: Step, number: int | None = None) -> bool:
    """Nothing is known any more of a stream, or of any."""
    for k in range(_STREAMS) if number is None else (number,):
        step.known.streams[k] = _Stream([], None, None)
    return True
