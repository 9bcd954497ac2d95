"""Formulas of linear time about programs: what is proved, refuted, and not known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import sleep

import pytest

from seahorn_py import verify
from seahorn_py.base.errors import SeaError, Stage
from seahorn_py.options import FrontendOptions, Overflow, VerifyOptions
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.questions.temporal import answered

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void exit(int);\nint x, y;\n"
WAITS = HEAD + "int main(void) {\n  x = 1;\n  while (__VERIFIER_nondet_int()) { }\n  x = 0;\n"
CALLS = (
    HEAD
    + """static void get(void) { }
static void put(void) { }
int main(void) {
  int n = 0;
  while (__VERIFIER_nondet_int()) {
    get(); n = n + 1;
    if (__VERIFIER_nondet_int()) goto bad;
    put(); n = 0;
  }
  return 0;
bad:
  exit(1);
}
"""
)
ANSWERS = HEAD + "int main(void) {\n  while (1) {\n    x = __VERIFIER_nondet_int();\n"
ENDS = HEAD + "int main(void) {\n  x = 1;\n  if (__VERIFIER_nondet_int()) exit(0);\n  x = 2;\n}\n"
RECURS = HEAD + "void f(void) { y = 1 - y; f(); }\nint main(void) { f(); }\n"
FAILS = HEAD + "extern void reach_error(void);\nint main(void) { reach_error(); x = 1; }\n"


def answer(text: str, formula: str, folder: Path) -> VerificationResult:
    file = folder / "a.c"
    file.write_text(text)
    return verify(file, property=formula, timeout=100)


@pytest.mark.parametrize(
    ("text", "formula", "expected"),
    [
        (WAITS + "  x = 1;\n  while (1) { }\n}\n", 'FG "x == 1"', Answer.SAFE),
        (WAITS + "  while (1) { }\n}\n", 'FG "x == 1"', Answer.UNSAFE),
        (ANSWERS + "    y = x;\n  }\n}\n", 'GF "y == x"', Answer.SAFE),
        (ANSWERS + "    if (x > 3) y = x;\n  }\n}\n", 'G("x == 3" ==> F "y == 3")', Answer.UNSAFE),
        (ENDS, 'F "x >= 1"', Answer.SAFE),
        (ENDS, 'F "x == 2"', Answer.UNSAFE),
        (ENDS, 'G "x <= 2"', Answer.SAFE),
        (ENDS, 'G "x < 2"', Answer.UNSAFE),
        (RECURS, 'G "y <= 1"', Answer.SAFE),
        (FAILS, 'G "x == 0"', Answer.SAFE),
        (ENDS, 'AG("x == 1" ==> AG "x >= 1")', Answer.SAFE),
        (ENDS, '!EF "x == 2"', Answer.UNSAFE),
        (CALLS, 'G("call get" -> F("call put" || "label main:bad"))', Answer.SAFE),
        (CALLS, 'G("call get" -> F "call put")', Answer.UNSAFE),
        (CALLS, 'G "main::n <= 1"', Answer.SAFE),
        (CALLS, 'G("main::n == 1" -> F "main::n == 0")', Answer.UNSAFE),
    ],
)
def test_answers(text: str, formula: str, expected: Answer, tmp_path: Path) -> None:
    result = answer(text, formula, tmp_path)
    assert result.answer is expected, (result.reason, result.evidence)
    if expected is Answer.SAFE:
        assert result.meaning == f"all runs fulfil {formula}"
    else:
        assert result.violation is not None and result.violation.property == "ltl"
        assert all(not step.place.file.startswith("<") for step in result.violation.trace)


def test_a_trace_goes_round_the_cycle_of_a_violation(tmp_path: Path) -> None:
    text = ANSWERS + "    y = x;\n  }\n}\n"
    result = answer(text, 'FG "y == 0"', tmp_path)
    assert result.answer is Answer.UNSAFE and result.violation is not None
    assert result.violation.cycle is not None
    assert "y == 0" in result.violation.text


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (HEAD + "int main(void) { int *p = &x; *p = 3; x = 0; while (1) { } }\n", 'G "x == 0"'),
        (HEAD + "int *p = &x; int main(void) { *p = 3; x = 0; while (1) { } }\n", 'F "x == 3"'),
        (HEAD + "int *p = &y; int main(void) { *p = 1; x = 1; }\n", '"x == 0" W "y == 1"'),
        (HEAD + "int *p = &x; int main(void) { while (1) { } }\n", 'G "*p == 0"'),
        (HEAD + "int f(void) { return x; }\nint main(void) { }\n", 'G "f() == 0"'),
        (
            HEAD + "#include <stdlib.h>\nvoid f(void) { x = 1; }\nint main(void) { atexit(f); }\n",
            'F "x == 1"',
        ),
    ],
)
def test_writes_that_are_not_seen_leave_nothing_known(
    text: str, formula: str, tmp_path: Path
) -> None:
    assert answer(text, formula, tmp_path).answer is Answer.UNKNOWN


def test_inputs_return_though_a_file_says_that_they_do_not(tmp_path: Path) -> None:
    head = HEAD.replace("int __VERIFIER_nondet_int(void)", "&  __attribute__ ((__noreturn__))")
    head = head.replace("&", "int __VERIFIER_nondet_int()")
    result = answer(
        head + "int main(void) { if (__VERIFIER_nondet_int()) x = 1; }\n", 'G "x == 0"', tmp_path
    )
    assert result.answer is Answer.UNSAFE
    assert any("though a file says noreturn" in text for text in result.assumed)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("G (", "at its end"),
        ('X "x == 1"', "has no steps"),
        ('G "nobody == 1"', "nobody"),
    ],
)
def test_formulas_that_are_refused(formula: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SeaError) as caught:
        answer(ENDS, formula, tmp_path)
    assert said in str(caught.value)


def test_property_files_have_formulas(tmp_path: Path) -> None:
    file = tmp_path / "a.prp"
    file.write_text('CHECK( init(main()), LTL( G("x < 2") ) )\n')
    source = tmp_path / "a.c"
    source.write_text(ENDS)
    assert verify(source, property=file, timeout=100).answer is Answer.UNSAFE


@pytest.mark.full
def test_a_state_comes_back_whatever_overflow_means(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(ANSWERS + "    if (x > 3) y = 1; else y = 0;\n  }\n}\n")
    options = VerifyOptions(FrontendOptions(overflow=Overflow.ASSUME))
    result = verify(file, options, property='G("x > 3" ==> FG "y == 1")', timeout=100)
    assert result.answer is Answer.UNSAFE, result.reason
    assert any("comes back" in line for line in result.evidence)


def test_no_question_is_asked_when_the_time_is_over() -> None:
    def slow(options: VerifyOptions) -> VerificationResult:
        sleep(options.timeout + 0.01)
        asked.append(options.frontend.fuel)
        return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")

    asked: list[str] = []
    options = VerifyOptions(FrontendOptions(formula='GF "x == 1"'), timeout=0.05)
    assert answered(lambda one: slow(replace(one, timeout=0.1)), options, ()).reason == "time limit"
    assert asked == ["fixed"]
