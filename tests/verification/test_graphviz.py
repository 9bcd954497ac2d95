"""Graphviz text: every node and edge is there, and names are quoted."""

from __future__ import annotations

from horn_examples import counter
from programs import block, check, function, program, reg

from seahorn_py.ir.program import TRUE, Branch, Call, Fail, IntConst, Program, Return
from seahorn_py.ir.types import IntType
from seahorn_py.verification.views import graphviz


def calling() -> Program:
    entry = block("entry", Call((reg("r"),), 'odd"name', ()), Branch(TRUE, "bad", "good"))
    bad = block("bad", Fail(check()))
    good = block("good", Return(()))
    callee = block("entry", Return((IntConst(1, IntType(32)),)))
    return program(
        function("main", entry, bad, good),
        function('odd"name', callee, results=(IntType(32),)),
    )


def test_control_flow_graphs_are_clusters_of_blocks() -> None:
    text = graphviz.control_flow(calling())
    assert text.startswith("digraph cfg {") and text.endswith("}")
    assert text.count("subgraph") == 2
    assert '"main/entry" -> "main/bad" [label=yes];' in text
    assert '"main/entry" -> "main/good" [label=no];' in text
    assert 'label="bad:\\lfail check 0\\l"' in text


def test_the_call_graph_names_callers_and_callees() -> None:
    assert '"main" -> "odd\\"name";' in graphviz.calls(calling())


def test_a_rule_is_a_hyperedge() -> None:
    text = graphviz.horn_system(counter(10, 11))
    assert '"loop" [shape=box];' in text
    assert '"loop" -> "rule 1" [arrowhead=none];\n  "rule 1" -> "loop";' in text
    assert '"rule 2" -> "false";' in text
