"""Internal errors: exceptions that neither a limit nor the input explains, wherever they end.

Whoever catches what it did not expect notes it here.  The notes go to a file that is open in all
copies of the process which collects them, so that the error of an engine is known even when it
loses, or when what asked it goes on without an answer.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import asdict
from typing import IO

from seahorn_py.base.errors import SeaError, StageFailure
from seahorn_py.base.records import dataclass
from seahorn_py.processes import scratch, timeline
from seahorn_py.processes.timeline import Kind

VARIABLE = "SEA_INTERNAL_ERRORS"
"""Names a file to which all internal errors are appended too, those of other processes as well."""

MOST_MESSAGE, MOST_TRACEBACK = 1_000, 16_000
"""Characters of a message, and of the end of a traceback."""

_LIMITS = frozenset(
    {
        *(errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
        *(errno.EMFILE, errno.ENFILE, errno.EAGAIN),
    }
)
_SOLVER_LIMITS = ("cancel", "timeout", "time limit", "memory", "interrupted", "resource limit")


class Expected(Exception):
    """What its caller reckons with: a limit, or a process that ended for a reason of its own."""


@dataclass(frozen=True)
class InternalErrorReport:
    """A bug of ours: the stage and who worked there, the exception, where it was raised."""

    stage: str
    who: str
    type: str
    message: str
    traceback: str = ""

    @staticmethod
    def of(error: BaseException, stage: str = "", who: str = "sea-py") -> InternalErrorReport:
        """That exception, with where it was raised."""
        import traceback  # costs start-up time

        text = "".join(traceback.format_exception(error))
        return reported(type(error).__name__, str(error), text, stage, who)

    def __str__(self) -> str:
        return f"internal error in {self.who}: {self.type}: {self.message} (please report)"


class Reports:
    """The internal errors of this process and its copies while it is `collecting`."""

    def __init__(self, descriptor: int | None = None) -> None:
        """In a new file, or in that behind an inherited descriptor."""
        self._stream: IO[bytes]
        if descriptor is not None:
            self._stream = os.fdopen(descriptor, "r+b", buffering=0, closefd=False)
            return
        self._stream = scratch.common_file()

    def fileno(self) -> int:
        """The descriptor of the file."""
        return self._stream.fileno()

    @contextlib.contextmanager
    def collecting(self) -> Iterator[None]:
        """What is noted inside comes here, and to those who collect around this."""
        token = _collectors.set((*_collectors.get(), self._stream.fileno()))
        try:
            yield
        finally:
            _collectors.reset(token)

    def found(self) -> tuple[InternalErrorReport, ...]:
        """Those known now, each once, in their order."""
        size = os.fstat(self._stream.fileno()).st_size
        lines = os.pread(self._stream.fileno(), size, 0).splitlines()
        return tuple(dict.fromkeys(InternalErrorReport(**json.loads(line)) for line in lines))


_collectors: ContextVar[tuple[int, ...]] = ContextVar("collectors", default=())
_work: ContextVar[tuple[str, str]] = ContextVar("work", default=("", ""))


@contextlib.contextmanager
def working(stage: str, who: str) -> Iterator[None]:
    """Errors noted inside are of this stage and of whoever works there."""
    token = _work.set((stage, who))
    try:
        with timeline.span(Kind.STAGE, who or stage):
            yield
    finally:
        _work.reset(token)


def at_work() -> str:
    """Who works, in the words of `working`."""
    return _work.get()[1]


def is_limit(error: BaseException) -> bool:
    """Whether an exception says that a limit was met, or that the input is refused."""
    match error:
        case Expected() | SeaError() | StageFailure() | MemoryError():
            return True
        case OSError():
            return error.errno in _LIMITS
    return _says_limit(type(error).__name__, str(error))


def lacking(error: BaseException) -> SeaError | None:
    """What to tell the user of an error of the system that is no bug; None for any other.

    Such are limits, no place for temporary files, and no /proc.
    """
    if not isinstance(error, OSError):
        return None
    where = f": {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else ""
    absent = error.errno == errno.ENOENT and (
        "temporary directory" in str(error.strerror) or where.startswith(": /proc/self")
    )
    if not absent and not is_limit(error):
        return None
    return SeaError(f"the system does not give what is needed: {error.strerror}{where}")


def _says_limit(kind: str, message: str) -> bool:
    """Whether an exception says so in words; libraries are not loaded without memory."""
    match kind.rpartition(".")[2]:
        case "MemoryError":
            return True
        case "ImportError":
            return "map segment" in message or "allocate" in message
        case "Z3Exception":
            words = (*_SOLVER_LIMITS, "not found")
            return any(word in message.lower() for word in words)
    return False


def _is_of_solver(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] in ("z3", "cvc5", "bitwuzla")


def noted(error: BaseException) -> str:
    """The error in words; it is noted unless a limit explains it."""
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    if is_limit(error):
        return said
    import traceback  # costs start-up time

    note(type(error).__name__, str(error), "".join(traceback.format_exception(error)))
    return f"internal error: {said}"


def noted_in_solver(error: Exception) -> None:
    """Note an exception raised where a solver works, unless it is one that the solver raises."""
    if not _is_of_solver(error) and not isinstance(error, RuntimeError):
        noted(error)


def noted_misread(error: SeaError) -> None:
    """Note that what one of our own processes wrote cannot be read."""
    import traceback  # costs start-up time

    note(type(error).__name__, str(error), "".join(traceback.format_exception(error)))


def noted_text(written: str) -> str:
    """The last line of what a process wrote before it failed; a traceback in it is noted."""
    lines = written.strip().splitlines()
    last = lines[-1] if lines else ""
    kind, _, message = last.partition(": ")
    if "Traceback (most recent call last):" not in lines or _says_limit(kind, message):
        return last
    note(kind, message, written)
    return f"internal error: {last}"


def reported(
    type_: str, message: str, traceback: str, stage: str = "", who: str = ""
) -> InternalErrorReport:
    """A report that fits into a line, and into one write."""
    said = " ".join(message.split())[:MOST_MESSAGE]
    return InternalErrorReport(
        stage or "sea-py", who or "sea-py", type_, said, traceback[-MOST_TRACEBACK:]
    )


def note(type_: str, message: str, traceback: str) -> None:
    """Append a report to all files that collect them."""
    report = reported(type_, message, traceback, *_work.get())
    line = json.dumps(asdict(report)).encode() + b"\n"
    for collector in dict.fromkeys(_collectors.get()):
        with contextlib.suppress(OSError):
            os.write(collector, line)
    if file := os.environ.get(VARIABLE):
        with contextlib.suppress(OSError), open(file, "ab", buffering=0) as stream:
            stream.write(line)


def lines(reports: Sequence[InternalErrorReport]) -> Iterator[str]:
    """A line for each different error, for people."""
    yield from dict.fromkeys(map(str, reports))
