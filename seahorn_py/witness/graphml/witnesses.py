"""Witnesses in GraphML 1.0 (Beyer, Dangl, Dietsch, Heizmann, Lemberger, Tautschnig 2022).

Reading keeps one path of a violation automaton, from the entry to the violation.  Edges with an
assumption or a branch become waypoints; edges that only name a line or a function are skipped.

Writing makes one path: an edge for each waypoint, the last one at the line of the violation.  A
correctness witness has a node for each invariant, in their order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import assert_never

from seahorn_py.base.patterns import pattern
from seahorn_py.options import Property
from seahorn_py.witness.fields import positive, specification, specified
from seahorn_py.witness.graphml.automaton import Data, Edge, Graph, Key, is_true, parsed, printed
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
    conjunction,
)

_BITS = {"32bit": 32, "64bit": 64}
_BRANCHES = {"condition-true": "true", "condition-false": "false"}
_SHA256 = pattern(r"[0-9a-fA-F]{64}")
_TRUTHS = ("1", "true")
_HEAD = {"enterLoopHead": ["true"]}
_KEYS = (
    *(Key(name, "string", "graph") for name in ("witness-type", "sourcecodelang", "producer")),
    *(Key(name, "string", "graph") for name in ("specification", "programfile", "programhash")),
    *(Key(name, "string", "graph") for name in ("architecture", "creationtime")),
    Key("witness-format-version", "string", "graph"),
    *(Key(name, "boolean", "node") for name in ("entry", "violation")),
    *(Key(name, "string", "node") for name in ("invariant", "invariant.scope")),
    *(Key(name, "string", "edge") for name in ("assumption", "assumption.scope")),
    *(Key(name, "string", "edge") for name in ("assumption.resultfunction", "control")),
    Key("enterFunction", "string", "edge"),
    Key("enterLoopHead", "boolean", "edge"),
    *(Key(name, "int", "edge") for name in ("startline", "endline")),
)


def witness(data: bytes) -> Witness:
    """The witness in a document.  Raises WitnessError if it has none."""
    graph = parsed(data)
    kind = _one(graph.data, "witness-type")
    if kind == "violation_witness":
        return _violation(graph)
    if kind == "correctness_witness":
        return CorrectnessWitness(_about(graph), tuple(_invariants(graph)))
    raise WitnessError(f"the witness-type is {kind[:40]!r}")


def invariants(data: bytes) -> tuple[Invariant, ...]:
    """The invariants of a correctness witness.  Raises WitnessError for others."""
    found = witness(data)
    if not isinstance(found, CorrectnessWitness):
        raise WitnessError("it is a violation witness, which has no invariants")
    return found.invariants


def _about(graph: Graph) -> About:
    version = graph.data.get("witness-format-version", ["1.0"])[0].strip()
    if version != "1.0":
        raise WitnessError(f"format version {version[:40]!r}; known: 1.0")
    if _one(graph.data, "sourcecodelang") != "C":
        raise WitnessError("the language is not C")
    bits = _one(graph.data, "architecture")
    if bits not in _BITS:
        raise WitnessError(f"the architecture is {bits[:40]!r}, neither 32bit nor 64bit")
    hashed = _one(graph.data, "programhash")
    if not _SHA256.fullmatch(hashed):
        raise WitnessError("the programhash is no SHA-256")
    properties, rules = specified("\n".join(graph.data.get("specification", [])))
    if Property.TERMINATION in properties:
        raise WitnessError("a GraphML witness about termination is not supported")
    hashes = ((_one(graph.data, "programfile"), hashed),)
    return About(hashes, properties, _BITS[bits], only_first=True, rules=rules)


def _one(data: Data, key: str) -> str:
    if key not in data:
        raise WitnessError(f"the graph has no {key}")
    return data[key][0].strip()


# ------------------------------------------------------------------------------------ violations


def _violation(graph: Graph) -> ViolationWitness:
    entries = graph.marked("entry")
    if len(entries) != 1:
        raise WitnessError(f"it has {len(entries)} entry nodes; one is expected")
    ends = set(graph.marked("violation"))
    if not ends:
        raise WitnessError("it has no violation node")
    leaving = _useful(graph, ends)
    path = _path(entries[0], ends, leaving)
    if not path:
        raise WitnessError("no path leads from the entry to a violation")
    segments = [Segment((), waypoint) for edge in path for waypoint in _waypoints(edge)]
    segments.append(Segment((), _target(path[-1].data)))
    is_whole = all(len(leaving.get(edge.source, [])) == 1 for edge in path)
    return ViolationWitness(_about(graph), tuple(segments), is_whole, is_dense=False)


def _target(data: Data) -> Target:
    callee = data.get("enterFunction", [""])[0].strip()
    return Target(_place(data) or Place("", 0, 1 << 30), callee)


def _useful(graph: Graph, ends: set[str]) -> Mapping[str, list[Edge]]:
    """The edges from which a violation can be reached, by their source."""
    entering: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        entering.setdefault(edge.target, []).append(edge)
    sinks = set(graph.marked("sink"))
    leaving: dict[str, list[Edge]] = {}
    seen, open_ = set(ends), list(ends)
    while open_:
        for edge in entering.get(open_.pop(), []):
            if edge.source == edge.target or edge.target in sinks:
                continue
            leaving.setdefault(edge.source, []).append(edge)
            if edge.source not in seen:
                seen.add(edge.source)
                open_.append(edge.source)
    return leaving


def _path(entry: str, ends: set[str], leaving: Mapping[str, list[Edge]]) -> list[Edge]:
    """A shortest path; empty if there is none."""
    via: dict[str, Edge | None] = {entry: None}
    open_ = deque([entry])
    while open_:
        node = open_.popleft()
        if node in ends:
            return _back(node, via)
        for edge in leaving.get(node, []):
            if edge.target not in via:
                via[edge.target] = edge
                open_.append(edge.target)
    return []


def _back(node: str, via: Mapping[str, Edge | None]) -> list[Edge]:
    path = []
    while (edge := via[node]) is not None:
        path.append(edge)
        node = edge.source
    return path[::-1]


def _waypoints(edge: Edge) -> Iterator[Waypoint]:
    place = _place(edge.data)
    if place is None:
        return
    control = edge.data.get("control", [""])[0].strip()
    if control in _BRANCHES:
        yield Branching(place, _BRANCHES[control])
        return
    text = ";".join(edge.data.get("assumption", []))
    facts = tuple(part.strip() for part in text.split(";") if part.strip())
    if facts:
        callee = edge.data.get("assumption.resultfunction", [""])[0].strip()
        whole = conjunction(facts)
        is_result = "\\result" in whole
        yield Returned(place, whole, callee) if is_result else Assumption(place, facts)


def _place(data: Data) -> Place | None:
    if "startline" not in data:
        return None
    first = positive(data["startline"][0].strip(), "startline")
    last = positive(data.get("endline", data["startline"])[0].strip(), "endline")
    scope = data.get("assumption.scope", [""])[0].strip()
    return Place("", first, max(first, last), None, scope)


# ------------------------------------------------------------------------------------ invariants


def _invariants(graph: Graph) -> Iterator[Invariant]:
    entering: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        entering.setdefault(edge.target, []).append(edge)
    for name, data in graph.nodes.items():
        text = " && ".join(f"({part.strip()})" for part in data.get("invariant", []))
        if not text or text.strip("() ") in _TRUTHS:
            continue
        edges = [e for e in entering.get(name, []) if "startline" in e.data]
        heads = [e for e in edges if is_true(e.data, "enterLoopHead")]
        place = _place((heads or edges)[0].data) if edges else None
        if place is None:
            raise WitnessError(f"the invariant of the node {name[:40]!r} has no line")
        yield Invariant(place, text, bool(heads), is_exact=bool(heads))


# ---------------------------------------------------------------------------------------- writing


def text(witness: Witness, producer: Producer) -> str:
    """The document of a witness.  The format has no columns and no waypoints to avoid."""
    match witness:
        case ViolationWitness(about, segments):
            graph = Graph(_graph_data(about, producer, "violation_witness"))
            edges = [_edge_data(segment.follow) for segment in segments]
            nodes = [*(dict[str, list[str]]() for _ in edges), {"violation": ["true"]}]
        case CorrectnessWitness(about, found):
            graph = Graph(_graph_data(about, producer, "correctness_witness"))
            edges = [_lines(one.place) | (_HEAD if one.loop else {}) for one in found]
            nodes = [{}, *(_node_data(one) for one in found)]
        case _:
            assert_never(witness)
    nodes[0] = {"entry": ["true"]}
    graph.nodes = {f"N{number}": data for number, data in enumerate(nodes)}
    graph.edges = [Edge(f"N{k}", f"N{k + 1}", data) for k, data in enumerate(edges)]
    return printed(graph, _KEYS)


def _graph_data(about: About, producer: Producer, kind: str) -> Data:
    name, hashed = about.hashes[0]
    return {
        "witness-format-version": ["1.0"],
        "witness-type": [kind],
        "sourcecodelang": ["C"],
        "producer": [f"{producer.name} {producer.version}"],
        "specification": specification(about.properties, about.rules).split("\n"),
        "programfile": [name],
        "programhash": [hashed],
        "architecture": [f"{about.bits}bit"],
        "creationtime": [producer.time],
    }


def _node_data(invariant: Invariant) -> Data:
    return {
        "invariant": [invariant.expression],
        "invariant.scope": [invariant.place.function],
    }


def _edge_data(waypoint: Waypoint | Target) -> Data:
    data = _lines(waypoint.place)
    match waypoint:
        case Assumption(place, facts):
            told = " ".join(f"{fact};" for fact in facts)
            return data | {"assumption": [told]} | _scope(place)
        case Returned(place, condition, callee):
            result = {"assumption.resultfunction": [callee]}
            return data | {"assumption": [f"{condition};"]} | _scope(place) | result
        case Branching(_, value):
            control = [key for key, known in _BRANCHES.items() if known == value]
            return data | ({"control": control} if control else {})
        case Entered():
            return data
        case Target(_, callee):
            return data | ({"enterFunction": [callee]} if callee else {})
        case _:
            assert_never(waypoint)


def _lines(place: Place) -> Data:
    return {"startline": [str(place.line)], "endline": [str(place.last)]}


def _scope(place: Place) -> Data:
    return {"assumption.scope": [place.function]} if place.function else {}
