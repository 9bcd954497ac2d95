"""Rows of benchmark results, made up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from seahorn_py.bench.rows import (
    Ended,
    Expected,
    Input,
    Limits,
    Machine,
    Row,
    Verdict,
)
from seahorn_py.bench.scoring import judge

EXIT_CODES = {Verdict.TRUE: 0, Verdict.FALSE: 1}

PLAIN = Row(
    task="a.c",
    category="loops",
    property="unreach-call",
    data_model="LP64",
    inputs=(Input("c/a.c", "0" * 64),),
    expected=Expected.TRUE,
    expected_subproperty="",
    configuration="first",
    arguments=(),
    tool="sea-py 0.1.0",
    limits=Limits(30.0, None, 4000),
    machine=Machine("host", "Linux", "some CPU", 2, 8000),
    verdict=Verdict.TRUE,
    subproperty="",
    status=judge(Verdict.TRUE, Expected.TRUE)[0],
    score=2,
    stage="",
    reason="",
    ended=Ended.EXIT,
    exit_code=0,
    cpu_s=1.0,
    wall_s=1.5,
    memory_mib=100,
    started="2026-11-28T10:00:00Z",
    log="",
    witnesses=(),
)


def row(task: str, verdict: Verdict, expected: Expected | None, **changes: Any) -> Row:
    """A row with the status and score that verdict and expectation call for."""
    status, score = judge(
        verdict,
        expected,
        changes.get("subproperty", ""),
        changes.get("expected_subproperty", ""),
    )
    facts = {"exit_code": EXIT_CODES.get(verdict, 3), "status": status, "score": score}
    return replace(PLAIN, task=task, verdict=verdict, expected=expected, **{**facts, **changes})


def write(rows: Iterable[Row], file: Path) -> Path:
    """A result file with these rows."""
    file.write_text("".join(f"{row.as_json()}\n" for row in rows))
    return file
