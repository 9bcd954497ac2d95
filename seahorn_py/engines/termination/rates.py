"""How fast a measure falls, which bounds the number of rounds of a loop.

If each round decreases `m` by at least `step` and begins with `m >= low`, then a loop that is
entered with `m = m0` has at most `max(0, (m0 - low + step) / step)` rounds.  `step` and `low` are
minima of linear expressions over the rounds, which isl computes.
"""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.engines.termination.cycles import Cycle, Rounds
from seahorn_py.engines.termination.ranking import Linear, Row, lexicographic
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.logic.presburger.presburger import (
    Beyond,
    Map,
    Presburger,
    bounded,
    least,
    rows,
)
from seahorn_py.processes.deadline import Deadline

OPERATIONS = 4_000_000
"""Elementary steps of isl for the rounds of one loop."""


@dataclass(frozen=True)
class Falling:
    """A measure that falls by `step` at least in each round, and is at least `low` before it."""

    measure: Linear
    step: int
    low: int


def falling(
    cycle: Cycle, system: HornSystem, known: Model, usable: Sequence[int], deadline: Deadline
) -> Falling | None:
    """The falling measure of a loop; None if its rank is no single measure, or none is found.

    The bounds of types are left out at first, since numbers that come from them say little.
    """
    for typed in (False, True):
        try:
            with bounded():
                rounds = Rounds(system, known, Presburger(OPERATIONS), typed=typed).of(cycle)
                polyhedra = [_polyhedron(piece) for piece in rounds]
                rank = lexicographic(polyhedra, usable, deadline)
                if rank is not None and len(rank) == 1:
                    return _rate(rounds, rank[0])
        except Beyond:
            continue
    return None


def ranks(
    cycle: Cycle, system: HornSystem, known: Model, usable: Sequence[int], deadline: Deadline
) -> tuple[Linear, ...] | None:
    """A rank of a loop that is found without the bounds of types; None if there is none."""
    try:
        with bounded():
            rounds = Rounds(system, known, Presburger(OPERATIONS), typed=False).of(cycle)
            polyhedra = [_polyhedron(piece) for piece in rounds]
    except Beyond:
        return None
    return lexicographic(polyhedra, usable, deadline)


def guarded(
    cycle: Cycle, system: HornSystem, models: Sequence[Model], usable: Sequence[int], most: int
) -> list[tuple[int, Linear]]:
    """Models under which each round decreases a guard of the loop: their numbers, with the guard.

    A guard is a constraint of the rounds on the values before them, taken as a measure.  The first
    `most` such models are given.
    """
    found = []
    for number, known in enumerate(models):
        try:
            with bounded():
                rounds = Rounds(system, known, Presburger(OPERATIONS), typed=False).of(cycle)
                measures = (g for g in _guards(rounds, usable) if _rate(rounds, g) is not None)
                measure = next(measures, None)
        except Beyond:
            continue
        found += [] if measure is None else [(number, measure)]
        if len(found) == most:
            break
    return found


def _guards(rounds: Sequence[Map], usable: Sequence[int]) -> list[Linear]:
    """Expressions that are at least 1 before some round, made of the round's constraints."""
    found: dict[Linear, None] = {}
    for row in (row for piece in rounds for row in _polyhedron(piece)):
        names = {k for k, factor in enumerate(row.before) if factor}
        if names and names <= set(usable) and not any(row.after):
            found[Linear(row.before, row.constant + 1)] = None
    return list(found)


def _polyhedron(piece: Map) -> tuple[Row, ...]:
    return tuple(Row(tuple(b), tuple(a), c, e) for b, a, c, e in rows(piece))


def _rate(rounds: Sequence[Map], measure: Linear) -> Falling | None:
    """The rate of a measure; None if some round does not decrease it, or it has no minimum."""
    up = measure.coefficients
    down, nothing = [-factor for factor in up], [0] * len(up)
    steps = [least(one, up, down) for one in rounds]
    lows = [least(one, up, nothing) for one in rounds]
    falls = [step for step in steps if step is not None and step > 0]
    starts = [low for low in lows if low is not None]
    if not rounds or len(falls) < len(steps) or len(starts) < len(lows):
        return None
    return Falling(measure, min(falls), min(starts) + measure.constant)
