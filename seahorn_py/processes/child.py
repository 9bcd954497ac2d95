"""Children: Python functions and commands in processes of their own, bounded and always reaped.

A child runs in its own session with a limit on wall time and address space, dies with its parent
(`PR_SET_PDEATHSIG`) and is killed with its whole process group.  A Python target is named
`"package.module:function"`, takes one text and returns one text; nothing else crosses the border.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import importlib
import math
import os
import pickle
import resource
import select
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn, Self, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.processes import timeline
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import Expected, at_work, noted, noted_text

_PR_SET_PDEATHSIG = 1
_CHUNK = 1 << 24

Work = Callable[[], object]
Result = TypeVar("Result")
BEHIND = 5  # the niceness of what is in no hurry, as engines are while a verdict is confirmed


class ChildError(Expected):
    """A child that did not give a result."""


class ChildTimeout(ChildError):
    """The deadline passed; the child was killed."""


class ChildFailed(ChildError):
    """The child ended without a result; the text is the end of what it wrote to standard error."""


@dataclass(frozen=True)
class Completed:
    """How a command ended: exit code (negative: signal) and what it wrote."""

    code: int
    output: str
    errors: str


class Child:
    """A running child, the process `pid`; a context manager that kills and reaps it at the end.

    Only the process that started a child kills it; copies of that process may ask and wait.
    """

    def __init__(self, pid: int, ended: int, deadline: Deadline) -> None:
        self.deadline = deadline
        self.pid = pid
        self._ended = ended
        self._owner = os.getpid()
        self._killed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def fileno(self) -> int:
        """A descriptor that becomes readable when the child has ended."""
        return self._ended

    @property
    def running(self) -> bool:
        """Not ended yet; kills the child when its deadline has passed."""
        if self._ends_within(0):
            return False
        if self.deadline.remaining > 0:
            return True
        self.kill()
        return False

    def _ends_within(self, seconds: float) -> bool:
        if self._killed:
            return True
        poll = select.poll()
        poll.register(self._ended, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _await(self) -> None:
        """Wait for the end; ChildTimeout when the deadline comes first or came already."""
        if self._killed or not self._ends_within(self.deadline.remaining):
            self.kill()
            raise ChildTimeout("time limit")

    def kill(self) -> None:
        """End the child and its process group, and reap it; safe to call twice."""
        if self._killed or os.getpid() != self._owner:
            return
        self._killed = True
        for end in (os.killpg, os.kill):  # it may not lead its group yet
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(self.pid, signal.SIGKILL)
        self._reap()
        os.close(self._ended)

    def _reap(self) -> None:
        """Wait for the killed process and close what belongs to it."""
        raise NotImplementedError


class Command(Child):
    """A command with files for its standard streams."""

    def __init__(
        self,
        argv: Sequence[str],
        deadline: Deadline,
        memory_mib: int | None,
        *,
        text: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._stdin = _file_of(text)
        self._stdout = _file_of("")
        self._stderr = _file_of("")
        self._process = subprocess.Popen(
            argv,
            stdin=self._stdin,
            stdout=self._stdout,
            stderr=self._stderr,
            cwd=cwd,
            env=env,
            start_new_session=True,
            preexec_fn=_limiter(memory_mib),
        )
        timeline.process_begins(" ".join(map(os.path.basename, argv[:2])), self._process.pid)
        super().__init__(self._process.pid, os.pidfd_open(self._process.pid), deadline)

    @property
    def written(self) -> int:
        """How many bytes it has written so far."""
        return sum(os.fstat(s.fileno()).st_size for s in (self._stdout, self._stderr))

    def wait(self) -> Completed:
        """Wait for the end; ChildTimeout when the deadline comes first."""
        self._await()
        code = self._waited()
        completed = Completed(code, _text_of(self._stdout), _text_of(self._stderr))
        self.kill()
        return completed

    def _reap(self) -> None:
        self._waited()
        for stream in (self._stdin, self._stdout, self._stderr):
            stream.close()

    def _waited(self) -> int:
        """The exit code; the end and the CPU seconds are noted when it is reaped."""
        if self._process.returncode is None:
            used = _of_children()
            self._process.wait()
            timeline.process_ends(self.pid, _of_children() - used)
        return self._process.returncode


class Fork(Child):
    """A function of this process run in a forked copy of it: no start-up cost, plain data back.

    For work that needs what the parent has built (programs, terms).  The copy is its own session
    and dies with its parent; its result comes back pickled, so it must hold no solver terms.  The
    parent must have one thread.  Copies of the parent made later may ask for the result too.
    `niceness` is added to that of the parent; `name` is what the time line calls it, by default
    what works when it is made.
    """

    def __init__(
        self,
        work: Work,
        deadline: Deadline,
        memory_mib: int | None = None,
        niceness: int = 0,
        name: str = "",
    ) -> None:
        self._answer = _file_of("")
        self._errors = _file_of("")
        self._code = 0  # negative: a signal; only the process that made the copy learns it
        reader, writer = os.pipe()
        limit = _limiter(memory_mib, niceness)
        pid = os.fork()
        if pid == 0:
            timeline.process_begins(name or at_work() or "copy")
            _run_copy(work, self._answer, self._errors, limit)
        os.close(writer)  # the copy never writes either: its end is the end of the pipe
        super().__init__(pid, reader, deadline)

    def result(self) -> object:
        """What the function returned; ChildTimeout or ChildFailed otherwise."""
        self._await()
        data, errors = _content_of(self._answer), _text_of(self._errors)
        self.kill()
        if not data or self._code:
            by_signal = self._code < 0
            ended = f"by {signal.Signals(-self._code).name}" if by_signal else "without a result"
            last = errors.strip().rpartition("\n")[2]
            raise ChildFailed(f"ended {ended}: {last}".removesuffix(": "))
        kind, value = pickle.loads(data)
        if kind == "error":
            raise ChildFailed(value)
        return value

    def _reap(self) -> None:
        _, status, used = os.wait4(self.pid, 0)
        self._code = os.waitstatus_to_exitcode(status)
        timeline.process_ends(self.pid, used.ru_utime + used.ru_stime)
        self._answer.close()
        self._errors.close()


def _run_copy(
    work: Work, answer: IO[bytes], errors: IO[bytes], limit: Callable[[], None]
) -> NoReturn:
    """In the forked copy: run, write the pickled result, leave without the parent's clean-up."""
    status = 1
    try:
        gc.freeze()  # a search for garbage would copy the memory of the parent
        os.setsid()
        limit()
        faulthandler.disable()  # it would write to the terminal
        for standard in (1, 2):  # what a library prints concerns nobody
            os.dup2(errors.fileno(), standard)
        try:
            value = ("ok", work())
        except Exception as error:  # the border of a process: everything becomes a message
            value = ("error", noted(error))
        pickle.dump(value, answer)
        answer.flush()
        status = 0
    finally:
        os._exit(status)


def _of_children() -> float:
    """CPU seconds of the children that were reaped."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def threads() -> int:
    """How many threads this process has, with those that libraries start."""
    return len(os.listdir("/proc/self/task"))


def start(target: str, text: str, deadline: Deadline, memory_mib: int | None = 4096) -> Child:
    """Start `target` ("package.module:function") on `text` in a process of its own.

    That is a copy of this one, which is quick, unless other threads would be cut off in it.
    """
    if threads() > 1:
        argv = [sys.executable, "-P", "-m", "seahorn_py.processes.child", target]
        return Command(argv, deadline, memory_mib, text=text)
    return Fork(lambda: _target(target)(text), deadline, memory_mib, name=target)


def result(child: Child) -> str:
    """What the Python target of `child` returned; ChildTimeout or ChildFailed otherwise."""
    if isinstance(child, Fork):
        return str(child.result())
    assert isinstance(child, Command)
    completed = child.wait()
    if completed.code != 0:
        raise ChildFailed(noted_text(completed.errors) or f"ended with code {completed.code}")
    return completed.output


def call(target: str, text: str, deadline: Deadline, memory_mib: int | None = 4096) -> str:
    """Run `target` on `text` in a child and return its result."""
    with start(target, text, deadline, memory_mib) as child:
        return result(child)


def here(work: Callable[[], Result], memory_mib: int = 4096) -> Result:
    """Work in this process, which becomes as limited as a child, but for time.

    For a process that is itself a child whose owner ends it in time.  ChildFailed as from a child.
    """
    _lower(resource.RLIMIT_AS, memory_mib << 20)
    try:
        return work()
    except Exception as error:
        raise ChildFailed(noted(error)) from None


def command(
    argv: Sequence[str],
    deadline: Deadline,
    memory_mib: int = 4096,
    *,
    text: str = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Completed:
    """Run a command to its end; ChildTimeout when the deadline comes first."""
    with Command(argv, deadline, memory_mib, text=text, cwd=cwd, env=env) as child:
        return child.wait()


def wait_any(children: Sequence[Child], within: float = math.inf) -> list[Child]:
    """Wait for an end, the earliest deadline or so many seconds; the children that have ended."""
    ended = [c for c in children if not c.running]
    if ended or not children:
        return ended
    with selectors.DefaultSelector() as selector:
        for child in children:
            selector.register(child, selectors.EVENT_READ)
        selector.select(min(within, *(c.deadline.remaining for c in children)))
    return [c for c in children if not c.running]


def as_completed(children: Sequence[Child]) -> Iterator[Child]:
    """Yield each child once, as it ends or is killed at its deadline."""
    waiting = list(children)
    while waiting:
        ended = wait_any(waiting)
        waiting = [c for c in waiting if c not in ended]
        yield from ended


def _file_of(text: str) -> IO[bytes]:
    stream: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  the child's owner closes it
    stream.write(text.encode())
    stream.seek(0)
    return stream


def _content_of(stream: IO[bytes]) -> bytes:
    """All of it, wherever the child and its copies are in it."""
    size = os.fstat(stream.fileno()).st_size
    return b"".join(os.pread(stream.fileno(), _CHUNK, at) for at in range(0, size, _CHUNK))


def _text_of(stream: IO[bytes]) -> str:
    return _content_of(stream).decode(errors="replace")


def _limiter(memory_mib: int | None, niceness: int = 0) -> Callable[[], None]:
    """What a child does first: die with its parent, limit itself."""
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def limit() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the kernel knew what to do then
            os._exit(1)
        os.nice(niceness)
        if memory_mib is not None:
            for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):  # no file is larger either
                _lower(kind, memory_mib << 20)
        _lower(resource.RLIMIT_CORE, 0)

    return limit


def _lower(kind: int, wanted: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (bound, hard))


def _target(name: str) -> Callable[[str], str]:
    module, function = name.split(":")
    found: Callable[[str], str] = getattr(importlib.import_module(module), function)
    return found


def _main() -> None:
    text = sys.stdin.buffer.read().decode()
    out = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints must not mix with the result
    answer = _target(sys.argv[1])(text)
    with os.fdopen(out, "wb") as stream:
        stream.write(answer.encode())


if __name__ == "__main__":
    _main()
