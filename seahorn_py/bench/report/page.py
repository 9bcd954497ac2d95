"""Results as one HTML page that loads nothing from anywhere.

Style, script and results are inside; the policy of the page (Content Security Policy, level 2)
allows this script and this style by their hashes and nothing else, no request, no other script.
The script writes names only as text, never as HTML.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from seahorn_py.base.version import VERSION
from seahorn_py.bench.report.columns import Column, Results, answer, expected, link, way, why
from seahorn_py.bench.rows import Row, Status
from seahorn_py.bench.scoring import Tally, normalised
from seahorn_py.cli.reports.junit import clean

STATUSES = tuple(status.value for status in Status)
MOST_TEXT = 2000
"""The most characters of a reason that the page shows."""


def as_html(results: Results, folder: Path) -> str:
    """The page; its links to logs and witnesses are right when it lies in `folder`."""
    script, style = _part("plots.js") + _part("table.js"), _part("page.css")
    return Template(_part("page.html")).substitute(
        version=html.escape(VERSION),
        script=script,
        style=style,
        script_hash=_hash(script),
        style_hash=_hash(style),
        runs="\n".join(_runs(results)),
        scores="\n".join(_scores(results)),
        data=_data(results, folder),
    )


def _part(name: str) -> str:
    page = resources.files("seahorn_py.bench.report").joinpath("assets", name)
    return page.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# ---------------------------------------------------------------- what is there without a script


def _runs(results: Results) -> Iterator[str]:
    """A line for each configuration: what was run, where, under which limits."""
    for column in results.columns:
        rows = list(column.rows.values())
        first = rows[0]
        machine = first.machine
        cells = (
            column.label,
            " ".join((first.tool, *first.arguments)),
            str(first.limits),
            f"{machine.cpu}, {machine.cores} cores, {machine.memory_mib} MiB, {machine.system}",
            f"{min(row.started for row in rows)}",
        )
        yield f"<tr>{''.join(_cell(cell) for cell in cells)}</tr>"


def _scores(results: Results) -> Iterator[str]:
    """The score table: a row for each category, six columns for each configuration."""
    yield "<thead><tr><th rowspan=2>category</th>"
    yield from (f"<th colspan=6>{_text(column.label)}</th>" for column in results.columns)
    heads = "<th>score</th><th>of</th><th>correct</th><th>wrong</th><th>open</th><th>CPU s</th>"
    yield f"</tr><tr>{heads * len(results.columns)}</tr></thead><tbody>"
    for category in results.categories:
        sums = (column.categories.get(category) for column in results.columns)
        yield f"<tr>{_cell(category or '(none)', 'th')}{''.join(map(_sums, sums))}</tr>"
    yield "</tbody><tfoot>"
    yield f"<tr><th>all</th>{''.join(_sums(column.total) for column in results.columns)}</tr>"
    yield f"<tr><th>all, categories alike</th>{''.join(map(_normalised, results.columns))}</tr>"
    yield "</tfoot>"


def _sums(sums: Tally | None) -> str:
    if sums is None:
        return "<td></td>" * 6
    wrong = f"<td class={'wrong' if sums.wrong else 'none'}>{sums.wrong}</td>"
    score = f"<td><b>{sums.score}</b></td><td>{sums.most}</td><td>{sums.correct}</td>"
    return f"{score}{wrong}<td>{sums.unknown + sums.unscored}</td><td>{sums.cpu_s:.1f}</td>"


def _normalised(column: Column) -> str:
    return f"<td><b>{normalised(column.categories.values()):.2f}</b></td>" + "<td></td>" * 5


def _cell(text: str, tag: str = "td") -> str:
    return f"<{tag}>{_text(text)}</{tag}>"


def _text(text: str) -> str:
    return html.escape(clean(text))


# ---------------------------------------------------------------- what the script reads


def _data(results: Results, folder: Path) -> str:
    """The results as JSON inside a script element, which only `<` could end."""
    texts: dict[str, int] = {"": 0}
    tasks = [
        [row.task, row.category, row.property, row.data_model, expected(row)]
        for row in results.tasks.values()
    ]
    columns = []
    for column in results.columns:
        way_there = way(column.folder, folder)
        rows = map(column.rows.get, results.tasks)
        cells = [_facts(row, way_there, texts) if row else None for row in rows]
        columns.append({"label": clean(column.label), "cells": cells})
    data = {
        "statuses": STATUSES,
        "tasks": [[clean(text) for text in task] for task in tasks],
        "columns": columns,
        "texts": list(texts),
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _facts(row: Row, way_there: str, texts: dict[str, int]) -> list[Any]:
    """What the script knows of a row; long texts are numbers in `texts`."""
    reason = texts.setdefault(clean(why(row))[:MOST_TEXT], len(texts))
    ended = row.ended.value if row.exit_code is None else f"{row.ended.value}, {row.exit_code}"
    return [
        STATUSES.index(row.status.value),
        clean(answer(row)),
        round(row.cpu_s, 3),
        round(row.wall_s, 3),
        row.memory_mib,
        row.score,
        reason,
        ended,
        clean(row.started),
        [_file(path, way_there) for path in (row.log,) if path],
        [_file(path, way_there) for path in row.witnesses],
        [[clean(entry.path), entry.sha256] for entry in row.inputs],
    ]


def _file(path: str, way_there: str) -> list[str]:
    """A file as the page shows it: its name and its address."""
    return [clean(path), link(path, way_there)]
