"""Traces: the statements of the violating run, values as C writes them, branches taken."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from seahorn_py import VerifyOptions, verify
from seahorn_py.base.errors import Span
from seahorn_py.cli.answers.report import as_json
from seahorn_py.cli.answers.written_files import leave
from seahorn_py.cli.screen.answer import as_text
from seahorn_py.evidence.trace.notation import shown
from seahorn_py.evidence.trace.text import data, lines
from seahorn_py.ir.types import POINTER, FloatKind, FloatType, IntType, Type
from seahorn_py.options import EngineName
from seahorn_py.result import Change, TraceStep, VerificationResult, Violation

TEXT = """\
int __VERIFIER_nondet_int(void);
void reach_error(void);
int g;
static int half(int k) {
  int r = k / 2;
  g++;
  return r;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned char c = 3;
  int a[3] = {1, 2, 3};
  for (int i = 0; i < 2; i++) {
    a[i] = c - 4;
    c += 254;
  }
  if (x % 2 == 0)
    x = 5;
  else {
    x = half(13);
  }
  if (g == 0 && a[1] == -3 || g == 1 && x == 6)
    reach_error();
  return 0;
}
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> VerificationResult:
    file = tmp_path_factory.mktemp("trace") / "a.c"
    file.write_text(TEXT)
    found = verify(file, VerifyOptions(engines=(EngineName.EXECUTE,)))
    assert found.violation is not None
    return found


def test_the_run_in_c(result: VerificationResult) -> None:
    assert result.violation is not None
    told = [line.split("/")[-1] for line in lines(result.violation, full=False)]
    x = result.violation.inputs[0].value
    before = [
        f"a.c:10: main: int x = __VERIFIER_nondet_int();  [__VERIFIER_nondet_int() = {x}, x = {x}]",
        "a.c:11: main: unsigned char c = 3;  [c = 3]",
        "a.c:13: main: for (int i = 0; i < 2; i++)  [true; i = 0]",
        "a.c:14: main: a[i] = c - 4;  [a[0] = -1]",
        "a.c:15: main: c += 254;  [c = 1]",
        "a.c:13: main: for (int i = 0; i < 2; i++)  [true; i = 1]",
        "a.c:14: main: a[i] = c - 4;  [a[1] = -3]",
        "a.c:15: main: c += 254;  [c = 255]",
        "a.c:13: main: for (int i = 0; i < 2; i++)  [false; i = 2]",
    ]
    assert told[: len(before)] == before
    assert told[-1] == "a.c:23: main: reach_error();"
    assert not any("x % 2 == 0" in line and f"[{str(x % 2 != 0).lower()}" in line for line in told)
    if x % 2:
        assert "a.c:17: main: if (x % 2 == 0)  [false]" in told
        assert "a.c:6: half: g++;  [g = 1]" in told
        assert "a.c:20: main: x = half(13);  [x = 6]" in told
    assert "a.c:22: main: if (g == 0 && a[1] == -3 || g == 1 && x == 6)  [true]" in told


def test_the_report_has_it(result: VerificationResult) -> None:
    text = as_text(result, show_invariants=False).splitlines()
    traced = [line for line in text if line.startswith("trace: ")]
    assert traced[-1].endswith("a.c:23: main: reach_error();")
    assert text[-1] == "sat"
    steps = json.loads(as_json(result))["violation"]["trace"]
    assert (steps[0]["line"], steps[-1]["line"]) == (10, 23)


def test_a_file_of_steps(result: VerificationResult, tmp_path: Path) -> None:
    out = tmp_path / "t.json"
    (told,) = leave([], result, VerifyOptions(), {"trace_json": out})
    steps = json.loads(out.read_text())["trace"]
    assert told == f"trace: {out}: {len(steps)} steps"
    assert steps[0]["changes"].keys() == {"__VERIFIER_nondet_int()", "x"}


def long_run(steps: int, left_out: int = 0) -> Violation:
    places = [Span("no.c", k + 1, 1, "main") for k in range(steps)]
    made = [TraceStep(p, (), (Change("x", str(p.line)),)) for p in places]
    made.insert(5, TraceStep(Span("<libc>/string.c", 3, 1, "strlen"), left_out=left_out))
    return Violation(
        "unreach-call", "reach_error()", Span("no.c", steps, 1, "main"), (), tuple(made)
    )


def test_the_middle_of_a_long_run_and_the_library_are_hidden() -> None:
    told = list(lines(long_run(100), full=False))
    assert told[0] == "no.c:1: main  [x = 1]"
    assert told[10] == "... 70 steps more (all of them with --full-trace)"
    assert told[-1] == "no.c:100: main  [x = 100]"
    assert len(told) == 31


def test_a_full_trace() -> None:
    told = list(lines(long_run(100, left_out=7), full=True))
    assert told[5] == "... 7 steps that were not kept"
    assert told[6] == "<libc>/string.c:3: strlen"
    assert len(told) == 102
    assert len(data(long_run(100))) == 101


@pytest.mark.parametrize(
    ("value", "type_", "c_type", "text"),
    [
        (0xFFFFFFFF, IntType(32), "int", "-1"),
        (0xFFFFFFFF, IntType(32), "unsigned int", "4294967295"),
        (1, IntType(1), "_Bool", "1"),
        (0, POINTER, "char *", "NULL"),
        (0x3FF8000000000000, FloatType(FloatKind.DOUBLE), "double", "1.5"),
        (0x3FC00000, FloatType(FloatKind.SINGLE), "float", "1.5"),
    ],
)
def test_values(value: int, type_: Type, c_type: str, text: str) -> None:
    assert shown(value, type_, c_type) == text


LIBRARY = {
    "int c = getchar(); if (ferror(stdin)) reach_error();": "getchar() = EOF; ferror() != 0",
    "int c = getc(stdin); if (c < 0 && feof(stdin)) reach_error();": "getc() = EOF; feof() != 0",
    "if (fputs(text, stdout) == EOF) reach_error();": "fputs() = EOF",
    "int x; if (scanf(format, &x) == 1 && x == 7) reach_error();": "scanf() = 1; x = 7",
    'FILE *f = fopen("a", "r"); if (!f && errno == ENOENT) reach_error();': "fopen() = NULL",
    "char b[4]; if (read(0, b, 4) < 0 && errno == EINTR) reach_error();": "read() = -1",
    "if (rand() == 3) reach_error();": "rand() = 3",
    "atexit(done); if (toupper(getchar()) == 'Z') reach_error();": (
        "getchar() = 'Z'; toupper() = 90"
    ),
    "if (strcmp(text, other) == 5) reach_error();": "strcmp() = 5",
    "char *s = getenv(text); if (s && *s == '/') reach_error();": "getenv() = (void *)",
}
HEAD = """
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void reach_error(void);
static const char text[] = "xy", other[] = "xa";
#define format "%d"
static void done(void) {}
"""


@pytest.mark.parametrize("body", LIBRARY)
def test_what_the_library_gives_has_the_name_of_what_was_called(body: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    found = verify(file, VerifyOptions(timeout=10))
    assert found.violation is not None
    told = "\n".join(lines(found.violation, full=False))
    for part in LIBRARY[body].split("; "):
        name, word, value = part.partition(" != ")
        assert f"{name} = " in told if word else part in told, told
        assert f"{name} = {value}," not in told if word else True
    called = {call for call in re.findall(r"(\w+)\(\) = ", told)}
    assert called <= set(re.findall(r"(\w+)\(", body)), "nothing of what models do inside"
    named = {given.name for given in found.violation.inputs if given.kind == "extern"}
    assert named <= called | {"getchar"}


SKIPS = """\
int work(int);
int main(void) {
  for (int i = 0; i < 3; i++) {
    if (work(i) < 0) {
      continue;
    }
    work(i);
  }
}
"""


@pytest.mark.parametrize("goes_on", [3, 7])
def test_a_branch_that_only_jumps_tells_nothing_of_its_condition(
    goes_on: int, tmp_path: Path
) -> None:
    file = tmp_path / "a.c"
    file.write_text(SKIPS)
    places = (Span(str(file), 4, 17, "main"), Span(str(file), goes_on, 5, "main"))
    steps = tuple(TraceStep(place, has_branched=True) for place in places)
    last = Span(str(file), 7, 5, "main")
    told = data(Violation("unreach-call", "reach_error()", last, (), steps))
    assert told[0]["condition"] is None


SHIFTED = """\
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
  int lines[2], n = __VERIFIER_nondet_int();
  if (n < 1 || n > 9) return 0;
  lines[0] = 1 << n;
  if (%s) reach_error();
  return 0;
}
"""


@pytest.mark.parametrize("check", ["lines[0] == 16", "lines[1] > lines[0]", "1 << 2 * n == 64"])
def test_what_a_shift_by_too_much_would_give_is_not_told(check: str, tmp_path: Path) -> None:
    """Inputs of the program come before what was never set."""
    file = tmp_path / "a.c"
    file.write_text(SHIFTED % check)
    found = verify(file, VerifyOptions(engines=(EngineName.EXECUTE,)))
    text = as_text(found, show_invariants=False)
    assert "__VERIFIER_nondet_int = " in text and "shl" not in text
    assert "never set" not in text.partition("__VERIFIER_nondet_int = ")[0]


def test_an_empty_statement_is_no_call(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int main(void) {\n  for (;;)\n    ;\n}\n")
    place = Span(str(file), 3, 5, "main")
    steps = (TraceStep(place, changes=(Change("i", "1"),)),)
    told = list(lines(Violation("termination", "the loop", place, (), steps), full=True))
    assert told == [f"{file}:3: main: ;  [i = 1]"]
