"""Runs of a program: what is fed to them and how they end.

Shared by the interpreter and the native run, which must agree (the differential tests compare
them).  Values are unsigned machine integers, floats their bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass

NOWHERE = 4096
"""No object lies in so many bytes from null on, and in as many at the end of memory."""

Feed = Mapping[int, tuple[int, ...]]
"""Site number -> the values of its first, second, ... visit; 0 beyond the end."""


class Ending(Enum):
    """FAILED: a check was violated.  ENDED: `main` returned, `exit`, `abort`, or undefined.

    BLOCKED: an assumption failed.  LIMIT: out of steps or time, or a native run that ended in a way
    that says nothing (`reason`).  REFUSED: see `reason`.
    """

    FAILED = "failed"
    ENDED = "ended"
    BLOCKED = "blocked"
    LIMIT = "limit"
    REFUSED = "refused"


STEP_BITS = 8
"""The bits of the mark of a step that have the number of the thread."""


@dataclass(frozen=True)
class ThreadStep:
    """A step of a thread, by its number (0 is `main`), and where it begins.

    `makes` are the threads that it makes at its end, each with the place of the call.
    """

    thread: int
    place: Span | None
    makes: tuple[tuple[int, Span], ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    `check` is the number of the violated check (FAILED only).  `reads` are the inputs in the order
    in which they were read, as (site number, value); unless `all_read`, what was read after them
    was 0.  `steps` are the marks of the steps of threads in a native run, in their order: the
    number of the thread, and above STEP_BITS that of the place where the step begins.
    """

    ending: Ending
    check: int | None = None
    reads: tuple[tuple[int, int], ...] = ()
    reason: str = ""
    all_read: bool = True
    steps: tuple[int, ...] = ()

    @property
    def feed(self) -> Feed:
        """The feed that reproduces this run."""
        return feed_of(self.reads)


def nowhere(value: int, width: int) -> int:
    """The pointer input of a run that such a value stands for.

    It leads to where no object lies, as error codes in pointers do; otherwise it is null, since the
    address of an object is not known in advance.
    """
    address = value & ((1 << width) - 1)
    return address if (address + NOWHERE) & ((1 << width) - 1) < 2 * NOWHERE else 0


def feed_of(reads: tuple[tuple[int, int], ...]) -> Feed:
    """Group reads by site, keeping their order."""
    values: dict[int, list[int]] = {}
    for site, value in reads:
        values.setdefault(site, []).append(value)
    return {site: tuple(v) for site, v in values.items()}


@dataclass(frozen=True)
class RunLimits:
    """Bounds of one run; `reads` bounds how many inputs are recorded."""

    seconds: float = 1.0
    steps: int = 1_000_000
    memory_mib: int = 256
    reads: int = field(default=1_000_000)
