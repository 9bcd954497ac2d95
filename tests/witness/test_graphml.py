"""GraphML witnesses keep the rules of format 1.0."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from seahorn_py.base.errors import Span
from seahorn_py.cli.answers.written_files import leave
from seahorn_py.csource.syntax import CText
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.result import Answer, VerificationResult, Violation
from seahorn_py.witness.fields import this_producer
from seahorn_py.witness.graphml import witnesses as witness_graphml
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.told import Holding, Returning, Told, by_lines
from seahorn_py.witness.witness import CorrectnessWitness, Invariant, Place, Target, Witness

SPACE = "{http://graphml.graphdrawing.org/xmlns}"
REQUIRED = {
    "witness-type",
    "sourcecodelang",
    "producer",
    "specification",
    "programfile",
    "programhash",
    "architecture",
    "creationtime",
}
SUBJECT = Sources((CText("a<b>.c", b"int main(void) { }\n"),), FrontendOptions(bits=32))
ABOUT = SUBJECT.about(frozenset())


def at(line: int) -> Place:
    return Place("a<b>.c", line, line, 1, "main")


def written(witness: Witness) -> str:
    return witness_graphml.text(witness, this_producer())


PATH: tuple[Told, ...] = (
    Holding(at(4), (("x == (-2147483647 - 1)", at(2)), ("y == 4294967295U", at(3)))),
    Returning(at(5), "in", "7", at(5)),
    Target(at(6), "reach_error"),
)


def checked(text: str) -> tuple[dict[str, str], list[dict[str, str]], list[dict[str, str]]]:
    """Data of the graph, the nodes and the edges, after a look at the rules."""
    root = Xml.fromstring(text)
    declared = {key.get("id"): key for key in root.findall(f"{SPACE}key")}
    for key in declared.values():
        default = key.find(f"{SPACE}default")
        assert (key.get("attr.type") == "boolean") == (default is not None)
    (graph,) = root.findall(f"{SPACE}graph")
    assert graph.attrib == {"edgedefault": "directed"}

    def data(element: Xml.Element, owner: str) -> dict[str, str]:
        found = {}
        for child in element.findall(f"{SPACE}data"):
            name = child.attrib["key"]
            assert declared[name].get("for") == owner
            found[name] = child.text or ""
        return found

    about = data(graph, "graph")
    assert about.keys() >= REQUIRED
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", about["creationtime"])
    nodes = graph.findall(f"{SPACE}node")
    names = [node.attrib["id"] for node in nodes]
    assert len(set(names)) == len(names)
    edges = graph.findall(f"{SPACE}edge")
    for edge in edges:
        assert {edge.attrib["source"], edge.attrib["target"]} <= set(names)
        assert edge.attrib["source"] != edge.attrib["target"]
    shown = [data(node, "node") for node in nodes]
    assert sum(node.get("entry") == "true" for node in shown) == 1
    return about, shown, [data(edge, "edge") for edge in edges]


def test_a_violation() -> None:
    about, nodes, edges = checked(written(by_lines(ABOUT, PATH)))
    assert about["programfile"] == "a<b>.c"
    assert about["architecture"] == "32bit"
    assert about["witness-type"] == "violation_witness"
    assert [node.get("violation") for node in nodes] == [None, None, None, None, "true"]
    assert [edge["startline"] for edge in edges] == ["2", "3", "5", "6"]
    told = [(e.get("assumption"), e.get("assumption.resultfunction")) for e in edges]
    assert told == [
        ("x == -2147483648;", None),
        ("y == 4294967295;", None),
        ("\\result == 7;", "in"),
        (None, None),
    ]
    assert edges[-1]["enterFunction"] == "reach_error"


def test_what_is_read_in_one_line_is_one_edge() -> None:
    """A second edge would be one for another visit of the line."""
    facts = (("a[0] == 1", at(2)), ("a[1] == 2147483648U", at(2)), ("y == 3", at(3)))
    _, _, edges = checked(written(by_lines(ABOUT, (Holding(at(4), facts),))))
    told = [(edge["startline"], edge["assumption"]) for edge in edges]
    assert told == [("2", "a[0] == 1; a[1] == 2147483648;"), ("3", "y == 3;")]


def test_a_proof() -> None:
    loops = (Invariant(at(3), "x <= 1 && y < 2", loop=True),)
    about, nodes, edges = checked(written(CorrectnessWitness(ABOUT, loops)))
    assert about["witness-type"] == "correctness_witness"
    assert nodes[1] == {"invariant": "x <= 1 && y < 2", "invariant.scope": "main"}
    assert edges == [{"startline": "3", "endline": "3", "enterLoopHead": "true"}]


def test_a_proof_without_invariants() -> None:
    _, nodes, edges = checked(written(CorrectnessWitness(ABOUT, ())))
    assert (nodes, edges) == ([{"entry": "true"}], [])


@pytest.mark.parametrize("option", ["witnesses", "cex"])
def test_where_it_is_written(tmp_path: Path, option: str) -> None:
    file, out = tmp_path / "a.c", tmp_path / "trace.xml"
    file.write_text("int main(void) {\n  reach_error();\n}\n")
    found = Violation("unreach-call", "reach_error()", Span(str(file), 2, 3, "main"), ())
    result = VerificationResult(Answer.UNSAFE, violation=found)
    chosen = {option: (out,) if option == "witnesses" else out}
    (told,) = leave([file], result, VerifyOptions(), chosen)
    assert told == f"witness: {out}: violation, 1 waypoints"
    _, nodes, (edge,) = checked(out.read_text())
    assert (len(nodes), edge["startline"]) == (2, "2")


def test_a_proof_has_no_counterexample(tmp_path: Path) -> None:
    result = VerificationResult(Answer.SAFE)
    assert not list(leave([tmp_path], result, VerifyOptions(), {"cex": tmp_path / "t.xml"}))
