"""Wall time by phase, and who is told what goes on."""

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
    """Is told what goes on; must not print to standard output."""

    def phase(self, name: str) -> None:
        """A phase begins."""


@dataclass(frozen=True)
class Told:
    """A function that is called with the name of each phase."""

    tell: Callable[[str], object]

    def phase(self, name: str) -> None:
        """A phase begins."""
        self.tell(name)


@dataclass(frozen=True)
class Noted:
    """In a worker: what goes on is noted for its supervisor."""

    journal: Journal

    def phase(self, name: str) -> None:
        """Note the phase."""
        self.journal.shows(name)


@dataclass
class Relay:
    """In its supervisor: each call tells what has been noted since the last one."""

    journal: Journal
    progress: Progress
    told: int = 0

    def __call__(self) -> None:
        """Tell."""
        shown = self.journal.shown()
        for name in shown[self.told :]:
            self.progress.phase(name)
        self.told = len(shown)


@dataclass
class Clock:
    """Wall seconds by phase; `stage` and `name` are those of the one that began last."""

    progress: Progress | None = None
    times: dict[str, float] = field(default_factory=dict)
    stage: Stage = Stage.FRONT_END
    name: str = ""

    @contextmanager
    def phase(self, name: str, stage: Stage) -> Iterator[None]:
        """Time a phase, report its beginning, remember and note the stage it belongs to."""
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
