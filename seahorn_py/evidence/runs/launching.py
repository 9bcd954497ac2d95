"""The start of an executable behind walls, as a process that is watched and always reaped.

What is started is the launcher (`frontend/runtime/launch.c`), which gets the executable as an open
descriptor and becomes it when the walls stand.  It has its own session and no environment, and is
killed with all that it started when the time is over.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import signal
from collections.abc import Iterator
from enum import Flag

from seahorn_py.frontend.runtime import elf
from seahorn_py.frontend.runtime.native import Executable
from seahorn_py.frontend.runtime.objects import unsafe_header

_SHARED_FILE, _PROGRAM_FILE = 3, 4
SECRET = 16
"""Bytes of random numbers in a response, from which the server makes those of its runs."""


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


NO_LAYERS = Layers(0)
ALL_LAYERS = ~NO_LAYERS
REQUIRED = Layers.LIMITS | Layers.PRIVILEGES | Layers.SECCOMP
"""Without these nothing is started, unless they were not asked for; others may be missing."""


@contextlib.contextmanager
def opened(executable: Executable) -> Iterator[tuple[int, int]]:
    """The executable, open, and how many bytes of memory it fills.

    OSError if it cannot be opened, or is none that the kernel may be given.
    """
    descriptor = _moved_up(os.open(executable.path, os.O_RDONLY | os.O_CLOEXEC))
    try:
        try:
            header = elf.read_header(os.pread(descriptor, elf.HEADERS, 0))
        except ValueError as error:
            raise OSError(errno.ENOEXEC, str(error)) from None
        reason = unsafe_header(header, executable.bits)
        if reason:
            raise OSError(errno.ENOEXEC, reason)
        yield descriptor, header.memory
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def shared_file(request: bytes, sizes: tuple[int, int], secret_at: int) -> Iterator[int]:
    """A file with the request, a response and an area of these sizes, in bytes.

    Random bytes stand at `secret_at` in the response.
    """
    descriptor = _moved_up(os.memfd_create("sea-run"))
    try:
        os.truncate(descriptor, len(request) + sum(sizes))
        os.pwrite(descriptor, request, 0)
        os.pwrite(descriptor, os.urandom(SECRET), len(request) + secret_at)
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """Its two ends, to read and to write."""
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


def run(executable: Executable, files: tuple[int, int], errors: int | None, seconds: float) -> int:
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
    usual = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}  # a timer must end a run
    child = os.posix_spawn(
        path, argv, {}, file_actions=actions, setsid=True, setsigmask=(), setsigdef=usual
    )
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
