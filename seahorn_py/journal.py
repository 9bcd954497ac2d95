"""What the processes of one verification note down while they work.

All of them append to one file without a name, so what is known outlives whoever found it: a winner
ends the others at once, and a signal ends everybody.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import time
from dataclasses import dataclass, replace

from seahorn_py.internal_errors import Reports

MOST_TEXT = 1_000
"""Characters of a note: one write to a file that is open for appending is not torn."""


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
        self._stream = tempfile.TemporaryFile()  # noqa: SIM115  closed with the last copy
        flags = fcntl.fcntl(self._stream, fcntl.F_GETFL)
        fcntl.fcntl(self._stream, fcntl.F_SETFL, flags | os.O_APPEND)

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

    def attempts(self) -> tuple[Attempt, ...]:
        """What is known now, in the order of the beginnings."""
        now = time.monotonic() - self._began
        size = os.fstat(self._stream.fileno()).st_size
        lines = os.pread(self._stream.fileno(), size, 0).splitlines()
        found: list[Attempt] = []
        latest: dict[tuple[str, str], int] = {}
        for at, place, engine, outcome in map(json.loads, lines):
            if outcome is None:
                latest[place, engine] = len(found)
                found.append(Attempt(place, engine, at, now - at))
            else:
                number = latest[place, engine]
                began = found[number].began
                found[number] = replace(found[number], seconds=at - began, outcome=outcome)
        return tuple(found)
