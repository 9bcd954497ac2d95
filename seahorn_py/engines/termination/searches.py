"""Two searches for the rank of a loop: of all of its rounds, and of some that are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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


def _rounds(loop: Rounded, *, typed: bool) -> Rounds:
    arithmetic = Presburger(OPERATIONS)
    return Rounds(loop.system, loop.known, arithmetic, typed=typed, drifts=loop.drifts)


def _polyhedron(piece: Map) -> Polyhedron:
    return tuple(Row(tuple(b), tuple(a), c, e) for b, a, c, e in rows(piece))
