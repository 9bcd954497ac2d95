"""The data of an unwinding: relation and rule instances, and the progress of loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.engines.bmc.symbolic import Value
from seahorn_py.horn.system import Rule
from seahorn_py.policy.policy import policy

Key = tuple[int, ...]


@dataclass(frozen=True)
class Limits:
    """How often each loop goes on: `every`, or `own` for the relations named, and at most `total`.

    `total` counts free iterations, too.
    """

    every: int
    own: Mapping[str, int]
    total: int | None

    def exceeded(
        self, head: str, iteration: int, progress: Progress, *, calls: bool = False
    ) -> bool:
        """The loop, or the recursion of `calls`, has gone on more often than it may."""
        if head in self.own:
            return iteration > self.own[head]
        if self.total is not None and iteration > self.total:
            return True
        free = policy().bmc.free_calls if calls else policy().bmc.free_iterations
        return (
            progress.counted > self.every
            or progress.reading > policy().bmc.reading_iterations * self.every
            or iteration > free * (self.every + 1)
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """How a loop has gone on so far.

    Of its iterations, `counted` were left by some runs and `reading` read inputs.  The present one
    began under the guard `began` and has read inputs if `reads`.
    """

    counted: int = 0
    reading: int = 0
    began: Value = False
    reads: bool = False

    def after(self, edge: Edge) -> Progress:
        """A rule was used in this iteration."""
        return replace(self, reads=True) if edge.reads and not self.reads else self

    def around(self, edge: Edge, *, conditional: bool) -> Progress:
        """A rule leads back to where the iteration began."""
        free = edge.guard is self.began and conditional
        reads = edge.reads or self.reads
        return Progress(self.counted + (not free), self.reading + reads)

    def joined(self, other: Progress) -> Progress:
        """Two ways into one instance."""
        return Progress(
            max(self.counted, other.counted),
            max(self.reading, other.reading),
            self.began,
            self.reads or other.reads,
        )


@dataclass(eq=False, slots=True)
class Activation:
    """A call of a function: the instance that calls, None for where everything starts.

    `depths` says how often each function with a summary is active; `progress` is that of the
    nesting of calls, in which this activation is an iteration.
    """

    prefix: Key
    caller: Instance | None
    depths: Mapping[str, int]
    progress: Progress
    reads: bool = False


@dataclass(eq=False, slots=True)
class Edge:
    """A rule instance that leads to an instance or a query.

    `reads`: it reads inputs; `conditional`: in other states it could not be used.
    """

    rule: Rule
    guard: Value
    state: tuple[Value, ...]
    premises: tuple[Instance, ...]
    slots: list[Value]
    reads: bool
    conditional: bool
    progress: tuple[Progress, ...] = ()


@dataclass(eq=False, slots=True)
class Instance:
    """A relation at some iteration: `iterations` and `progress` for each loop around it."""

    relation: str
    activation: Activation
    key: Key
    iterations: Key
    progress: tuple[Progress, ...]
    guard: Value
    state: tuple[Value, ...]
    edges: list[Edge]
