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
from seahorn_py.processes.journal import Journal, enter


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
