"""A task: a program, the property asked of it, and what is known of the answer.

What cannot be read as a task is a `Problem` with its place.
"""

from __future__ import annotations

from pathlib import Path

from seahorn_py.base.errors import printable
from seahorn_py.base.records import dataclass
from seahorn_py.bench.rows import Expected

HORN_ENDING = ".smt2"
HORN_PROPERTY = "chc"
DEFAULT_PROPERTY = "unreach-call"
MAX_BROKEN = 20
"""After so many lines of a list that are no tasks, the rest is not read."""

_SOLVABLE = frozenset({Expected.SAT, Expected.UNSAT})
_HOLDS = frozenset({Expected.TRUE, Expected.FALSE})


@dataclass(frozen=True, slots=True)
class Task:
    """A program, the property asked of it, and what is known of the answer."""

    name: str
    """The same in all runs; with property and data model it is the `task` of a row."""
    category: str
    folder: Path
    """What the paths in `files` are relative to."""
    files: tuple[str, ...]
    property_name: str
    property_file: Path | None = None
    data_model: str = ""
    expected: Expected | None = None
    subproperty: str = ""

    @property
    def id(self) -> str:
        """Name, property and data model in one text."""
        return " ".join(part for part in (self.name, self.property_name, self.data_model) if part)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The program's files, absolute."""
        return tuple((self.folder / file).absolute() for file in self.files)

    @property
    def is_horn(self) -> bool:
        """Whether this is a Horn system in SMT-LIB rather than a program."""
        return self.property_name == HORN_PROPERTY


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is no task, with its place."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{printable(self.place)}: {printable(self.text)}"


def named_property(text: str) -> str:
    """The name of a property, which may be given as its file."""
    return Path(text).stem if text.endswith(".prp") else text


def mismatch(task: Task) -> str:
    """What is wrong with a task whose property or verdict is of the other kind; "" if nothing is.

    No answer to it could be right.
    """
    if task.is_horn and not task.files[0].endswith(HORN_ENDING):
        return f"the property {HORN_PROPERTY} is one of Horn systems ({HORN_ENDING})"
    known, others = ("sat or unsat", _HOLDS) if task.is_horn else ("true or false", _SOLVABLE)
    wrong = task.expected if task.expected in others else None
    return f"expected is {wrong.value}, not {known}" if wrong else ""


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a file cannot be read, in a few words."""
    return f"cannot read: {error.strerror if isinstance(error, OSError) else 'not a text file'}"


def folder_of(file: Path) -> Path:
    """What the paths of the tasks of a file are relative to."""
    return file.absolute().parent


def name_of(file: Path) -> str:
    """The file with its folder, as in the collection of SV-COMP."""
    return "/".join(file.absolute().parts[-2:])
