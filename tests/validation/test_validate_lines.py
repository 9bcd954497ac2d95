"""Edges of GraphML tell lines only: what they may mean there, and that no other reading rejects."""

from __future__ import annotations

from pathlib import Path

import pytest
from witness_files import edge, graph, node, validate_text

from seahorn_py.csource.syntax import CText
from seahorn_py.evidence.runs.subject import REPLAY_LIMITS
from seahorn_py.ir import interpreter
from seahorn_py.ir.run import Ending
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.lines import Lines, Points
from seahorn_py.validation.places import PlaceError
from seahorn_py.validation.verdict import Verdict
from seahorn_py.validation.watching import watched
from seahorn_py.verification.pipeline import load
from seahorn_py.witness.witness import About, Assumption, Place, Segment, Target, ViolationWitness

HEAD = "int in(void); void note(int); void reach_error(void); int g;\n"


def path(*edges: tuple[int, dict[str, str]]) -> str:
    """A witness with one path: its edges, and one to the violation at the line of the last."""
    body = node("N0", entry="true")
    for number, (line, data) in enumerate(edges):
        is_last = number + 1 == len(edges)
        body += node(f"N{number + 1}", **({"violation": "true"} if is_last else {}))
        body += edge(f"N{number}", f"N{number + 1}", line, **data)
    return body


def assumed(line: int, fact: str) -> tuple[int, dict[str, str]]:
    return line, {"assumption": f"{fact};", "assumption_scope": "main"}


def result(line: int, value: int) -> tuple[int, dict[str, str]]:
    told = {"assumption": f"\\result == {value};", "assumption_resultfunction": "in"}
    return line, told


def branch(line: int, value: str) -> tuple[int, dict[str, str]]:
    return line, {"control": f"condition-{value}"}


def error(line: int) -> tuple[int, dict[str, str]]:
    return line, {"enterFunction": "reach_error"}


def answer(folder: Path, program: str, *edges: tuple[int, dict[str, str]]) -> Verdict:
    text = graph(program, "violation_witness", path(*edges))
    return validate_text(folder, program, text).verdict


# --------------------------------------------------------------------------- places in the lines


def shown(program: str, line: int, *names: str, likely: bool = False) -> list[str]:
    """The points for an assumption about the names at a line, `!` behind the only one."""
    text = CText("a.c", (HEAD + program).encode())
    lines = Lines(text)
    place = Place("", line, line, None, "main")
    found: Points = (lines.likely if likely else lines.assuming)(place, frozenset(names))
    mark = "!" if found.is_exact else ""
    return [
        f"{point.way.name.lower()} {text.source(point.node).split(chr(10))[0]}{mark}"
        for point in found.points
    ]


ONE_LINE = "int main(int argc, char **argv) {\n  if (argc == 5) reach_error();\n}\n"


def test_the_target_in_the_line_of_the_condition() -> None:
    assert shown(ONE_LINE, 3, "argc") == [
        "before if (argc == 5) reach_error();",
        "before reach_error();",
        "after reach_error();",
    ]


def test_the_line_of_main_is_where_its_body_begins() -> None:
    assert shown(ONE_LINE, 2, "argc") == ["before {"]


@pytest.mark.parametrize(
    "line",
    ["int x = in();", "x = in();", "x = (int) in();", "x++;", "int x;"],
)
def test_one_statement_that_gives_the_value_is_the_place(line: str) -> None:
    program = f"int main(void) {{\n  int x;\n  {line}\n  return x;\n}}\n"
    assert shown(program, 4, "x") == [f"after {line}!"]


def test_an_assignment_in_a_condition() -> None:
    program = "int main(void) { int x;\n  if ((x = in()) > 3) reach_error();\n}\n"
    assert shown(program, 3, "x", likely=True) == ["value x = in()!"]
    assert shown(program, 3, "x") == [
        "before if ((x = in()) > 3) reach_error();",
        *("value x = in()", "value in()", "before reach_error();", "after reach_error();"),
    ]


def test_a_declaration_in_the_header_of_a_loop() -> None:
    program = "int main(void) {\n  for (int i = in(), j = 0; i < 3; i++, note(i))\n    ;\n}\n"
    whole = "for (int i = in(), j = 0; i < 3; i++, note(i))"
    assert shown(program, 3, "j", likely=True) == [f"condition {whole}!"]
    assert shown(program, 3, "i") == ["effect i++", "effect note(i)", f"condition {whole}"]


def test_a_value_that_only_a_call_can_change() -> None:
    program = "int main(void) {\n  note(in());\n}\n"
    assert shown(program, 3, "g") == ["before note(in());", "value in()", "after note(in());"]


def test_of_several_values_the_last_one() -> None:
    program = "int main(void) { int x, y;\n  x = in(); y = in();\n}\n"
    assert shown(program, 3, "x", "y", likely=True) == ["after y = in();!"]


def test_a_jump_has_no_step_after_it() -> None:
    program = "int main(void) { int x;\n  return x = in();\n}\n"
    assert shown(program, 3, "x", likely=True) == ["value x = in()!"]


def test_lines_without_a_step() -> None:
    with pytest.raises(PlaceError, match="no statement at line 4"):
        shown("int main(void) {\n  return 0;\n\n}\n", 4, "g")


# ------------------------------------------------------------------------------------- witnesses


@pytest.mark.parametrize("line", [3, pytest.param(2, marks=pytest.mark.full)])
def test_a_condition_and_the_target_in_one_line(tmp_path: Path, line: int) -> None:
    right = answer(tmp_path, HEAD + ONE_LINE, assumed(line, "argc == 5"), error(3))
    assert right is Verdict.CONFIRMED


@pytest.mark.full
@pytest.mark.parametrize("line", [3, 2])
def test_another_value_there_is_rejected(tmp_path: Path, line: int) -> None:
    wrong = answer(tmp_path, HEAD + ONE_LINE, assumed(line, "argc == 6"), error(3))
    assert wrong is Verdict.REJECTED


def test_code_that_no_run_comes_to_passes_no_waypoint(tmp_path: Path) -> None:
    """It is not compiled, and neither is the variable that counts the segments."""
    program = HEAD + "int main(void) {\n  if (in() == 5) reach_error();\n  return 0; g = 1;\n}\n"
    file = tmp_path / "a.c"
    file.write_text(program)
    place = Place(str(file), 4, 4, 13)
    segments = Segment((), Assumption(place, ("g == 1",))), Segment((), Target(Place("", 3, 3)))
    witness = ViolationWitness(About((), frozenset(), 64), segments)
    watch = watched(witness, [CText.read(file)])
    options = VerifyOptions(FrontendOptions(edited=watch.edited))
    loaded = load([file], options, Deadline.after(60))[1]
    found = interpreter.run(watch.gated(loaded), {}, REPLAY_LIMITS, draw=lambda _: 5)
    assert found.ending is Ending.BLOCKED


@pytest.mark.full
@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("if ((x = in()) == 7) reach_error();", assumed(3, "x == 7")),
        ("for (int i = in(); i == 7; i++) reach_error();", assumed(3, "i == 7")),
        ("for (x = in(); x == 7; x++) reach_error();", assumed(3, "x == 7")),
        ("while ((x = in()) == 7) reach_error();", assumed(3, "x == 7")),
        ("x = in(); if (x == 7) reach_error();", assumed(3, "x == 7")),
        ("int y = in(); if (y == 7) reach_error();", assumed(3, "y == 7")),
        ("if (in() == 7) reach_error();", result(3, 7)),
        ("x = in() == 7 ? (reach_error(), 1) : 2;", result(3, 7)),
        ("switch (x = in()) { case 7: reach_error(); }", assumed(3, "x == 7")),
        ("IS(x, 7)", assumed(3, "x == 7")),
        ("if (x == 7) reach_error();", assumed(3, "x == 7")),
    ],
)
def test_everything_in_one_line(
    tmp_path: Path, line: str, value: tuple[int, dict[str, str]]
) -> None:
    program = "#define IS(v, n) if (v == n) reach_error();\n" + HEAD.replace("\n", " ")
    program += f"int main(void) {{ int x;\n  {line}\n  return 0;\n}}\n"
    assert answer(tmp_path, program, value, error(3)) is Verdict.CONFIRMED
    data = {key: text.replace("7", "8") for key, text in value[1].items()}
    changed = answer(tmp_path, program, (3, data), error(3))
    assert changed is not Verdict.CONFIRMED


@pytest.mark.full
def test_two_calls_in_one_line(tmp_path: Path) -> None:
    program = HEAD + "int main(void) {\n  if (in() - in() == 7) reach_error();\n}\n"
    assert answer(tmp_path, program, result(3, 9), result(3, 2), error(3)) is Verdict.CONFIRMED
    wrong = answer(tmp_path, program, result(3, 9), result(3, 3), error(3))
    assert wrong is Verdict.REJECTED


@pytest.mark.full
@pytest.mark.parametrize("condition", ["x == 7 || x == 9", "x > 3 && x < 8", "x > 3 ? x < 8 : 0"])
def test_parts_of_a_condition_are_edges_of_others(tmp_path: Path, condition: str) -> None:
    """Where `&&` and `||` are branches of their own, a line has several, which none of ours is."""
    program = f"int main(void) {{ int x = in();\n  if ({condition})\n    reach_error();\n}}\n"
    parts = [branch(3, "false"), branch(3, "true")]
    if "||" not in condition:
        parts = [branch(3, "true"), branch(3, "true")]
    value = 9 if "||" in condition else 7
    found = answer(tmp_path, HEAD + program, assumed(2, f"x == {value}"), *parts, error(4))
    assert found is Verdict.CONFIRMED


@pytest.mark.full
def test_a_value_that_holds_in_the_header_and_not_in_the_body(tmp_path: Path) -> None:
    program = HEAD + "int main(void) { int x = 0;\n  while (x < 3) x = in();\n  if (x == 5)"
    program += " reach_error();\n}\n"
    found = answer(tmp_path, program, assumed(3, "x == 2"), assumed(3, "x == 5"), error(4))
    assert found is not Verdict.REJECTED


@pytest.mark.full
@pytest.mark.parametrize("second", ["y == 3", "y == 4"])
def test_several_edges_at_one_step(tmp_path: Path, second: str) -> None:
    """Each visit might pass one of them or all."""
    program = (
        HEAD + "int main(void) {\n  int x = in(), y = x + 1;\n  if (x == 2) reach_error();\n}\n"
    )
    edges = assumed(3, "x == 2"), assumed(3, second), error(4)
    wanted = Verdict.UNKNOWN if second == "y == 3" else Verdict.REJECTED
    assert answer(tmp_path, program, *edges) is wanted
