"""Places in the C text, and what can go wrong for a user, each with one line that says what to do.

Every error a user can cause is a `SeaError`; the command line prints it as one line and exits with
2.  A `StageFailure` is not the user's fault: the stage could not finish its part, and the verdict
becomes *unknown*, naming the stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a C file as the user wrote it; `line` and `column` count from 1, 0 is unknown."""

    file: str
    line: int
    column: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a statement comes from: its own place, then the calls it was inlined through.

    `chain[0]` is the statement, `chain[1]` the call that brought it into its caller, and so on
    (DWARF `inlinedAt`).  An empty chain is code of ours without a place in the C text.
    """

    chain: tuple[Span, ...] = ()

    @property
    def span(self) -> Span | None:
        """The statement's own place."""
        return self.chain[0] if self.chain else None

    def __str__(self) -> str:
        return str(self.chain[0]) if self.chain else "?"


NOWHERE = Origin()


_MOST_SAID = 500
"""Characters of the message of an internal error in a line."""


class Stage(Enum):
    """The stages of a run, in order; an `unknown` names the one that failed."""

    FRONT_END = "front end"
    ENCODE = "encode"
    SOLVE = "solve"
    REPROOF = "re-proof"
    REPLAY = "replay"


class SeaError(Exception):
    """Wrong usage or input; the message names file and line where there is one, and what to do."""


class InputError(SeaError):
    """A file that cannot be read, compiled, parsed or linked."""


class UnsupportedError(SeaError):
    """A construct that is refused, with its place in the C text."""


@dataclass(unsafe_hash=True)
class StageFailure(Exception):
    """A stage gave up; turns into `Unknown(stage, reason)`, never into a traceback."""

    stage: Stage
    reason: str

    def __str__(self) -> str:
        return f"{self.stage.value}: {self.reason}"


@dataclass(frozen=True)
class Crash:
    """An exception that nobody expected, or the end of a process: a bug of ours."""

    type: str
    message: str
    traceback: str = ""

    @staticmethod
    def of(error: BaseException) -> Crash:
        """That exception, with where it was raised."""
        import traceback  # costs start-up time

        text = "".join(traceback.format_exception(error))
        return Crash(type(error).__name__, str(error), text)

    def __str__(self) -> str:
        return f"internal error: {self.type}: {' '.join(self.message.split())[:_MOST_SAID]}"


class InternalError(Exception):
    """A broken promise between two of our own modules, such as a program that does not verify."""
