"""What a client and its server must have in common, and where they meet.

A copy of the server stands for a process of the client only if files, rights and limits are the
same for both.  What a process may lower by itself is sent along (`attending`); everything else is
compared here.  Where something differs the client works by itself.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys

import seahorn_py

FOLDER, SOCKET = "sea-py", "serve"
_RIGHTS = ("Uid", "Gid", "Groups", "Cap", "NoNewPrivs", "Seccomp")
_SPACES = ("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")


def default_socket() -> str:
    """The path of the socket in the user's run folder, or in a folder for temporary files."""
    user = os.getuid()
    for folder in (os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}"):
        if folder.startswith("/") and is_ours_alone(folder):
            return f"{folder}/{FOLDER}/{SOCKET}"
    place = os.environ.get("TMPDIR", "")
    return f"{place if place.startswith('/') else '/tmp'}/{FOLDER}-run-{user}/{SOCKET}"


def is_ours_alone(folder: str) -> bool:
    """Whether this is a folder of this user into which nobody else can come."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    is_private = not stat.S_IMODE(found.st_mode) & 0o077
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and is_private


def peer(connection: socket.socket) -> tuple[int, int]:
    """The process at the other end (0 if it is not seen from here), and its user."""
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    pid, user, _ = struct.unpack("3i", data)
    return pid, user


def surroundings(pid: int) -> dict[str, str]:
    """What must be the same for two processes, as the kernel tells it, under words for it."""
    return {
        "rights": "\n".join(line for line in _lines(pid, "status") if line.startswith(_RIGHTS)),
        "security label": "\n".join(_lines(pid, "attr/current")),
        "control group": "\n".join(_lines(pid, "cgroup")),
        "namespaces": " ".join(_space(pid, name) for name in _SPACES),
        "root folder": str(os.stat(f"/proc/{pid}/root/")[1:3]),
    }


def installed() -> dict[str, str]:
    """What a client must say of itself, under words for it."""
    return {
        "installation": f"{sys.executable}\n{seahorn_py.__file__}\n{seahorn_py.__version__}",
        "variables of Python and of the locale": _variables(),
    }


def _lines(pid: int, name: str) -> list[str]:
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as stream:
            return stream.read().splitlines()
    except OSError:
        return []


def _space(pid: int, name: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/{name}")
    except OSError:
        return ""


def _variables() -> str:
    named = sorted(os.environ.items())
    return "\n".join(f"{k}={v}" for k, v in named if k == "LANG" or k.startswith(("LC_", "PYTHON")))
