"""Children: Python functions and commands in processes of their own, bounded and always reaped.

A child runs in its own session with a limit on wall time and address space, dies with its parent
(`PR_SET_PDEATHSIG`) and is killed with its whole process group.  A Python target is named
`"package.module:function"`, takes one text and returns one text; nothing else crosses the border.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import pickle
import resource
import select
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point of the monotonic clock, in seconds, handed from the command line to every stage."""

    at: float

    @staticmethod
    def after(seconds: float) -> Deadline:
        """The deadline `seconds` from now."""
        return Deadline(time.monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - time.monotonic())

    def share(self, fraction: float) -> Deadline:
        """The deadline that leaves this fraction of what remains."""
        return Deadline.after(self.remaining * fraction)

    def at_most(self, seconds: float) -> Deadline:
        """The earlier of this deadline and `seconds` from now."""
        return Deadline(min(self.at, time.monotonic() + seconds))


class ChildError(Exception):
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
    """A running child; use as a context manager, which kills and reaps it on the way out."""

    def __init__(
        self,
        argv: Sequence[str],
        deadline: Deadline,
        memory_mib: int,
        *,
        text: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.deadline = deadline
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

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def running(self) -> bool:
        """Not ended yet; kills the child when its deadline has passed."""
        if self._process.poll() is not None:
            return False
        if self.deadline.remaining > 0:
            return True
        self.kill()
        return False

    def fileno(self) -> int:
        """A descriptor that becomes readable when the child has ended."""
        return os.pidfd_open(self._process.pid)

    def wait(self) -> Completed:
        """Wait for the end; ChildTimeout when the deadline comes first."""
        if self._stdout.closed:
            raise ChildTimeout("time limit")
        try:
            self._process.wait(timeout=self.deadline.remaining)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ChildTimeout("time limit") from None
        completed = Completed(
            self._process.returncode, _text_of(self._stdout), _text_of(self._stderr)
        )
        self.kill()
        return completed

    def kill(self) -> None:
        """End the child and its process group, and reap it; safe to call twice."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._stdin, self._stdout, self._stderr):
            stream.close()


def start(target: str, text: str, deadline: Deadline, memory_mib: int = 4096) -> Child:
    """Start `target` ("package.module:function") on `text` in a fresh Python process."""
    argv = [sys.executable, "-P", "-m", "seahorn_py.child", target]
    return Child(argv, deadline, memory_mib, text=text)


def result(child: Child) -> str:
    """What the Python target of `child` returned; ChildTimeout or ChildFailed otherwise."""
    completed = child.wait()
    if completed.code != 0:
        lines = completed.errors.strip().splitlines()
        reason = lines[-1] if lines else f"ended with code {completed.code}"
        raise ChildFailed(reason)
    return completed.output


def call(target: str, text: str, deadline: Deadline, memory_mib: int = 4096) -> str:
    """Run `target` on `text` in a child and return its result."""
    with start(target, text, deadline, memory_mib) as child:
        return result(child)


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
    with Child(argv, deadline, memory_mib, text=text, cwd=cwd, env=env) as child:
        return child.wait()


class Fork:
    """A function of this process run in a forked copy of it: no start-up cost, plain data back.

    For work that needs what the parent has built (programs, terms).  The copy is its own session
    and dies with its parent; its result comes back pickled, so it must hold no solver terms.  The
    parent must have one thread.  Use as a context manager, which kills and reaps the copy.
    """

    def __init__(self, function: Callable[[], object], deadline: Deadline) -> None:
        self.deadline = deadline
        self._reader, writer = os.pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            _run_copy(function, writer, parent)
        os.close(writer)
        self._reaped = False

    def __enter__(self) -> Fork:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def fileno(self) -> int:
        """Readable when the copy writes its result or ends."""
        return self._reader

    def result(self) -> object:
        """What the function returned; ChildTimeout or ChildFailed otherwise."""
        chunks: list[bytes] = []
        while select.select([self._reader], [], [], self.deadline.remaining)[0]:
            chunk = os.read(self._reader, 1 << 16)
            if not chunk:
                return self._unpickle(b"".join(chunks))
            chunks.append(chunk)
        self.kill()
        raise ChildTimeout("time limit")

    def _unpickle(self, data: bytes) -> object:
        self.kill()
        if not data:
            raise ChildFailed("ended without a result")
        kind, value = pickle.loads(data)
        if kind == "error":
            raise ChildFailed(value)
        return value

    def kill(self) -> None:
        """End the copy and its process group, and reap it; safe to call twice."""
        if self._reaped:
            return
        self._reaped = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._reader)


def _run_copy(function: Callable[[], object], writer: int, parent: int) -> NoReturn:
    """In the forked copy: run, write the pickled result, leave without the parent's clean-up."""
    status = 1
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        try:
            answer = ("ok", function())
        except Exception as error:  # the border of a process: everything becomes a message
            answer = ("error", f"{type(error).__name__}: {error}")
        with os.fdopen(writer, "wb") as stream:
            pickle.dump(answer, stream)
        status = 0
    finally:
        os._exit(status)


def wait_any(children: Sequence[Child]) -> list[Child]:
    """Wait for an end or the earliest deadline; the children that have ended or were killed."""
    ended = [c for c in children if not c.running]
    if ended or not children:
        return ended
    with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
        for child in children:
            descriptor = child.fileno()
            stack.callback(os.close, descriptor)
            selector.register(descriptor, selectors.EVENT_READ)
        selector.select(min(c.deadline.remaining for c in children))
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


def _text_of(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def _limiter(memory_mib: int) -> Callable[[], None]:
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def limit() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the kernel knew what to do then
            os._exit(1)
        _lower(resource.RLIMIT_AS, memory_mib << 20)
        _lower(resource.RLIMIT_CORE, 0)

    return limit


def _lower(kind: int, wanted: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (bound, hard))


def _main() -> None:
    module, function = sys.argv[1].split(":")
    text = sys.stdin.buffer.read().decode()
    out = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints must not mix with the result
    answer = getattr(importlib.import_module(module), function)(text)
    with os.fdopen(out, "wb") as stream:
        stream.write(answer.encode())


if __name__ == "__main__":
    _main()
