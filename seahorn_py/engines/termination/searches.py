"""Two searches for the rank of a loop: of all of its rounds, and of some that are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.engines.termination import ranking
from seahorn_py.engines.termination.cycles import Rounds
from seahorn_py.engines.termination.drawn import Rounded, drawn
from seahorn_py.engines.termination.ranking import Linear, Polyhedron, Row
from seahorn_py.logic.presburger.presburger import Beyond, Map, Presburger, bounded, rows, seen_from
from seahorn_py.processes.deadline import Deadline

OPERATIONS = 4_000_000
"""Elementary steps of isl for the rounds of one loop."""

BEYOND: tuple[Linear, ...] = (Linear((), -1),)
"""Stands for a rank where isl gave up."""

MOST_POLYHEDRA = 4
"""More of them, for one cut point, become their hull."""


def of_all(
    loop: Rounded, lags: bool, usable: Sequence[int], deadline: Deadline
) -> tuple[Linear, ...] | None:
    """First without the bounds of types: a rank that needs them says less."""
    missed = None
    for typed in (False, True):
        try:
            rounds = _rounds(loop, typed=typed)
            with bounded():
                polyhedra = [_polyhedron(p) for p in rounds.of(loop.cycle, lasting=lags)]
        except Beyond:
            missed = BEYOND
            continue
        rank = ranking.lexicographic(polyhedra, usable, deadline)
        if rank is not None:
            return rank
    return missed


def of_drawn(
    loop: Rounded, lags: bool, usable: Sequence[int], deadline: Deadline
) -> tuple[Linear, ...] | None:
    """From the rounds that are drawn, as `of_all`."""
    for typed in (False, True):
        rank = drawn(replace(loop, typed=typed), usable, deadline, lasting=lags)
        if rank is not None:
            return rank
    return None


def inside(loop: Rounded, used: frozenset[int]) -> dict[str, tuple[Polyhedron, ...]]:
    """What relates the values at the head, as far as they are used, to those at a cut point inside.

    At each cut point one of the polyhedra holds, if nothing is missed; none are told where isl
    gives up.
    """
    try:
        with bounded():
            found = _rounds(loop, typed=False).arrivals(loop.cycle)
            return {
                name: tuple(_polyhedron(p) for p in seen_from(arrived, used, MOST_POLYHEDRA))
                for name, arrived in found.items()
            }
    except Beyond:
        return {}


def of_calls(
    loops: Sequence[Rounded], usable: Sequence[Sequence[int]], deadline: Deadline
) -> tuple[tuple[Linear, ...], ...] | None:
    """For each of some functions that call each other measures, which all calls decrease.

    The state is that of all functions side by side, 0 but for the one that is called, and marks
    which one that is.
    """
    layout = _Layout([len(one.system.relations[one.cycle.head].parameters) for one in loops])
    for typed in (False, True):
        try:
            with bounded():
                calls = [
                    layout.placed(_polyhedron(piece), here, there)
                    for here, one in enumerate(loops)
                    for there, other in enumerate(loops)
                    for piece in _rounds(one, typed=typed).calls(one.cycle, other.cycle.head)
                ]
        except Beyond:
            continue
        rank = ranking.lexicographic(calls, layout.usable(usable), deadline)
        if rank is not None:
            return tuple(layout.parts(rank, k) for k in range(len(loops)))
    return None


@dataclass(frozen=True)
class _Layout:
    """The coordinates of several functions side by side, and a mark for each function."""

    sizes: Sequence[int]

    @property
    def _marks(self) -> int:
        return sum(self.sizes)

    @property
    def _size(self) -> int:
        return self._marks + len(self.sizes)

    def _start(self, function: int) -> int:
        return sum(self.sizes[:function])

    def usable(self, own: Sequence[Sequence[int]]) -> list[int]:
        """The marks, and of each function its own."""
        found = [self._start(number) + k for number, ks in enumerate(own) for k in ks]
        return [*found, *range(self._marks, self._size)]

    def placed(self, call: Polyhedron, here: int, there: int) -> Polyhedron:
        """A call of one function by another, over all coordinates."""
        nothing = (0,) * self._size
        found = [
            Row(self._wide(r.before, here), self._wide(r.after, there), r.constant, r.is_equation)
            for r in call
        ]
        for k in range(self._size):
            unit = tuple(int(n == k) for n in range(self._size))
            if not self._is_of(k, here):
                found.append(Row(unit, nothing, -int(k == self._marks + here), True))
            if not self._is_of(k, there):
                found.append(Row(nothing, unit, -int(k == self._marks + there), True))
        return tuple(found)

    def parts(self, rank: Sequence[Linear], function: int) -> tuple[Linear, ...]:
        """The measures of one function."""
        start, end = self._start(function), self._start(function) + self.sizes[function]
        mark = self._marks + function
        return tuple(
            Linear(one.coefficients[start:end], one.constant + one.coefficients[mark])
            for one in rank
        )

    def _is_of(self, coordinate: int, function: int) -> bool:
        start = self._start(function)
        return start <= coordinate < start + self.sizes[function]

    def _wide(self, row: Sequence[int], function: int) -> tuple[int, ...]:
        start = self._start(function)
        return (*(0,) * start, *row, *(0,) * (self._size - start - len(row)))


def _rounds(loop: Rounded, *, typed: bool) -> Rounds:
    arithmetic = Presburger(OPERATIONS)
    return Rounds(loop.system, loop.known, arithmetic, typed=typed, drifts=loop.drifts)


def _polyhedron(piece: Map) -> Polyhedron:
    return tuple(Row(tuple(b), tuple(a), c, e) for b, a, c, e in rows(piece))
