"""Witnesses in YAML 2.0 (Ayaziova, Beyer, Lingsch-Rosenfeld, Spiessl, Strejcek 2024).

A file is a tree of lists and mappings.  Here such a tree becomes a witness, and a witness becomes
such a tree.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import assert_never

from seahorn_py.options import Property
from seahorn_py.witness.fields import positive, specification, specified
from seahorn_py.witness.witness import (
    About,
    Assumption,
    Branching,
    CorrectnessWitness,
    Entered,
    Invariant,
    Place,
    Producer,
    Returned,
    Segment,
    Target,
    ViolationWitness,
    Waypoint,
    Witness,
    WitnessError,
)
from seahorn_py.witness.yaml.tree import Tree, parsed, printed

_VERSIONS = ("2.0", "2.1")
_BITS = {"ILP32": 32, "LP64": 64}
_KINDS = {"loop_invariant": True, "location_invariant": False}


def witness(data: bytes) -> Witness:
    """The one entry of the file that is a witness; WitnessError if there is none or several."""
    entries = [_mapping(entry, "an entry") for entry in _sequence(parsed(data), "the file")]
    if len(entries) != 1:
        raise WitnessError(f"it has {len(entries)} entries; one is expected")
    return _entry(entries[0])


def invariants(data: bytes) -> tuple[Invariant, ...]:
    """Those of a correctness witness, or of a list of `{file, line, column, invariant}`."""
    whole = _sequence(parsed(data), "the file")
    entries = [_mapping(entry, "an entry") for entry in whole]
    if any("entry_type" in entry for entry in entries):
        found = witness(data)
        if not isinstance(found, CorrectnessWitness):
            raise WitnessError("it is a violation witness, which has no invariants")
        return found.invariants
    return tuple(_plain(entry) for entry in entries)


def _plain(entry: dict[str, Tree]) -> Invariant:
    unknown = set(entry) - {"file", "line", "column", "invariant", "at"}
    if unknown:
        raise WitnessError(f"unknown key {min(unknown)[:40]!r} of an invariant")
    kind = _text(entry, "at") if "at" in entry else "loop"
    if kind not in ("loop", "statement"):
        raise WitnessError(f"`at` is loop or statement, not {kind[:40]!r}")
    line = positive(_text(entry, "line"), "line")
    column = positive(_text(entry, "column"), "column") if "column" in entry else None
    file = _text(entry, "file") if "file" in entry else ""
    return Invariant(Place(file, line, line, column), _text(entry, "invariant"), kind == "loop")


# ------------------------------------------------------------------------------- trees to the model


def _entry(entry: dict[str, Tree]) -> Witness:
    kind = _text(entry, "entry_type")
    if kind not in ("violation_sequence", "invariant_set"):
        raise WitnessError(f"entries of the type {kind[:40]!r} are not supported")
    about = _about(_mapping(_of(entry, "metadata"), "metadata"))
    content = _sequence(_of(entry, "content"), "content")
    if kind == "invariant_set":
        return CorrectnessWitness(about, tuple(_invariant(item) for item in content))
    return ViolationWitness(about, _segments(content))


def _about(metadata: dict[str, Tree]) -> About:
    version = _text(metadata, "format_version")
    if version not in _VERSIONS:
        raise WitnessError(f"format version {version[:40]!r}; known: {', '.join(_VERSIONS)}")
    task = _mapping(_of(metadata, "task"), "task")
    model = _text(task, "data_model")
    if model not in _BITS:
        raise WitnessError(f"the data model is {model[:40]!r}, neither ILP32 nor LP64")
    if _text(task, "language") != "C":
        raise WitnessError("the language is not C")
    hashes = _mapping(_of(task, "input_file_hashes"), "input_file_hashes")
    pairs = tuple((name, _text(hashes, name)) for name in hashes)
    return About(pairs, _specification(_of(task, "specification")), _BITS[model])


def _specification(given: Tree) -> frozenset[Property]:
    lines = given if isinstance(given, list) else [given]
    return specified("\n".join(_as_text(line, "specification") for line in lines))


def _segments(content: list[Tree]) -> tuple[Segment, ...]:
    found = [_segment(_mapping(item, "a segment")) for item in content]
    if not found:
        raise WitnessError("it has no segment")
    for segment in found[:-1]:
        if isinstance(segment.follow, Target):
            raise WitnessError("a target before the last segment")
    if not isinstance(found[-1].follow, Target):
        raise WitnessError("the last segment has no target")
    return tuple(found)


def _segment(item: dict[str, Tree]) -> Segment:
    avoid: list[Waypoint] = []
    follow: list[Waypoint | Target] = []
    for entry in _sequence(_of(item, "segment"), "segment"):
        waypoint = _mapping(_of(_mapping(entry, "waypoint"), "waypoint"), "waypoint")
        action = _text(waypoint, "action")
        if action not in ("follow", "avoid"):
            raise WitnessError(f"the action {action[:40]!r} is not supported")
        if follow:
            raise WitnessError("a waypoint after the one to follow")
        read = _waypoint(waypoint)
        if action == "follow":
            follow.append(read)
        elif isinstance(read, Target):
            raise WitnessError("a target to avoid")
        else:
            avoid.append(read)
    if not follow:
        raise WitnessError("a segment without a waypoint to follow")
    return Segment(tuple(avoid), follow[0])


def _waypoint(waypoint: dict[str, Tree]) -> Waypoint | Target:
    kind = _text(waypoint, "type")
    place = _place(_mapping(_of(waypoint, "location"), "location"))
    match kind:
        case "target":
            return Target(place)
        case "function_enter":
            return Entered(place)
        case "assumption":
            return Assumption(place, (_constraint(waypoint, "c_expression"),))
        case "branching":
            return Branching(place, _constraint(waypoint, ""))
        case "function_return":
            return Returned(place, _constraint(waypoint, "acsl_expression"))
        case _:
            raise WitnessError(f"waypoints of the type {kind[:40]!r} are not supported")


def _constraint(waypoint: dict[str, Tree], format_: str) -> str:
    constraint = _mapping(_of(waypoint, "constraint"), "constraint")
    known = {format_, "ext_c_expression"}
    if format_ and (given := _text(constraint, "format")) not in known:
        raise WitnessError(f"the format of a constraint is {given[:40]!r}, not {format_}")
    return _text(constraint, "value")


def _invariant(item: Tree) -> Invariant:
    invariant = _mapping(_of(_mapping(item, "an invariant"), "invariant"), "invariant")
    kind = _text(invariant, "type")
    if kind not in _KINDS:
        raise WitnessError(f"invariants of the type {kind[:40]!r} are not supported")
    if (given := _text(invariant, "format")) != "c_expression":
        raise WitnessError(f"the format of an invariant is {given[:40]!r}, not c_expression")
    place = _place(_mapping(_of(invariant, "location"), "location"))
    return Invariant(place, _text(invariant, "value"), _KINDS[kind])


def _place(location: dict[str, Tree]) -> Place:
    line = positive(_text(location, "line"), "line")
    column = positive(_text(location, "column"), "column") if "column" in location else None
    function = _text(location, "function") if "function" in location else ""
    return Place(_text(location, "file_name"), line, line, column, function)


def _of(mapping: dict[str, Tree], key: str) -> Tree:
    if key not in mapping:
        raise WitnessError(f"the key {key[:40]} is missing")
    return mapping[key]


def _text(mapping: dict[str, Tree], key: str) -> str:
    return _as_text(_of(mapping, key), key)


def _as_text(value: Tree, what: str) -> str:
    if not isinstance(value, str):
        raise WitnessError(f"{what[:40]} is no scalar")
    return value


def _mapping(value: Tree, what: str) -> dict[str, Tree]:
    if not isinstance(value, dict):
        raise WitnessError(f"{what} is no mapping")
    return value


def _sequence(value: Tree, what: str) -> list[Tree]:
    if not isinstance(value, list):
        raise WitnessError(f"{what} is no list")
    return value


# ------------------------------------------------------------------------------- the model to trees


def text(witness: Witness, producer: Producer) -> str:
    """The file of a witness.  Of a place in several lines the first is told."""
    content: list[Tree]
    match witness:
        case ViolationWitness(_, segments):
            kind = "violation_sequence"
            content = [{"segment": list(_waypoints(segment))} for segment in segments]
        case CorrectnessWitness(_, invariants):
            kind = "invariant_set"
            content = [{"invariant": _invariant_tree(i)} for i in invariants]
        case _:
            assert_never(witness)
    metadata = _metadata(witness.about, producer, kind, content)
    return printed([{"entry_type": kind, "metadata": metadata, "content": content}])


def _metadata(about: About, producer: Producer, kind: str, content: list[Tree]) -> Tree:
    task: dict[str, Tree] = {
        "input_files": [name for name, _ in about.hashes],
        "input_file_hashes": dict(about.hashes),
        "specification": specification(about.properties),
        "data_model": next(model for model, bits in _BITS.items() if bits == about.bits),
        "language": "C",
    }
    # the same evidence about the same files has the same name
    name = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([kind, task, content]))
    return {
        "format_version": "2.0",
        "uuid": str(name),
        "creation_time": producer.time,
        "producer": {
            "name": producer.name,
            "version": producer.version,
            "command_line": producer.command,
        },
        "task": task,
    }


def _waypoints(segment: Segment) -> Iterator[Tree]:
    for avoided in segment.avoid:
        yield {"waypoint": _waypoint_tree(avoided, "avoid")}
    yield {"waypoint": _waypoint_tree(segment.follow, "follow")}


def _waypoint_tree(waypoint: Waypoint | Target, action: str) -> Tree:
    constraint: dict[str, Tree] = {}
    match waypoint:
        case Assumption(place):
            kind = "assumption"
            constraint = {"value": waypoint.expression, "format": "c_expression"}
        case Branching(place, value):
            kind, constraint = "branching", {"value": value}
        case Entered(place):
            kind = "function_enter"
        case Returned(place, condition):
            kind = "function_return"
            constraint = {"value": condition, "format": "acsl_expression"}
        case Target(place):
            kind = "target"
        case _:
            assert_never(waypoint)
    told: dict[str, Tree] = {"constraint": constraint} if constraint else {}
    return {"type": kind, "action": action, **told, "location": _place_tree(place)}


def _invariant_tree(invariant: Invariant) -> Tree:
    return {
        "type": "loop_invariant" if invariant.loop else "location_invariant",
        "location": _place_tree(invariant.place),
        "value": invariant.expression,
        "format": "c_expression",
    }


def _place_tree(place: Place) -> Tree:
    column = {} if place.column is None else {"column": place.column}
    function = {"function": place.function} if place.function else {}
    return {"file_name": place.file, "line": place.line, **column, **function}
