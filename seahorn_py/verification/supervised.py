"""Work in a process of its own, as a call from Python sees it: observed, and ended at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.processes import supervision
from seahorn_py.processes.cancellation import Cancellation
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import InternalErrorReport
from seahorn_py.processes.journal import Journal
from seahorn_py.verification.clock import Progress, Relay, ToJournal, Watch

Found = TypeVar("Found")


@dataclass(frozen=True)
class Unfinished:
    """Work that was ended in a stage, or that broke there."""

    stage: str
    reason: str
    report: InternalErrorReport | None = None


@dataclass(frozen=True)
class Supervisor:
    """Limits of some work, who is told how it goes on, and who may end it.

    `progress` is told of phases; a `watch` that is no part of it, of what the journal has.
    """

    timeout: float
    memory_mib: int
    journal: Journal
    progress: Progress | None = None
    watch: Watch | None = None
    cancel: Cancellation | None = None

    def run(
        self, work: Callable[[float, Progress | None], Found], kind: type[Found]
    ) -> Found | Unfinished:
        """What comes of the work, which is given the seconds it has and whom to tell of phases.

        Raises SeaError as the work does, and what an observer raises; nothing goes on then.
        """
        bounds = supervision.Bounds(Deadline.after(self.timeout), self.memory_mib)
        told = None if self.progress is None else ToJournal(self.journal)
        tick = self._tick()
        begun = partial(work, supervision.earlier(self.timeout), told)
        with supervision.begin(begun, bounds, self.journal) as worker:
            ending = worker.wait(tick, self.cancel)
            tick()
        match ending:
            case supervision.Returned(found):
                if not isinstance(found, kind):
                    raise TypeError(found)
                return found
            case supervision.Refused(error):
                raise error
            case supervision.Ended(stage, reason):
                return Unfinished(stage, reason)
            case supervision.Crashed(stage, report):
                return Unfinished(stage, str(report), report)

    def _tick(self) -> Callable[[], None]:
        """What is done now and then."""
        relay = None if self.progress is None else Relay(self.journal, self.progress)

        def tick() -> None:
            if relay is not None:
                relay()
            if self.watch is not None:
                self.watch()

        return tick
