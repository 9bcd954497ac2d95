"""Products of parameters: usual runs go along the diagonal, `--full` takes all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from _pytest.mark import ParameterSet

Row = tuple[object, ...]


def one_in(count: int, names: Iterable[str]) -> list[ParameterSet]:
    """Names, of which a usual run takes one in so many, the first one among them."""
    return [
        pytest.param(name, marks=pytest.mark.full if number % count else ())
        for number, name in enumerate(names)
    ]


def diagonal(rows: Iterable[Row], columns: Sequence[Row]) -> list[ParameterSet]:
    """Each row with each column; a usual run has each row once, and the columns in turn.

    A row begins with its name.
    """
    return [
        pytest.param(
            *row,
            *column,
            id="-".join(str(getattr(part, "value", part)) for part in (row[0], *column)),
            marks=() if number % len(columns) == place else (pytest.mark.full,),
        )
        for number, row in enumerate(rows)
        for place, column in enumerate(columns)
    ]
