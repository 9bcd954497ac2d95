"""`sea-py check --report DIR`: a page for each proof that was run, and the table of all proofs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.cli.project.outcomes import Outcome
from seahorn_py.cli.project.shown import by_urgency
from seahorn_py.cli.reports.page.of_answer import page_of, said_of_checks
from seahorn_py.cli.reports.page.page_model import Entry, Page, Section
from seahorn_py.cli.reports.page.written_pages import INDEX, write_pages
from seahorn_py.result import Answer, VerificationResult


def written_pages(file: Path, seen: Sequence[Outcome], folder: Path) -> str:
    """Write the report of a check, what is wrong first; a line that says where it is."""
    pages = [_page(number, one) for number, one in enumerate(by_urgency(seen), 1)]
    write_pages(folder, str(file), pages)
    shown = sum(page is not None for _, page in pages)
    return f"report: {folder / INDEX}: proofs: {len(pages)}, pages: {shown}"


def _page(number: int, outcome: Outcome) -> tuple[Entry, Page | None]:
    """A proof in the table, with its page; an answer that was kept has none."""
    proof, answer = outcome.proof, outcome.answer or Answer.UNKNOWN
    told = ": ".join(filter(None, (outcome.difference, outcome.headline)))
    headline = f"{outcome.status.value}: {told}" if told else outcome.status.value
    row = Entry(proof.name, str(proof.place), answer.value, headline, f"answer-{number}.html")
    if outcome.is_kept or (not outcome.lines and outcome.result is None):
        why = "kept from before: " if outcome.is_kept else ""
        return replace(row, link="", headline=f"{why}{headline}"), None
    result = _result(outcome, answer)
    names = [str(file) for file in proof.sources]
    page = page_of(result, names, proof.name, said=said_of_checks(result))
    facts = (*_sections(outcome), *page.facts)
    page = replace(page, answer=answer.value, headline=headline, facts=facts, back=INDEX)
    return row, page


def _result(outcome: Outcome, answer: Answer) -> VerificationResult:
    """The answer of the proof: what is excused is not shown as if it counted."""
    found = outcome.result
    if found is not None and found.answer is answer:
        return found
    failing = (one.violation for one in outcome.findings if one.answer is Answer.UNSAFE)
    violation = next((one for one in failing if one is not None), None)
    if answer is Answer.UNSAFE and violation is not None:
        return VerificationResult(answer, violation=violation)
    if answer is Answer.SAFE:
        return VerificationResult(answer)
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=outcome.headline)


def _sections(outcome: Outcome) -> Iterator[Section]:
    expected = f"expected: {outcome.proof.expected.value}"
    yield Section("The proof", (outcome.proof.command, expected, outcome.status.value))
    excused = tuple(f"{one.by.reason} (until {one.by.expires})" for one in outcome.excused)
    if excused:
        yield Section("What is excused", excused)
    if outcome.result is None:
        yield Section("What was told", outcome.lines)
