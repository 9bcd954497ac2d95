"""Invariants of a Horn system, ever stronger, from child processes.

A `Generator` works on one level after the other (`spaces.levels`), in a child that may run beside
the engine that uses the invariants.  The models are inductive: as far as a solver says, they make
all rules valid, except those for queries.
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from functools import partial
from types import TracebackType
from typing import Self

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.wire import model_from_text, system_to_text
from seahorn_py.invariants import worker
from seahorn_py.invariants.pool import Pool
from seahorn_py.invariants.spaces import levels
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.policy.policy import policy
from seahorn_py.processes import child
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import noted_misread

NOTHING = Model({})
"""The model that says nothing."""


@dataclass(frozen=True)
class Found:
    """An inductive model, and the part of it that excludes all queries, if one does.

    `finder` is the solver that says so.
    """

    model: Model
    proof: Model | None = None
    finder: Solver = Solver.Z3


class Generator:
    """Generates while it is entered as a context manager; leaving it ends its child.

    It works on `most` levels, on all by default.  What others have put into the pool is not looked
    for again.
    """

    def __init__(
        self,
        system: HornSystem,
        deadline: Deadline,
        memory_mib: int = 4096,
        *,
        most: int | None = None,
        pool: Pool | None = None,
    ) -> None:
        self._system = system
        self._key = "" if pool is None else system_to_text(system)
        self._levels = len(levels(system)[:most])
        self._deadline = deadline
        self._memory_mib = memory_mib
        self._level = 0
        self._model = NOTHING
        self._pool = pool
        self._given: Found | None = None
        self._child: child.Fork | None = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._child is not None:
            self._child.kill()

    @property
    def done(self) -> bool:
        """There will be no more invariants."""
        return self._child is None and self._given is None

    def poll(self) -> Found | None:
        """What was found since the last time, if anything; begins with the next level."""
        if self._given is None and (self._child is None or self._child.running):
            return None
        return self.wait()

    def give_way(self, seconds: float) -> None:
        """Do nothing for so long, or until there is something to poll."""
        if self._child is not None and self._given is None:
            select.select([self._child], [], [], seconds)

    def wait(self) -> Found | None:
        """Wait for the next invariants; None when the child failed, and there will be no more."""
        if self._given is not None:
            given, self._given = self._given, None
            return given
        if self._child is None:
            return None
        with self._child:
            found = self._read(self._child)
        self._child = None
        if found is not None:
            self._model = found.model
            if found.proof is None:
                if self._pool is not None:
                    self._pool.put(self._key, self._level, found.model)
                self._start()
        return found

    def _read(self, ended: child.Fork) -> Found | None:
        try:
            made = ended.result()
            assert isinstance(made, worker.Made)
            self._level = made.level
            proof = model_from_text(made.proof) if made.proof else None
            return Found(model_from_text(made.model), proof, made.finder)
        except InputError as failure:
            noted_misread(failure)
            return None
        except child.ChildError:
            return None

    def _start(self) -> None:
        known = None
        if self._pool is not None:
            known = self._pool.strongest(self._key, self._level)
        if known is not None and self._level < self._levels:
            self._level, self._model = known
            self._given = Found(self._model)
        if self._level >= self._levels or self._deadline.remaining == 0:
            return
        task = partial(
            worker.work, self._system, self._model, self._level, self._levels, self._deadline
        )
        limit = Deadline(self._deadline.at + policy().invariants.grace_seconds)
        self._child = child.Fork(task, limit, self._memory_mib)


def improving(
    system: HornSystem, deadline: Deadline, memory_mib: int = 4096, pool: Pool | None = None
) -> Iterator[Found]:
    """Invariants, each stronger than the one before, until one excludes the queries or the end."""
    with Generator(system, deadline, memory_mib, pool=pool) as generator:
        while not generator.done:
            found = generator.wait()
            if found is not None:
                yield found


def generate(system: HornSystem, deadline: Deadline, memory_mib: int = 4096) -> Model:
    """The strongest invariants found until the deadline; they say nothing when there are none."""
    model = NOTHING
    for found in improving(system, deadline, memory_mib):
        model = found.model
    return model
