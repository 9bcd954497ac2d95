"""What a benchmark run shows while it goes on: a table on a terminal, lines in a pipe."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from seahorn_py.bench.rows import Ended, Row, Status
from seahorn_py.bench.scoring import Tally, tally

_PERIOD_S = 0.2
_MOST_RUNNING = 8
_HEADER = ("configuration", "done", "true", "false", "wrong", "unknown", "score", "CPU s")


def plain(text: str) -> str:
    """A text without characters that command a terminal or that cannot be encoded."""
    return "".join(c if c.isprintable() else "?" for c in text)


class Progress:
    """Counts rows and shows them, one line a row; the reader may go away at any time."""

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream = stream
        self._total = total
        self._totals: dict[str, Tally] = {}
        self._done = 0
        self.errors = 0
        """Tasks that could not be run."""
        self.bugs = 0
        """Tasks that met an internal error of ours."""

    @property
    def wrong(self) -> int:
        """Wrong answers so far."""
        return sum(t.wrong for t in self._totals.values())

    def seen(self, row: Row) -> None:
        """Count a row of an earlier run."""
        self._count(row)

    def row(self, row: Row) -> None:
        """Count a new row, and show it."""
        self._count(row)
        self._show(self._line(row))

    def idle(self, running: Sequence[str]) -> None:
        """Show that time passes; `running` are the tasks at work."""

    def problem(self, text: str) -> None:
        """Show what went wrong."""
        self._show(f"problem: {text}")

    def summary(self) -> None:
        """Show the sums of all configurations."""
        for name, total in self._totals.items():
            self._show(_sentence(name, total))
        if self.bugs:
            self._show(f"internal errors: {self.bugs}")

    def _count(self, row: Row) -> None:
        one = tally([row])
        before = self._totals.get(row.configuration)
        self._totals[row.configuration] = one if before is None else before + one
        self._done += 1
        self.errors += row.ended is Ended.ERROR
        self.bugs += row.ended is Ended.INTERNAL

    def _line(self, row: Row) -> str:
        word = row.verdict.value if row.ended is Ended.EXIT else row.ended.value
        text = (
            f"[{self._done}/{self._total}] {row.status.value:8} {word:13} {row.cpu_s:8.2f} s CPU"
            f" {row.wall_s:8.2f} s {row.memory_mib:6} MiB  {row.configuration}  {row.task}"
        )
        return f"{text}: {row.reason}" if row.reason else text

    def _show(self, text: str) -> None:
        known = self._stream.encoding or "utf-8"
        with contextlib.suppress(OSError):
            self._stream.write(plain(text).encode(known, "replace").decode(known) + "\n")
            self._stream.flush()


class Table(Progress):
    """A table that is drawn anew; only what is wrong stays above it."""

    def __init__(self, stream: TextIO, total: int) -> None:
        super().__init__(stream, total)
        self._drawn = 0
        self._next = 0.0

    def row(self, row: Row) -> None:
        """Count a new row; show it if it is wrong, an error, or an answer with a remark."""
        self._count(row)
        remark = row.reason and row.status is Status.CORRECT
        broke = row.ended in (Ended.ERROR, Ended.INTERNAL)
        if row.status is Status.WRONG or broke or remark:
            self._show(self._line(row))

    def idle(self, running: Sequence[str]) -> None:
        """Draw the table, not too often."""
        if time.monotonic() >= self._next:
            self._clear()
            lines = [*_table(self._totals), f"{self._done} of {self._total} done"]
            lines += [f"  {name}" for name in running[:_MOST_RUNNING]]
            width = shutil.get_terminal_size().columns - 1
            for line in lines:
                super()._show(line[:width])
            self._drawn = len(lines)
            self._next = time.monotonic() + _PERIOD_S

    def _show(self, text: str) -> None:
        self._clear()
        super()._show(text)

    def _clear(self) -> None:
        if self._drawn:
            with contextlib.suppress(OSError):
                self._stream.write(f"\033[{self._drawn}F\033[J")
            self._drawn = 0


def progress_on(stream: TextIO, total: int) -> Progress:
    """A table on a terminal, lines elsewhere."""
    return Table(stream, total) if stream.isatty() else Progress(stream, total)


def _table(totals: dict[str, Tally]) -> Iterator[str]:
    rows = [_HEADER, *(_cells(name, total) for name, total in totals.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        numbers = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *numbers])


def _cells(name: str, total: Tally) -> tuple[str, ...]:
    counts: Iterable[int] = (
        *(total.tasks, total.correct_true, total.correct_false),
        *(total.wrong, total.unknown, total.score),
    )
    return (name, *map(str, counts), f"{total.cpu_s:.0f}")


def _sentence(name: str, total: Tally) -> str:
    return (
        f"{name}: {total.tasks} tasks: score {total.score} of {total.most}, correct"
        f" {total.correct_true} safe + {total.correct_false} unsafe, wrong {total.wrong},"
        f" no answer {total.unknown + total.unscored}, {total.cpu_s:.0f} s CPU"
    )
