"""Until when something may go on."""

from __future__ import annotations

import time
from math import inf

from seahorn_py.base.records import dataclass


class OutOfTime(Exception):
    """A deadline has passed; what was begun is given up."""


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
        """The earlier of this deadline and `seconds` from now."""
        return Deadline(min(self.at, time.monotonic() + seconds))

    def check(self) -> None:
        """Raise OutOfTime from the deadline on."""
        if time.monotonic() >= self.at:
            raise OutOfTime


NEVER = Deadline(inf)
