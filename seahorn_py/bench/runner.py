"""A run: jobs in their order, some at once, each row stored as soon as it is there."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from seahorn_py.base.errors import SeaError
from seahorn_py.base.records import dataclass
from seahorn_py.bench.jobs import Job, Kept, Running, begin, finish, stop
from seahorn_py.bench.progress import Progress
from seahorn_py.bench.rows import Limits, Row
from seahorn_py.bench.store import Store
from seahorn_py.bench.tasks.task import Task
from seahorn_py.bench.tools import Configuration, Tool
from seahorn_py.processes.child import wait_any

TICK_S = 0.5
"""How long to wait before progress is shown again."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run: each task in each configuration, side by side."""

    tasks: tuple[Task, ...]
    configurations: tuple[Configuration, ...]
    tool: Tool
    limits: Limits
    kept: Kept | None

    def __len__(self) -> int:
        return len(self.tasks) * len(self.configurations)

    def jobs(self, store: Store) -> Iterator[Job]:
        """The jobs that the store has no row of."""
        for task in self.tasks:
            for configuration in self.configurations:
                job = Job(task, configuration, self.tool, self.limits, self.kept)
                if job.key not in store:
                    yield job

    def check_resumed(self, row: Row) -> None:
        """SeaError if an earlier row of one of the configurations is of another kind of run."""
        for configuration in self.configurations:
            if configuration.name != row.configuration:
                continue
            for what, old, new in (
                ("arguments", row.arguments, configuration.arguments),
                ("limits", row.limits, self.limits),
                ("tool", row.tool, self.tool.name),
            ):
                if old != new:
                    raise SeaError(
                        f"configuration {row.configuration}: the results to go on with have other"
                        f" {what}: {_words(old)}, not {_words(new)}; use another -o FILE"
                    )


def _words(value: str | tuple[str, ...] | Limits) -> str:
    return shlex.join(value) or "none" if isinstance(value, tuple) else str(value)


Idle = Callable[[Sequence[str]], None]
"""Is told what runs, from time to time."""


def run_here(jobs: Iterable[Job], at_once: int, idle: Idle) -> Iterator[Row]:
    """Run jobs on this machine, so many at once; rows as they come."""
    waiting = iter(jobs)
    running: list[Running] = []
    try:
        while True:
            taken = list(islice(waiting, at_once - len(running)))
            for job in taken:
                begun = begin(job)
                if isinstance(begun, Row):
                    yield begun
                else:
                    running.append(begun)
            if not taken and not running:
                return
            ended = wait_any([r.child for r in running], TICK_S)
            for one in [r for r in running if r.child in ended]:
                running.remove(one)
                yield finish(one)
            idle([" ".join(r.job.key) for r in running])
    finally:
        stop(running)


def store_all(rows: Iterable[Row], store: Store, progress: Progress) -> None:
    """Store and show rows as they come; SeaError if some could not be stored at last."""
    before = ""
    for row in rows:
        problem = store.append(row)
        progress.row(row)
        if problem and not before:
            progress.problem(problem)
        before = problem
    problem = store.flush()
    if problem:
        raise SeaError(f"{problem} and could not be stored")
