"""What a page shows, as plain data: a browser gets it as one JSON object.

Files, stack frames and blocks are told by their numbers, from 0; lines and columns count from 1.
"""

from __future__ import annotations

from dataclasses import asdict, field
from typing import TypeAlias

from seahorn_py.base.records import dataclass
from seahorn_py.base.version import VERSION

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True)
class Scope:
    """A function with its lines, or a name with the lines in which it is known."""

    name: str
    first: int
    last: int
    locals: tuple[Scope, ...] = ()


@dataclass(frozen=True)
class File:
    """A C file; `tokens` has for each line the start, end and kind of what has a colour."""

    name: str
    lines: tuple[str, ...]
    tokens: tuple[tuple[tuple[int, int, str], ...], ...]
    functions: tuple[Scope, ...]
    globals: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """A line of a file; -1 and 0 where there is none."""

    file: int = -1
    line: int = 0


@dataclass(frozen=True)
class Note:
    """What is said of a place: `kind` is one of a few words that the page has colours for."""

    kind: str
    text: str
    at: Place


@dataclass(frozen=True)
class Pointer:
    """Where a pointer leads: a block and how many bytes from its start."""

    block: int
    offset: int


@dataclass(frozen=True)
class Value:
    """The new value of a variable; `to` where it is a pointer into the heap."""

    name: str
    text: str
    to: Pointer | None = None


@dataclass(frozen=True)
class BlockEvent:
    """What a step does to a block of the heap; `deed` is the name of a `HeapDeed`."""

    deed: str
    block: int
    offset: int
    size: int
    text: str
    label: str
    line: int
    to: Pointer | None = None
    source: Pointer | None = None


@dataclass(frozen=True)
class Frame:
    """A call that has not returned: its function, the frame and the place it was called from."""

    function: str
    parent: int
    at: Place


@dataclass(frozen=True)
class Step:
    """A step of a run: where, in which frame, what happens; `taken` is which way a test went."""

    at: Place
    column: int
    frame: int
    text: str
    taken: bool | None
    changes: tuple[Value, ...]
    heap: tuple[BlockEvent, ...]
    left_out: int = 0
    again: bool = False


@dataclass(frozen=True)
class Run:
    """A run with what it reads from outside, in words."""

    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class Box:
    """A node of a drawn graph, in pixels, with its lines and the rows of the file."""

    x: int
    y: int
    width: int
    height: int
    texts: tuple[str, ...]
    rows: tuple[tuple[int, int], ...]
    is_test: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Way:
    """An edge of a drawn graph through some points; the label stands at the first one."""

    source: int
    target: int
    label: str
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Graph:
    """The drawn control flow of a function."""

    function: str
    file: int
    width: int
    height: int
    boxes: tuple[Box, ...]
    ways: tuple[Way, ...]


@dataclass(frozen=True)
class Work:
    """What an engine did: where, from when, for how many seconds, and how that ended."""

    place: str
    engine: str
    began: float
    seconds: float
    outcome: str


@dataclass(frozen=True)
class Section:
    """Lines under a title; a line that names a place of a file leads there."""

    title: str
    lines: tuple[str, ...]
    about: str = ""


@dataclass(frozen=True)
class Page:
    """An answer as a page; `back` is the page that leads to all answers.

    `counted` is what the engine that answered counted.
    """

    title: str
    answer: str
    headline: str
    at: Place
    facts: tuple[Section, ...]
    assumptions: tuple[Section, ...]
    files: tuple[File, ...]
    notes: tuple[Note, ...] = ()
    run: Run | None = None
    graphs: tuple[Graph, ...] = ()
    work: tuple[Work, ...] = ()
    counted: tuple[str, ...] = ()
    clauses: str = ""
    back: str = ""
    version: str = field(default=VERSION)


@dataclass(frozen=True)
class Entry:
    """A line of the index: what was asked, the answer, what is said of it, the page about it."""

    title: str
    place: str
    answer: str
    headline: str
    link: str


def plain(page: Page) -> Json:
    """The page as values of JSON."""
    found: Json = asdict(page)
    return found
