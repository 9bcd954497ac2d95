"""A command whose work a server does: it gets the arguments, the open files and the limits.

The client passes signals on, waits, and ends with the exit code of the command.  What a server says
at first is `+` or `-` and a reason; `=` and the exit code at the end.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time

from seahorn_py.cli.serving.surroundings import default_socket, installed, is_ours_alone, peer

SERVED = frozenset(
    (
        *("bp", "bpf", "chc", "check", "clp", "exe", "inspect", "lfe-smt", "pf", "rip", "rules"),
        *("smt", "svcomp", "term", "validate"),
    )
)
"""Commands that a server does; others are not long enough, or stay."""

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
EXIT_LOST = 143
MOST_ANSWER = 4096


def asked(arguments: list[str], path: str | None, *, is_loud: bool) -> int | None:
    """The exit code of the command, done by a server; None if this process is to do it.

    With `is_loud` it is told why no server does it.
    """
    if not arguments or arguments[0] not in SERVED:
        return None
    began = time.monotonic() - time.process_time()  # what it has taken so far
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        refusal = _connected(server, path or default_socket()) or _accepted(
            server, arguments, began
        )
        if not refusal:
            return _waited(server)
    if is_loud:
        sys.stderr.write(f"sea-py: --server: {refusal}; this process does it\n")
    return None


def _connected(server: socket.socket, path: str) -> str:
    """Connect; why that cannot be, or "".  A server of anybody else is none."""
    if not is_ours_alone(os.path.dirname(path)):
        return f"no server at {path}"
    try:
        server.connect(path)
    except OSError as error:
        return f"no server at {path} ({error.strerror or error})"
    return "" if peer(server)[1] == os.geteuid() else f"the server at {path} is another user's"


def _accepted(server: socket.socket, arguments: list[str], began: float) -> str:
    """Ask; why the server does not do it, or ""."""
    before = {n: signal.getsignal(n) for n in PASSED_ON if signal.getsignal(n) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, lambda sent, _: _pass_on(server, sent))
    data = json.dumps(_request(arguments, began)).encode()
    here = os.open(".", os.O_PATH | os.O_DIRECTORY)
    try:
        message = len(data).to_bytes(4, "big") + data
        sent = socket.send_fds(server, [message], [0, 1, 2, here])
        server.sendall(message[sent:])
        answer = server.recv(1)
    except OSError as error:
        return f"no answer ({error.strerror or error})"
    finally:
        os.close(here)
    if answer == b"+":
        return ""
    for number, handler in before.items():
        signal.signal(number, handler)
    return server.recv(MOST_ANSWER).decode(errors="replace") or "no answer"


def _request(arguments: list[str], began: float) -> dict[str, object]:
    """What the kernel does not tell the server about this process."""
    return {
        "arguments": arguments,
        "installed": installed(),
        "variables": dict(os.environ),
        "ignored": [n for n in PASSED_ON if signal.getsignal(n) == signal.SIG_IGN],
        "began": began,
    }


def _pass_on(server: socket.socket, number: int) -> None:
    try:
        server.send(bytes([number]))
    except OSError:
        os._exit(128 + number)


def _waited(server: socket.socket) -> int:
    """The exit code of the command."""
    data = b""
    try:
        while len(data) < 2 and (piece := server.recv(2 - len(data))):
            data += piece
    except OSError:
        pass
    if len(data) == 2:
        return data[1]
    sys.stderr.write("sea-py: the server has ended before the answer\n")
    return EXIT_LOST
