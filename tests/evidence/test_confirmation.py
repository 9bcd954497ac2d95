"""Every error that a native run shows is confirmed by the interpreter, or said not to be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from diagonal import diagonal
from test_minimise import fed, program

from seahorn_py import verify
from seahorn_py.evidence.replay.confirmation import SHORT, Confirmed, Denied, Undecided, followed
from seahorn_py.evidence.runs.execution import Execution
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.horn.ledger import Approximation
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.options import EngineName, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

FOLLOWED = "the interpreter followed the run to the error"
ALONE = "the error rests on the native run alone: "

HEAD = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
"""

CONFIRMED = {
    "at once": "int main(void) { if (__VERIFIER_nondet_int() != 5) reach_error(); }",
    "after a long way, which is made short": """
int main(void) {
  unsigned n = __VERIFIER_nondet_uint() % 100000000u, x = 0;
  for (unsigned i = 0; i < n; i++) x += 2;
  if (x == 2 * n) reach_error();
}""",
    "after some hundred thousand steps": """
int main(void) {
  unsigned x = 0;
  for (unsigned i = 0; i < 60000u; i++) x += 2;
  if (x == 120000u && __VERIFIER_nondet_int() != 3) reach_error();
}""",
}

UNDECIDED = {
    "far beyond what is interpreted": """
int main(void) {
  unsigned x = 0;
  for (unsigned i = 0; i < 100000000u; i++) x += 2;
  if (x == 200000000u && __VERIFIER_nondet_int() != 3) reach_error();
}""",
}

DENIED = {
    "an access beyond an object that reaches the next": """
int a[2], b = 7;
int main(void) {
  int *p = a;
  for (int k = -64; k < 64; k++)
    if (p[k] == 7) reach_error();
}""",
    "a read through null": "int main(void) { int *p = 0; if (p) return 0; *p = 1; reach_error(); }",
    "the place of a return": """
void f(void) { long a[1]; long *p = a; for (int k = 0; k < 9; k++) p[k] = 0; }
int main(void) { f(); reach_error(); }""",
    "memory above the stack": """
int main(void) {
  char c; volatile char *p = &c; unsigned long n = 0;
  for (unsigned k = 0; k < 4000; k++) n += p[k];
  if (n | 1) reach_error();
}""",
}


def answer(
    tmp_path: Path,
    text: str,
    engines: tuple[EngineName, ...] = (EngineName.EXECUTE,),
    strict: bool = False,
) -> VerificationResult:
    """By native runs alone, if nothing else is asked for."""
    path = tmp_path / "program.c"
    path.write_text(HEAD + text)
    frontend = FrontendOptions(properties=frozenset({Property.UNREACH_CALL}))
    return verify(path, VerifyOptions(frontend, timeout=20, engines=engines, strict=strict))


@pytest.mark.parametrize("name", CONFIRMED)
def test_what_the_interpreter_followed_is_said(name: str, tmp_path: Path) -> None:
    result = answer(tmp_path, CONFIRMED[name], strict=True)
    assert result.answer is Answer.UNSAFE
    assert FOLLOWED in result.evidence
    assert not result.ledger


@pytest.mark.full
@pytest.mark.parametrize("name", UNDECIDED)
def test_an_error_that_rests_on_the_native_run_alone_is_assumed(name: str, tmp_path: Path) -> None:
    result = answer(tmp_path, UNDECIDED[name])
    assert result.answer is Answer.UNSAFE
    assert any(line.startswith(ALONE) for line in result.evidence)
    (entry,) = (entry for entry in result.ledger if entry.text.startswith(ALONE))
    assert entry.kind is Approximation.ASSUMED
    assert answer(tmp_path, UNDECIDED[name], strict=True).answer is Answer.UNKNOWN


@pytest.mark.parametrize(
    ("name", "engines"),
    diagonal([(name,) for name in reversed(DENIED)], [((EngineName.EXECUTE,),), ((),)]),
)
def test_what_the_interpreter_denies_is_no_error(
    name: str, engines: tuple[EngineName, ...], tmp_path: Path
) -> None:
    assert answer(tmp_path, DENIED[name], engines).answer is not Answer.UNSAFE


BRANCHES = "int n = __VERIFIER_nondet_int(); if (n == 1) reach_error(); if (n == 2) reach_error();"


def test_three_values() -> None:
    source = program(BRANCHES)
    subject = Subject(source, source, lambda: Execution(None))
    one, other = fed(source, [1]), fed(source, [2])
    assert (one.ending, other.ending) == (Ending.FAILED, Ending.FAILED)
    assert followed(subject, one, SHORT) == Confirmed()
    assert isinstance(followed(subject, replace(one, check=other.check), SHORT), Denied)
    assert isinstance(followed(subject, replace(one, reads=()), SHORT), Denied)
    undecided = followed(subject, one, RunLimits(steps=1))
    assert isinstance(undecided, Undecided)
    assert not undecided.is_final
    assert undecided.ledger[0].text == undecided.evidence


def test_a_refusal_is_final(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Outcome(Ending.REFUSED, None, (), "what is not interpreted")
    monkeypatch.setattr(Interpreter, "run", lambda *_, **__: refused)
    source = program("reach_error();")
    subject = Subject(source, source, lambda: Execution(None))
    given = Outcome(Ending.FAILED, source.checks[0].number)
    found = followed(subject, given, SHORT)
    assert isinstance(found, Undecided)
    assert found.is_final


MIXED = """
int a[2], b = 7;
int main(void) {
  int *p = a;
  for (int k = 0; k < 64; k++)
    if (p[k] == 7) reach_error();
}"""


def test_the_first_violation_is_shown_where_memory_is_watched(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + MIXED)
    both = frozenset({Property.UNREACH_CALL, Property.VALID_DEREF})
    result = verify(path, VerifyOptions(FrontendOptions(properties=both), timeout=20))
    assert result.violation is not None
    assert result.violation.property == "valid-deref"
