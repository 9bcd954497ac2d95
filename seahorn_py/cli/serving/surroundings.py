"""What a client and its server must have in common, and where they meet.

A copy of the server stands for a process of the client only if files, rights and limits are the
same for both.  What a process may lower by itself is sent along (`attending`); everything else is
compared here.  Where something differs the client works by itself.
"""

from __future__ import annotations

import os
import stat
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


def surroundings() -> dict[str, str]:
    """What must be the same, under the words by which a difference is told."""
    return {
        "rights": "\n".join(line for line in _lines("status") if line.startswith(_RIGHTS)),
        "control group": "\n".join(_lines("cgroup")),
        "namespaces": " ".join(map(_space, _SPACES)),
        "root folder": str(os.stat("/")[1:3]),
        "installation": f"{sys.executable}\n{seahorn_py.__file__}\n{seahorn_py.__version__}",
        "variables of Python and of the locale": _variables(),
    }


def _lines(name: str) -> list[str]:
    try:
        with open(f"/proc/self/{name}", encoding="utf-8") as stream:
            return stream.read().splitlines()
    except OSError:
        return []


def _space(name: str) -> str:
    try:
        return os.readlink(f"/proc/self/ns/{name}")
    except OSError:
        return ""


def _variables() -> str:
    named = sorted(os.environ.items())
    return "\n".join(f"{k}={v}" for k, v in named if k == "LANG" or k.startswith(("LC_", "PYTHON")))
