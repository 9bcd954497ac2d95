"""The traps of the encodings, each as a whole verification."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seahorn_py import Answer, VerifyOptions, verify
from seahorn_py.base.errors import Stage
from seahorn_py.encode.bits import bitvectors
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.options import Encodings, EngineName
from seahorn_py.result import VerificationResult

HEAD = """
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
"""


def answer(
    tmp_path: Path,
    text: str,
    encoding: Encodings = Encodings.INT,
    timeout: float = 60,
    engines: tuple[EngineName, ...] = (),
) -> VerificationResult:
    file = tmp_path / "a.c"
    file.write_text(HEAD + text)
    options = VerifyOptions(encoding=encoding, timeout=timeout, executions=0.1, engines=engines)
    return verify(file, options)


@pytest.mark.full
def test_a_wrap_at_depth_2_to_the_30_is_not_lost(tmp_path: Path) -> None:
    # i passes 2**31 after 2**30 steps: no bounded search gets there, and plain integers never do
    text = """
int main(void) {
    int i = 0;
    while (__VERIFIER_nondet_int())
        i += 2;
    if (i < 0)
        reach_error();
    return 0;
}
"""
    assert answer(tmp_path, text, timeout=8).answer is not Answer.SAFE


def test_what_survives_the_wrap_at_depth_2_to_the_30_is_proved(tmp_path: Path) -> None:
    text = """
int main(void) {
    int i = 0;
    while (__VERIFIER_nondet_int())
        i += 2;
    if (i % 2 != 0)
        reach_error();
    return 0;
}
"""
    assert answer(tmp_path, text).answer is Answer.SAFE


@pytest.mark.parametrize("encoding", [Encodings.INT, Encodings.BV])
def test_an_obligation_survives_a_later_assume_against_the_plain_value(
    tmp_path: Path, encoding: Encodings
) -> None:
    text = """
int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = x + 1;
    __VERIFIER_assume(y < x);
    __VERIFIER_assume(x != 12345);
    reach_error();
    return 0;
}
"""
    assert answer(tmp_path, text, encoding).answer is Answer.UNSAFE


@pytest.mark.parametrize("encoding", [Encodings.INT, Encodings.BV])
def test_an_unsigned_counter_loop(tmp_path: Path, encoding: Encodings) -> None:
    text = """
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    while (i < n)
        i++;
    if (i != n)
        reach_error();
    return 0;
}
"""
    assert answer(tmp_path, text, encoding).answer is Answer.SAFE


def test_a_check_names_its_own_line(tmp_path: Path) -> None:
    text = """
int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0 && y >= 0 && x < 1000 && y < 1000);
    if (x + y < 0) reach_error();
    if (x + x + y == 2997) reach_error();
    return 0;
}
"""
    result = answer(tmp_path, text)
    assert result.violation is not None
    assert result.violation.place is not None
    assert result.violation.place.line == HEAD.count("\n") + 6
    assert [i.value for i in result.violation.inputs] == [999, 999]


def test_a_summary_whose_context_came_from_another_call(tmp_path: Path) -> None:
    # both calls have the context n = 3; the second one's inputs are its own
    text = """
int take(int n) {
    if (n > 0)
        return take(n - 1);
    return __VERIFIER_nondet_int();
}
int main(void) {
    int a = take(3);
    int b = take(3);
    if (a == 71 && b == 1234567)
        reach_error();
    return 0;
}
"""
    result = answer(tmp_path, text)
    assert result.violation is not None
    assert [i.value for i in result.violation.inputs] == [71, 1234567]


def test_a_model_that_a_run_contradicts_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # with addition broken, solver and second solver agree on a wrong proof; only the runs object,
    # to an invariant that says something of their states
    def no_addition(self: object, width: int, left: object, right: object) -> object:
        return left

    monkeypatch.setattr(bitvectors.Bitvectors, "add", no_addition)
    monkeypatch.chdir(tmp_path)
    text = """
int main(void) {
    unsigned i = 0, n = __VERIFIER_nondet_uint();
    while (i < n)
        i += 3;
    if (i > 0 && n == 123456789 && i == 1)
        reach_error();
    if (i != 0 && n == 987654321 && i == 987654321)
        reach_error();
    return 0;
}
"""
    result = answer(tmp_path, text, Encodings.BV, engines=(EngineName.SPACER,))
    assert (result.answer, result.stage) == (Answer.UNKNOWN, Stage.REPROOF), result
    assert "contradicts an execution" in result.reason
    (found,) = tmp_path.glob("sea-py-bug-*.json")
    assert json.loads(found.read_text()).keys() >= {"inputs", "program", "clauses", "model"}


def without_native_runs(first: str = "", unexpected: str = "<") -> str:
    """A program that cannot be built: a function without body that only reads gets a pointer."""
    return f"""
__attribute__((pure)) int unknown(int *);
int main(void) {{
    int x, n = __VERIFIER_nondet_int();
    unsigned i = 0;
    {first}
    unknown(&x);
    while (i < 1000u && n > 5)
        i += 3;
    if (n > 5 && i {unexpected} 1000u)
        reach_error();
    return 0;
}}
"""


def test_without_native_runs_a_proof_is_compared_with_interpreted_ones(tmp_path: Path) -> None:
    text = without_native_runs("unsigned j = 5;", "!= j - 5u + 0u *")
    result = answer(tmp_path, text.replace("i += 3;", "i += 3, j += 3;"), Encodings.INT)
    assert result.answer is Answer.SAFE
    assert any("states of 200 interpreted runs" in line for line in result.evidence)
    assert not any("compared with no execution" in entry.text for entry in result.ledger)


def test_an_interpreted_run_contradicts_a_model_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_addition(self: object, width: int, left: object, right: object) -> object:
        return left

    monkeypatch.setattr(bitvectors.Bitvectors, "add", no_addition)
    monkeypatch.chdir(tmp_path)
    text = without_native_runs(unexpected=">")
    result = answer(tmp_path, text, Encodings.BV, engines=(EngineName.SPACER,))
    assert (result.answer, result.stage) == (Answer.UNKNOWN, Stage.REPROOF), result
    assert "contradicts an execution" in result.reason
    (found,) = tmp_path.glob("sea-py-bug-*.json")
    assert json.loads(found.read_text())["inputs"]


def test_a_proof_that_no_run_could_contradict_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Outcome(Ending.REFUSED, None, (), "what is not interpreted")
    monkeypatch.setattr(Interpreter, "run", lambda *_, **__: refused)
    result = answer(tmp_path, without_native_runs())
    assert result.answer is Answer.SAFE
    assert any("compared with no execution" in entry.text for entry in result.ledger)


def test_what_the_passes_alone_prove_was_run_too(tmp_path: Path) -> None:
    text = """
int main(void) {
    int x = 3;
    if (x == 4)
        reach_error();
    return 0;
}
"""
    result = answer(tmp_path, text)
    assert result.answer is Answer.SAFE
    assert "execute" in result.times
