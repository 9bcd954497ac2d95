"""Fuzzing of readers: good inputs are mutated, each is accepted or refused as users may expect.

A reader returns, or raises a `SeaError` that names the file in a few printable lines, within
`CPU_S` seconds of this and other processes, and leaves no file behind.  Everything else is a fault.
Inputs follow from the name of the reader, a seed and a number.  They run in copies of this process,
so that one which crashes or hangs is found out.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import shutil
import signal
import struct
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NoReturn

from fuzz_targets import Odd, Target

from seahorn_py.base.errors import SeaError
from seahorn_py.processes import child

CPU_S = 5.0
HANG_S = 180.0
MEMORY_MIB = 3072
BATCH = 400
"""Inputs that one copy reads; terms that it has made stay until it ends."""
MOST_LINES, MOST_CHARACTERS = 4, 2000
_STATE = struct.Struct("<qqqd")


@dataclass(frozen=True)
class Fault:
    """An input that was neither accepted nor refused as it should be.

    Faults with the same `kind` are taken for one.
    """

    kind: str
    text: str
    number: int
    data: bytes = field(repr=False)


@dataclass
class Campaign:
    """What came of many inputs; `executions` counts all, `accepted` those that were read."""

    executions: int = 0
    accepted: int = 0
    faults: dict[str, Fault] = field(default_factory=dict)
    repeated: int = 0


class TooSlow(BaseException):
    """More than `CPU_S` seconds of processor time in this process."""


def generated(target: Target, seed: int, number: int) -> bytes:
    """The input of that number."""
    return target.odd(Random(f"{target.name}/{seed}/{number}"))


def fuzz(
    target: Target,
    seconds: float,
    seed: int,
    found: Callable[[Fault], None] = lambda _: None,
    most: int = 1 << 62,
) -> Campaign:
    """Read odd inputs until the time is over or there were `most`; `found` is told new faults."""
    campaign = Campaign()
    generated(target, seed, 0)  # the good inputs are made once, here
    until = time.monotonic() + seconds
    number = 0
    with tempfile.TemporaryDirectory(prefix="sea-fuzz-") as name:
        while time.monotonic() < until and number < most:
            count = min(BATCH, most - number)
            batch = _Batch(target, seed, range(number, number + count), Path(name), until)
            for fault in batch.run():
                if fault.kind in campaign.faults:
                    campaign.repeated += 1
                    continue
                campaign.faults[fault.kind] = fault
                found(fault)
            campaign.executions += batch.executions
            campaign.accepted += batch.accepted
            number = batch.next
    return campaign


class _Batch:
    """Some inputs in a copy of this process; the shared state says how far it has come."""

    def __init__(
        self, target: Target, seed: int, numbers: range, folder: Path, until: float
    ) -> None:
        self._target, self._seed, self._numbers = target, seed, numbers
        self._folder, self._until = folder, until
        self._shared = mmap.mmap(-1, _STATE.size)
        self._faults = folder / "faults"
        self.executions, self.accepted, self.next = 0, 0, numbers.start

    def run(self) -> Iterator[Fault]:
        """The faults of the batch, which ends with the first that ends its process."""
        self._faults.write_text("")
        self._note(self._numbers.start - 1, 0)
        limit = child._limiter(MEMORY_MIB)  # it dies with this process
        pid = os.fork()
        if pid == 0:
            self._work(limit)
        ended = self._wait(pid)
        current, self.executions, self.accepted, _ = _STATE.unpack(self._shared[:])
        self.next = current + 1
        for line in self._faults.read_text().splitlines():
            kind, text, number = json.loads(line)
            yield Fault(kind, text, number, generated(self._target, self._seed, number))
        if ended:
            data = generated(self._target, self._seed, current)
            yield Fault(ended, ended, current, data)

    def _wait(self, pid: int) -> str:
        """How it ended, if not as it should."""
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return f"the process ended with {code}" if code else ""
            if time.monotonic() - _STATE.unpack(self._shared[:])[3] > HANG_S:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return f"no end within {HANG_S:.0f} s"
            time.sleep(0.02)

    def _note(self, current: int, done: int) -> None:
        self._shared[:] = _STATE.pack(current, done, self.accepted, time.monotonic())

    def _work(self, limit: Callable[[], None]) -> NoReturn:
        code = 1
        try:
            os.setpgid(0, 0)
            limit()
            _silence()
            with self._faults.open("a") as stream:
                self._read_all(stream)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def _read_all(self, stream: object) -> None:
        place = Path(tempfile.mkdtemp(dir=self._folder))
        for done, number in enumerate(self._numbers):
            if time.monotonic() > self._until:
                break
            self._note(number, done + 1)
            outcome = outcome_of(self._target, generated(self._target, self._seed, number), place)
            self.accepted += outcome is None
            if isinstance(outcome, Odd):
                print(json.dumps((outcome.kind, outcome.text, number)), file=stream, flush=True)  # type: ignore[call-overload]
            self._note(number, done + 1)
        shutil.rmtree(place, ignore_errors=True)


def _silence() -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)


def outcome_of(target: Target, data: bytes, place: Path) -> SeaError | Odd | None:
    """None where the input is accepted, the error where it is refused, or what is odd."""
    file = place / f"input{target.suffix}"
    file.write_bytes(data)
    began = _processor_s()
    outcome = _read(target, file)
    spent = _processor_s() - began
    if spent > CPU_S and not isinstance(outcome, Odd):
        outcome = Odd("slow", f"{spent:.1f} s of processor time")
    left = sorted(path.name for path in place.iterdir() if path != file)
    if left or file.read_bytes() != data:
        for name in left:
            (place / name).unlink(missing_ok=True)
        return Odd("files", f"it left {left} or changed its input")
    return outcome


def _processor_s() -> float:
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds))


def _read(target: Target, file: Path) -> SeaError | Odd | None:
    try:
        with _alarm(CPU_S):
            return target.read(file)
    except SeaError as error:
        return _refused(error, file)
    except TooSlow as slow:
        return Odd(f"slow {_place(slow)}", f"more than {CPU_S:.0f} s")
    except Exception as error:
        return Odd(
            f"{type(error).__name__} {_place(error)}", f"{type(error).__name__}: {error}"[:400]
        )


def _refused(error: SeaError, file: Path) -> SeaError | Odd:
    text = str(error)
    lines = text.split("\n")
    kind = f"{type(error).__name__} {_place(error)}"
    if str(file) not in text:
        return Odd(f"unnamed {kind}", f"the message does not name the file: {text[:300]!r}")
    if len(lines) > MOST_LINES or len(text) > MOST_CHARACTERS or not all(lines):
        return Odd(f"long {kind}", f"{len(lines)} lines, {len(text)} characters: {text[:300]!r}")
    if not all(line.replace("\t", " ").isprintable() for line in lines):
        return Odd(f"unprintable {kind}", f"{text[:300]!r}")
    return error


def _place(error: BaseException) -> str:
    """The function of ours in which it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/seahorn_py/" in f.filename or "/frontend/" in f.filename]
    last = (ours or list(frames))[-1]
    return f"{Path(last.filename).name}:{last.name}"


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def late(*_: object) -> NoReturn:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# ------------------------------------------------------------------------------------- minimising


def smallest(target: Target, fault: Fault, seconds: float = 20.0) -> bytes:
    """A smaller input with the same kind of fault, by delta debugging while there is time."""
    until = time.monotonic() + seconds

    def fails(data: bytes) -> bool:
        return time.monotonic() < until and kind_of(target, data) == fault.kind

    if not fails(fault.data):
        return fault.data
    data = fault.data
    for cut in (_lines, _tokens(target), _bytes):
        data = b"".join(_reduced(cut(data), fails))
    return data


def kind_of(target: Target, data: bytes) -> str:
    """The kind of fault that an input shows, "" if none."""
    alone = Target(target.name, target.suffix, lambda _: data, target.read)
    campaign = fuzz(alone, HANG_S, 0, most=1)
    return next(iter(campaign.faults), "")


def _reduced(parts: list[bytes], fails: Callable[[bytes], bool]) -> list[bytes]:
    size = len(parts) // 2
    while size:
        at = 0
        while at < len(parts):
            less = parts[:at] + parts[at + size :]
            if fails(b"".join(less)):
                parts = less
            else:
                at += size
        size //= 2
    return parts


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _bytes(data: bytes) -> list[bytes]:
    return [data[k : k + 1] for k in range(len(data))] if len(data) < 400 else [data]


def _tokens(target: Target) -> Callable[[bytes], list[bytes]]:
    def cut(data: bytes) -> list[bytes]:
        text = data.decode(errors="surrogateescape")
        return [t.encode(errors="surrogateescape") for t in target.tokens.findall(text)]

    return cut
