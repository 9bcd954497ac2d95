"""Witnesses in GraphML 1.0, read from the events of expat.

A document type is refused before it can declare an entity; depth and number of elements are
bounded.  Of a violation automaton one path from the entry to the violation is kept: its edges with
an assumption or a branch are waypoints, those that only name a line or a function are not looked
at.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from seahorn_py.witness.model import (
    About,
    Assumption,
    Branching,
    CorrectnessWitness,
    Invariant,
    Place,
    Returned,
    Segment,
    Target,
    ViolationWitness,
    Waypoint,
    Witness,
    WitnessError,
)
from seahorn_py.witness.reading import positive, specified

MAX_DEPTH = 8
MAX_ELEMENTS = 1_000_000
_BITS = {"32bit": 32, "64bit": 64}
_BRANCHES = {"condition-true": "true", "condition-false": "false"}
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_TRUTHS = ("1", "true")

Data = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge with what is said of it."""

    source: str
    target: str
    data: Data


@dataclass
class Graph:
    """The one graph of a document."""

    data: Data = field(default_factory=dict)
    nodes: dict[str, Data] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    def marked(self, key: str) -> list[str]:
        """The nodes for which a Boolean key is true."""
        return [name for name, data in self.nodes.items() if _is_true(data, key)]


def witness(data: bytes) -> Witness:
    """The witness that the document is; WitnessError if it is none."""
    graph = parsed(data)
    kind = _one(graph.data, "witness-type")
    if kind == "violation_witness":
        return _violation(graph)
    if kind == "correctness_witness":
        return CorrectnessWitness(_about(graph), tuple(_invariants(graph)))
    raise WitnessError(f"the witness-type is {kind[:40]!r}")


def invariants(data: bytes) -> tuple[Invariant, ...]:
    """Those of a correctness witness."""
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
    formulas = "\n".join(graph.data.get("specification", []))
    return About(
        ((_one(graph.data, "programfile"), hashed),), specified(formulas), _BITS[bits], True
    )


def _one(data: Data, key: str) -> str:
    if key not in data:
        raise WitnessError(f"the graph has no {key}")
    return data[key][0].strip()


def _is_true(data: Data, key: str) -> bool:
    return data.get(key, ["false"])[0].strip() == "true"


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
    segments.append(Segment((), Target(_place(path[-1].data) or Place("", 0, 1 << 30))))
    is_whole = all(len(leaving.get(edge.source, [])) == 1 for edge in path)
    return ViolationWitness(_about(graph), tuple(segments), is_whole, is_dense=False)


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
    facts = [part.strip() for part in text.split(";") if part.strip()]
    if facts:
        whole = " && ".join(f"({fact})" for fact in facts)
        callee = edge.data.get("assumption.resultfunction", [""])[0].strip()
        is_result = "\\result" in whole
        yield Returned(place, whole, callee) if is_result else Assumption(place, whole)


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
        heads = [e for e in edges if _is_true(e.data, "enterLoopHead")]
        place = _place((heads or edges)[0].data) if edges else None
        if place is None:
            raise WitnessError(f"the invariant of the node {name[:40]!r} has no line")
        yield Invariant(place, text, bool(heads), is_exact=bool(heads))


# ------------------------------------------------------------------------------------------- XML


def parsed(data: bytes) -> Graph:
    """The graph of a document; WitnessError for what is no GraphML witness."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    reader = _Reader()
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise WitnessError(f"line {error.lineno}: {expat.ErrorString(error.code)}") from None
    except (ValueError, LookupError):
        raise WitnessError("its encoding is not supported") from None
    if reader.graphs != 1:
        raise WitnessError(f"it has {reader.graphs} graphs; one is expected")
    return reader.graph


class _Reader:
    """The state between two events: the open elements and where data belongs."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.graphs = 0
        self._open: list[str] = []
        self._owners: list[Data] = []
        self._key: str | None = None
        self._text: list[str] = []
        self._count = 0

    def doctype(self, *_: object) -> None:
        raise WitnessError("a document type is not allowed")

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._count += 1
        if len(self._open) >= MAX_DEPTH:
            raise WitnessError(f"nested more than {MAX_DEPTH} deep")
        if self._count > MAX_ELEMENTS:
            raise WitnessError(f"more than {MAX_ELEMENTS} elements")
        kind = name.rpartition(":")[2]
        if not self._open and kind != "graphml":
            raise WitnessError(f"the root is {kind[:40]!r}, not graphml")
        self._open.append(kind)
        match kind:
            case "graph":
                self.graphs += 1
                self._owners.append(self.graph.data)
            case "node":
                self._owners.append(self._node(attributes))
            case "edge":
                self._owners.append(self._edge(attributes))
            case "data":
                self._key = _attribute(attributes, "key")
                self._text = []

    def _node(self, attributes: Mapping[str, str]) -> Data:
        name = _attribute(attributes, "id")
        if name in self.graph.nodes:
            raise WitnessError(f"two nodes are called {name[:40]!r}")
        self.graph.nodes[name] = {}
        return self.graph.nodes[name]

    def _edge(self, attributes: Mapping[str, str]) -> Data:
        ends = _attribute(attributes, "source"), _attribute(attributes, "target")
        self.graph.edges.append(Edge(*ends, {}))
        return self.graph.edges[-1].data

    def text(self, text: str) -> None:
        if self._key is not None:
            self._text.append(text)

    def end(self, _: str) -> None:
        kind = self._open.pop()
        if kind == "data":
            if self._owners and self._key is not None:
                self._owners[-1].setdefault(self._key, []).append("".join(self._text))
            self._key = None
        elif kind in ("graph", "node", "edge"):
            self._owners.pop()


def _attribute(attributes: Mapping[str, str], name: str) -> str:
    if name not in attributes:
        raise WitnessError(f"an element without the attribute {name}")
    return attributes[name]
