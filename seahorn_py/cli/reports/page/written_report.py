"""`--report DIR`: a page about an answer, or pages about several with an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.reports.page.of_answer import Said, page_of, parts_of, said_of_checks
from seahorn_py.cli.reports.page.page_model import Entry, Page
from seahorn_py.cli.reports.page.written_pages import INDEX, write_page, write_pages
from seahorn_py.options import VerifyOptions
from seahorn_py.result import Answer, VerificationResult

_PHASES = ("front end", "encode")
CLAUSES_WITHIN_S = 3.0
"""Clauses are made again for a page if that took no longer for the answer."""


def written_report(
    files: Sequence[Path], result: VerificationResult, options: VerifyOptions, folder: Path
) -> str:
    """Write the report; a line that says where it is."""
    names = [str(file) for file in files]
    title = " ".join(names)
    clauses = _clauses(files, result, options)
    parts = parts_of(result)
    if parts:
        pages = several(parts, names, clauses, said_of_checks(result))
        write_pages(folder, title, pages)
    else:
        write_page(folder, page_of(result, names, title, clauses))
    return f"report: {folder / INDEX}" + (f": answers: {len(parts)}" if parts else "")


def several(
    parts: Sequence[tuple[str, str, VerificationResult]],
    names: Sequence[str],
    clauses: str,
    said: Said,
) -> list[tuple[Entry, Page]]:
    """A page for each of some answers, given with what they are about and where."""
    found = []
    for number, (about, place, result) in enumerate(parts, 1):
        page = replace(page_of(result, names, about, clauses, said), back=INDEX)
        link = f"answer-{number}.html"
        is_proved = result.answer is Answer.SAFE and result.evidence
        why = result.evidence[0] if is_proved else page.headline
        found.append((Entry(about, place, page.answer, why, link), page))
    return found


def _clauses(files: Sequence[Path], result: VerificationResult, options: VerifyOptions) -> str:
    """The Horn clauses, from the certificate where there is one."""
    if result.certificate is not None:
        return result.certificate.get("system.smt2", "")
    if result.answer is Answer.UNKNOWN or _seconds(result) > CLAUSES_WITHIN_S:
        return ""
    from seahorn_py.verification.export import horn_clauses

    try:
        return horn_clauses(files, replace(options, timeout=CLAUSES_WITHIN_S))
    except SeaError:
        return ""


def _seconds(result: VerificationResult) -> float:
    return sum(seconds for name, seconds in result.times.items() if name in _PHASES)
