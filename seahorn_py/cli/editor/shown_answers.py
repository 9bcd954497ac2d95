"""An answer as an editor shows it, as plain data that goes from one process to another."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import Enum

from seahorn_py.base.records import dataclass


class Level(Enum):
    """How an editor shows a remark: only what a run shows is an error."""

    ERROR = "error"
    INFORMATION = "information"


@dataclass(frozen=True)
class Spot:
    """A place; `line` counts from 1, `column` in bytes from 1, 0 if it is unknown."""

    file: str
    line: int
    column: int = 0


@dataclass(frozen=True)
class RunStep:
    """A step of a run: where it is, and what is seen of it."""

    at: Spot
    text: str


@dataclass(frozen=True)
class Remark:
    """What is said of a place, by the name of a property or kind; `run` leads there."""

    at: Spot
    level: Level
    code: str
    text: str
    page: str = ""
    run: tuple[RunStep, ...] = ()


@dataclass(frozen=True)
class ProvedLine:
    """What a proof says of a line, each time a run comes there."""

    at: Spot
    text: str


@dataclass(frozen=True)
class Shown:
    """An answer: its word (`safe`, `unsafe`, `unknown` or `refused`), a sentence, what is where."""

    answer: str
    headline: str
    remarks: tuple[Remark, ...] = ()
    proved: tuple[ProvedLine, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A question about a file: the arguments of `pf` for it, in the folder where it is asked.

    `root` is the folder of the project: above it nothing is looked for.  `entry` is the function
    to begin with, "" for `main`.
    """

    file: str
    root: str
    arguments: tuple[str, ...] = ()
    entry: str = ""
    line: int = 1


def question_text(asked: Asked) -> str:
    """A question for another process."""
    return json.dumps(asdict(asked))


def question_of(text: str) -> Asked:
    """What `question_text` wrote."""
    found = json.loads(text)
    return Asked(**{**found, "arguments": tuple(found["arguments"])})


def answer_text(shown: Shown) -> str:
    """An answer for another process."""
    return json.dumps(asdict(shown), default=lambda level: level.value)


def answer_of(text: str) -> Shown:
    """What `answer_text` wrote."""
    found = json.loads(text)
    proved = tuple(ProvedLine(Spot(**one["at"]), one["text"]) for one in found["proved"])
    return Shown(found["answer"], found["headline"], tuple(map(_remark, found["remarks"])), proved)


def _remark(found: dict[str, object]) -> Remark:
    at, run = found["at"], found["run"]
    assert isinstance(at, dict) and isinstance(run, list)
    steps = tuple(RunStep(Spot(**one["at"]), one["text"]) for one in run)
    rest = {name: str(found[name]) for name in ("code", "text", "page")}
    return Remark(Spot(**at), Level(found["level"]), **rest, run=steps)
