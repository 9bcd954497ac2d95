"""Codes of messages: each has a page, each page is in the documentation, each text has a code."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from command import ROOT, sea_py

from seahorn_py.base.errors import Stage
from seahorn_py.cli.guide.explain import KINDS, reference
from seahorn_py.cli.messages.codes import CODE, code_of, known, with_code
from seahorn_py.cli.screen.answer import as_text
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.result import Answer, VerificationResult

PAGE = ROOT / "docs" / "reference" / "messages.md"
STABLE = """
U101 U102 U103 U104 U105 U106 U201 U202 U203 U301 U302 U303 U304 U305
L101 L102 L103 L104 L105 L106 L201 L202 L203 L204 L205 L206 L301 L302 L401 L402 L403
E101 E102 E103 E104 E105 E201 E202 E301 E302 E901
"""


def test_the_documentation_has_a_page_for_every_code(pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--rewrite-golden"):
        PAGE.write_text(reference())
    assert PAGE.read_text() == reference()
    codes = re.findall(r"^### ([ULE]\d{3}): ", PAGE.read_text(), re.MULTILINE)
    assert codes == [message.code for message in known()]


def test_codes_stay() -> None:
    """A code that was told once is never taken away, and never means something else."""
    assert Counter(message.code for message in known()) == Counter(STABLE.split())


def test_every_message_says_what_to_do() -> None:
    for message in known():
        assert re.fullmatch(r"[ULE]\d{3}", message.code) and message.code[0] in KINDS
        assert message.meaning.endswith(".") and message.repair.endswith((".", "`"))
        assert message.example.strip()
    for kind in KINDS:
        assert code_of(kind, "?") in {"U305", "L403", "E901"}  # the last of its kind has all


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        ("U", "unknown: solve: int: 3 engines: time limit", "U304"),
        ("U", "unknown: front end: lowering: time limit", "U102"),
        ("U", "unknown: solve: memory limit (256 MiB)", "U103"),
        ("U", "unknown: interrupted", "U101"),
        ("U", "unknown: replay: int: the error depends on getchar: any value", "U201"),
        ("U", "unknown: re-proof: x", "U203"),
        ("U", "unknown: solve: bv: BMC: bound 3 reached, and runs go on beyond it", "U301"),
        ("L", "accesses of memory are valid: inside a live object", "L101"),
        ("L", "memory for stack and heap is not exhausted", "L103"),
        ("L", "external function keep returns, calls no function of the program", "L201"),
        ("L", "not covered: uninit of arrays, structs, heap blocks", "L302"),
        ("E", "a.c:2:10: error: use of undeclared identifier 'y'", "E101"),
        ("E", "nothere.c: cannot read: No such file or directory", "E102"),
        ("E", "/home/threads/entry.toml: witness.c is there twice", "E301"),
        ("E", "contract.c: no such way", "E901"),
        ("E", "x.yml: others may write here, so that no proof in it counts", "E901"),
        ("E", "a.c: cannot keep logs and witnesses: disk", "E103"),
        ("E", "a.c: ACSL: \\forall is not supported", "E302"),
        ("U", "unknown: front end: /home/frank/lasso.c: no function f to enter", "U305"),
        ("E", "unknown engine spacr, did you mean spacer?; known: bmc", "E104"),
    ],
)
def test_texts_have_their_codes(kind: str, text: str, code: str) -> None:
    assert code_of(kind, text) == code
    told = with_code(kind, f"{text}\nmore")
    assert told == f"{text} [{code}]\nmore" and CODE.sub("", told) == f"{text}\nmore"


def test_an_answer_has_codes() -> None:
    entry = LedgerEntry(Approximation.ASSUMED, "allocation does not fail")
    safe = as_text(VerificationResult(Answer.SAFE, ledger=(entry,)), False)
    assert "assumed: allocation does not fail [L102]\n" in safe
    unknown = VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    assert as_text(unknown, False) == "unknown: solve: time limit [U304]\nunknown"


def test_explain_prints_a_page(tmp_path: Path) -> None:
    assert sea_py("explain", "l102").stdout.startswith("L102: allocation does not fail\n")
    assert "  U304  the time limit while solving\n" in sea_py("explain").stdout
    done = sea_py("explain", "U30")
    assert done.returncode == 2 and "did you mean U30" in done.stderr and "[E104]" in done.stderr
    done = sea_py("pf", tmp_path / "nothere.c")
    assert done.returncode == 2 and done.stderr.rstrip().endswith("[E102]"), done
