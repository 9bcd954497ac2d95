"""Witnesses as YAML, format 2.0 (Ayaziova, Beyer, Lingsch-Rosenfeld, Spiessl, Strejcek 2024).

Strings are double-quoted throughout, so that no reader takes `2.0` for a number or a date for one.
"""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import assert_never

import seahorn_py
from seahorn_py.witness.witness import (
    Assumption,
    Branching,
    FunctionReturn,
    Location,
    LocationInvariant,
    LoopInvariant,
    Subject,
    Target,
    Waypoint,
    WitnessInvariant,
)

Value = str | int | Mapping[str, "Value"] | Sequence["Value"]


def violation_text(subject: Subject, specification: str, path: Sequence[Waypoint]) -> str:
    """A violation witness: each waypoint is to be followed, in a segment of its own.

    What is told again about a variable is told only so.
    """
    told = (w for w in path if not (isinstance(w, FunctionReturn) and w.again))
    content = [{"segment": [{"waypoint": _waypoint(w)}]} for w in told]
    return _document("violation_sequence", subject, specification, content)


def correctness_text(
    subject: Subject, specification: str, invariants: Sequence[WitnessInvariant]
) -> str:
    """A correctness witness; without invariants its content is empty."""
    content = [{"invariant": _invariant(i)} for i in invariants]
    return _document("invariant_set", subject, specification, content)


def _document(kind: str, subject: Subject, specification: str, content: Sequence[Value]) -> str:
    files = [name for name, _ in subject.hashes]
    task: dict[str, Value] = {
        "input_files": files,
        "input_file_hashes": dict(subject.hashes),
        "specification": specification,
        "data_model": subject.data_model,
        "language": "C",
    }
    # the same evidence about the same files has the same name
    name = json.dumps([kind, task, content])
    metadata: dict[str, Value] = {
        "format_version": "2.0",
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, name)),
        "creation_time": now(),
        "producer": {
            "name": "sea-py",
            "version": seahorn_py.__version__,
            "command_line": " ".join(["sea-py", *sys.argv[1:]]),
        },
        "task": task,
    }
    entry: dict[str, Value] = {"entry_type": kind, "metadata": metadata, "content": content}
    return "\n".join(_lines([entry], 0)) + "\n"


def now() -> str:
    """The time, in seconds, as ISO 8601 writes it for UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _waypoint(waypoint: Waypoint) -> dict[str, Value]:
    kind: str
    constraint: dict[str, Value]
    match waypoint:
        case Assumption(place):
            kind = "assumption"
            constraint = {"value": waypoint.expression, "format": "c_expression"}
        case FunctionReturn(place, _, value):
            kind = "function_return"
            constraint = {"value": f"\\result == {value}", "format": "acsl_expression"}
        case Branching(place, value):
            kind = "branching"
            constraint = {"value": value}
        case Target(place):
            return {"type": "target", "action": "follow", "location": _location(place)}
        case _:
            assert_never(waypoint)
    return {
        "type": kind,
        "action": "follow",
        "constraint": constraint,
        "location": _location(place),
    }


def _invariant(invariant: WitnessInvariant) -> dict[str, Value]:
    match invariant:
        case LoopInvariant(place, expression):
            kind = "loop_invariant"
        case LocationInvariant(place, expression):
            kind = "location_invariant"
        case _:
            assert_never(invariant)
    return {
        "type": kind,
        "location": _location(place),
        "value": expression,
        "format": "c_expression",
    }


def _location(place: Location) -> dict[str, Value]:
    found: dict[str, Value] = {"file_name": place.file, "line": place.line}
    if place.column is not None:
        found["column"] = place.column
    return {**found, "function": place.function} if place.function else found


# ------------------------------------------------------------------------------------------ YAML


def _lines(value: Value, depth: int) -> Iterator[str]:
    """A value in block style; keys are plain where they are words."""
    indent = "  " * depth
    if isinstance(value, Mapping):
        for key, inner in value.items():
            name = key if key.isidentifier() else _scalar(key)
            yield from _entry(f"{indent}{name}:", inner, depth)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            nested = list(_lines(inner, depth + 1))
            first = nested[0].lstrip() if nested else "[]"
            yield f"{indent}- {first}"
            yield from nested[1:]
    else:
        yield indent + _scalar(value)


def _entry(head: str, value: Value, depth: int) -> Iterator[str]:
    if isinstance(value, str | int):
        yield f"{head} {_scalar(value)}"
    elif not value:
        yield f"{head} []"
    else:
        yield head
        yield from _lines(value, depth + 1)


def _scalar(value: str | int) -> str:
    """JSON, in which a character beyond 16 bits is one escape; what is no character is `?`."""
    if isinstance(value, int):
        return json.dumps(value)
    known = value.encode("utf-8", "replace").decode()
    return "".join(
        json.dumps(c)[1:-1] if c <= "\uffff" else f"\\U{ord(c):08X}" for c in known
    ).join('""')
