"""What people see of a check: a table on a terminal, lines in a pipe, and then what is wrong."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TextIO

from seahorn_py.base.errors import visible
from seahorn_py.cli.project.at_once import Running
from seahorn_py.cli.project.outcomes import ORDER, Outcome, Status
from seahorn_py.cli.project.project import Suppression
from seahorn_py.cli.reports.findings import message
from seahorn_py.cli.screen.colours import excerpt, painted
from seahorn_py.cli.screen.words import where
from seahorn_py.result import Answer

_RESET, _DIM = "\033[0m", "\033[2m"
_COLOURS = {
    Status.DIFFERS: "\033[1;31m",
    Status.BROKEN: "\033[1;31m",
    Status.REFUSED: "\033[1;31m",
    Status.UNKNOWN: "\033[1;33m",
    Status.SUPPRESSED: "\033[33m",
    Status.AS_EXPECTED: "\033[32m",
    Status.NOT_RUN: _DIM,
}
_COUNTED = {Status.DIFFERS: "other than expected", Status.UNKNOWN: "without an answer"}
_KNOWN = (Answer.SAFE, Answer.UNSAFE)
_PERIOD_S = 0.2
_LEAST_LINES = 5
_WIDTH = max(len(status.value) for status in Status)


def row(outcome: Outcome, width: int, in_colour: bool = False) -> str:
    """An outcome in a line; `width` is that of the names."""
    answer = outcome.answer.value if outcome.answer is not None else ""
    seconds = "   kept  " if outcome.is_kept else f"{outcome.seconds:7.2f} s"
    word = f"{outcome.status.value:<{_WIDTH}}"
    painted = f"{_COLOURS[outcome.status]}{word}{_RESET}" if in_colour else word
    told = outcome.headline
    if outcome.difference:
        told = f"{outcome.difference}: {told}" if told else outcome.difference
    name = outcome.proof.name
    return visible_but_painted(f"  {name:<{width}}  {answer:<7} {seconds}  {told}", painted)


def visible_but_painted(rest: str, painted: str) -> str:
    """A line that begins with a word in colour."""
    return f"{painted}{visible(rest)}".rstrip()


class Progress:
    """One line for each outcome; the reader may go away at any time."""

    def __init__(self, stream: TextIO, names: Sequence[str], in_colour: bool) -> None:
        self._stream = stream
        self._total = len(names)
        self._width = max(map(len, names), default=0)
        self._in_colour = in_colour
        self.seen: list[Outcome] = []

    def outcome(self, outcome: Outcome) -> None:
        """Count an outcome, and show it."""
        self.seen.append(outcome)
        number = f"{len(self.seen):>{len(str(self._total))}}"
        self._write(f"[{number}/{self._total}] {row(outcome, self._width, self._in_colour)}\n")

    def idle(self, running: Sequence[Running]) -> None:
        """Time passes."""

    def end(self) -> None:
        """Nothing more comes."""

    def _write(self, text: str) -> None:
        known = self._stream.encoding or "utf-8"
        with contextlib.suppress(OSError):
            self._stream.write(text.encode(known, "backslashreplace").decode(known))
            self._stream.flush()


class Silent(Progress):
    """Nothing is shown while the proofs run."""

    def outcome(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self.seen.append(outcome)


class Table(Progress):
    """A table that is drawn anew: failures first, then what runs; it is gone in the end."""

    def __init__(
        self, stream: TextIO, names: Sequence[str], in_colour: bool, usual: dict[str, float]
    ) -> None:
        super().__init__(stream, names, in_colour)
        self._usual = usual
        self._names = names
        self._drawn = 0
        self._next = 0.0

    def outcome(self, outcome: Outcome) -> None:
        """Count an outcome; the table is drawn anew soon."""
        self.seen.append(outcome)
        self._next = 0.0

    def idle(self, running: Sequence[Running]) -> None:
        """Draw the table, not too often."""
        now = time.monotonic()
        if now < self._next:
            return
        size = shutil.get_terminal_size()
        lines = list(self._lines(running, now, max(size.lines - 3, _LEAST_LINES)))
        text = "".join(f"{_cut(line, size.columns - 1)}\n" for line in lines)
        self._write(self._cleared() + text)
        self._drawn = len(lines)
        self._next = now + _PERIOD_S

    def end(self) -> None:
        """Take the table away: what it showed is told below in full."""
        self._write(self._cleared())
        self._drawn = 0

    def _cleared(self) -> str:
        return f"\033[{self._drawn}F\033[J" if self._drawn else ""

    def _lines(self, running: Sequence[Running], now: float, most: int) -> Iterator[str]:
        rows = [row(one, self._width, self._in_colour) for one in by_urgency(self.seen)]
        bad = sum(not one.is_good for one in self.seen)
        at_work = [self._working(one, now) for one in running]
        yield from [*rows[:bad], *at_work, *rows[bad:]][:most]
        left = self._left(running, now)
        about = f", about {left:.0f} s left" if left is not None else ""
        yield f"{len(self.seen)} of {self._total} done{about}"

    def _working(self, one: Running, now: float) -> str:
        name = f"{one.question.proof.name:<{self._width}}"
        return f"{'running':<{_WIDTH}}  {name}  {'':7}{now - one.since:8.2f} s"

    def _left(self, running: Sequence[Running], now: float) -> float | None:
        """The seconds that are left, from what proofs took now and before; None if unknown."""
        took = [one.seconds for one in self.seen if not one.is_kept]
        guess = sum(took) / len(took) if took else None
        done = {one.proof.name for one in self.seen}
        spent = {one.question.proof.name: now - one.since for one in running}
        left = 0.0
        for name in (name for name in self._names if name not in done):
            usual = self._usual.get(name, guess)
            if usual is None:
                return None
            left += max(usual - spent.get(name, 0.0), 0.0)
        return left / max(len(running), 1)


def _cut(line: str, width: int) -> str:
    """The line, which may begin with colours, in the width of the terminal."""
    extra = sum(map(len, (_RESET, "\033[1;31m"))) if line.startswith("\033") else 0
    return line[: width + extra] + (_RESET if extra else "")


def by_urgency(seen: Sequence[Outcome]) -> list[Outcome]:
    """Failures first, in the order of the file within a kind."""
    return sorted(seen, key=lambda one: (ORDER.index(one.status), one.proof.place.line))


def details(seen: Sequence[Outcome], in_colour: bool = False) -> Iterator[str]:
    """What is wrong, proof by proof, with the run as `pf` shows it and the command for it alone."""
    for one in (outcome for outcome in by_urgency(seen) if not outcome.is_good):
        if one.status is Status.NOT_RUN:
            continue
        head = f"--- {one.proof.name} ({one.proof.place}): {one.difference or one.status.value}"
        yield ""
        yield f"{_COLOURS[one.status]}{visible(head)}{_RESET}" if in_colour else visible(head)
        for line in map(visible, told(one)):
            yield painted(line) if in_colour else line
        if in_colour and one.answer is Answer.UNSAFE:
            yield from excerpt(one.place)
        yield visible(f"alone: {one.proof.command}")


def told(outcome: Outcome) -> Sequence[str]:
    """The lines of `pf` but for the word that ends them; what went wrong where there are none."""
    lines = outcome.lines if outcome.answer is None else outcome.lines[:-1]
    return lines or (outcome.headline,)


def suppressed(seen: Sequence[Outcome]) -> Iterator[str]:
    """The findings that are excused, with the reason."""
    for outcome in seen:
        for one in outcome.excused:
            what = f"{where(one.finding.place)}: {message(one.finding)}"
            until = f"until {one.by.expires}: {one.by.reason} ({one.by.place})"
            yield visible(f"suppressed: {outcome.proof.name}: {what}; {until}")


def past(expired: Sequence[Suppression]) -> Iterator[str]:
    """The suppressions whose day is past."""
    for one in expired:
        yield visible(
            f"expired: {one.place}: this suppression ended on {one.expires} ({one.reason}):"
            " mend what it excuses, or give a later day"
        )


def unused(
    suppressions: Sequence[Suppression], seen: Sequence[Outcome], expired: Sequence[Suppression]
) -> Iterator[str]:
    """The suppressions that excuse nothing, where all proofs that they are about were run."""
    used = {id(one.by) for outcome in seen for one in outcome.excused}
    places = {one.by.place for outcome in seen for one in outcome.excused}
    for one in suppressions:
        about = [outcome for outcome in seen if one.is_about(outcome.proof)]
        is_known = about and all(o.answer in _KNOWN and not o.is_kept for o in about)
        if is_known and one not in expired and id(one) not in used and one.place not in places:
            yield visible(f"unused: {one.place}: this suppression excuses nothing: remove it")


def summary(seen: Sequence[Outcome], seconds: float) -> str:
    """The numbers in a sentence."""
    counts = Counter(one.status for one in seen)
    kept = sum(one.is_kept for one in seen)
    parts = [f"{counts[one]} {_COUNTED.get(one, one.value)}" for one in ORDER if counts[one]]
    also = f" ({kept} kept from before, not run again)" if kept else ""
    noun = "proof" if len(seen) == 1 else "proofs"
    return f"{len(seen)} {noun}: {', '.join(parts)}{also}; {seconds:.1f} s"
