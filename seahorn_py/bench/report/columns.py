"""Results of one or several runs side by side: tasks x configurations."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from seahorn_py.base.records import dataclass
from seahorn_py.bench.rows import Ended, Row, Verdict
from seahorn_py.bench.scoring import Tally, by_category, tally
from seahorn_py.bench.store import read_rows


@dataclass(frozen=True)
class Column:
    """What one configuration made of the tasks, by their names; `label` is unique in a report.

    Logs and witnesses lie in `folder`, which is that of the result file.
    """

    label: str
    rows: Mapping[str, Row]
    folder: Path

    @cached_property
    def categories(self) -> Mapping[str, Tally]:
        """The scores by category."""
        return by_category(self.rows.values())

    @cached_property
    def total(self) -> Tally:
        """The score of all tasks."""
        return tally(self.rows.values())


@dataclass(frozen=True)
class Results:
    """All configurations; tasks are in the order in which they come first."""

    columns: tuple[Column, ...]

    @cached_property
    def tasks(self) -> Mapping[str, Row]:
        """Every task with a row that describes it."""
        found: dict[str, Row] = {}
        for column in self.columns:
            for task, row in column.rows.items():
                found.setdefault(task, row)
        return found

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The names of all categories in alphabetical order."""
        return tuple(sorted({name for column in self.columns for name in column.categories}))


def read_results(files: Sequence[Path]) -> Results:
    """Read result files; SeaError if one cannot be read or has a line that is no row.

    A configuration that is in several files is a column for each of them, labelled with the file.
    """
    return side_by_side((file, read_rows(file)) for file in dict.fromkeys(files))


def side_by_side(sources: Iterable[tuple[Path, Iterable[Row]]]) -> Results:
    """Rows by the file that they come from, as columns."""
    found: dict[tuple[str, Path], dict[str, Row]] = {}
    for file, rows in sources:
        for row in rows:
            found.setdefault((row.configuration, file), {})[row.task] = row
    files = Counter(configuration for configuration, _ in found)
    return Results(
        tuple(
            Column(f"{name} ({file})" if files[name] > 1 else name, rows, file.parent)
            for (name, file), rows in found.items()
        )
    )


def answer(row: Row) -> str:
    """The verdict in a word, as BenchExec writes it; how the run ended if there is none."""
    if row.verdict is Verdict.FALSE and row.subproperty:
        return f"false({row.subproperty})"
    if row.verdict is not Verdict.NONE:
        return str(row.verdict.value)
    return "no answer" if row.ended is Ended.EXIT else row.ended.value


def expected(row: Row) -> str:
    """The right verdict in a word; "" if the task has none."""
    if row.expected is None:
        return ""
    part = f"({row.expected_subproperty})" if row.expected_subproperty else ""
    return f"{row.expected.value}{part}"


def why(row: Row) -> str:
    """Why there is no answer, with the stage that gave up; "" if there is one."""
    return f"{row.stage}: {row.reason}" if row.stage and row.reason else row.stage or row.reason


def way(folder: Path, page_folder: Path) -> str:
    """How to come to a folder from a page in `page_folder`."""
    return os.path.relpath(os.path.abspath(folder), os.path.abspath(page_folder))


def link(path: str, way_there: str) -> str:
    """The address of a log or witness in the folder at `way_there`; "" if it is outside of it."""
    if path.startswith("/") or ".." in path.split("/") or "\0" in path:
        return ""
    return quote(f"./{posixpath.normpath(f'{way_there}/{path}')}", errors="replace")
