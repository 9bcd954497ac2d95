"""The server: a socket for this user alone, and a copy of this process for each client."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import stat
from collections.abc import Callable, Iterator

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.serving import attending, warm
from seahorn_py.cli.serving.surroundings import is_ours_alone
from seahorn_py.processes import limits
from seahorn_py.processes.child import threads

WAITING = 64
_LOOK_S = 1.0
"""Between two looks at which copies have ended, in seconds."""
_ENDING_S = 3.0


def serve(path: str, say: Callable[[str], object]) -> None:
    """Serve until the files of sea-py change; what ends it earlier is an exception.

    `say` is told once everything is loaded.  SeaError where there can be no socket, or a server is
    at work there already.
    """
    with _listening(path) as listener:
        warm.load(is_thorough=True)
        stamps = warm.stamps()
        if (count := threads()) > 1:
            raise SeaError(
                f"serve: a library has started {count - 1} threads: no copies can be made"
            )
        say(path)
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        try:
            while not _is_outdated():
                for _ in poll.poll(1000 * _LOOK_S):
                    _taken(listener, stamps)
        finally:
            listener.close()
            limits.end_all_below(_ENDING_S)


def _taken(listener: socket.socket, stamps: warm.Stamps) -> None:
    """Give the next client a copy; there may be none any more."""
    server = os.getpid()
    with contextlib.suppress(OSError), listener.accept()[0] as client:
        if os.fork() == 0:
            listener.close()
            attending.attend(client, server, stamps)


def _is_outdated() -> bool:
    """Reap the copies that have ended; whether one found that files have changed."""
    found = False
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found |= os.waitstatus_to_exitcode(ended[1]) == attending.CHANGED
    return found


@contextlib.contextmanager
def _listening(path: str) -> Iterator[socket.socket]:
    """A socket at a path in a folder of this user alone, which is locked meanwhile.

    What a server has left behind that was killed is replaced.
    """
    folder = os.path.dirname(os.path.abspath(path))
    lock = _locked(folder, path)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            _bind(listener, path)
            try:
                yield listener
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
    finally:
        os.close(lock)


def _locked(folder: str, path: str) -> int:
    """The descriptor of the folder, which has the lock; SeaError if others have it."""
    with contextlib.suppress(FileExistsError):
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            raise
        except OSError as error:
            raise SeaError(f"{folder}: {error.strerror}") from None
    if not is_ours_alone(folder):
        raise SeaError(f"{folder}: must be a folder of yours that nobody else can enter (mode 700)")
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise SeaError(f"{path}: a server is at work there already") from None
    return lock


def _bind(listener: socket.socket, path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise SeaError(f"{path}: is there already, and is no socket")
        os.unlink(path)
    mask = os.umask(0o177)
    try:
        listener.bind(path)
    except OSError as error:
        raise SeaError(f"{path}: {error.strerror or error}") from None
    finally:
        os.umask(mask)
    listener.listen(WAITING)
