"""What the processes of one verification note down while they work.

All of them append to one file without a name, so what is known outlives whoever found it: a winner
ends the others at once, a signal ends everybody, and a supervisor ends whoever is late.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.processes import scratch
from seahorn_py.processes.internal_errors import Reports

MOST_TEXT = 1_000
"""Characters of a note: one write to a file that is open for appending is not torn."""

_STAGE, _SHOWN = "/stage", "/shown"
"""What notes of stages and of texts have in the column of places; no place has such a name."""


@dataclass(frozen=True)
class Attempt:
    """What one engine did: when it began, for how long, and how it ended; "" while it goes on.

    `place` is the encoding it worked on; the times are in seconds from the start.
    """

    place: str
    engine: str
    began: float
    seconds: float
    outcome: str = ""


class Journal:
    """Notes of this process and its forked copies, in the order in which they were made.

    `reports` has the internal errors, also those of engines that lost.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self.reports = Reports()
        self._stream = scratch.common_file()

    def __reduce__(self) -> tuple[type[_Inherited], tuple[int, int, float]]:
        """For a process that inherits the files under the same numbers."""
        return _Inherited, (*self.descriptors, self._began)

    @property
    def descriptors(self) -> tuple[int, int]:
        """Those of the files of the notes and of the internal errors."""
        return self._stream.fileno(), self.reports.fileno()

    def enters(self, stage: str) -> None:
        """The work as a whole comes to a stage."""
        self._note(_STAGE, stage, None)

    def shows(self, text: str) -> None:
        """Something to show while the work goes on."""
        self._note(_SHOWN, text[:MOST_TEXT], None)

    def stage(self) -> str:
        """The stage the work has come to; "" before the first."""
        return next((text for _, kind, text, _ in reversed(self._notes()) if kind == _STAGE), "")

    def shown(self) -> list[str]:
        """All that there was to show, in its order."""
        return [text for _, kind, text, _ in self._notes() if kind == _SHOWN]

    def begins(self, place: str, engine: str) -> None:
        """An engine begins to work."""
        self._note(place, engine, None)

    def remarks(self, place: str, text: str) -> None:
        """Something else that happened."""
        self._note(place, "", None)
        self._note(place, "", text)

    def ends(self, place: str, engine: str, outcome: str) -> None:
        """An engine has ended, or was ended."""
        self._note(place, engine, outcome)

    def _note(self, place: str, engine: str, outcome: str | None) -> None:
        text = None if outcome is None else outcome[:MOST_TEXT]
        line = json.dumps([time.monotonic() - self._began, place, engine, text])
        os.write(self._stream.fileno(), line.encode() + b"\n")

    def _notes(self) -> list[tuple[float, str, str, str | None]]:
        """All whole notes: when, what kind or where, what."""
        size = os.fstat(self._stream.fileno()).st_size
        data = os.pread(self._stream.fileno(), size, 0)
        return [tuple(json.loads(line)) for line in data.split(b"\n")[:-1]]

    def attempts(self) -> tuple[Attempt, ...]:
        """What is known now, in the order of the beginnings."""
        now = time.monotonic() - self._began
        found: list[Attempt] = []
        latest: dict[tuple[str, str], int] = {}
        for at, place, engine, outcome in self._notes():
            if place in (_STAGE, _SHOWN):
                continue
            if outcome is None:
                latest[place, engine] = len(found)
                found.append(Attempt(place, engine, at, now - at))
            else:
                number = latest[place, engine]
                began = found[number].began
                found[number] = replace(found[number], seconds=at - began, outcome=outcome)
        return tuple(found)


class _Inherited(Journal):
    """A journal in the files behind descriptors."""

    def __init__(self, descriptor: int, reports: int, began: float) -> None:
        self._began = began
        self.reports = Reports(reports)
        self._stream = os.fdopen(descriptor, "r+b", buffering=0, closefd=False)


_current: tuple[Journal, int] | None = None


def use(journal: Journal) -> None:
    """From now on this process notes its stages here; its copies do not."""
    global _current
    _current = journal, os.getpid()


def current() -> Journal | None:
    """What `use` said."""
    return _current[0] if _current is not None else None


def enter(stage: str) -> None:
    """Note a stage for whoever supervises this process, if anybody does."""
    if _current is not None and _current[1] == os.getpid():
        _current[0].enters(stage)
