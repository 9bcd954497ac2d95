"""Jobs on the workers of a Dask scheduler, with rows that stream back.

Dask gives the tasks of a lost worker to other workers; so a row counts once, whichever worker sent
it.  A task that has lost several workers (`distributed.scheduler.allowed-failures`) becomes an
error.  Limits are enforced where a job runs.  Workers see the same files as this process, under the
same paths, and have the same version of this package; as many tasks run at once on a worker as it
has threads.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from seahorn_py.base.errors import SeaError
from seahorn_py.bench.jobs import Job, not_run, run
from seahorn_py.bench.rows import Row
from seahorn_py.bench.runner import Idle
from seahorn_py.bench.tools import SeaPy, this_sea_py

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_S = 30
_TICK_S = 0.1


def run_there(jobs: Iterable[Job], address: str, idle: Idle) -> Iterator[Row]:
    """Run jobs on the workers of the scheduler at this address; rows as they come.

    SeaError if the scheduler cannot be reached, or is lost.
    """
    try:
        from distributed import Client
    except ImportError:
        raise SeaError("--scheduler needs Dask: pip install 'seahorn-py[cluster]'") from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what it logs, we say
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SeaError(f"{address}: no Dask scheduler there: {error}") from None
    with client:
        yield from _rows(client, list(jobs), address, idle)


def run_on_worker(job: Job) -> Row:
    """The row of a job; an error where this worker would run another version of our tool."""
    if isinstance(job.tool, SeaPy) and job.tool != this_sea_py():
        return not_run(job, f"the worker has {this_sea_py().name}, not {job.tool.name}")
    return run(job)


def _rows(client: Client, jobs: list[Job], address: str, idle: Idle) -> Iterator[Row]:
    from distributed import as_completed

    mark = uuid.uuid4().hex
    futures: dict[str, Future[Row]] = {}
    waiting: dict[str, Job] = {}
    for number, job in enumerate(jobs):
        key = f"bench-{number}-{mark}"
        waiting[key] = job
        futures[key] = client.submit(run_on_worker, job, key=key, pure=False)
    ready = as_completed(futures.values(), loop=client.loop)
    while waiting:
        if ready.has_ready():
            done = next(ready)
            futures.pop(done.key)
            job = waiting.pop(done.key)
            yield _row(done, job, address)
        else:
            if client.status == "closed":
                raise _lost(address)
            idle([])
            time.sleep(_TICK_S)


def _row(done: Future[Row], job: Job, address: str) -> Row:
    """The row of a future that has come to an end."""
    if done.status == "finished":
        row = done.result()
        assert isinstance(row, Row)
        return row
    if done.status == "error":
        return not_run(job, str(done.exception()))
    raise _lost(address)


def _lost(address: str) -> SeaError:
    return SeaError(f"{address}: the scheduler is lost; --resume goes on with what is left")
