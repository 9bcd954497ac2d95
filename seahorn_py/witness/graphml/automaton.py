"""GraphML automata, read and written: a graph with data for itself, its nodes and its edges.

The events of expat are read: so a document type is refused before it can declare an entity.  Depth
and number of elements are limited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.witness.witness import WitnessError

MAX_DEPTH = 8
MAX_ELEMENTS = 1_000_000
_SPACES = {
    "xmlns": "http://graphml.graphdrawing.org/xmlns",
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
}
_NOT_XML = pattern("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Data = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge with its data."""

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
        return [name for name, data in self.nodes.items() if is_true(data, key)]


def is_true(data: Data, key: str) -> bool:
    """Whether a Boolean key is given as true."""
    return data.get(key, ["false"])[0].strip() == "true"


class Key(NamedTuple):
    """A declared key of data: its type in GraphML, and `graph`, `node` or `edge`.

    `attribute` is the `attr.name` of the declaration, if it differs from `name`.
    """

    name: str
    type: str
    owner: str
    attribute: str = ""


# ---------------------------------------------------------------------------------------- writing


def printed(graph: Graph, keys: Sequence[Key]) -> str:
    """The XML document with declared keys; a character that XML does not have becomes `?`."""
    root = ElementTree.Element("graphml", _SPACES)
    for key in keys:
        names = {"id": key.name, "attr.name": key.attribute or key.name}
        kind = {"attr.type": key.type, "for": key.owner}
        declared = ElementTree.SubElement(root, "key", names | kind)
        if key.type == "boolean":
            ElementTree.SubElement(declared, "default").text = "false"
    whole = ElementTree.SubElement(root, "graph", edgedefault="directed")
    _add_data(whole, graph.data)
    for name, data in graph.nodes.items():
        _add_data(ElementTree.SubElement(whole, "node", id=name), data)
    for edge in graph.edges:
        ends = {"source": edge.source, "target": edge.target}
        _add_data(ElementTree.SubElement(whole, "edge", ends), edge.data)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return text.decode() + "\n"


def _add_data(owner: ElementTree.Element, data: Data) -> None:
    for key, values in data.items():
        for value in values:
            ElementTree.SubElement(owner, "data", key=key).text = _NOT_XML.sub("?", value)


# ---------------------------------------------------------------------------------------- reading


def parsed(data: bytes) -> Graph:
    """The graph of a document.  Raises WitnessError for anything but a GraphML witness."""
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
    """The state between two events: the open elements, and the owner of data."""

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
