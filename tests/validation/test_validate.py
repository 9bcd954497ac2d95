"""Witnesses of others: what a run follows is confirmed, what no run follows is rejected."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import EXAMPLES, sea_py
from witness_files import (
    correctness,
    document,
    edge,
    graph,
    node,
    validate_text,
    violation,
    waypoint,
)

from seahorn_py.base.errors import SeaError, Span
from seahorn_py.csource.syntax import CText
from seahorn_py.frontend.compiling.compiler import Macro
from seahorn_py.ir.run import RunLimits
from seahorn_py.options import Encodings, EngineName, Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.validation import following
from seahorn_py.validation.expression import ExpressionError
from seahorn_py.validation.guide import guide
from seahorn_py.validation.hints import verify_with
from seahorn_py.validation.macros import effects
from seahorn_py.validation.places import PlaceError
from seahorn_py.validation.verdict import Verdict
from seahorn_py.validation.watching import watched
from seahorn_py.witness.fields import specification
from seahorn_py.witness.witness import (
    About,
    Assumption,
    Invariant,
    Place,
    Returned,
    Segment,
    ViolationWitness,
)
from seahorn_py.witness.yaml import witnesses as witness_yaml

TWO = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  if (x > 100 && y == x + 1) {
    reach_error();
  }
  return 0;
}
"""
READ_X, READ_Y = "4:33", "5:33"
TARGET = waypoint("target", "7:5")

ALL = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int twice(int a) { return a + a; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  int n = 0;
  while (x > 0) {
    x = twice(x) - x - 1;
    n = n + (x == 2 ? 10 : 1);
  }
  switch (n) {
    case 3: n = 30; break;
    case 13: n = 31;
    default: n = 32;
  }
  for (;;) {
    if (n == 32) reach_error();
    return 0;
  }
}
"""

LOOP = """\
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0, s = 0;
  if (n > 1000) return 0;
  while (i < n) {
    s = s + 2;
    i = i + 1;
  }
  if (s != 2 * n) reach_error();
  return 0;
}
"""


def returned(at: str, value: int) -> dict[str, object]:
    return waypoint("function_return", at, f"\\result == {value}")


# ------------------------------------------------------------------------------------- violations


def test_values_of_calls(tmp_path: Path) -> None:
    branch = waypoint("branching", "6:3", "true")
    witness = violation(TWO, returned(READ_X, 101), returned(READ_Y, 102), branch, TARGET)
    found = validate_text(tmp_path, TWO, witness)
    assert found.verdict is Verdict.CONFIRMED, found
    assert re.fullmatch(
        r"a run follows the 4 waypoints and violates unreach-call at .*a\.c:7:5 \(.*native run\)",
        found.reason,
    )


LONG = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned i = 0, odd = 0;
  int n = __VERIFIER_nondet_int();
  while (i < 3000000) {
    i = i + 1;
    odd = odd ^ 1;
  }
  if (n == 7 && odd == 0)
    reach_error();
  return 0;
}
"""


@pytest.mark.parametrize(
    ("value", "branch", "confirmed"), [(7, "true", True), (7, "false", False), (8, "true", False)]
)
def test_a_run_that_is_too_long_to_be_interpreted_is_followed_natively(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: int, branch: str, confirmed: bool
) -> None:
    monkeypatch.setattr(following, "REPLAY_LIMITS", RunLimits(seconds=10, steps=10_000))
    nothing = VerificationResult(Answer.UNKNOWN)
    monkeypatch.setattr(following, "verify", lambda *_, **__: nothing)
    points = [returned("5:33", value), waypoint("branching", "10:3", branch)]
    witness = violation(LONG, *points, waypoint("target", "11:5"))
    found = validate_text(tmp_path, LONG, witness)
    assert found.verdict is (Verdict.CONFIRMED if confirmed else Verdict.UNKNOWN), found
    assert ("(native run)" in found.reason) is confirmed


def test_behind_the_name_of_a_macro_there_may_be_a_label() -> None:
    """A run that has not passed all waypoints ends before the statement: no way leads around."""
    program = LONG.replace("reach_error();\n  return", "ERROR;\n  return")
    text = f"#define ERROR lost: reach_error()\n{program}".encode()
    witness = violation(program, waypoint("target", "12:5"))
    read = witness_yaml.witness(json.dumps(witness).encode())
    assert isinstance(read, ViolationWitness)
    at = Span("a.c", 12, 5, "main")
    (found, other) = (
        watched(read, [CText("a.c", text, replaced)]).statement(at)
        for replaced in (frozenset[str](), frozenset({"ERROR"}))
    )
    assert found is not None and other is None


@pytest.mark.full
def test_what_thousands_of_waypoints_say_is_said_once(tmp_path: Path) -> None:
    program = TWO.replace(
        "  if (", "  for (int i = 0; i < 5000; i++) y += __VERIFIER_nondet_int();\n  if ("
    )
    zeros = [returned("6:61", 0)] * 5000
    values = [returned(READ_X, 101), returned(READ_Y, 102), *zeros]
    witness = violation(program, *values, waypoint("target", "8:5"))
    read = witness_yaml.witness(json.dumps(witness).encode())
    assert isinstance(read, ViolationWitness)
    ((_, edited),) = watched(read, [CText("a.c", program.encode())]).edited
    assert edited.count(b"== 0)") == 1
    found = validate_text(tmp_path, program, witness)
    assert found.verdict is Verdict.CONFIRMED, found


@pytest.mark.full
def test_values_that_the_witness_leaves_open_are_searched(tmp_path: Path) -> None:
    found = validate_text(
        tmp_path, TWO, violation(TWO, waypoint("assumption", "5", "x > 4000"), TARGET)
    )
    assert found.verdict is Verdict.CONFIRMED, found


def test_a_wrong_value_is_rejected(tmp_path: Path) -> None:
    witness = violation(TWO, returned(READ_X, 101), returned(READ_Y, 103), TARGET)
    found = validate_text(tmp_path, TWO, witness)
    assert found.verdict is Verdict.REJECTED, found


PASSING = [
    waypoint("function_return", "5:33", "\\result >= 3 && \\result != 4"),
    waypoint("branching", "7:3", "true"),
    waypoint("function_enter", "8:16"),
    waypoint("assumption", "9:5", "x == 2"),
    waypoint("branching", "9:21", "true"),
    (waypoint("assumption", "9", "x == 1", "avoid"), waypoint("branching", "7", "true")),
    waypoint("branching", "7", "true"),
    waypoint("branching", "7", "false"),
    waypoint("branching", "11", "default"),
    waypoint("branching", "17", "true"),
    waypoint("target", "17:18"),
]
"""The run with 3: the loop turns three times, n is 12."""


def test_all_kinds_of_waypoints(tmp_path: Path) -> None:
    found = validate_text(tmp_path, ALL, violation(ALL, *PASSING))
    assert found.verdict is Verdict.CONFIRMED, found


@pytest.mark.full
@pytest.mark.parametrize(
    ("position", "changed"),
    [
        (1, waypoint("branching", "7:3", "false")),
        (2, waypoint("function_return", "8:16", "\\result == 5")),
        (3, waypoint("assumption", "9:5", "x != 2")),
        (4, waypoint("branching", "9:21", "false")),
        (
            5,
            (
                waypoint("assumption", "9", "x == 2", "avoid"),
                waypoint("branching", "11", "default"),
            ),
        ),
        (8, waypoint("branching", "11", "3")),
        (9, waypoint("branching", "17", "false")),
    ],
)
def test_each_kind_of_waypoint_excludes_runs(
    tmp_path: Path, position: int, changed: dict[str, object]
) -> None:
    first = [returned("5:33", 3), *PASSING[1:]]
    witness = violation(ALL, *first[:position], changed, *first[position + 1 :])
    if position == 5:
        # x is 1 at line 9 before the loop ends, and 0 in the last turn
        witness = violation(ALL, *first[:5], changed, PASSING[-1])
        assert validate_text(tmp_path, ALL, witness).verdict is Verdict.CONFIRMED
        text = json.dumps(witness).replace("x == 2", "x == 1")
        witness = json.loads(text)
    assert validate_text(tmp_path, ALL, witness).verdict is Verdict.REJECTED


@pytest.mark.full
def test_the_violation_is_at_the_target_and_in_the_last_segment(tmp_path: Path) -> None:
    program = TWO.replace("return 0;", "if (x == 3) reach_error();\n  return 0;")
    inputs = (returned(READ_X, 3), returned(READ_Y, 5))
    there = violation(program, *inputs, waypoint("target", "9:15"))
    assert validate_text(tmp_path, program, there).verdict is Verdict.CONFIRMED
    elsewhere = violation(program, *inputs, TARGET)
    assert validate_text(tmp_path, program, elsewhere).verdict is Verdict.REJECTED


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (waypoint("assumption", "6:4", "x == 1"), "no statement at a.c:6:4"),
        (waypoint("branching", "4", "true"), "no branch at a.c:4"),
        (waypoint("function_return", "3", "\\result == 1"), "no call at a.c:3"),
        (waypoint("assumption", "6:3", "x = 200"), "assignment expression"),
        (waypoint("assumption", "6:3", "reach_error() == 1"), "call expression"),
        (waypoint("branching", "6:3", "maybe"), "a branch is true or false"),
    ],
)
def test_what_cannot_be_followed(changed: dict[str, object], why: str) -> None:
    read = witness_yaml.witness(json.dumps(violation(TWO, changed, TARGET)).encode())
    assert isinstance(read, ViolationWitness)
    with pytest.raises((PlaceError, ExpressionError), match=why):
        watched(read, [CText("a.c", TWO.encode())])


def test_what_does_not_compile_is_unknown(tmp_path: Path) -> None:
    witness = violation(TWO, waypoint("assumption", "6:3", "zz == 1"), TARGET)
    found = validate_text(tmp_path, TWO, witness)
    assert found.verdict is Verdict.UNKNOWN
    assert re.search("does not compile: .*undeclared", found.reason) and len(found.lines()) == 2


@pytest.mark.full
def test_an_unknown_function_or_file_is_unknown(tmp_path: Path) -> None:
    text = json.dumps(violation(TWO, TARGET)).replace('"file_name": "a.c"', '"file_name": "b.c"')
    witness = json.loads(text)
    assert "no file b.c" in validate_text(tmp_path, TWO, witness).reason


@pytest.mark.full
def test_overflow_at_the_start_of_the_statement(tmp_path: Path) -> None:
    program = "int in(void);\nint main(void) {\n  int x = in();\n  x = x + 1;\n  return x;\n}\n"
    witness = violation(
        program,
        returned("3:14", 2147483647),
        waypoint("target", "4"),
        specification="CHECK( init(main()), LTL(G ! overflow) )",
    )
    assert validate_text(tmp_path, program, witness).verdict is Verdict.CONFIRMED


@pytest.mark.full
def test_a_path_of_graphml(tmp_path: Path) -> None:
    nodes = node("N0", entry="true") + node("N1") + node("N2") + node("E", violation="true")
    path = (
        edge("N0", "N1", 4, assumption="x == 101;", assumption_scope="main")
        + edge(
            "N1",
            "N2",
            5,
            assumption="\\result == 102;",
            assumption_resultfunction="__VERIFIER_nondet_int",
        )
        + edge("N2", "E", 7, enterFunction="reach_error")
    )
    text = graph(TWO, "violation_witness", nodes + path)
    assert validate_text(tmp_path, TWO, text).verdict is Verdict.CONFIRMED


@pytest.mark.full
def test_a_step_that_is_not_looked_at_rejects_nothing(tmp_path: Path) -> None:
    program = """\
int in(void); void reach_error(void);
int main(void) {
  int x = 0, n = 0;
  while (n < 2) {
    x = in();
    n++;
  }
  if (x == 7) reach_error();
}
"""
    nodes = node("N0", entry="true") + node("N1") + node("N2") + node("E", violation="true")
    first, last = edge("N0", "N1", 5), edge("N2", "E", 8)
    value = {"assumption": "x == 7 &amp;&amp; n == 1;"}
    text = graph(program, "violation_witness", nodes + first + edge("N1", "N2", 5, **value) + last)
    assert validate_text(tmp_path, program, text).verdict is Verdict.UNKNOWN
    wrong = text.replace("n == 1", "n == 2")
    assert validate_text(tmp_path, program, wrong).verdict is Verdict.REJECTED


@pytest.mark.full
def test_a_graph_with_other_paths_is_not_rejected(tmp_path: Path) -> None:
    nodes = node("N0", entry="true") + node("N1") + node("N2") + node("E", violation="true")
    edges = (
        edge("N0", "E", 7, control="condition-false")
        + edge("N0", "N1", 4)
        + edge("N1", "N2", 5)
        + edge("N2", "E", 7)
    )
    text = graph(TWO, "violation_witness", nodes + edges)
    assert validate_text(tmp_path, TWO, text).verdict is Verdict.UNKNOWN


# -------------------------------------------------------------------------------------- agreement


@pytest.mark.parametrize(
    ("old", "new", "frontend", "why"),
    [
        ("LP64", "ILP32", {}, "32-bit programs: use -m32"),
        ("LP64", "LP64", {"bits": 32}, "64-bit programs: use -m64"),
        ('"a.c": "', '"a.c": "0', {}, "no hash is that of .*a.c"),
        (
            "",
            "",
            {"properties": frozenset({Property.NO_OVERFLOW})},
            "another property: unreach-call",
        ),
    ],
)
def test_another_task_is_an_error(
    tmp_path: Path, old: str, new: str, frontend: dict[str, object], why: str
) -> None:
    text = json.dumps(violation(TWO, TARGET)).replace(old, new) if old else None
    witness = json.loads(text) if text else violation(TWO, TARGET)
    with pytest.raises(SeaError, match=why):
        validate_text(tmp_path, TWO, witness, **frontend)


@pytest.mark.full
def test_a_violated_part_is_about_the_whole_property(tmp_path: Path) -> None:
    program = "int main(void) {\n  int *p = 0;\n  return *p;\n}\n"
    witness = violation(
        program, waypoint("target", "3"), specification="CHECK( init(main()), LTL(G valid-deref) )"
    )
    asked = frozenset({Property.VALID_MEMSAFETY})
    found = validate_text(tmp_path, program, witness, properties=asked)
    assert found.verdict is Verdict.CONFIRMED, found


def test_a_proof_of_all_parts_is_about_the_whole_property(tmp_path: Path) -> None:
    program = "int main(void) {\n  return 0;\n}\n"
    asked = frozenset({Property.VALID_MEMSAFETY})
    witness = correctness(program, specification=specification(asked))
    found = validate_text(tmp_path, program, witness, properties=asked)
    assert found.verdict is Verdict.CONFIRMED, found
    part = correctness(program, specification=specification(frozenset({Property.VALID_FREE})))
    with pytest.raises(SeaError, match="another property: valid-free"):
        validate_text(tmp_path, program, part, properties=asked)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(TWO)
    witness = violation(TWO, returned(READ_X, 101), returned(READ_Y, 102), TARGET)
    (tmp_path / "w.yml").write_text(json.dumps(witness))
    done = sea_py("validate", "w.yml", "a.c", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    first, last = done.stdout.splitlines()
    assert last == "confirmed" and first.startswith("a run follows the 3 waypoints")
    for arguments in (("none.yml", "a.c"), ("w.yml", "none.c"), ("w.yml", "w.yml"), ("a.c", "a.c")):
        done = sea_py("validate", *arguments, cwd=tmp_path)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done


# ------------------------------------------------------------------------------------- invariants

STRONG = "s == 2 * i && i <= n && n <= 1000"


def test_invariants_that_hold(tmp_path: Path) -> None:
    witness = correctness(
        LOOP, ("loop_invariant", "6:3", STRONG), ("location_invariant", "10:3", "s == 2 * n")
    )
    found = validate_text(tmp_path, LOOP, witness)
    assert found.verdict is Verdict.CONFIRMED, found
    assert found.reason.startswith("the program is safe and its 2 invariants hold: ")


@pytest.mark.parametrize(
    ("kind", "at", "text"),
    [("loop_invariant", "6", "i < n"), ("location_invariant", "8:5", "s == 2 * i")],
)
def test_an_invariant_that_a_run_violates(tmp_path: Path, kind: str, at: str, text: str) -> None:
    witness = correctness(LOOP, ("loop_invariant", "6:3", STRONG), (kind, at, text))
    found = validate_text(tmp_path, LOOP, witness)
    assert found.verdict is Verdict.REJECTED
    assert f"violates the invariant `{text}` at a.c:{at}" in found.reason


@pytest.mark.full
@pytest.mark.parametrize(
    ("ending", "wrong"),
    [("*(int *)0 == 0", "i == 5"), ("i / 0 == i / 0", "i >= 1"), ("((int *)0)[i] == 1", "s < 0")],
)
def test_no_invariant_hides_behind_one_without_a_value(
    tmp_path: Path, ending: str, wrong: str
) -> None:
    """The first ended all runs, so that the second held in all: the witness was confirmed."""
    witness = correctness(LOOP, ("loop_invariant", "6:3", ending), ("loop_invariant", "6:3", wrong))
    found = validate_text(tmp_path, LOOP, witness)
    assert found.verdict is Verdict.REJECTED, found
    assert f"violates the invariant `{wrong}` at a.c:6:3" in found.reason


@pytest.mark.full
def test_an_unsafe_program_has_no_correctness_witness(tmp_path: Path) -> None:
    found = validate_text(tmp_path, TWO, document("invariant_set", TWO, []))
    assert found.verdict is Verdict.REJECTED
    assert "violates unreach-call at" in found.reason


@pytest.mark.full
def test_places_of_invariants(tmp_path: Path) -> None:
    program = """\
void reach_error(void);
int main(void) {
  int i = 0;
  for (;;) { if (i == 3) break; i++; }
  do i++; while (i < 6);
  if (i == 6)
    i = 7;
  else
    reach_error();
  goto end;
end: i++;
  switch (i) { case 8: i = 9; break; default: reach_error(); }
  return 0;
}
"""
    witness = correctness(
        program,
        ("loop_invariant", "4:3", "i <= 3"),
        ("loop_invariant", "4:3", "i >= 0"),
        ("loop_invariant", "5:3", "i >= 4"),
        ("location_invariant", "7:5", "i == 6"),
        ("location_invariant", "11:1", "i == 7"),
        ("location_invariant", "12:24", "i == 8"),
        ("location_invariant", "12:16", "i == 8"),
    )
    found = validate_text(tmp_path, program, witness)
    assert found.verdict is Verdict.CONFIRMED, found


@pytest.mark.full
def test_an_invariant_that_ends_runs_proves_nothing(tmp_path: Path) -> None:
    program = TWO.replace("  if (x >", "  y = y;\n  if (x >")
    witness = correctness(program, ("location_invariant", "6:3", "1 / (x - x) == 1"))
    assert validate_text(tmp_path, program, witness).verdict is Verdict.REJECTED


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("x + 1 > x", Verdict.UNKNOWN),
        ("x < 100", Verdict.REJECTED),
        ("x + 1LL > x", Verdict.CONFIRMED),
    ],
)
def test_invariants_and_other_properties(tmp_path: Path, text: str, verdict: Verdict) -> None:
    program = "int in(void);\nint main(void) {\n  int x = in();\n  return x / 2;\n}\n"
    witness = correctness(
        program,
        ("location_invariant", "4:3", text),
        specification="CHECK( init(main()), LTL(G ! overflow) )",
    )
    assert validate_text(tmp_path, program, witness).verdict is verdict


@pytest.mark.full
def test_a_place_near_a_line_is_not_rejected(tmp_path: Path) -> None:
    body = node("N0", entry="true") + node("N1", invariant="s == 1") + edge("N0", "N1", 5)
    text = graph(LOOP, "correctness_witness", body)
    found = validate_text(tmp_path, LOOP, text)
    assert found.verdict is Verdict.UNKNOWN
    assert "its place is not told exactly" in found.reason


# ------------------------------------------------------------------------------------------ hints

SUM = """\
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  unsigned long i = 0, s = 0;
  if (n > 10000) return 0;
  while (i < n) {
    i = i + 1;
    s = s + i;
  }
  if (2 * s != (unsigned long)n * (n + 1ul)) reach_error();
  return 0;
}
"""


def hint(line: int, text: str) -> Invariant:
    return Invariant(Place("", line, line), text, loop=True)


@pytest.mark.full
def test_hints_prove_what_is_not_proved_without(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(SUM)
    hints = [hint(7, "i < n"), hint(7, "2 * s == i * (i + 1) && i <= n && n <= 10000")]
    hints += [hint(7, "zz == 1"), hint(7, "i / n == 1"), hint(8, "1"), hint(7, "i = 1")]
    options = VerifyOptions(encoding=Encodings.INT, engines=(EngineName.KINDUCTION,), timeout=300)
    result = verify_with([file], options, hints)
    assert result.answer is Answer.SAFE
    assert result.evidence[-1] == "1 suggested invariant proved"
    dropped = [w.partition("not used: ")[2] for w in result.warnings]
    assert dropped[:3] == [
        "it divides or reads memory, which may end a run",
        "no loop at line 8",
        "a assignment expression is not allowed in it",
    ]
    assert "undeclared" in dropped[3] and dropped[4:] == ["a run violates it"]


@pytest.mark.full
def test_hints_do_not_hide_a_violation(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(LOOP.replace("s != 2 * n", "s == 2 * n"))
    result = verify_with(
        [file], VerifyOptions(timeout=300), [hint(6, "s == 2 * i"), hint(6, "i < 5")]
    )
    assert result.answer is Answer.UNSAFE and result.violation is not None
    assert result.violation.text == "reach_error()"
    places = {step.place.file for step in result.violation.trace if step.place is not None}
    assert places == {str(file)}


def test_hints_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(LOOP)
    (tmp_path / "i.yml").write_text("- {line: 6, invariant: s == 2 * i}\n")
    done = sea_py("pf", "--invariants", "i.yml", "--timeout", "300", "a.c", cwd=tmp_path)
    assert done.returncode == 0, done
    assert "evidence: 1 suggested invariant proved" in done.stdout
    (tmp_path / "i.yml").write_text("- {line: 6}\n")
    done = sea_py("pf", "--invariants", "i.yml", "a.c", cwd=tmp_path)
    assert done.returncode == 2 and "i.yml: the key invariant is missing" in done.stderr


# ------------------------------------------------------------------------------------------ macros

QUITTING = """\
extern int in(void);
extern void abort(void), reach_error(void);
static int quit(void) { abort(); return 1; }
MACRO
int main(void) {
  int x = in(), i = 0;
  while (i < 3) i++;
  if (x == 5) reach_error();
  return 0;
}
"""


@pytest.mark.parametrize(
    ("macro", "text"),
    [("#define LIMIT quit()", "LIMIT >= 0"), ("#define if(c) for (; quit() + (c);)", "i >= 0")],
)
def test_an_invariant_through_a_macro_hides_no_violation(
    tmp_path: Path, macro: str, text: str
) -> None:
    """With the call in it every run would end at the loop: safe, and the invariant proved."""
    file = tmp_path / "a.c"
    program = QUITTING.replace("MACRO", macro).replace("if (x", "while (x")
    file.write_text(program)
    result = verify_with([file], VerifyOptions(timeout=300, executions=0.05), [hint(7, text)])
    assert result.answer is Answer.UNSAFE
    assert result.warnings and "is a macro that is more than a constant" in result.warnings[0]
    witness = correctness(program, ("loop_invariant", "7:3", text))
    found = validate_text(tmp_path, program, witness)
    assert found.verdict is Verdict.UNKNOWN and "macro" in found.reason


GUARDED = """\
extern int in(void);
extern void reach_error(void);
int main(void) {
  int x = in(), y = 1;
  if (x != 3)
#ifndef NOTHING
    y = 0;
#endif
  if (y) { reach_error(); }
  return 0;
}
"""
LABELLED = """\
extern int in(void);
extern void reach_error(void);
int main(void) {
  int x = in(), y = 0;
  {
    M:
    int y = x;
    if (y == 3) reach_error();
  }
}
"""


@pytest.mark.full
@pytest.mark.parametrize("program", [GUARDED, LABELLED], ids=["body", "label"])
def test_a_place_that_would_change_the_program(tmp_path: Path, program: str) -> None:
    """A statement at line 7 takes the place of the body, and that of what the label stands at."""
    file = tmp_path / "a.c"
    file.write_text(program)
    options = VerifyOptions(timeout=300, executions=0.05)
    why = "cannot be put in its place without changing the program"
    result = verify_with([file], options, [Invariant(Place("", 7, 7), "x == x", loop=False)])
    assert result.answer is Answer.UNSAFE and why in result.warnings[0]
    witness = correctness(program, ("location_invariant", "7:5", "x == x"))
    found = validate_text(tmp_path, program, witness)
    assert found.verdict is Verdict.UNKNOWN and why in found.reason
    line = next(n for n, text in enumerate(program.splitlines(), 1) if "if (y" in text)
    column = program.splitlines()[line - 1].index("reach") + 1
    steps = waypoint("assumption", "7:5", "x == x"), waypoint("target", f"{line}:{column}")
    found = validate_text(tmp_path, program, violation(program, *steps))
    assert found.verdict is Verdict.UNKNOWN and "without changing the program" in found.reason


def test_letters_of_other_scripts(tmp_path: Path) -> None:
    """A macro may have any name; an expression is in ASCII."""
    file = tmp_path / "a.c"
    file.write_text(QUITTING.replace("MACRO", "#define \u00e9 quit()"))
    result = verify_with(
        [file], VerifyOptions(timeout=300, executions=0.05), [hint(7, "\u00e9 > 0")]
    )
    assert result.answer is Answer.UNSAFE
    assert "no C expression without effects" in result.warnings[0]


def test_macros_that_are_constants() -> None:
    defined = (
        Macro("TOP", "", "((BASE) - 1)"),
        Macro("BASE", "", "(sizeof(unsigned long) << 3)"),
        Macro("NULL", "", "((void *) 0)"),
        Macro("LAST", "", "TOP"),
        Macro("LAST", "", "variable"),
        Macro("EMPTY", "", ""),
        Macro("STEP", "", "i++"),
        Macro("RATIO", "", "1 / 0"),
        Macro("if", "(c)", "1"),
    )
    wrong = {"LAST", "EMPTY", "STEP", "RATIO", "if", "__COUNTER__"}
    assert effects(defined) == wrong


# ------------------------------------------------------------------------------------------ guide


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("-7", -7), ("0x10U", 16), ("(-2147483647 - 1)", -2147483648), ("1.5f", 1.5)],
)
def test_the_guide_reads_constants(tmp_path: Path, text: str, value: float) -> None:
    source = CText("a.c", TWO.encode())
    place = Place("a.c", 5, 5)
    segments = [
        Segment((), Assumption(place, (f"x == {text}",))),
        Segment((), Returned(Place("a.c", 5, 5, 33), f"\\result == {text}")),
    ]
    witness = ViolationWitness(About((), frozenset(), 64), tuple(segments))
    assert {key[1:]: list(q) for key, q in guide(witness, [source]).calls.items()} == {
        (4, 11): [value],
        (5, 11): [value],
    }


# ----------------------------------------------------------------------------------- our witnesses


def answers(path: Path, tmp_path: Path) -> list[str]:
    """What validate says of the witnesses that pf writes, read cold."""
    text = path.read_text()
    asked = re.search(r"property: ([\w-]+)", text)
    bits = re.search(r"bits: (\d+)", text)
    options = [f"-m{bits[1]}"] if bits else []
    options += ["--property", asked[1]] if asked else []
    witnesses = [tmp_path / "w.yml", tmp_path / "w.graphml"]
    written = [argument for file in witnesses for argument in ("--witness", file)]
    sea_py("pf", *options, *written, path)
    done = [sea_py("validate", *options, file, path) for file in witnesses]
    return [d.stdout.splitlines()[-1] if d.stdout else d.stderr for d in done]


@pytest.mark.full
@pytest.mark.parametrize("name", ["old_style_unsafe"])
def test_our_own_witnesses(name: str, tmp_path: Path) -> None:
    assert answers(EXAMPLES / f"{name}.c", tmp_path) == ["confirmed"] * 2


@pytest.mark.full
def test_a_file_by_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # debug records name the file relative to here
    found = validate_text(tmp_path, TWO, violation(TWO, returned(READ_X, 101), TARGET))
    assert found.verdict is Verdict.CONFIRMED, found


@pytest.mark.full
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.c")), ids=lambda path: path.stem)
def test_our_own_witnesses_of_all_examples(path: Path, tmp_path: Path) -> None:
    assert answers(path, tmp_path) == ["confirmed"] * 2
