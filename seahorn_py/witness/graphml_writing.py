"""Witnesses as GraphML, format 1.0 (Beyer, Dangl, Dietsch, Heizmann, Lemberger, Tautschnig 2022).

A violation witness is one path: an edge for each input, at the line where it is read, with what
takes the value; the last edge is at the line of the violation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import assert_never
from xml.sax.saxutils import escape, quoteattr

import seahorn_py
from seahorn_py.witness.witness import (
    Assumption,
    Branching,
    FunctionReturn,
    Location,
    LoopInvariant,
    Subject,
    Target,
    Waypoint,
    WitnessInvariant,
)
from seahorn_py.witness.yaml_writing import now

_KEYS = (
    ("witness-type", "string", "graph"),
    ("sourcecodelang", "string", "graph"),
    ("producer", "string", "graph"),
    ("specification", "string", "graph"),
    ("programfile", "string", "graph"),
    ("programhash", "string", "graph"),
    ("architecture", "string", "graph"),
    ("creationtime", "string", "graph"),
    ("witness-format-version", "string", "graph"),
    ("entry", "boolean", "node"),
    ("violation", "boolean", "node"),
    ("invariant", "string", "node"),
    ("invariant.scope", "string", "node"),
    ("assumption", "string", "edge"),
    ("assumption.scope", "string", "edge"),
    ("assumption.resultfunction", "string", "edge"),
    ("enterFunction", "string", "edge"),
    ("enterLoopHead", "boolean", "edge"),
    ("startline", "int", "edge"),
    ("endline", "int", "edge"),
)
_ROOT = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
)
_SMALLEST = re.compile(r"\(-(\d+)(?:LL)? - 1\)")
_SUFFIX = re.compile(r"\b(\d+)(?:ULL|LL|U)\b")

Data = Sequence[tuple[str, str]]


def violation_text(
    subject: Subject, specification: str, path: Sequence[Waypoint], error: str
) -> str:
    """A violation witness; `error` is the function whose call is the violation, "" if none is."""
    edges = [edge for waypoint in path for edge in _edges(waypoint, error)]
    nodes: list[Data] = [[("entry", "true")], *([] for _ in edges[1:]), [("violation", "true")]]
    return _document(subject, "violation_witness", specification, nodes, edges)


def correctness_text(
    subject: Subject, specification: str, invariants: Sequence[WitnessInvariant]
) -> str:
    """A correctness witness: a node for each invariant, in the order of the text."""
    nodes: list[Data] = [[("entry", "true")]]
    edges: list[Data] = []
    for found in invariants:
        scope = found.location.function
        nodes.append([("invariant", found.expression), ("invariant.scope", scope)])
        loop = [("enterLoopHead", "true")] if isinstance(found, LoopInvariant) else []
        edges.append([*_lines(found.location), *loop])
    return _document(subject, "correctness_witness", specification, nodes, edges)


def _edges(waypoint: Waypoint, error: str) -> Iterator[Data]:
    match waypoint:
        case Assumption(_, facts):
            read = [(text, place) for text, place in facts if place is not None]
            for _, group in groupby(read, key=lambda fact: (fact[1].line, fact[1].function)):
                texts, places = zip(*group, strict=True)
                told = " ".join(f"{_plain(text)};" for text in texts)
                yield [*_lines(places[0]), ("assumption", told), *_scope(places[0])]
        case FunctionReturn(_, callee, value, read):
            assumption = ("assumption", f"\\result == {_plain(value)};")
            result = ("assumption.resultfunction", callee)
            yield [*_lines(read), assumption, *_scope(read), result]
        case Branching():
            return
        case Target(place):
            yield [*_lines(place), *([("enterFunction", error)] if error else [])]
        case _:
            assert_never(waypoint)


def _lines(place: Location) -> Data:
    return [("startline", str(place.line)), ("endline", str(place.line))]


def _scope(place: Location) -> Data:
    return [("assumption.scope", place.function)] if place.function else []


def _plain(text: str) -> str:
    """Constants without suffixes, as validators read them."""
    smallest = _SMALLEST.sub(lambda found: str(-int(found[1]) - 1), text)
    return _SUFFIX.sub(r"\1", smallest)


# ------------------------------------------------------------------------------------------- XML


def _document(
    subject: Subject, kind: str, specification: str, nodes: Sequence[Data], edges: Sequence[Data]
) -> str:
    """Nodes N0, N1, ... and an edge from each to the next."""
    lines = ['<?xml version="1.0" encoding="UTF-8" standalone="no"?>', _ROOT, *_keys()]
    lines.append('<graph edgedefault="directed">')
    lines += _data(_about(subject, kind, specification))
    for number, data in enumerate(nodes):
        lines += [f'<node id="N{number}">', *_data(data), "</node>"]
    for number, data in enumerate(edges):
        head = f'<edge source="N{number}" target="N{number + 1}">'
        lines += [head, *_data(data), "</edge>"]
    return "\n".join([*lines, "</graph>", "</graphml>"]) + "\n"


def _about(subject: Subject, kind: str, specification: str) -> Data:
    name, hashed = subject.hashes[0]
    return [
        ("witness-format-version", "1.0"),
        ("witness-type", kind),
        ("sourcecodelang", "C"),
        ("producer", f"sea-py {seahorn_py.__version__}"),
        *(("specification", line) for line in specification.split("\n")),
        ("programfile", name),
        ("programhash", hashed),
        ("architecture", f"{subject.frontend.bits}bit"),
        ("creationtime", now()),
    ]


def _keys() -> Iterator[str]:
    for name, kind, owner in _KEYS:
        key = f'<key id="{name}" attr.name="{name}" attr.type="{kind}" for="{owner}"'
        yield f"{key}><default>false</default></key>" if kind == "boolean" else f"{key}/>"


def _data(values: Data) -> Iterator[str]:
    for key, value in values:
        yield f"<data key={quoteattr(key)}>{xml_text(value)}</data>"


_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text between two tags; a character that XML does not have becomes `?`."""
    return escape(_NOT_XML.sub("?", text))
