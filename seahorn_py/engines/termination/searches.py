"""Two searches for the rank of a loop: of all of its rounds, and of some that are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seahorn_py.engines.termination import ranking
from seahorn_py.engines.termination.cycles import Rounds
from seahorn_py.engines.termination.drawn import Rounded, drawn
from seahorn_py.engines.termination.ranking import Linear, Row
from seahorn_py.logic.presburger.presburger import Beyond, Presburger, bounded, rows
from seahorn_py.processes.deadline import Deadline

OPERATIONS = 4_000_000
"""Elementary steps of isl for the rounds of one loop."""

BEYOND: tuple[Linear, ...] = (Linear((), -1),)
"""Stands for a rank where isl gave up."""


def of_all(
    loop: Rounded, lags: bool, usable: Sequence[int], deadline: Deadline
) -> tuple[Linear, ...] | None:
    """First without the bounds of types: a rank that needs them says less."""
    missed = None
    for typed in (False, True):
        try:
            rounds = Rounds(loop.system, loop.known, Presburger(OPERATIONS), typed=typed)
            with bounded():
                found = [list(rows(piece)) for piece in rounds.of(loop.cycle, lasting=lags)]
        except Beyond:
            missed = BEYOND
            continue
        polyhedra = [tuple(Row(tuple(b), tuple(a), c, e) for b, a, c, e in one) for one in found]
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
