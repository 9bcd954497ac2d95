"""`--modular --report`: a page for each function, and the table that leads to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.cli.reports.page.of_answer import MAY_HELP, page_of
from seahorn_py.cli.reports.page.page_model import Entry, Page, Section
from seahorn_py.cli.reports.page.written_pages import INDEX, write_pages
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.validation.contracts.conclusions import Table
from seahorn_py.validation.contracts.model import Row, Status

_ANSWERS = {Status.PROVED: Answer.SAFE, Status.REFUTED: Answer.UNSAFE}
"""Of all others nothing is known without more."""


def written_table(table: Table, names: Sequence[str], folder: Path) -> str:
    """Write the report; a line that says where it is."""
    asked = [row for row in table.rows if row.is_asked]
    pages = [_page(number, row, names) for number, row in enumerate(asked, 1)]
    write_pages(folder, " ".join(names), pages)
    return f"report: {folder / INDEX}: functions: {len(pages)}"


def _page(number: int, row: Row, names: Sequence[str]) -> tuple[Entry, Page]:
    contract = tuple(
        clause if clause != "assigns" else "assigns nothing" for clause in row.contract
    )
    row = replace(row, contract=contract)
    said = [(_kind(clause), clause, row.place) for clause in contract]
    page = page_of(_result(row), names, row.function, said=said)
    headline = _headline(row)
    assumed = () if page.assumptions else row.assumed
    facts = (
        *_sections(replace(row, assumed=assumed)),
        *(_again(part, row, names) for part in page.facts),
    )
    page = replace(page, answer=_answer(row).value, headline=headline, facts=facts, back=INDEX)
    where = str(row.place) if row.place.line else ""
    return Entry(row.function, where, page.answer, headline, f"answer-{number}.html"), page


def _result(row: Row) -> VerificationResult:
    """The answer for a function; what it rests on may be missing, although it was proved itself."""
    answer, found = _answer(row), row.result
    if found is not None and found.answer is answer:
        return found
    if answer is Answer.SAFE:
        return VerificationResult(answer)
    known = found if found is not None else VerificationResult(Answer.UNKNOWN)
    unknown = replace(known, answer=Answer.UNKNOWN, violation=None)
    return replace(unknown, stage=Stage.SOLVE, reason=row.reason)


def _answer(row: Row) -> Answer:
    return _ANSWERS.get(row.status, Answer.UNKNOWN)


def _headline(row: Row) -> str:
    parts = (f"{row.function} is {row.status.value}", row.reason)
    return ": ".join(filter(None, parts))


def _sections(row: Row) -> Iterator[Section]:
    yield Section("The contract", row.contract or ("none: the function is called with anything",))
    if row.rests_on:
        about = "The proof holds if these do."
        yield Section("What the proof rests on", row.rests_on, about)
    if row.assumed:
        yield Section("What is assumed", row.assumed)
    if row.notes:
        yield Section("What is not checked", row.notes)
    how = f"{row.engine or 'no engine'}, {row.seconds:.2f} s"
    kept = ("the kept proof was checked again",) if row.is_kept else ()
    yield Section("Who answered", (how, *kept))


def _again(part: Section, row: Row, names: Sequence[str]) -> Section:
    """What may help with one function is to give it more time."""
    if part.title != MAY_HELP:
        return part
    entry = row.function.split()[0]
    command = f"sea-py pf --modular --entry {entry} --timeout 300 {' '.join(names)}"
    return replace(part, lines=(command,))


def _shown(clause: str) -> str:
    return "assigns nothing" if clause == "assigns" else clause


def _kind(clause: str) -> str:
    word = clause.split(maxsplit=1)[0] if clause.strip() else ""
    return word if word in ("requires", "ensures") else "contract"
