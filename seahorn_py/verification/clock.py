"""Wall time by phase, and observers of progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Protocol

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.processes.internal_errors import working
from seahorn_py.processes.journal import Attempt, Journal, enter


class Progress(Protocol):
    """An observer of progress; it must not print to standard output."""

    def phase(self, name: str) -> None:
        """A phase begins."""


@dataclass(frozen=True)
class ToFunction:
    """Progress goes to a function, which is called with the name of each phase."""

    tell: Callable[[str], object]

    def phase(self, name: str) -> None:
        """A phase begins."""
        self.tell(name)


@dataclass(frozen=True)
class ToJournal:
    """Progress of a worker goes to the journal, for its supervisor."""

    journal: Journal

    def phase(self, name: str) -> None:
        """Note the phase."""
        self.journal.shows(name)


@dataclass
class Relay:
    """Progress from the journal of a worker: each call passes on the phases since the last call."""

    journal: Journal
    progress: Progress
    told: int = 0

    def __call__(self) -> None:
        """Pass on what is new in the journal."""
        shown = self.journal.shown()
        for name in shown[self.told :]:
            self.progress.phase(name)
        self.told = len(shown)


@dataclass(frozen=True)
class Moment:
    """Where a verification stands, `seconds` after its beginning.

    `attempts` are what engines have done and do; the outcome of one that still works is "".
    """

    seconds: float
    stage: str
    phase: str
    attempts: tuple[Attempt, ...]

    @property
    def running(self) -> tuple[str, ...]:
        """The engines that work now, each with its encoding."""
        working = (one for one in self.attempts if not one.outcome)
        return tuple(f"{one.place} {one.engine}".strip() for one in working)


@dataclass
class Watch:
    """Tells a function each moment in which something is new: a phase, an attempt or an outcome.

    It is told of phases, or called now and then.
    """

    journal: Journal
    tell: Callable[[Moment], object]
    began: float = field(default_factory=time.monotonic)
    name: str = ""
    told: object = None

    def phase(self, name: str) -> None:
        """A phase begins."""
        self.name = name
        self()

    def __call__(self) -> None:
        """Tell what is new in the journal, if anything is."""
        stage, attempts = self.journal.stage(), self.journal.attempts()
        news = (stage, self.name, [(one.place, one.engine, one.outcome) for one in attempts])
        if news != self.told:
            self.told = news
            seconds = round(time.monotonic() - self.began, 3)
            self.tell(Moment(seconds, stage, self.name, attempts))


@dataclass(frozen=True)
class Both:
    """Two observers as one."""

    first: Progress
    second: Progress

    def phase(self, name: str) -> None:
        """A phase begins."""
        self.first.phase(name)
        self.second.phase(name)


def observer(
    progress: Progress | Callable[[str], object] | None, watch: Watch | None
) -> Progress | None:
    """Who is to be told of phases.  ValueError if `progress` cannot be."""
    told = ToFunction(progress) if callable(progress) else progress
    if told is not None and not callable(getattr(told, "phase", None)):
        raise ValueError(f"progress={progress!r}: expected something to call, or a method phase")
    if told is None or watch is None:
        return told or watch
    return Both(told, watch)


@dataclass
class Clock:
    """Wall seconds by phase; `stage` and `name` are those of the phase that began last."""

    progress: Progress | None = None
    times: dict[str, float] = field(default_factory=dict)
    stage: Stage = Stage.FRONT_END
    name: str = ""

    @contextmanager
    def phase(self, name: str, stage: Stage) -> Iterator[None]:
        """Time a phase of a stage, and report its beginning."""
        self.stage, self.name = stage, name
        enter(stage.value)
        if self.progress is not None:
            self.progress.phase(name)
        begin = time.monotonic()
        try:
            with working(stage.value, name):
                yield
        finally:
            spent = time.monotonic() - begin
            self.times[name] = round(self.times.get(name, 0.0) + spent, 3)
