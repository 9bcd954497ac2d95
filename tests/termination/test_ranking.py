"""Ranking functions by Farkas' lemma, of relations that are written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from seahorn_py.engines.termination.ranking import Linear, Polyhedron, Row, lexicographic
from seahorn_py.processes.deadline import Deadline


def least(before: Sequence[int], after: Sequence[int], constant: int) -> Row:
    """`before * x + after * x' + constant >= 0`."""
    return Row(tuple(before), tuple(after), constant, False)


def same(before: Sequence[int], after: Sequence[int], constant: int) -> Row:
    return Row(tuple(before), tuple(after), constant, True)


COUNTING = ((least((-1, 1), (0, 0), -1), same((1, 0), (-1, 0), 1), same((0, 1), (0, -1), 0)),)
"""`i < n`, `i' = i + 1`, `n' = n`."""

NESTED = (
    (least((1, 0), (0, 0), -1), same((1, 0), (-1, 0), -1)),
    (least((0, 1), (0, 0), -1), same((1, 0), (-1, 0), 0), same((0, 1), (0, -1), -1)),
)
"""`x > 0`, `x' = x - 1`, any `y'`; or `y > 0`, `x' = x`, `y' = y - 1`."""

PHASES = ((least((1, 0), (0, 0), 0), same((1, 1), (-1, 0), 0), same((0, 1), (0, -1), -1)),)
"""`x >= 0`, `x' = x + y`, `y' = y - 1`."""

ENDLESS = ((least((1, 0), (0, 0), 0), same((1, 0), (-1, 0), 1)),)
"""`x >= 0`, `x' = x + 1`."""


def value(f: Linear, state: Sequence[int]) -> int:
    total = sum(c * x for c, x in zip(f.coefficients, state, strict=True))
    return max(total + f.constant, 0)


def steps(rounds: Sequence[Polyhedron], most: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    numbers = range(-most, most + 1)
    for before in product(numbers, repeat=2):
        for after in product(range(-2 * most, 2 * most + 1), repeat=2):
            if any(all(_holds(row, before, after) for row in one) for one in rounds):
                yield before, after


def _holds(row: Row, before: Sequence[int], after: Sequence[int]) -> bool:
    total = sum(a * x for a, x in zip(row.before, before, strict=True)) + row.constant
    total += sum(a * x for a, x in zip(row.after, after, strict=True))
    return total == 0 if row.is_equation else total >= 0


@pytest.mark.parametrize(("rounds", "length"), [(COUNTING, 1), (NESTED, 2), (PHASES, 2), ((), 0)])
def test_a_rank_falls_in_each_step(rounds: Sequence[Polyhedron], length: int) -> None:
    rank = lexicographic(rounds, (0, 1), Deadline.after(20))
    assert rank is not None
    assert len(rank) == length
    for before, after in steps(rounds, 5):
        old, new = ([value(f, state) for f in rank] for state in (before, after))
        first = next(k for k in range(length) if new[k] < old[k])
        assert all(new[k] <= old[k] for k in range(first))


@pytest.mark.parametrize(("rounds", "usable"), [(ENDLESS, (0, 1)), (COUNTING, (1,))])
def test_no_rank(rounds: Sequence[Polyhedron], usable: Sequence[int]) -> None:
    assert lexicographic(rounds, usable, Deadline.after(20)) is None


def test_small_numbers_come_first() -> None:
    assert lexicographic(COUNTING, (0, 1), Deadline.after(20)) in (
        (Linear((-1, 1), 0),),
        (Linear((-1, 1), 1),),
    )
