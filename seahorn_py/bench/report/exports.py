"""Results as CSV, JUnit XML and Markdown.

Names of tasks and texts of tools are hostile until they are written as the format demands: a text
that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection").
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from seahorn_py.base.patterns import pattern
from seahorn_py.bench.report.columns import Column, Results, answer, expected, why
from seahorn_py.bench.rows import Ended, Row, Status, Verdict
from seahorn_py.bench.scoring import Tally, normalised
from seahorn_py.cli.reports.junit import Case, Ending, Suite, clean, document

COLUMNS = (
    "task",
    "category",
    "property",
    "data_model",
    "expected",
    "configuration",
    "tool",
    "answer",
    "status",
    "score",
    "cpu_s",
    "wall_s",
    "memory_mib",
    "ended",
    "exit_code",
    "why",
    "started",
    "log",
    "witnesses",
)
FORMULA = pattern(r"\s*[=+\-@|\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
BROKEN_OFF = frozenset({Ended.ERROR, Ended.INTERNAL, Ended.KILLED})
MARKDOWN = pattern(r"([\\`*_{}\[\]()<>#+!|~&$]|:(?=//))")


def as_csv(results: Results) -> str:
    """A line for each row, after a line with the names of the columns."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for column in results.columns:
        writer.writerows(_csv_cells(column, row) for row in column.rows.values())
    return stream.getvalue()


def _csv_cells(column: Column, row: Row) -> Iterator[str | int]:
    texts = (row.task, row.category, row.property, row.data_model, expected(row), column.label)
    yield from (_no_formula(text) for text in (*texts, row.tool, answer(row)))
    yield from (row.status.value, row.score, f"{row.cpu_s:.3f}", f"{row.wall_s:.3f}")
    yield from (row.memory_mib, row.ended.value, "" if row.exit_code is None else row.exit_code)
    rest = (why(row), row.started, row.log, " ".join(row.witnesses))
    yield from (_no_formula(text) for text in rest)


def _no_formula(text: str) -> str:
    text = clean(text)
    return f"'{text}" if FORMULA.match(text) else text


def as_junit(results: Results) -> str:
    """A test suite for each configuration: what is wrong failed, what has no answer was skipped.

    A tool that crashed or could not be started is an error; times are wall seconds.
    """
    return document("sea-py bench", map(_suite, results.columns))


def _suite(column: Column) -> Suite:
    rows = column.rows.values()
    return Suite(column.label, [_case(row) for row in rows], sum(row.wall_s for row in rows))


def _case(row: Row) -> Case:
    message = f"{answer(row)}, expected {expected(row) or 'nothing'}"
    group = f"{row.category or 'tasks'}.{row.property}"
    return Case(group, row.task, row.wall_s, _outcome(row), message, why(row))


def _outcome(row: Row) -> Ending:
    match row.status:
        case Status.WRONG:
            return Ending.FAILED
        case Status.UNKNOWN:
            return Ending.BROKEN if row.ended in BROKEN_OFF else Ending.SKIPPED
        case Status.CORRECT | Status.UNSCORED:
            return Ending.PASSED


def as_markdown(results: Results) -> str:
    """The scores by category, the wrong answers, and the table of tasks and configurations."""
    blocks = [list(_score_table(results)), list(_wrong(results)), list(_task_table(results))]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def _score_table(results: Results) -> Iterator[str]:
    yield "## Scores"
    yield ""
    yield _line(
        "category", "configuration", "tasks", "score", "of", "correct", "wrong", "open", "CPU s"
    )
    yield "|---|---|" + "--:|" * 7
    for category in results.categories:
        for column in results.columns:
            if category in column.categories:
                yield _tally_line(category or "(none)", column.label, column.categories[category])
    for column in results.columns:
        yield _tally_line("all", column.label, column.total)
    if len(results.categories) > 1:
        for column in results.columns:
            score = normalised(column.categories.values())
            yield _line("all, normalised", column.label, "", f"{score:.2f}", "", "", "", "", "")


def _tally_line(category: str, label: str, sums: Tally) -> str:
    counts = (sums.tasks, sums.score, sums.most, sums.correct, sums.wrong)
    rest = (sums.unknown + sums.unscored, f"{sums.cpu_s:.0f}")
    return _line(category, label, *map(str, (*counts, *rest)))


def _wrong(results: Results) -> Iterator[str]:
    lines = [
        f"- {_escaped(row.task)}, {_escaped(column.label)}: {answer(row)}, not {expected(row)}"
        for column in results.columns
        for row in column.rows.values()
        if row.status is Status.WRONG
    ]
    if lines:
        yield from ("## Wrong answers", "", *lines)


def _task_table(results: Results) -> Iterator[str]:
    yield "## Tasks"
    yield ""
    yield _line("task", "expected", *(column.label for column in results.columns))
    yield "|---|---|" + "---|" * len(results.columns)
    for task, first in results.tasks.items():
        found = (column.rows.get(task) for column in results.columns)
        yield _line(task, expected(first), *(_result(row) if row else "" for row in found))


def _result(row: Row) -> str:
    is_plain = row.status is Status.CORRECT or row.verdict in (Verdict.UNKNOWN, Verdict.NONE)
    return f"{answer(row)}{'' if is_plain else f' {row.status.value}'}, {row.cpu_s:.2f} s"


def _line(*cells: str) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    return MARKDOWN.sub(r"\\\1", " ".join(clean(text).split()))
