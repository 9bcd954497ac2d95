"""One client of a server: a copy of the server becomes the process that the client would be.

The copy that attends reads what is asked, compares, lowers its limits to those of the client, and
makes one more copy, which is the command.  It passes signals on, ends the command if the client
goes away, and tells the exit code.  Nothing that it does is seen by the server or other clients.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn

from seahorn_py.cli.serving.client import MOST_ANSWER, PASSED_ON
from seahorn_py.cli.serving.surroundings import installed, peer, surroundings
from seahorn_py.cli.serving.warm import Stamps, changed
from seahorn_py.processes import limits

ASKING_S = 5.0
"""Seconds in which a client must have said what it wants."""
ENDING_S = 2.0
"""Seconds in which a command ends whose client is gone, before it is killed."""
MOST_REQUEST = 1 << 26
LEAST_SPACE = 1 << 31
"""Bytes of address space without which a copy of the server has less than a new process."""

_LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
CHANGED = 9
"""How the attending copy ends where the server is older than its files, and must end too."""
_FILES = 4


class _Refused(Exception):
    """Why the client is to do it by itself."""


def attend(client: socket.socket, server: int, stamps: Stamps) -> NoReturn:
    """In a copy of the server: do what the client asks for."""
    code = 1
    try:
        os.setsid()
        limits.adopt_orphans()
        limits.die_with(server)
        limits.take_signals_as_usual()
        client.settimeout(ASKING_S)
        try:
            request, files = _read(client)
            if changed(stamps):
                code = CHANGED
                raise _Refused("its files have changed since it began")
            _settle(request, client)
        except _Refused as reason:
            client.sendall(b"-" + str(reason).encode()[: MOST_ANSWER - 1])
        else:
            client.sendall(b"+")
            client.settimeout(None)
            _done(client, request, files)
            code = 0
    finally:
        os._exit(code)


def _read(client: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """What is asked, and the files that came with it."""
    data, files, _, _ = socket.recv_fds(client, MOST_ANSWER, _FILES)
    size = int.from_bytes(data[:4], "big")
    if len(files) != _FILES or size > MOST_REQUEST:
        raise _Refused("it does not understand the client")
    pieces = [data[4:]]
    missing = size - len(pieces[0])
    while missing > 0 and (piece := client.recv(min(missing, 1 << 20))):
        pieces.append(piece)
        missing -= len(piece)
    return json.loads(b"".join(pieces)), files


def _settle(request: dict[str, Any], client: socket.socket) -> None:
    """Take the limits of the client; _Refused where that cannot be."""
    pid, user = peer(client)
    if not pid or user != os.geteuid():
        raise _Refused("other namespaces or another user")
    try:
        _compare({**surroundings(pid), **request["installed"]})
        os.sched_setaffinity(0, os.sched_getaffinity(pid))
        slower = os.getpriority(os.PRIO_PROCESS, pid) - os.nice(0)
        if slower < 0:
            raise _Refused("the client has a higher priority")
        os.nice(slower)
        if 0 <= resource.prlimit(pid, resource.RLIMIT_AS)[0] < LEAST_SPACE:
            raise _Refused("the client has little address space")
        for kind in _LIMITS:
            resource.setrlimit(kind, resource.prlimit(pid, kind))
        os.umask(_umask(pid))
    except (OSError, ValueError) as error:
        raise _Refused(f"other limits ({error})") from None


def _compare(of_client: dict[str, str]) -> None:
    for name, found in {**surroundings(os.getpid()), **installed()}.items():
        if of_client.get(name) != found:
            raise _Refused(f"other {name}")


def _umask(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    return next(int(line.split()[1], 8) for line in lines if line.startswith("Umask:"))


def _done(client: socket.socket, request: dict[str, Any], files: list[int]) -> None:
    """Have the command done, and tell how it ends, or end it when the client goes away."""
    attending = os.getpid()
    pid = os.fork()
    if pid == 0:
        _command(client, request, files, attending)
    for file in files:
        os.close(file)
    ended = os.pidfd_open(pid)
    poll = select.poll()
    for descriptor in (ended, client.fileno()):
        poll.register(descriptor, select.POLLIN)
    while ended not in (ready := [descriptor for descriptor, _ in poll.poll()]):
        if client.fileno() in ready and not _passed_on(client, pid):
            _end(pid, ended)
            return
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(OSError):
        client.sendall(b"=" + bytes([128 - code if code < 0 else code]))
    limits.end_all_below(ENDING_S)


def _passed_on(client: socket.socket, pid: int) -> bool:
    """Pass the signals on that the client got; whether it is still there."""
    try:
        numbers = client.recv(64)
    except OSError:
        return False
    for number in numbers:
        if number in PASSED_ON:
            os.kill(pid, number)
    return bool(numbers)


def _end(pid: int, ended: int) -> None:
    """Nobody waits for the command any more."""
    os.kill(pid, signal.SIGTERM)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.poll(1000 * ENDING_S)
    limits.end_all_below(ENDING_S)


def _command(
    client: socket.socket, request: dict[str, Any], files: list[int], attending: int
) -> NoReturn:
    """In one more copy: be the command."""
    try:
        limits.die_with(attending)
        client.close()
        for number, file in enumerate(files[:3]):
            os.dup2(file, number)
        os.fchdir(files[3])
        for file in files:
            os.close(file)
        os.environ.clear()
        os.environ.update(request["variables"])
        time.tzset()
        tempfile.tempdir = None
        for number in PASSED_ON:
            usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, signal.SIG_IGN if number in request["ignored"] else usual)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=stream.isatty())  # type: ignore[union-attr]
        sys.argv = ["sea-py", *request["arguments"]]
        from seahorn_py.cli import main

        main.run(request["began"])
    finally:
        os._exit(4)
