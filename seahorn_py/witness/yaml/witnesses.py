"""Witnesses in YAML 2.0 to 2.2 (Ayaziova, Beyer, Lingsch-Rosenfeld, Spiessl, Strejcek 2024).

Relations between visits of a loop and cycles of runs without end (2.1) are read and written.
Threads (2.2) are refused.

A file is a tree of lists and mappings.  Here a tree becomes a witness, and a witness a tree.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from enum import Enum
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
    Transition,
    ViolationWitness,
    Waypoint,
    Witness,
    WitnessError,
)
from seahorn_py.witness.yaml.tree import Tree, parsed, printed

_VERSIONS = ("2.0", "2.1", "2.2")
_BITS = {"ILP32": 32, "LP64": 64}
_KINDS = {"loop_invariant": True, "location_invariant": False}
_RELATION = "loop_transition_invariant"
_ENDLESS = frozenset({Property.TERMINATION})


class Version(Enum):
    """The version of the format to write."""

    TWO_0 = "2.0"
    TWO_1 = "2.1"


def witness(data: bytes) -> Witness:
    """The one entry of the file that is a witness.  Raises WitnessError for none and several."""
    entries = [_mapping(entry, "an entry") for entry in _sequence(parsed(data), "the file")]
    if len(entries) != 1:
        raise WitnessError(f"it has {len(entries)} entries; one is expected")
    return _entry(entries[0])


def invariants(data: bytes) -> tuple[Invariant, ...]:
    """The invariants of a correctness witness, or a list of `{file, line, column, invariant}`."""
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
        found = [_invariant(item) for item in content]
        invariants = tuple(one for one in found if isinstance(one, Invariant))
        relations = tuple(one for one in found if isinstance(one, Transition))
        return CorrectnessWitness(about, invariants, relations)
    segments, cycle = _segments(content)
    if bool(cycle) != (about.properties == _ENDLESS):
        raise WitnessError("a cycle is about termination alone, and a target about all else")
    return ViolationWitness(about, segments, cycle=cycle)


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
    properties, rules = _specification(_of(task, "specification"))
    return About(pairs, properties, _BITS[model], rules=rules)


def _specification(given: Tree) -> tuple[frozenset[Property], tuple[str, ...]]:
    lines = given if isinstance(given, list) else [given]
    return specified("\n".join(_as_text(line, "specification") for line in lines))


def _segments(content: list[Tree]) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """The segments that are followed once, and the segments of the cycle."""
    found = [_segment(_mapping(item, "a segment")) for item in content]
    if not found:
        raise WitnessError("it has no segment")
    segments = tuple(segment for segment, is_cycle in found if not is_cycle)
    cycle = tuple(segment for segment, is_cycle in found if is_cycle)
    if any(is_cycle for _, is_cycle in found[: len(segments)]):
        raise WitnessError("a segment to follow after one of the cycle")
    if any(isinstance(segment.follow, Target) for segment in (*segments[:-1], *cycle)):
        raise WitnessError("a target before the last segment")
    has_target = bool(segments) and isinstance(segments[-1].follow, Target)
    if has_target == bool(cycle):
        raise WitnessError(
            "the last segment has no target" if not cycle else "a target and a cycle"
        )
    return segments, cycle


def _segment(item: dict[str, Tree]) -> tuple[Segment, bool]:
    """The segment, and whether it belongs to the cycle."""
    avoid: list[Waypoint] = []
    ends: list[tuple[Waypoint | Target, bool]] = []
    for entry in _sequence(_of(item, "segment"), "segment"):
        waypoint = _mapping(_of(_mapping(entry, "waypoint"), "waypoint"), "waypoint")
        action = _text(waypoint, "action")
        if action not in ("follow", "avoid", "cycle"):
            raise WitnessError(f"the action {action[:40]!r} is not supported")
        if ends:
            raise WitnessError("a waypoint after the one to follow")
        read = _waypoint(waypoint)
        if action != "avoid":
            ends.append((read, action == "cycle"))
        elif isinstance(read, Target):
            raise WitnessError("a target to avoid")
        else:
            avoid.append(read)
    if not ends:
        raise WitnessError("a segment without a waypoint to follow")
    follow, is_cycle = ends[0]
    return Segment(tuple(avoid), follow), is_cycle


def _waypoint(waypoint: dict[str, Tree]) -> Waypoint | Target:
    kind = _text(waypoint, "type")
    if waypoint.get("thread_id", "0") != "0":
        raise WitnessError("waypoints of other threads are not supported")
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


def _invariant(item: Tree) -> Invariant | Transition:
    invariant = _mapping(_of(_mapping(item, "an invariant"), "invariant"), "invariant")
    kind, given = _text(invariant, "type"), _text(invariant, "format")
    if kind not in (*_KINDS, _RELATION):
        raise WitnessError(f"invariants of the type {kind[:40]!r} are not supported")
    if given != "c_expression" and (kind, given) != (_RELATION, "ext_c_expression"):
        raise WitnessError(f"the format of an invariant is {given[:40]!r}, not c_expression")
    place = _place(_mapping(_of(invariant, "location"), "location"))
    value = _text(invariant, "value")
    if kind == _RELATION:
        return Transition(place, value)
    return Invariant(place, value, _KINDS[kind])


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


def text(witness: Witness, producer: Producer, version: Version = Version.TWO_1) -> str:
    """The text of a witness file.  A place of several lines is written as its first line.

    Relations and cycles are left out of version 2.0, which has none.
    """
    content: list[Tree] = []
    is_new = version is not Version.TWO_0
    match witness:
        case ViolationWitness(_, segments):
            kind = "violation_sequence"
            for action, part in ("follow", segments), ("cycle", witness.cycle if is_new else ()):
                content += ({"segment": list(_waypoints(s, action, is_new))} for s in part)
        case CorrectnessWitness(_, invariants):
            kind = "invariant_set"
            content += ({"invariant": _invariant_tree(i)} for i in invariants)
            content += ({"invariant": _relation_tree(t)} for t in witness.transitions if is_new)
        case _:
            assert_never(witness)
    metadata = _metadata(witness.about, producer, version, kind, content)
    return printed([{"entry_type": kind, "metadata": metadata, "content": content}])


def _metadata(
    about: About, producer: Producer, version: Version, kind: str, content: list[Tree]
) -> Tree:
    task: dict[str, Tree] = {
        "input_files": [name for name, _ in about.hashes],
        "input_file_hashes": dict(about.hashes),
        "specification": specification(about.properties, about.rules),
        "data_model": next(model for model, bits in _BITS.items() if bits == about.bits),
        "language": "C",
    }
    # the same evidence about the same files has the same name
    name = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([kind, task, content]))
    return {
        "format_version": version.value,
        "uuid": str(name),
        "creation_time": producer.time,
        "producer": {
            "name": producer.name,
            "version": producer.version,
            "command_line": producer.command,
        },
        "task": task,
    }


def _waypoints(segment: Segment, action: str, is_new: bool) -> Iterator[Tree]:
    for avoided in segment.avoid:
        yield {"waypoint": _waypoint_tree(avoided, "avoid", is_new)}
    yield {"waypoint": _waypoint_tree(segment.follow, action, is_new)}


def _waypoint_tree(waypoint: Waypoint | Target, action: str, is_new: bool) -> Tree:
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
            format_ = "ext_c_expression" if is_new else "acsl_expression"
            constraint = {"value": condition, "format": format_}
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


def _relation_tree(relation: Transition) -> Tree:
    return {
        "type": _RELATION,
        "location": _place_tree(relation.place),
        "value": relation.expression,
        "format": "ext_c_expression",
    }


def _place_tree(place: Place) -> Tree:
    column = {} if place.column is None else {"column": place.column}
    function = {"function": place.function} if place.function else {}
    return {"file_name": place.file, "line": place.line, **column, **function}
