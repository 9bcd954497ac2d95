"""Programs with what a proof says of them in ACSL, and invariants shown as C expressions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py import VerifyOptions, verify
from seahorn_py.base.errors import Origin, Span
from seahorn_py.cli.answers.written_files import leave
from seahorn_py.cli.screen.answer import as_text
from seahorn_py.options import Encodings, EngineName, FrontendOptions
from seahorn_py.result import Answer, Conjunct, Contract, LoopHead, VerificationResult
from seahorn_py.witness.acsl import annotate, is_comparison, summary
from seahorn_py.witness.texts import Sources

EXAMPLES = Path(__file__).parent.parent.parent / "c_examples"

TEXT = """\
int f(int n) { return n; }
void g(int n) {
  int i = 0;
  while (i < n)
    i++;
}
"""


def subject(tmp_path: Path) -> Sources:
    file = tmp_path / "a.c"
    file.write_text(TEXT)
    return Sources.read([file], FrontendOptions())


def head(of: Sources, text: str, exact: bool = True) -> LoopHead:
    name = of.texts[0].name
    place = Span(name, 4, 10, "g")
    variables = (("i", Span(name, 3, 7, "g")), ("n", Span(name, 2, 12, "g")))
    return LoopHead(Origin((place,)), (Conjunct(text, variables),), is_exact=exact)


def test_annotations_are_where_acsl_wants_them(tmp_path: Path) -> None:
    of = subject(tmp_path)
    contracts = [
        Contract("f", None, ("n >= 0",), ("\\result == n",)),
        Contract("g", None, (), ("\\result == 0",), ("(= x 1)",)),
    ]
    found = annotate([head(of, "i <= n")], contracts, of)
    assert found.text == (
        "/*@ requires n >= 0;\n    ensures \\result == n; */\n"
        "int f(int n) { return n; }\n"
        "void g(int n) {\n"
        "  int i = 0;\n"
        "  /*@ loop invariant i <= n; */\n"
        "  while (i < n)\n"
        "    i++;\n"
        "}\n"
    )
    assert list(summary(found)) == [
        "1 invariants, 1 contracts",
        f"left out: {of.texts[0].name}:2: not in C: (= x 1)",
    ]


def test_arithmetic_that_wraps_is_none_of_acsl(tmp_path: Path) -> None:
    of = subject(tmp_path)
    assert annotate([head(of, "i + 1U <= n", exact=False)], (), of).invariants == 0
    assert annotate([head(of, "i + 1 <= n")], (), of).invariants == 1


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("(unsigned int)x <= -3 || y == 0", True),
        ("x - y == 0", False),
        ("(x & 3U) == 0", False),
        ("!(x == y) && (long long)z != 4LL", True),
        ("x == y -1", False),
    ],
)
def test_comparisons(text: str, answer: bool) -> None:
    assert is_comparison(text) is answer


def test_only_proofs_are_annotated(tmp_path: Path) -> None:
    unknown = VerificationResult(Answer.UNKNOWN)
    out = tmp_path / "out.c"
    (told,) = leave([tmp_path / "a.c"], unknown, VerifyOptions(), {"emit_acsl": out})
    assert told == f"acsl: only for safe answers of C files: {out} not written"
    assert not out.exists()


COUNTING = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int g, limit;
static void count(int n) {
  if (n <= 0) return;
  g = g + 1;
  count(n - 1);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000) return 0;
  limit = n;
  count(n);
  if (g > limit) reach_error();
  return 0;
}
"""


def test_a_summary_is_a_contract(tmp_path: Path) -> None:
    """From a recursive function to its pre- and postcondition, shown and in ACSL."""
    file = EXAMPLES / "recursion_safe.c"
    options = VerifyOptions(
        FrontendOptions(), encoding=Encodings.INT, engines=(EngineName.SPACER,), witness=True
    )
    result = verify(file, options)
    (contract,) = result.contracts
    assert contract.function == "f"
    assert "n >= 0" in contract.requires
    shown = as_text(result, show_invariants=True)
    assert re.search(r"requires: \S*recursion_safe.c:8:\d+ in f: n >= 0", shown)
    assert "ensures: " in shown
    out = tmp_path / "out.c"
    told = list(leave([file], result, options, {"emit_acsl": out}))
    assert told[0] == f"acsl: {out}: 0 invariants, 1 contracts"
    lines = out.read_text().split("\n")
    at = lines.index("int f(int n) {")
    assert lines[at - 1].endswith("; */")
    assert any(line.strip() == "/*@ requires n >= 0;" for line in lines[:at])


@pytest.mark.full
def test_globals_in_contracts(tmp_path: Path) -> None:
    """What a function makes of a global is said of the global, by its name."""
    file = tmp_path / "a.c"
    file.write_text(COUNTING)
    options = VerifyOptions(
        FrontendOptions(), encoding=Encodings.INT, engines=(EngineName.SPACER,), witness=True
    )
    (contract,) = verify(file, options).contracts
    assert contract.function == "count"
    assert any("\\old(g)" in text for text in contract.ensures), contract
    assert not any("ret" in text or "limit" in text for text in contract.left_out), contract
    assert not any("\\result" in text for text in contract.ensures)
