"""A run without end as a lasso: the steps into a loop, and those of one of its rounds.

The shown round leads from a visit of the loop's head to the next one at which all variables have
the same values again.  If there is none, it is the round after `earlier` visits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from seahorn_py.base.errors import Span
from seahorn_py.result import TraceStep

MOST_COMPARED = 60
"""The most visits of the head among which two with the same values are looked for."""

_Values = dict[tuple[str, tuple[Span, ...], str], str]


def lasso(
    steps: Sequence[TraceStep], head: Span | None, earlier: int = 0
) -> tuple[tuple[TraceStep, ...], int | None]:
    """The steps up to the end of the round, and the number of the step with which it begins.

    The number is None if the steps do not come to the head.
    """
    visits = [k for k, step in enumerate(steps) if _is_at(step, head)]
    if not visits:
        return tuple(steps), None
    start, end = _returning(steps, visits) or _round(visits, earlier, len(steps))
    return tuple(steps[:end]), start


def _is_at(step: TraceStep, head: Span | None) -> bool:
    place = step.place
    return head is not None and (place.file, place.line) == (head.file, head.line)


def _returning(steps: Sequence[TraceStep], visits: Sequence[int]) -> tuple[int, int] | None:
    """The first two visits with the same values."""
    compared = visits[:MOST_COMPARED]
    values = _values(steps, compared)
    pairs = sorted(combinations(range(len(compared)), 2), key=lambda pair: pair[1])
    for first, second in pairs:
        if values[first] == values[second]:
            return compared[first], compared[second]
    return None


def _values(steps: Sequence[TraceStep], visits: Sequence[int]) -> list[_Values]:
    """The known values of the variables before each of the visits."""
    known: _Values = {}
    found = []
    for number, step in enumerate(steps[: visits[-1] + 1]):
        if number in visits:
            found.append(dict(known))
        for change in step.changes:
            known[step.place.function, step.chain, change.name] = change.value
    return found


def _round(visits: Sequence[int], earlier: int, count: int) -> tuple[int, int]:
    """A visit and the next one, or the end."""
    first = min(earlier, max(0, len(visits) - 2))
    end = visits[first + 1] if first + 1 < len(visits) else count
    return visits[first], end
