"""`sea-py bench diff OLD NEW`: what became better, worse, faster and slower between two runs."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path

import click

from seahorn_py.base.errors import SeaError
from seahorn_py.base.records import dataclass
from seahorn_py.bench.progress import plain
from seahorn_py.bench.rows import Ended, Row, Status
from seahorn_py.bench.scoring import DEFINITE, tally
from seahorn_py.bench.store import read_rows
from seahorn_py.cli.commands.commands import reports_errors
from seahorn_py.cli.options.click_types import Finite

EXIT_REGRESSION = 1
FACTOR, SECONDS = 1.5, 1.0
"""Without options a time has changed if it differs by this factor and by these CPU seconds."""


class Kind(Enum):
    """What became of a task; in the order in which changes are shown."""

    WRONG = "wrong"
    """The new answer is wrong, whatever the old one was."""
    REGRESSION = "regression"
    """A correct answer is gone."""
    MISSING = "missing"
    """A task without a correct answer is not there any more."""
    GAIN = "gain"
    """A correct answer is new."""
    OTHER = "other"
    """Another verdict that is neither better nor worse."""
    SLOWER = "slower"
    FASTER = "faster"
    NEW = "new"
    """The task was not there before."""


BAD = frozenset({Kind.WRONG, Kind.REGRESSION})


@dataclass(frozen=True, slots=True)
class Change:
    """A task that is not as it was."""

    kind: Kind
    old: Row | None
    new: Row | None

    def __str__(self) -> str:
        row = self.new or self.old
        assert row is not None
        shown = f"{_shown(self.old)} -> {_shown(self.new)}"
        return f"{self.kind.value:10} {row.configuration}  {row.task}: {shown}{self._input()}"

    def _input(self) -> str:
        changed = self.old and self.new and self.old.inputs != self.new.inputs
        return " (the program has changed)" if changed else ""


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a significant change of CPU time is."""

    factor: float = FACTOR
    seconds: float = SECONDS

    def kind(self, old: Row, new: Row) -> Kind | None:
        """Slower or faster, for two answers; the time of others says nothing."""
        less, more = sorted((old.cpu_s, new.cpu_s))
        if any(row.verdict not in DEFINITE or row.ended is not Ended.EXIT for row in (old, new)):
            return None
        if more < self.factor * less or more - less < self.seconds:
            return None
        return Kind.SLOWER if new.cpu_s > old.cpu_s else Kind.FASTER


Rows = Mapping[tuple[str, str], Row]
"""By configuration and task."""


def compare(old: Rows, new: Rows, threshold: Threshold) -> list[Change]:
    """The changes, the bad ones first; of each kind in the order of the new run."""
    changes = [
        Change(kind, old.get(key), row)
        for key, row in new.items()
        if (kind := _kind(old.get(key), row, threshold)) is not None
    ]
    changes += [
        Change(Kind.REGRESSION if row.status is Status.CORRECT else Kind.MISSING, row, None)
        for key, row in old.items()
        if key not in new
    ]
    order = list(Kind)
    return sorted(changes, key=lambda change: order.index(change.kind))


def _kind(old: Row | None, new: Row, threshold: Threshold) -> Kind | None:
    """What became of a task that is in the new run."""
    if new.status is Status.WRONG:
        return Kind.WRONG
    if old is None:
        return Kind.NEW
    was, now = old.status is Status.CORRECT, new.status is Status.CORRECT
    if was != now:
        return Kind.GAIN if now else Kind.REGRESSION
    if old.verdict is not new.verdict or old.subproperty != new.subproperty:
        return Kind.OTHER
    return threshold.kind(old, new)


def _shown(row: Row | None) -> str:
    if row is None:
        return "-"
    word = row.verdict.value if row.ended is Ended.EXIT else row.ended.value
    return f"{word} {row.status.value} {row.cpu_s:.2f} s"


def summary(old: Rows, new: Rows) -> Iterator[str]:
    """Scores and times of both runs, over the tasks that both have."""
    common = [(old[key], row) for key, row in new.items() if key in old]
    before, after = tally(o for o, _ in common), tally(n for _, n in common)
    yield f"tasks in both: {len(common)}; only old: {len(old) - len(common)}; only new: " + str(
        len(new) - len(common)
    )
    yield f"score: {before.score} -> {after.score}; correct: {before.correct} -> {after.correct}"
    yield f"CPU: {before.cpu_s:.1f} s -> {after.cpu_s:.1f} s{_ratio(before.cpu_s, after.cpu_s)}"
    ratios = [n.cpu_s / o.cpu_s for o, n in common if o.cpu_s > 0]
    if ratios:
        yield f"median ratio of CPU times: {statistics.median(ratios):.2f}"
    yield from _circumstances(common)


def _circumstances(common: Sequence[tuple[Row, Row]]) -> Iterator[str]:
    """What the tasks were run under, where that has changed: times then say less."""
    for what, described in (("limits", _limits), ("machine", _machine)):
        changes = {(described(old), described(new)) for old, new in common}
        for before, after in sorted(changes):
            if before != after:
                yield f"other {what}: {before} -> {after}"


def _limits(row: Row) -> str:
    return str(row.limits)


def _machine(row: Row) -> str:
    return f"{row.machine.cpu}, {row.machine.cores} cores"


def _ratio(old: float, new: float) -> str:
    return f" ({new / old:.2f})" if old > 0 else ""


def rows_of(files: Sequence[Path]) -> dict[tuple[str, str], Row]:
    """The rows of a run, which may be in several files."""
    found: dict[tuple[str, str], Row] = {}
    for file in files:
        for row in read_rows(file):
            key = row.configuration, row.task
            if key in found:
                raise SeaError(f"{file}: {row.task} is in another file too")
            found[key] = row
    if not found:
        raise SeaError(f"{', '.join(map(str, files))}: no results")
    return found


def paired(old: Rows, new: Rows) -> tuple[Rows, Rows]:
    """Two runs with one configuration each are compared whatever its name is."""
    names = {name for name, _ in old}, {name for name, _ in new}
    if names[0] == names[1] or any(len(some) != 1 for some in names):
        return old, new
    (name,) = names[1]
    return {(name, task): row for (_, task), row in old.items()}, new


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--common", is_flag=True, help="Only tasks that both runs have.")
@click.option(
    "--factor",
    type=Finite(1),
    default=FACTOR,
    show_default=True,
    help="A time has changed if it has by this factor,",
)
@click.option(
    "--seconds",
    type=Finite(0),
    default=SECONDS,
    show_default=True,
    help="and by so many CPU seconds.",
)
@reports_errors
def diff(old: Path, new: Path, common: bool, factor: float, seconds: float) -> None:
    """List what changed from the results OLD to NEW.

    The exit code is 1 if a correct answer is gone or a new one is wrong.
    """
    before, after = paired(rows_of([old]), rows_of([new]))
    if before.keys().isdisjoint(after):
        raise SeaError(f"no task is in both {old} and {new}, in the same configuration")
    if common:
        before = {key: row for key, row in before.items() if key in after}
        after = {key: row for key, row in after.items() if key in before}
    changes = compare(before, after, Threshold(factor, seconds))
    for change in changes:
        click.echo(plain(str(change)))
    for line in summary(before, after):
        click.echo(line)
    if any(change.kind in BAD for change in changes):
        sys.exit(EXIT_REGRESSION)
