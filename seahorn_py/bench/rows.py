"""One row of a result file: what one configuration made of one task.

A row is all that reports, tables and comparisons know of a run; it is one line of JSON with the
names of the fields below.  A row names no folder of the machine that made it: input files are named
as their task names them, logs and witnesses relative to the folder of the result file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from enum import Enum
from typing import Any, TypeVar

from seahorn_py.base.records import dataclass

FORMAT = 1
"""The version of this layout, in every row; a reader refuses others."""


class Verdict(Enum):
    """What a tool said."""

    TRUE = "true"
    """The property holds; `sea-py pf` prints `unsat`."""
    FALSE = "false"
    """The property is violated; `sea-py pf` prints `sat`."""
    UNKNOWN = "unknown"
    """The tool said that it does not know, or refused the program."""
    SAT = "sat"
    """A Horn system is solvable."""
    UNSAT = "unsat"
    """A Horn system is not solvable."""
    NONE = "none"
    """No answer: no line of the output is one, or the run was ended before it was complete."""


class Expected(Enum):
    """What the task says is right."""

    TRUE = "true"
    FALSE = "false"
    SAT = "sat"
    UNSAT = "unsat"
    UNSUPPORTED = "unsupported"
    """A refusal is right, and a proof is wrong."""


class Status(Enum):
    """The verdict against the expected one."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    """No definite answer, or one that names another sub-property than the task."""
    UNSCORED = "unscored"
    """A definite answer to a task without an expected verdict."""


class Ended(Enum):
    """How the run of the tool ended."""

    EXIT = "exit"
    """By itself; `exit_code` says how."""
    TIMEOUT = "timeout"
    """Ended at the limit on wall time."""
    CPU_TIMEOUT = "cpu timeout"
    """Ended at the limit on CPU time."""
    OUT_OF_MEMORY = "out of memory"
    """Ended at the limit on memory."""
    TOO_MUCH_OUTPUT = "too much output"
    """Ended because it printed too much."""
    KILLED = "killed"
    """Ended by a signal that was not ours; `exit_code` is its negated number."""
    INTERNAL = "internal error"
    """By itself, with the exit code by which `sea-py` owns up to a bug; `reason` says which."""
    ERROR = "error"
    """It was never started, or could not be watched; `reason` says why."""


@dataclass(frozen=True, slots=True)
class Input:
    """An input file, as the task names it; `sha256` is "" when it cannot be read."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use, counted over all of its processes together; None is no limit."""

    wall_s: float
    cpu_s: float | None
    memory_mib: int

    def __str__(self) -> str:
        cpu = "" if self.cpu_s is None else f", {self.cpu_s:g} s CPU"
        return f"{self.wall_s:g} s wall{cpu}, {self.memory_mib} MiB"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the run was made."""

    host: str
    system: str
    cpu: str
    cores: int
    memory_mib: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one configuration made of one task; `(configuration, task)` is unique in a file."""

    task: str
    """Name of the task, with property and data model: the same in all runs of the list."""
    category: str
    """SV-COMP's or the list's name for tasks of this kind; "" if there is none."""
    property: str
    """Name of the property, such as `unreach-call`; `chc` for a Horn system."""
    data_model: str
    """`ILP32`, `LP64`, or "" where there is none."""
    inputs: tuple[Input, ...]
    """The files of the program, in the order of the task."""
    expected: Expected | None
    """The right verdict; None where the task has none."""
    expected_subproperty: str
    """Which of the parts of the property is violated, if the task says so; otherwise ""."""

    configuration: str
    """Name of the configuration."""
    arguments: tuple[str, ...]
    """What the configuration adds to the command."""
    tool: str
    """The tool and its version, such as `sea-py 0.1.0`; another tool's command as it was given."""
    limits: Limits
    machine: Machine

    verdict: Verdict
    subproperty: str
    """Which part of the property the tool found violated; "" if it names none."""
    status: Status
    score: int
    """SV-COMP's points for the verdict, as if its witness were confirmed."""
    stage: str
    """For an unknown of sea-py: the stage that gave up, such as `solve`; otherwise ""."""
    reason: str
    """Why the answer is unknown or the run an error, in one line; otherwise ""."""

    ended: Ended
    exit_code: int | None
    """The exit code of the tool, negative for a signal; None when it was never started."""
    cpu_s: float
    """CPU seconds, user and system, of all processes of the run together."""
    wall_s: float
    """Wall seconds of the run."""
    memory_mib: int
    """The most memory that all its processes took together, what they share counted once."""
    started: str
    """When the run began: ISO 8601 in UTC, such as `2026-11-28T10:00:00Z`."""

    log: str
    """File with the command and what it printed, relative to the folder of the result file; "" if
    none was kept."""
    witnesses: tuple[str, ...]
    """Witness files that the run wrote, relative to the folder of the result file."""

    def as_json(self) -> str:
        """The row as one line of JSON, without the line's end."""
        data = {"format": FORMAT, **asdict(self)}
        return json.dumps(data, default=_enum_value)

    @staticmethod
    def from_json(line: str) -> Row:
        """The row of a line; ValueError, with what is wrong, if it is none."""
        data = json.loads(line)
        if not isinstance(data, dict) or "format" not in data:
            raise ValueError("not a row of results")
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']} of rows is not known here")
        try:
            return _row(data)
        except KeyError as error:
            raise ValueError(f"no {error.args[0]} in the row") from None
        except (TypeError, OverflowError) as error:
            raise ValueError(f"not a row of results: {error}") from None


def _enum_value(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{value!r} is no JSON")


def _row(data: Mapping[str, Any]) -> Row:
    expected = data["expected"]
    return Row(
        task=_text(data, "task"),
        category=_text(data, "category"),
        property=_text(data, "property"),
        data_model=_text(data, "data_model"),
        inputs=tuple(_input(entry) for entry in data["inputs"]),
        expected=None if expected is None else Expected(expected),
        expected_subproperty=_text(data, "expected_subproperty"),
        configuration=_text(data, "configuration"),
        arguments=_texts(data, "arguments"),
        tool=_text(data, "tool"),
        limits=_limits(data["limits"]),
        machine=_machine(data["machine"]),
        verdict=Verdict(data["verdict"]),
        subproperty=_text(data, "subproperty"),
        status=Status(data["status"]),
        score=_typed(data, "score", int),
        stage=_text(data, "stage"),
        reason=_text(data, "reason"),
        ended=Ended(data["ended"]),
        exit_code=None if data["exit_code"] is None else _typed(data, "exit_code", int),
        cpu_s=_seconds(data, "cpu_s"),
        wall_s=_seconds(data, "wall_s"),
        memory_mib=_typed(data, "memory_mib", int),
        started=_text(data, "started"),
        log=_text(data, "log"),
        witnesses=_texts(data, "witnesses"),
    )


def _input(data: Mapping[str, Any]) -> Input:
    return Input(_text(data, "path"), _text(data, "sha256"))


def _limits(data: Mapping[str, Any]) -> Limits:
    cpu = None if data["cpu_s"] is None else _seconds(data, "cpu_s")
    return Limits(_seconds(data, "wall_s"), cpu, _typed(data, "memory_mib", int))


def _machine(data: Mapping[str, Any]) -> Machine:
    named = (_text(data, "host"), _text(data, "system"), _text(data, "cpu"))
    return Machine(*named, _typed(data, "cores", int), _typed(data, "memory_mib", int))


_Kind = TypeVar("_Kind", str, int)


def _typed(data: Mapping[str, Any], name: str, kind: type[_Kind]) -> _Kind:
    value = data[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}")
    return value


def _seconds(data: Mapping[str, Any], name: str) -> float:
    """A number of JSON; `NaN` and `Infinity`, which Python reads too, are none."""
    value = data[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"{name} is {value!r}")
    return float(value)


def _text(data: Mapping[str, Any], name: str) -> str:
    return _typed(data, name, str)


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = data[name]
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{name} is {values!r}")
    return tuple(values)
