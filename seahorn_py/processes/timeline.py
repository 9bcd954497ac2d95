"""A time line of a run: its processes, the stages they are in, and the questions to solvers.

It is in the trace format of Chrome, which `chrome://tracing` and Perfetto show: a list of events,
one a line, without its last bracket, since what is killed cannot write it.  All processes of a run
append to one file, which they inherit.  Where nobody asks for a time line nothing is noted.

A process is a row.  A span begins and ends; the seconds of the processor are those of its process
and of the children that were reaped meanwhile.  Who notes the end of a process has reaped it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import time
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from types import TracebackType

from seahorn_py.base.errors import SeaError
from seahorn_py.base.records import dataclass

_NOTHING: AbstractContextManager[None] = contextlib.nullcontext()
_file: int | None = None
"""The file of this process and its copies."""


class Kind(Enum):
    """What a span is about; the value is its category in the file."""

    PROCESS = "process"
    STAGE = "stage"
    SOLVER = "solver"


@dataclass(frozen=True)
class Event:
    """The beginning of a span, or its end (without a name) with the CPU seconds it took."""

    process: int
    microseconds: float
    kind: Kind
    name: str = ""
    cpu: float = 0.0

    def __str__(self) -> str:
        told = {"pid": self.process, "tid": 0, "ts": self.microseconds, "cat": self.kind.value}
        if self.name:
            return json.dumps({"ph": "B", "name": self.name, **told})
        return json.dumps(
            {"ph": "E", **told, "args": {"cpu": round(self.cpu, 4), "by": os.getpid()}}
        )


def begin(file: Path) -> None:
    """From now on this process and its copies note what they do.  SeaError if they cannot."""
    global _file
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    try:
        _file = os.open(file, flags, 0o666)
    except OSError as error:
        raise SeaError(f"{file}: cannot write: {error.strerror}") from None
    os.write(_file, b"[\n")
    process_begins("sea-py")


def span(kind: Kind, name: str) -> AbstractContextManager[None]:
    """Note what is done inside."""
    return _NOTHING if _file is None else _Span(kind, name)


def process_begins(name: str, pid: int | None = None) -> None:
    """Note that a process, if no other then this one, begins."""
    if _file is not None:
        row = pid or os.getpid()
        named = {"ph": "M", "name": "process_name", "pid": row, "tid": 0, "args": {"name": name}}
        _write(json.dumps(named))
        _write(str(Event(row, _now(), Kind.PROCESS, name)))


def process_ends(pid: int, cpu: float) -> None:
    """Note that a process has been reaped that took these seconds."""
    if _file is not None:
        _write(str(Event(pid, _now(), Kind.PROCESS, cpu=cpu)))


class _Span:
    def __init__(self, kind: Kind, name: str) -> None:
        self._kind, self._name = kind, name
        self._cpu = 0.0

    def __enter__(self) -> None:
        self._cpu = _processor()
        _write(str(Event(os.getpid(), _now(), self._kind, self._name)))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        cpu = _processor() - self._cpu
        _write(str(Event(os.getpid(), _now(), self._kind, cpu=cpu)))


def _write(event: str) -> None:
    if _file is not None:
        with contextlib.suppress(OSError):
            os.write(_file, event.encode() + b",\n")


def _now() -> float:
    return time.monotonic_ns() / 1000


def _processor() -> float:
    reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + reaped.ru_utime + reaped.ru_stime
