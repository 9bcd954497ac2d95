"""`sea-py svlib`: whether the annotations of SV-LIB programs hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seahorn_py.base.errors import visible
from seahorn_py.cli.commands.commands import EXIT_CODES, Unanswered, code_beside, finish, supervised
from seahorn_py.cli.options.arguments import engine_options, limit_options, turns_chosen
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.cli.whole_files import write_whole
from seahorn_py.processes import internal_errors

CODES = {"correct": "safe", "incorrect": "unsafe", "unknown": "unknown"}


def _unanswered(why: Unanswered) -> str:
    return "" if why.chosen["as_smt"] else f"{why.stage}: {why.reason}\nunknown"


@click.command(cls=Grouped)
@click.argument("file", type=click.Path(path_type=Path))
@limit_options
@engine_options
@click.option(
    "--witness",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the witness of the last answer: annotations, or the trace of a run.",
)
@click.option("--smt", "as_smt", is_flag=True, help="Print the Horn clauses and solve nothing.")
@supervised(_unanswered)
def svlib(
    file: Path,
    timeout: float,
    memory: int,
    jobs: int,
    witness: Path | None,
    as_smt: bool,
    **chosen: Any,
) -> None:
    """Check the annotations of FILE, an SV-LIB script; the last line is correct, incorrect or
    unknown.

    Each verify-call is a question of its own, with an answer of its own.
    """
    from seahorn_py.verification.svlib import answer_script, clauses_of

    if as_smt:
        click.echo(clauses_of(file), nl=False)
        return
    answers = []
    for one in answer_script(file, timeout, memory, jobs, turns_chosen(chosen, jobs)):
        answers.append(one)
        for line in internal_errors.lines(one.internal_errors):
            click.echo(line)
        if one.violated is not None:
            said = f"{one.violated.kind} {one.violated.text}"
            click.echo(visible(f"{file}:{one.violated.line}: {said} does not hold"))
        click.echo(f"{visible(one.place)}: {one.reason}")
        click.echo(one.word)
    if witness is not None:
        _write(answers[-1].witness, witness)
    code = max(EXIT_CODES[CODES[one.word]] for one in answers)
    bugs = tuple(report for one in answers for report in one.internal_errors)
    finish(code_beside(code, bugs), bugs, {**chosen, "file": file})


def _write(text: str, path: Path) -> None:
    """Write a witness, or say that there is none."""
    if text:
        write_whole(text, path)
    click.echo(f"witness: {path}" if text else f"witness: none: {path} not written", err=True)
