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
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

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
        """This deadline, or `seconds` from now if that is earlier."""
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
        self._stdout: IO[bytes] = tempfile.TemporaryFile()
        self._stderr: IO[bytes] = tempfile.TemporaryFile()
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


def as_completed(children: Sequence[Child]) -> Iterator[Child]:
    """Yield each child once, as it ends or is killed at its deadline."""
    with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
        waiting = list(children)
        for child in waiting:
            descriptor = child.fileno()
            stack.callback(os.close, descriptor)
            selector.register(descriptor, selectors.EVENT_READ, child)
        while waiting:
            selector.select(min(c.deadline.remaining for c in waiting))
            ended = [c for c in waiting if not c.running]
            waiting = [c for c in waiting if c not in ended]
            for key in [k for k in selector.get_map().values() if k.data in ended]:
                selector.unregister(key.fd)
            yield from ended


def _file_of(text: str) -> IO[bytes]:
    stream = tempfile.TemporaryFile()
    stream.write(text.encode())
    stream.seek(0)
    return stream


def _text_of(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def _limiter(memory_mib: int) -> object:
    libc = ctypes.CDLL(None)

    def limit() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
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
