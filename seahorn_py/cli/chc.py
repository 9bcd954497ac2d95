"""`sea-py chc`: whether Horn clauses have a solution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seahorn_py.cli.arguments import engine_options, limit_options, turns_chosen
from seahorn_py.cli.commands import EXIT_CODES, Unanswered, code_beside, finish, supervised
from seahorn_py.cli.help_groups import Grouped


def _unsolved(why: Unanswered) -> str:
    return "" if why.is_interrupted else f"{why.stage}: {why.reason}\nunknown"


@click.command(cls=Grouped)
@click.argument("file", type=click.Path(path_type=Path))
@limit_options
@engine_options
@click.option("--show-model", is_flag=True, help="Print the solution as SMT-LIB definitions.")
@click.option(
    "--to",
    type=click.Choice(["chc", "fixedpoint"]),
    help="Solve nothing; print the clauses as in CHC-COMP, or for z3's fixedpoint engines.",
)
@supervised(_unsolved)
def chc(
    file: Path,
    timeout: float,
    memory: int,
    jobs: int,
    show_model: bool,
    to: str | None,
    **chosen: Any,
) -> None:
    """Solve the Horn clauses in FILE (SMT-LIB); the last line is sat, unsat or unknown.

    FILE may have rules and queries of z3's fixedpoint format: then unsat means that one is derived,
    for which z3 says sat. Of a schedule the turns for int count.
    """
    if to is not None:
        from seahorn_py.verification.chc import translated

        click.echo(translated(file, to == "fixedpoint"), nl=False)
        return
    from seahorn_py.verification.chc import solve_file

    solution = solve_file(file, timeout, memory, jobs, turns_chosen(chosen, jobs))
    for line in solution.lines(show_model):
        click.echo(line)
    code = {"sat": 0, "unsat": 1, "unknown": EXIT_CODES["unknown"]}[solution.status]
    bugs = solution.internal_errors
    finish(code_beside(code, bugs), bugs, {**chosen, "file": file})
