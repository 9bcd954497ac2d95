"""The loops of property-directed reachability: block what leads to an error, then push."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count

from seahorn_py.base.records import dataclass
from seahorn_py.engines.pdr.levels import Leading, Levels
from seahorn_py.logic.solvers.cubes import Assignment, Cube
from seahorn_py.logic.solvers.rulespace import Clause, Place


@dataclass(frozen=True)
class Obligation:
    """No fact of a relation whose height is at most `level` is to lie in the cube.

    `clause` leads from there into the cube of `then`, or to a query where that is None.
    """

    place: Place
    cube: Cube
    level: int
    clause: Clause
    then: Obligation | None


@dataclass(frozen=True)
class Reached:
    """A fact by this rule lies in the first cube on the way to an error, or is one itself."""

    clause: Clause
    way: Obligation | None


@dataclass(frozen=True)
class Inductive:
    """The lemmas above this level are inductive and exclude all errors."""

    level: int


class Search:
    """PDR with frames for each relation (Hoder, Bjorner 2012)."""

    def __init__(self, levels: Levels, queries: Sequence[Clause]) -> None:
        self._levels = levels
        self._queries = queries
        self._count = count()
        self._queue: list[tuple[int, int, Obligation]] = []
        self.top = 0

    def run(self) -> Reached | Inductive:
        """Height by height."""
        while True:
            for query in self._queries:
                if (met := self._excluded(query)) is not None:
                    return met
            if (level := self._levels.push(self.top)) is not None:
                return Inductive(level)
            self.top += 1

    def _excluded(self, query: Clause) -> Reached | None:
        """Lemmas until no fact of the highest level meets the query; or one does."""
        while isinstance(found := self._levels.ask(query, (), self.top), Assignment):
            if query.premise is None:
                return Reached(query, None)
            before = query.before(found, ())
            self._add(Obligation(query.premise, before, self.top, query, None))
            if (met := self._block()) is not None:
                return met
        return None

    def _block(self) -> Reached | None:
        """All obligations, those of the lowest level first."""
        while self._queue:
            one = heappop(self._queue)[-1]
            if self._levels.blocked(one.place, one.cube, one.level):
                self._later(one, one.level)
                continue
            found = self._levels.leads_into(one.place, one.cube, one.level)
            if not isinstance(found, Leading):
                self._learn(one, found.of(one.cube))
            elif found.clause.premise is None:
                return Reached(found.clause, one)
            else:
                before = found.clause.before(found.found, one.cube)
                self._add(one)
                self._add(
                    Obligation(found.clause.premise, before, one.level - 1, found.clause, one)
                )
        return None

    def _learn(self, one: Obligation, cube: Cube) -> None:
        """A lemma that excludes the obligation's cube, at the highest level where it holds."""
        weaker = self._levels.weaker(one.place, cube, one.level)
        level = one.level
        while level < self.top and not isinstance(
            self._levels.leads_into(one.place, weaker, level + 1), Leading
        ):
            level += 1
        self._levels.learn(one.place, weaker, level)
        self._later(one, level)

    def _later(self, one: Obligation, level: int) -> None:
        """What leads to an error is to be excluded at all levels."""
        if level < self.top:
            self._add(replace(one, level=level + 1))

    def _add(self, one: Obligation) -> None:
        heappush(self._queue, (one.level, next(self._count), one))
