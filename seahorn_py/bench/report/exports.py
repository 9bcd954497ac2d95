"""Results as CSV, JUnit XML and Markdown.

Names of tasks and texts of tools are hostile until they are written as the format demands: a text
that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection").
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from seahorn_py.bench.report.columns import Column, Results, answer, clean, expected, why
from seahorn_py.bench.rows import Ended, Row, Status, Verdict
from seahorn_py.bench.scoring import Tally, normalised

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
FORMULA = re.compile(r"\s*[=+\-@|\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
BROKEN_OFF = frozenset({Ended.ERROR, Ended.INTERNAL, Ended.KILLED})
MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$]|:(?=//))")


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
    root = ElementTree.Element("testsuites", name="sea-py bench")
    for column in results.columns:
        _suite(root, column)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(root: ElementTree.Element, column: Column) -> None:
    rows = column.rows.values()
    suite = ElementTree.SubElement(root, "testsuite", name=clean(column.label))
    for row in rows:
        names = {"classname": clean(f"{row.category or 'tasks'}.{row.property}")}
        case = ElementTree.SubElement(suite, "testcase", names, name=clean(row.task))
        case.set("time", f"{row.wall_s:.3f}")
        kind = _outcome(row)
        if kind:
            message = clean(f"{answer(row)}, expected {expected(row) or 'nothing'}")
            outcome = ElementTree.SubElement(case, kind, message=message)
            outcome.text = clean(why(row))
    for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("tests", str(len(column.rows)))
    suite.set("time", f"{sum(row.wall_s for row in rows):.3f}")


def _outcome(row: Row) -> str:
    match row.status:
        case Status.WRONG:
            return "failure"
        case Status.UNKNOWN:
            return "error" if row.ended in BROKEN_OFF else "skipped"
        case Status.CORRECT | Status.UNSCORED:
            return ""


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
