"""A request to end work that goes on in other processes, from wherever it can be made."""

from __future__ import annotations

import os
import select
import weakref


class Cancellation:
    """A token: whoever works under it ends, with all children, once `cancel` is called.

    `cancel` may be called from another thread, a signal handler or a callback, and more than once.
    One token may be given to several pieces of work.  What was cancelled stays so.
    """

    def __init__(self) -> None:
        self._event = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        weakref.finalize(self, os.close, self._event)

    def cancel(self) -> None:
        """Ask for the end."""
        os.eventfd_write(self._event, 1)

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        poll = select.poll()
        poll.register(self._event, select.POLLIN)
        return bool(poll.poll(0))

    def fileno(self) -> int:
        """A descriptor that is readable once `cancel` was called."""
        return self._event

    def __repr__(self) -> str:
        return f"<Cancellation, {'cancelled' if self.is_cancelled else 'not cancelled'}>"
