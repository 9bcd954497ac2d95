"""`sea-py pf --modular`: a table of functions, each proved against its contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NoReturn

import click

from seahorn_py.base.errors import SeaError, visible
from seahorn_py.base.version import VERSION
from seahorn_py.cli.answers import report
from seahorn_py.cli.answers.entry_call import call_lines
from seahorn_py.cli.commands.commands import EXIT_CODES, code_beside, finish
from seahorn_py.cli.options.arguments import verify_options
from seahorn_py.cli.options.click_types import Format
from seahorn_py.cli.screen.answer import of_run
from seahorn_py.result import Answer
from seahorn_py.validation.contracts.conclusions import Table
from seahorn_py.validation.contracts.each_function import prove_contracts
from seahorn_py.validation.contracts.model import Row, Status

_LAST = {Answer.SAFE: "unsat", Answer.UNSAFE: "sat", Answer.UNKNOWN: "unknown"}
_SENTENCES = {
    Answer.SAFE: "safe: every contract is proved",
    Answer.UNSAFE: "unsafe: a contract is refuted",
    Answer.UNKNOWN: "unknown: not every contract is proved",
}
_NOT_TOGETHER = {
    "hints": "--invariants",
    "witnesses": "--witness",
    "certificate": "--certificate",
    "every_check": "--all-checks",
    "enforced": "--enforce-contract",
    "replaced": "--replace-call-with-contract",
}


def answer(chosen: dict[str, Any]) -> NoReturn:
    """Prove the contracts, print the table, end with its exit code."""
    for name, flag in _NOT_TOGETHER.items():
        if chosen.get(name):
            raise SeaError(f"{flag} has no meaning with --modular")
    form = chosen["format_"]
    if form not in (Format.TEXT.value, Format.JSON.value):
        raise SeaError(f"--format {form} has no meaning with --modular")
    table = prove_contracts(
        chosen["files"],
        verify_options(chosen),
        side_files=chosen["contracts"],
        cache=chosen["cache"],
        tell=report.progress(chosen).phase,
    )
    is_json = form == Format.JSON.value
    if chosen.get("report") is not None:
        from seahorn_py.cli.reports.page.of_table import written_table

        line = written_table(table, [*map(str, chosen["files"])], chosen["report"])
        click.echo(visible(line), err=is_json)
    click.echo(as_json(table) if is_json else "\n".join(map(visible, lines(table, chosen))))
    bugs = [bug for row in table.rows if row.result for bug in row.result.internal_errors]
    finish(code_beside(EXIT_CODES[table.answer.value], bugs), bugs, chosen)


def lines(table: Table, chosen: dict[str, Any]) -> Iterator[str]:
    """The table for people, with counterexamples before it; the last line is that of `pf`."""
    for row in table.rows:
        yield from _counterexample(row, chosen)
    assumed = dict.fromkeys(text for row in table.rows for text in row.assumed)
    yield from (f"assumed: {text}" for text in assumed)
    for row in table.rows:
        yield from row.notes
    yield from _columns(table)
    if table.inlined:
        yield f"without a contract, analysed where they are called: {', '.join(table.inlined)}"
    yield _SENTENCES[table.answer]
    yield _LAST[table.answer]


def _counterexample(row: Row, chosen: dict[str, Any]) -> Iterator[str]:
    """The call that violates a contract, as `--entry` shows one."""
    if row.status is not Status.REFUTED or row.result is None or row.result.violation is None:
        return
    inputs = row.result.violation.inputs
    yield from (f"call: {line}" for line in call_lines((row.function.split()[0],), inputs))
    yield from of_run(row.result.violation, chosen["full_trace"])
    yield f"refuted: {row.function}: {row.reason}"


def _columns(table: Table) -> Iterator[str]:
    """A line a function."""
    width = max(len(row.function) for row in table.rows)
    kept = max(len(row.status.value) for row in table.rows)
    by = max(len(_engine(row)) for row in table.rows)
    for row in table.rows:
        why = row.reason or (f"rests on {', '.join(row.rests_on)}" if row.rests_on else "")
        head = f"function: {row.function:<{width}}  {row.status.value:<{kept}}"
        yield f"{head}  {_engine(row):<{by}}  {row.seconds:7.2f} s  {why}".rstrip()


def _engine(row: Row) -> str:
    return f"{row.engine} (kept)" if row.is_kept else row.engine


def as_json(table: Table) -> str:
    """One JSON object: the verdict and a row for each function."""

    def told(row: Row) -> dict[str, Any]:
        found = row.result.violation if row.result is not None else None
        return {
            "function": row.function,
            "place": str(row.place),
            "status": row.status.value,
            "contract": list(row.contract),
            "engine": row.engine,
            "seconds": round(row.seconds, 3),
            "rests_on": list(row.rests_on),
            "assumed": list(row.assumed),
            "reason": row.reason,
            "notes": list(row.notes),
            "kept": row.is_kept,
            "violation": report.violation_of(found) if row.status is Status.REFUTED else None,
        }

    return json.dumps(
        {
            "version": VERSION,
            "verdict": table.answer.value,
            "functions": [told(row) for row in table.rows],
            "inlined": list(table.inlined),
        },
        indent=2,
    )
