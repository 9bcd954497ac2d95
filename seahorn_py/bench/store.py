"""Result files: rows in JSON lines, one a line, appended as they come.

Each row is written at once and synced to the disk before the next.  A file belongs to one run at a
time: a lock (`fcntl`, which ends with its process) refuses a second one.  What a killed run has
written half is cut off when the file is opened again.  When the disk is full, rows wait in memory
and are written as soon as there is room.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from seahorn_py.base.errors import SeaError
from seahorn_py.bench.rows import Row

Key = tuple[str, str]
"""Configuration and task."""


class Store:
    """A result file that this process writes; a context manager."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._keys: set[Key] = set()
        self._waiting: list[bytes] = []
        self._is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)

    @staticmethod
    def open(path: Path, resume: bool, seen: Callable[[Row], None] = lambda _: None) -> Store:
        """Open a result file; `seen` is told each row that is there.

        SeaError if it cannot be written, another run writes it, it has a line that is no row, or it
        has rows and is not to be resumed.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise SeaError(f"{path}: cannot write: {error.strerror}") from None
        store = Store(path, descriptor)
        try:
            store._lock()
            store._begin(resume, seen)
        except BaseException:
            os.close(descriptor)
            raise
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def __contains__(self, key: Key) -> bool:
        return key in self._keys

    def append(self, row: Row) -> str:
        """Add a row; what is wrong if it could not be written yet, "" otherwise."""
        key = row.configuration, row.task
        if key in self._keys:
            raise ValueError(f"{key} is there twice")
        self._keys.add(key)
        self._waiting.append(row.as_json().encode() + b"\n")
        return self.flush()

    def flush(self) -> str:
        """Write what waits; what is wrong if that is not possible, "" otherwise."""
        while self._waiting:
            try:
                self._write(self._waiting[0])
            except OSError as error:
                count = len(self._waiting)
                rows = "row waits" if count == 1 else "rows wait"
                return f"{self._path}: cannot write: {error.strerror}; {count} {rows}"
            del self._waiting[0]
        return ""

    def _write(self, line: bytes) -> None:
        """Write a line wholly and to the disk, or not at all."""
        size = os.fstat(self._descriptor).st_size
        try:
            if os.write(self._descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if self._is_file:
                os.fsync(self._descriptor)
        except OSError:
            if self._is_file:
                os.ftruncate(self._descriptor, size)
            raise

    def _lock(self) -> None:
        if not self._is_file:
            return
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise SeaError(f"{self._path}: another run writes this file") from None
            raise SeaError(f"{self._path}: cannot lock: {error.strerror}") from None

    def _begin(self, resume: bool, seen: Callable[[Row], None]) -> None:
        """Take over the rows that are there, and mend the last line."""
        if not self._is_file:
            return
        size = os.fstat(self._descriptor).st_size
        if size and not resume:
            raise SeaError(f"{self._path}: has results already; --resume goes on with them")
        # to close another descriptor of the file would give up the lock
        with os.fdopen(self._descriptor, "rb", closefd=False) as stream:
            whole = 0
            for row, end in _rows(self._path, iter(stream.readline, b"")):
                self._keys.add((row.configuration, row.task))
                seen(row)
                whole = end
        if whole != size:
            self._mend(whole)
        self._sync_folder()

    def _mend(self, whole: int) -> None:
        """End the last row, which begins or ends at `whole`, with its line."""
        size = os.fstat(self._descriptor).st_size
        try:
            if whole > size:  # only the end of the line is missing
                os.write(self._descriptor, b"\n")
            else:
                os.ftruncate(self._descriptor, whole)
            os.fsync(self._descriptor)
        except OSError as error:
            raise SeaError(f"{self._path}: cannot write: {error.strerror}") from None

    def _sync_folder(self) -> None:
        """Make sure that the file itself outlives a crash."""
        with contextlib.suppress(OSError):
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a result file, also while it is written; SeaError for what is none."""
    try:
        with path.open("rb") as stream:
            yield from (row for row, _ in _rows(path, stream))
    except OSError as error:
        raise SeaError(f"{path}: cannot read: {error.strerror}") from None


def _rows(path: Path, lines: Iterator[bytes]) -> Iterator[tuple[Row, int]]:
    """Each row and where the next one begins; a last line without its end may be half a row."""
    end = 0
    keys: set[Key] = set()
    for number, line in enumerate(lines, 1):
        ended = line.endswith(b"\n")
        end += len(line) + (not ended)
        try:
            row = Row.from_json(line.decode())
        except (ValueError, RecursionError) as error:
            if ended:
                raise SeaError(f"{path}:{number}: {error}") from None
            return
        key = row.configuration, row.task
        if key in keys:
            raise SeaError(f"{path}:{number}: {row.task} is there twice")
        keys.add(key)
        yield row, end
