"""`sea-py chc`: whether Horn clauses have a solution."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seahorn_py.cli.commands.commands import EXIT_CODES, Unanswered, code_beside, finish, supervised
from seahorn_py.cli.options.arguments import engine_options, limit_options, turns_chosen
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.cli.whole_files import write_whole

if TYPE_CHECKING:
    from seahorn_py.verification.chc import Solved


def _unsolved(why: Unanswered) -> str:
    return "" if why.is_interrupted else f"{why.stage}: {why.reason}\nunknown"


@click.command(cls=Grouped)
@click.argument("file", type=click.Path(path_type=Path))
@limit_options
@engine_options
@click.option("--show-model", is_flag=True, help="Print the solution as SMT-LIB definitions.")
@click.option(
    "--show-refutation",
    is_flag=True,
    help="Print the steps that derive a query, as instances of clauses that cannot hold together.",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write clauses, evidence of the last answer and a checker that needs only cvc5 or z3.",
)
@click.option(
    "--to",
    type=click.Choice(["chc", "fixedpoint", "eldarica"]),
    help="Solve nothing; print the clauses as in CHC-COMP, for z3's fixedpoint engines, or as"
    " Prolog-like clauses of Eldarica.",
)
@supervised(_unsolved)
def chc(
    file: Path,
    timeout: float,
    memory: int,
    jobs: int,
    show_model: bool,
    show_refutation: bool,
    certificate: Path | None,
    to: str | None,
    **chosen: Any,
) -> None:
    """Solve the Horn clauses in FILE (SMT-LIB, or the Prolog-like clauses of Eldarica); the last
    line is sat, unsat or unknown.

    FILE may have rules and queries of z3's fixedpoint format: then unsat means that one is derived,
    for which z3 says sat. Each check-sat and each query is a question of its own, with an answer of
    its own. Of a schedule the turns for int count.
    """
    if to is not None:
        from seahorn_py.verification.chc import translated

        click.echo(translated(file, to), nl=False)
        return
    from seahorn_py.verification.chc import solve_file

    shows = [word for word, on in (("model", show_model), ("proof", show_refutation)) if on]
    answers = []
    for solved in solve_file(file, timeout, memory, jobs, turns_chosen(chosen, jobs)):
        answers.append(solved)
        for line in solved.lines(shows):
            click.echo(line)
    if certificate is not None:
        click.echo(_written(answers[-1], certificate), err=True)
    codes = {"sat": 0, "unsat": 1, "unknown": EXIT_CODES["unknown"]}
    code = max(codes[solved.status] for solved in answers)
    bugs = tuple(report for solved in answers for report in solved.internal_errors)
    finish(code_beside(code, bugs), bugs, {**chosen, "file": file})


def _written(solved: Solved, folder: Path) -> str:
    """Write the certificate; what there is to say about it."""
    from seahorn_py.base.errors import SeaError, StageFailure
    from seahorn_py.evidence.certificate import certificate

    none = f"{folder} not written"
    if solved.certificate is None:
        return f"certificate: none: no answer: {none}"
    try:
        files = certificate.with_checker(solved.certificate())
        certificate.prepare(folder)
    except StageFailure as failure:
        return f"certificate: none: {failure.reason}: {none}"
    except OSError as error:
        raise SeaError(f"{folder}: cannot write: {error.strerror}") from None
    for name, text in files.items():
        write_whole(text, folder / name)
    return f"certificate: {folder}: check it with python {folder / 'check.py'}"
