"""What a notebook shows: tables, in which hostile texts do nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from seahorn_py import Answer, VerificationResult
from seahorn_py.base.errors import Origin, Span, Stage
from seahorn_py.base.notebook import MOST_ROWS, Rows
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.horn.system import KInductive, Model, Refutation, Step
from seahorn_py.logic.terms import terms
from seahorn_py.result import Change, InputValue, TraceStep, Violation

HOSTILE = "<script src='https://a.example/x.js'>alert(1)</script>\x1b[31m\u202e & \"quoted\""
PLACE = Span(f"{HOSTILE}.c", 3, 1, HOSTILE)
STEP = TraceStep(PLACE, changes=(Change(HOSTILE, HOSTILE),))
VIOLATION = Violation(
    "unreach-call", HOSTILE, PLACE, (InputValue(HOSTILE, 5, "int", PLACE, "extern"),), (STEP,)
)
ENTRY = LedgerEntry(Approximation.ASSUMED, HOSTILE, Origin((PLACE,)))
RESULT = VerificationResult(
    Answer.UNSAFE, (HOSTILE,), violation=VIOLATION, ledger=(ENTRY,), warnings=(HOSTILE,)
)
X = terms.symbol("notebook.x", terms.INT)
PROOF = Model({HOSTILE: terms.le(X, terms.int_const(5))})


class Tags(HTMLParser):
    """The tags and attributes of a page, which must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(name for name, _ in attrs)}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_hostile_texts_are_escaped() -> None:
    refutation = Refutation((Step(HOSTILE, (terms.int_const(3),), ()),))
    for shown in (RESULT, VIOLATION, RESULT.ledger, ENTRY, PROOF, KInductive(2, PROOF), refutation):
        page = shown._repr_html_()  # type: ignore[attr-defined]
        assert Tags(page).seen <= {"div", "b", "table", "tr", "td", "th", "br", "style"}
        assert "&lt;script" in page and "\x1b" not in page and "\u202e" not in page


def test_what_is_empty_is_left_out() -> None:
    page = VerificationResult(Answer.SAFE, ("proved",))._repr_html_()
    assert re.findall(r"<td[^>]*>(\w+)</td>", page) == ["answer", "safe", "evidence", "proved"]


def test_long_traces_are_cut() -> None:
    long = replace(VIOLATION, trace=(STEP,) * (MOST_ROWS + 7))
    page = long._repr_html_()
    assert "and 7 more" in page and page.count("<tr>") < 4 * MOST_ROWS


def test_lines_for_a_terminal() -> None:
    unknown = VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    assert repr(unknown) == "<VerificationResult unknown; solve: time limit>"
    assert "x.js" in repr(RESULT) and "ledger of 1" in repr(RESULT)
    assert repr(RESULT.ledger).startswith("<assumed: ")
    assert "notebook.x <= 5" in repr(PROOF)
    assert repr(Rows(())) == "()"


def test_tables_are_tuples() -> None:
    assert RESULT.ledger == (ENTRY,) and isinstance(RESULT.violation, Violation)
    assert replace(RESULT, ledger=()).ledger == () and RESULT.violation.trace == (STEP,)
