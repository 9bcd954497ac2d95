"""Temporary folders: one name for all of them, each locked by its owner and removed by it.

A process that is killed removes nothing.  The kernel frees its lock when the last process that
holds it has ended, so the next run can tell what is left behind from what is in use, also when the
folder is shared with other machines' process numbers (containers).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO

from seahorn_py.base.patterns import pattern

PREFIX = "sea-py-"
_OURS = pattern(r"sea-py-\d+-[a-z0-9_]{8}")
_MOST_ENTRIES = 4096
"""How many entries of a temporary folder are looked at; more would take several milliseconds."""
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A new folder for this user alone, as an absolute path; in the end it is removed with all."""
    path, lock = _made()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _made() -> tuple[Path, int]:
    """A new folder and the descriptor that locks it.

    Before it is locked another run may take it for left behind: then there is a next one.
    """
    while True:
        path = os.path.abspath(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(path, _OPEN_FOLDER)
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_SH)
            if os.path.exists(path):
                return Path(path), lock
            os.close(lock)


def common_file() -> IO[bytes]:
    """A file without a name to which this process and its copies append, line by line."""
    stream = tempfile.TemporaryFile()  # noqa: SIM115  closed with the last copy
    flags = fcntl.fcntl(stream, fcntl.F_GETFL)
    fcntl.fcntl(stream, fcntl.F_SETFL, flags | os.O_APPEND)
    return stream


def sweep() -> None:
    """Remove the folders of this user whose owners are gone; nothing else, and no link."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in islice(entries, _MOST_ENTRIES):
            if _OURS.fullmatch(entry.name):
                _remove_if_left(entry.path)


def _remove_if_left(path: str) -> None:
    with contextlib.suppress(OSError):
        lock = os.open(path, _OPEN_FOLDER)
        try:
            if os.fstat(lock).st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(lock)
