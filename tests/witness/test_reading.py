"""What is no witness is refused in one line, in bounded time and memory."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path

import pytest
from witness_files import correctness, edge, graph, node, violation, waypoint

from seahorn_py.options import Property
from seahorn_py.validation.edits import WITNESS_FILE, Edits
from seahorn_py.validation.expression import ExpressionError, c_expression
from seahorn_py.witness import reading
from seahorn_py.witness.reading import read_invariants, read_witness
from seahorn_py.witness.witness import (
    Assumption,
    Branching,
    CorrectnessWitness,
    Invariant,
    Place,
    Returned,
    Segment,
    Target,
    ViolationWitness,
    WitnessError,
)

PROGRAM = "int main(void) { return 0; }\n"
TARGET = waypoint("target", "3:1")


def refusal(tmp_path: Path, content: str | bytes, name: str = "w.yml") -> str:
    """The one line with which a file is refused, quickly and with little memory."""
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    tracemalloc.start()
    began = time.process_time()
    with pytest.raises(WitnessError) as caught:
        read_witness(file)
    spent, peak = time.process_time() - began, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    message = str(caught.value)
    assert message.startswith(f"{file}: ") and "\n" not in message and len(message) < 400
    assert spent < 3 and peak < 100 << 20
    return message.removeprefix(f"{file}: ")


# ------------------------------------------------------------------------------------------- YAML


def test_yaml_violation(tmp_path: Path) -> None:
    file = tmp_path / "w.yml"
    avoided = waypoint("branching", "2", "true", action="avoid")
    followed = waypoint("assumption", "2:4", "x == 1")
    file.write_text(json.dumps(violation(PROGRAM, (avoided, followed), TARGET)))
    read = read_witness(file)
    assert isinstance(read, ViolationWitness)
    assert read.about.properties == {Property.UNREACH_CALL} and read.about.bits == 64
    assert read.segments == (
        Segment(
            (Branching(Place("a.c", 2, 2), "true"),), Assumption(Place("a.c", 2, 2, 4), ("x == 1",))
        ),
        Segment((), Target(Place("a.c", 3, 3, 1))),
    )


def test_yaml_without_quotes_means_the_same(tmp_path: Path) -> None:
    file = tmp_path / "w.yml"
    text = json.dumps(correctness(PROGRAM, ("loop_invariant", "3", "1")))
    file.write_text(text.replace('"2.0"', "2.0"))
    read = read_witness(file)
    assert isinstance(read, CorrectnessWitness)
    assert read.invariants == (Invariant(Place("a.c", 3, 3), "1", loop=True),)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "0 documents"),
        ("[]", "0 entries"),
        ("a: b", "the file is no list"),
        ("- a", "an entry is no mapping"),
        ("- {entry_type: ghost_instrumentation}", "'ghost_instrumentation' are not supported"),
        ("- {entry_type: invariant_set}", "metadata is missing"),
        ("- {entry_type: invariant_set, entry_type: invariant_set}", "there twice"),
        ("- {a: b", "line 2: "),
        ("- 'a", "line 1: "),
        ("- &a [x]\n- *a", "anchors are not allowed"),
        ("- !!python/object/apply:os.system [ls]", "tags are not allowed"),
        ("- !x a", "tags are not allowed"),
        ("--- [a]\n--- [b]", "2 documents"),
        ("[" * 50 + "]" * 50, "nested more than"),
        ("[" * 5000, "line 1: exceeded maximum nesting depth"),
        ("- " * 5000 + "a", "nested more than"),
        ("{" * 50 + "}" * 50, "nested more than"),
        ("- {[a]: b}", "a key is no scalar"),
        (b"\xff\xfe\x00", "not a text file"),
        (b"- \x00", "not YAML"),
    ],
)
def test_yaml_that_is_no_witness(tmp_path: Path, content: str | bytes, why: str) -> None:
    assert why in refusal(tmp_path, content)


def test_a_bomb_of_aliases_does_not_grow(tmp_path: Path) -> None:
    lines = ["- &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"- &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 30)]
    assert "anchors" in refusal(tmp_path, "\n".join(lines))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"LP64"', '"LP128"', "the data model is 'LP128'"),
        ('"2.0"', '"3.0"', "format version '3.0'"),
        ('"C"', '"Java"', "the language is not C"),
        ("G ! call(reach_error())", "F end", "a cycle is about termination alone"),
        ('"follow"', '"cycle"', "a target before the last segment"),
        ('"follow"', '"return"', "'return' is not supported"),
        ('"target"', '"teleport"', "'teleport' are not supported"),
        ('"line": 3', '"line": -3', "line is no positive number"),
        ('"line": 3', '"line": 99999999999999', "line is no positive number"),
        ('"target"', '"function_enter"', "the last segment has no target"),
        ('"acsl_expression"', '"c_expression"', "not acsl_expression"),
    ],
)
def test_yaml_with_a_wrong_value(tmp_path: Path, old: str, new: str, why: str) -> None:
    whole = violation(PROGRAM, waypoint("function_return", "2:3", "\\result == 1"), TARGET)
    text = json.dumps(whole)
    assert old in text
    assert why in refusal(tmp_path, text.replace(old, new))


def test_every_truncation_of_a_witness_is_refused(tmp_path: Path) -> None:
    text = json.dumps(violation(PROGRAM, TARGET))
    for length in range(0, len(text), 7):
        refusal(tmp_path, text[:length])


# ---------------------------------------------------------------------------------------- GraphML


PATH = (
    node("N0", entry="true")
    + node("N1")
    + node("N2", violation="true")
    + node("S", sink="true")
    + edge("N0", "N1", 2, assumption="x == 1;")
    + edge("N1", "N2", 3, control="condition-true")
    + edge("N1", "S", 3, control="condition-false")
)


def test_graphml_violation(tmp_path: Path) -> None:
    file = tmp_path / "w.graphml"
    file.write_text(graph(PROGRAM, "violation_witness", PATH))
    read = read_witness(file)
    assert isinstance(read, ViolationWitness) and read.is_whole
    assert [segment.follow for segment in read.segments] == [
        Assumption(Place("", 2, 2), ("x == 1",)),
        Branching(Place("", 3, 3), "true"),
        Target(Place("", 3, 3)),
    ]


def test_graphml_with_a_result_and_another_path(tmp_path: Path) -> None:
    file = tmp_path / "w.graphml"
    result = {"assumption": "\\result == 1;", "assumption_resultfunction": "f"}
    nodes = "".join(node(f"N{k}") for k in range(1, 4)) + node("E", violation="true")
    edges = edge("N0", "N1", 2, **result) + edge("N1", "E", 3)
    longer = edge("N0", "N2", 4) + edge("N2", "N3", 5) + edge("N3", "E", 6)
    body = node("N0", entry="true") + nodes + longer + edges
    file.write_text(graph(PROGRAM, "violation_witness", body))
    read = read_witness(file)
    assert isinstance(read, ViolationWitness) and not read.is_whole
    assert read.segments[0].follow == Returned(Place("", 2, 2), "\\result == 1", "f")


def test_graphml_invariants(tmp_path: Path) -> None:
    file = tmp_path / "w.graphml"
    body = (
        node("N0", entry="true", invariant="true")
        + node("N1", invariant="x &lt; 3", invariant_scope="main")
        + node("N2", invariant="y == 1")
        + edge("N0", "N1", 4, enterLoopHead="true")
        + edge("N1", "N2", 6)
    )
    file.write_text(graph(PROGRAM, "correctness_witness", body))
    assert read_invariants(file) == (
        Invariant(Place("", 4, 4), "(x < 3)", loop=True),
        Invariant(Place("", 6, 6), "(y == 1)", loop=False, is_exact=False),
    )


BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>'


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("<", "line 1: "),
        ("<graphml>", "no element found"),
        ("<graphml></graphml>", "0 graphs"),
        ("<html></html>", "the root is 'html'"),
        ("<graphml><graph/><graph/></graphml>", "2 graphs"),
        ("<graphml><graph/></graphml>", "no witness-type"),
        ("<graphml>&a;</graphml>", "undefined entity"),
        (BOMB, "a document type is not allowed"),
        (OUTSIDE, "a document type is not allowed"),
        ("<graphml>" + "<graph>" * 10_000, "nested more than"),
        ('<?xml version="1.0" encoding="x-none"?><graphml/>', "encoding"),
        ("<graphml><graph><node/></graph></graphml>", "without the attribute id"),
        ('<graphml><graph><node id="a"/><node id="a"/></graph></graphml>', "two nodes"),
        ('<graphml><data key="k">x</data></graphml>', "0 graphs"),
    ],
)
def test_xml_that_is_no_witness(tmp_path: Path, content: str, why: str) -> None:
    assert why in refusal(tmp_path, content, "w.graphml")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('entry">true', 'entry">false', "0 entry nodes"),
        ('violation">true', 'violation">false', "no violation node"),
        ("violation_witness", "other", "the witness-type is 'other'"),
        ("64bit", "16bit", "the architecture is '16bit'"),
        ('"N2" ', '"N9" ', "no path leads"),
        ('target="N2"', 'target="N9"', "no path leads"),
        ('startline">3', 'startline">x', "startline is no positive number"),
        ("</graph>", "", "mismatched tag"),
    ],
)
def test_graphml_with_a_wrong_value(tmp_path: Path, old: str, new: str, why: str) -> None:
    text = graph(PROGRAM, "violation_witness", PATH)
    if old in text:
        assert why in refusal(tmp_path, text.replace(old, new), "w.graphml")
    else:
        assert old == '"N2" '


# ------------------------------------------------------------------------------------------- size


@pytest.mark.parametrize("start", ["- a\n", "<graphml>"])
def test_fifty_megabytes_are_not_read(tmp_path: Path, start: str) -> None:
    assert refusal(tmp_path, start + " " * (50 << 20)) == "larger than 16 MiB"


def test_many_values_and_elements_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seahorn_py.witness.yaml.tree.MAX_NODES", 1000)
    monkeypatch.setattr("seahorn_py.witness.graphml.automaton.MAX_ELEMENTS", 1000)
    assert "more than 1000 values" in refusal(tmp_path, "- a\n" * 2000)
    assert "more than 1000 elements" in refusal(tmp_path, "<graphml>" + "<a/>" * 2000, "w.xml")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WitnessError, match="cannot read"):
        reading.read_witness(tmp_path / "none.yml")
    with pytest.raises(WitnessError, match="cannot read"):
        reading.read_witness(tmp_path)


# ------------------------------------------------------------------------------------- plain lists


def test_a_plain_list_of_invariants(tmp_path: Path) -> None:
    file = tmp_path / "i.yml"
    file.write_text(
        '- {line: 3, invariant: "x < 3"}\n'
        "- {file: b.c, line: 4, column: 2, at: statement, invariant: y}\n"
    )
    assert read_invariants(file) == (
        Invariant(Place("", 3, 3), "x < 3", loop=True),
        Invariant(Place("b.c", 4, 4, 2), "y", loop=False),
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("- {line: 3}", "the key invariant is missing"),
        ("- {lines: 3, invariant: x}", "unknown key 'lines'"),
        ("- {line: 3, at: end, invariant: x}", "loop or statement"),
        ("- {line: 3, invariant: [x]}", "no scalar"),
    ],
)
def test_a_plain_list_that_is_wrong(tmp_path: Path, content: str, why: str) -> None:
    file = tmp_path / "i.yml"
    file.write_text(content)
    with pytest.raises(WitnessError, match=why):
        read_invariants(file)


def test_a_violation_has_no_invariants(tmp_path: Path) -> None:
    file = tmp_path / "w.yml"
    file.write_text(json.dumps(violation(PROGRAM, TARGET)))
    with pytest.raises(WitnessError, match="it is a violation witness"):
        read_invariants(file)


# ------------------------------------------------------------------------------------ expressions


@pytest.mark.parametrize(
    ("text", "names", "may_end"),
    [
        ("x == 1 && y", {"x", "y"}, False),
        ("s.m + (long)x % 3 == sizeof(int) || 'a'", {"s", "x"}, False),
        ("\\result >= 2U", {"sea_witness_result"}, False),
        ("x / y", {"x", "y"}, True),
        ("x % 00", {"x"}, True),
        ("*p == 1", {"p"}, True),
        ("&x == p", {"x", "p"}, False),
        ("p->m", {"p"}, True),
        ("a[1]", {"a"}, True),
        ("x ? -1 : ~y", {"x", "y"}, False),
    ],
)
def test_an_expression(text: str, names: set[str], may_end: bool) -> None:
    found = c_expression(text)
    assert found.names == names
    assert found.may_end == may_end


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1",
        "x++",
        "f()",
        "x, y",
        "x); reach_error(); (1",
        "1) || (1",
        "({ 1; })",
        "x; y",
        "x\n#include <a>",
        "x /* */",
        "x // y",
        '"a"',
        "x \\",
        "(int){1}",
        "\\old(x)",
        "sea_witness_segment == 1",
        "__builtin_trap()",
        "x == 1 &&",
        "x" * 200_000,
        "_Generic(x, int: 1)",
        "x == \u200b1",
    ],
)
def test_what_is_no_expression_without_effects(text: str) -> None:
    with pytest.raises(ExpressionError):
        c_expression(text)


def test_code_moves_nothing() -> None:
    from seahorn_py.csource.syntax import CText, within

    text = CText("a.c", b"int f(int x) {\n\tif (x) g(); else { h(x); }\n}\n")
    edits = Edits(text, "int k;")
    nodes = list(within(text.root))
    calls = [n for n in nodes if n.type == "call_expression"]
    statements = [n.parent for n in calls if n.parent is not None]
    edits.before(statements[0], "a();")
    edits.after(statements[1], "b();")
    edits.around(calls[1], "(", ")")
    here = f'# 1 "{WITNESS_FILE}"'
    assert edits.edited().decode().splitlines() == [
        *("", here, "int k;", '# 1 "a.c"', "int f(int x) {", "\tif (x) "),
        *(here, "{ a();", '# 2 "a.c"', "        g();"),
        *(here, "}", '# 2 "a.c"', "             else { "),
        *(here, "(", '# 2 "a.c"', "                    h(x)"),
        *(here, ")", '# 2 "a.c"', "                        ;"),
        *(here, "b();", '# 2 "a.c"', "                          }", "}"),
    ]
