"""Witnesses of termination: what they say is checked, whatever it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from witness_files import document, place, validate_text, waypoint

from seahorn_py.cli.commands.validate import validate
from seahorn_py.csource.syntax import CText
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.macros import looping
from seahorn_py.validation.verdict import Verdict
from seahorn_py.validation.wellfounded import Between, strict_orders, well_founded

ENDS = "CHECK( init(main()), LTL(F end) )"
COUNTER = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = 0;
  while (x > 0) {
    x = x - 1;
    y = y + 1;
  }
  return 0;
}
"""
LOOP = "5:3"


def relations(program: str, *told: tuple[str, str]) -> Any:
    content = [
        {
            "invariant": {
                "type": "loop_transition_invariant",
                "location": place(at),
                "value": value,
                "format": "ext_c_expression",
            }
        }
        for at, value in told
    ]
    return document("invariant_set", program, content, ENDS)


@pytest.mark.full
@pytest.mark.parametrize(
    ("relation", "verdict", "why"),
    [
        (r"\at(x, AnyPrev) > 0 && x < \at(x, AnyPrev)", "confirmed", "1 relation of the witness"),
        (r"\at(x, AnyPrev) > 0 && x < \at(x, AnyPrev) - 1", "rejected", "violates the relation"),
        (r"\at(y, AnyPrev) > y", "rejected", "violates the relation"),
        (r"\at(x, AnyPrev) >= x", "unknown", "well-founded"),
        (r"\at(x, LastPrev) > x", "unknown", "no C expression"),
        (r"\at(x, AnyPrev) / x > 1", "unknown", "divides"),
        (r"x >= 0", "unknown", "without"),
        (r"\at(z, AnyPrev) > z", "unknown", "z is not known"),
        (r"\at(x, AnyPrev) > x); abort(); (1", "unknown", "no C expression"),
    ],
)
def test_a_relation_is_believed_only_where_it_is_proved(
    relation: str, verdict: str, why: str, tmp_path: Path
) -> None:
    found = validate_text(tmp_path, COUNTER, relations(COUNTER, (LOOP, relation)))
    assert found.verdict is Verdict(verdict), found
    assert why in found.reason


@pytest.mark.full
def test_a_relation_does_not_make_a_run_end(tmp_path: Path) -> None:
    """It holds of the loop that it is about, and another one does not end."""
    program = COUNTER.replace("return 0;", "while (y >= 0) x = 0;\n  return 0;")
    told = relations(program, (LOOP, r"\at(x, AnyPrev) > 0 && x < \at(x, AnyPrev)"))
    assert validate_text(tmp_path, program, told).verdict is not Verdict.CONFIRMED


def test_visits_of_one_execution_of_a_loop_are_compared(tmp_path: Path) -> None:
    program = """\
int main(void) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) { }
  return 0;
}
"""
    told = relations(program, ("3:5", r"\at(j, AnyPrev) < j && j < 5"))
    found = validate_text(tmp_path, program, told)
    assert found.verdict is Verdict.CONFIRMED, found


def between(expression: str) -> Between:
    return Between((("int", "x"), ("int", "y")), expression.replace("@", "sea_witness_before_"))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("@x > x", True),
        ("@x > x || (@x == x && @y < y)", True),
        ("@x >= x", False),
        ("@x > x || @y > y", False),
    ],
)
def test_strict_orders(expression: str, expected: bool) -> None:
    found = [between(expression)]
    assert strict_orders(found, VerifyOptions(), Deadline.after(60)) is expected


@pytest.mark.full
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("@x > x && x >= 0", True),
        ("(@x > x && x >= 0) || (@y > y && y >= 0)", True),  # each of them is
        ("@x >= x && x >= 0", False),
    ],
)
def test_well_founded_relations(expression: str, expected: bool) -> None:
    deadline = Deadline.after(120 if expected else 6)
    assert well_founded(between(expression), VerifyOptions(), deadline) is expected


@pytest.mark.parametrize(
    ("kind", "given", "seconds"),
    [
        ("invariant_set", (), 300),
        ("violation_sequence", (), 90),
        ("invariant_set", ("--timeout", "7"), 7),
    ],
)
def test_the_time_limit_is_that_of_the_kind(
    kind: str, given: tuple[str, ...], seconds: float, tmp_path: Path
) -> None:
    (tmp_path / "a.c").write_text(COUNTER)
    file = tmp_path / "w.yml"
    file.write_text(json.dumps(document(kind, COUNTER, [], ENDS)))
    context = validate.make_context("validate", [*given, str(file), str(tmp_path / "a.c")])
    assert context.params["timeout"] == seconds


# -------------------------------------------------------------------------------------- cycles

STUCK = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int i = __VERIFIER_nondet_int();
  while (i > 0) {
    if (i != 5)
      i = i - 1;
  }
  while (i == 0)
    i = 0;
  return 0;
}
"""
FIVE = waypoint("assumption", "4:3", "i == 5")
STAYS = waypoint("branching", "4:3", "true", "cycle")


def lasso(program: str, *segments: Any) -> Any:
    content = [{"segment": [segment]} for segment in segments]
    return document("violation_sequence", program, content, ENDS)


@pytest.mark.full
@pytest.mark.parametrize(
    ("segments", "verdict"),
    [
        ((FIVE, STAYS), "confirmed"),
        pytest.param(
            (waypoint("assumption", "5:5", "i == 5", "cycle"),), "confirmed", marks=pytest.mark.full
        ),
        # the run ends
        pytest.param(
            (waypoint("assumption", "4:3", "i == -1"), STAYS), "rejected", marks=pytest.mark.full
        ),
        # it goes on, but somewhere else than the witness says
        pytest.param(
            (waypoint("assumption", "4:3", "i == 3"), STAYS), "rejected", marks=pytest.mark.full
        ),
        ((FIVE, waypoint("branching", "5:5", "true", "cycle")), "rejected"),
        pytest.param(
            (FIVE, waypoint("assumption", "5:5", "i == 4", "cycle")),
            "rejected",
            marks=pytest.mark.full,
        ),
        pytest.param(
            (FIVE, waypoint("assumption", "9:5", "1", "cycle")), "unknown", marks=pytest.mark.full
        ),
        ((FIVE, waypoint("assumption", "5:5", "i = 5", "cycle")), "unknown"),
        ((FIVE, waypoint("assumption", "40:5", "i == 5", "cycle")), "unknown"),
    ],
)
def test_a_cycle_is_believed_only_where_a_run_goes_round_it(
    segments: Any, verdict: str, tmp_path: Path
) -> None:
    found = validate_text(tmp_path, STUCK, lasso(STUCK, *segments))
    assert found.verdict is Verdict(verdict), found


CALLS = """\
extern int __VERIFIER_nondet_int(void);
int f(int x) {
  return x < 5 ? 1 : f(x == 5 ? 6 : 5) + 1;
}
int main(void) {
  return f(__VERIFIER_nondet_int());
}
"""


@pytest.mark.full
def test_calls_without_end_fill_the_stack_of_native_runs(tmp_path: Path) -> None:
    told = lasso(CALLS, waypoint("assumption", "3:3", "1", "cycle"))
    found = validate_text(tmp_path, CALLS, told)
    assert found.verdict is Verdict.CONFIRMED, found


@pytest.mark.full
def test_rounds_of_a_loop_in_a_macro_are_not_counted(tmp_path: Path) -> None:
    program = STUCK.replace("while (i > 0)", "EVER").replace(
        "int main", "#define EVER while (i > 0)\nint main"
    )
    told = lasso(program, waypoint("assumption", "6:5", "i == 5", "cycle"))
    found = validate_text(tmp_path, program, told)
    assert found.verdict is Verdict.UNKNOWN, found
    assert "EVER" in found.reason


@pytest.mark.full
def test_a_run_may_stay_where_no_rounds_are_counted(tmp_path: Path) -> None:
    (tmp_path / "spin.h").write_text("static inline void spin(void) { for (;;); }\n")
    before = '#include "spin.h"\nint main(void) {\n  int x = 3;\n  spin();\n'
    program = f"{before}  while (x == 3) {{\n    x = 4;\n  }}\n  return 0;\n}}\n"
    place_ = f"{before.count(chr(10)) + 1}:3"
    found = validate_text(
        tmp_path, program, lasso(program, waypoint("branching", place_, "true", "cycle"))
    )
    assert found.verdict is Verdict.UNKNOWN, found
    assert "rounds of loops in" in found.reason


def test_control_may_come_back_to_setjmp(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("#include <setjmp.h>\njmp_buf b;\nint main(void) { return setjmp(b); }\n")
    found = looping(file, CText.read(file), FrontendOptions(), Deadline.after(60))
    assert found == {"setjmp"}
