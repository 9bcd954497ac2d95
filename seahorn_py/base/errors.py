"""Places in the C text, and what can go wrong for a user, each with one line that says what to do.

Every error a user can cause is a `SeaError`; the command line prints it as one line and exits with
2.  A `StageFailure` is not the user's fault: the stage could not finish its part, and the verdict
becomes *unknown*, naming the stage.
"""

from __future__ import annotations

from enum import Enum

from seahorn_py.base.records import dataclass

MOST_SHOWN = 1500
"""The longest line of a message; of a longer one the middle is left out."""

TIME_LIMIT = "time limit"
"""In the reason of an unknown answer."""


def is_late(reason: str) -> bool:
    """Whether all parts of a reason, with `; ` between them, tell of no time that was left."""
    return all(TIME_LIMIT in part for part in reason.split("; "))


def visible(text: str) -> str:
    """The text as one line that a terminal shows and does nothing else with.

    Names of files and pieces of what is read may have ends of lines and control characters in them.
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def printable(text: str) -> str:
    """The text as one visible line, of which the middle is left out if it is long."""
    shown = visible(text)
    if len(shown) <= MOST_SHOWN:
        return shown
    return f"{shown[: MOST_SHOWN - 400]} ... {shown[-390:]}"


def _visible(character: str) -> str:
    if character.isprintable() or character == "\t":
        return character
    return character.encode("unicode_escape").decode()


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a C file as the user wrote it; `line` and `column` count from 1, 0 is unknown."""

    file: str
    line: int
    column: int
    function: str

    def __str__(self) -> str:
        file = printable(self.file)
        return f"{file}:{self.line}:{self.column}" if self.line else file


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


class Stage(Enum):
    """The stages of a run, in order; an `unknown` names the one that failed."""

    FRONT_END = "front end"
    ENCODE = "encode"
    SOLVE = "solve"
    REPROOF = "re-proof"
    REPLAY = "replay"


class SeaError(Exception):
    """Wrong usage or input; the message names file and line where there is one, and what to do.

    Each argument is a line, of which all characters are printable.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__(*map(printable, lines))

    def __str__(self) -> str:
        return "\n".join(self.args)


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


class InternalError(Exception):
    """A broken promise between two of our own modules, such as a program that does not verify."""
