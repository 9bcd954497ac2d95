"""Counterexamples in SeaHorn's GraphML of 2015."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from command import EXAMPLES, sea_py

from seahorn_py.base.errors import Span
from seahorn_py.result import TraceStep, Violation
from seahorn_py.witness.graphml.seahorn15 import violation_text


def step(line: int, function: str, *callers: str) -> TraceStep:
    chain = tuple(Span("a&b.c", 9, 1, name) for name in callers)
    return TraceStep(Span("a&b.c", line, 1, function), chain)


def test_edges_follow_the_run_and_say_which_functions_it_enters_and_leaves() -> None:
    trace = (step(3, "main"), step(1, "f", "main"), step(4, "main"))
    found = Violation("unreach-call", "reach_error()", None, (), trace)
    graph = ElementTree.fromstring(violation_text(found, "CHECK( x )", 32).encode()).find(
        "{*}graph"
    )
    edges = [{d.get("key"): d.text for d in e} for e in graph.findall("{*}edge")]
    place = {"originfile": "a&b.c"}
    assert edges == [
        {**place, "originline": "3", "enterFunction": "main"},
        {**place, "originline": "1", "enterFunction": "f"},
        {**place, "originline": "4", "returnFrom": "f"},
    ]
    nodes = [{d.get("key"): d.text for d in n} for n in graph.findall("{*}node")]
    assert nodes == [{"entry": "true"}, {}, {}, {"violation": "true"}]
    assert {d.get("key"): d.text for d in graph.findall("{*}data")}["architecture"] == "32bit"


def test_the_command_line_writes_the_old_dialect(tmp_path: Path) -> None:
    file = tmp_path / "cex.xml"
    done = sea_py("pf", f"--cex={file}", "--cex-format=seahorn15", EXAMPLES / "counter_unsafe.c")
    assert f"witness: {file}: seahorn15, " in done.stdout
    assert '<data key="originline">14</data>' in file.read_text()
