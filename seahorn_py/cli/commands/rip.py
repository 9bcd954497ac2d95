"""`sea-py rip`: prove that no assertion of a `.rip` program fails, or show a run in which one does.

The last line is `unsat`, `sat` or `unknown`, and the exit code 0, 1 or 3, as those of `pf`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seahorn_py.base.errors import visible
from seahorn_py.cli.commands.commands import (
    EXIT_CODES,
    Unanswered,
    code_beside,
    finish,
    in_words,
    supervised,
)
from seahorn_py.cli.options.arguments import engine_options, limit_options, turns_chosen
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.processes import internal_errors

if TYPE_CHECKING:
    from seahorn_py.rip.solving import Solved

WORDS = {"safe": "unsat", "unsafe": "sat", "unknown": "unknown"}


def _printed(solution: Solved, file: Path, show_model: bool) -> Iterator[str]:
    if show_model and solution.model:
        yield solution.model
    for number, values in enumerate(solution.initial):
        if values:
            what = "globals" if number == 0 else f"call {number}"
            shown = ", ".join(f"{name} = {value}" for name, value in values.items())
            yield f"{what}: {shown}"
    where = f"{visible(str(file))}:{solution.line}: the assertion fails; " if solution.line else ""
    yield f"{solution.answer.value}: {where}{solution.reason}"
    yield WORDS[solution.answer.value]


def _unanswered(why: Unanswered) -> str:
    return "" if why.chosen["as_smt"] else in_words(why)


@click.command(cls=Grouped)
@click.argument("file", type=click.Path(path_type=Path))
@limit_options
@engine_options
@click.option("--show-model", is_flag=True, help="Print what is proved, as SMT-LIB definitions.")
@click.option("--smt", "as_smt", is_flag=True, help="Print the Horn clauses and solve nothing.")
@supervised(_unanswered)
def rip(
    file: Path,
    timeout: float,
    memory: int,
    jobs: int,
    show_model: bool,
    as_smt: bool,
    **chosen: Any,
) -> None:
    """Prove the assertions of FILE, a program in the language of RocketScience, or refute one."""
    from seahorn_py.base.errors import Stage
    from seahorn_py.engines.engine import Budget, for_solving
    from seahorn_py.horn.text.smtlib import print_horn
    from seahorn_py.processes.deadline import Deadline
    from seahorn_py.processes.internal_errors import Reports
    from seahorn_py.processes.journal import enter
    from seahorn_py.rip.encoding import encode
    from seahorn_py.rip.parsing import read_file
    from seahorn_py.rip.solving import solve

    enter(Stage.FRONT_END.value)
    deadline = Deadline.after(timeout)
    program = read_file(file)
    if as_smt:
        click.echo(print_horn(encode(program)))
        return
    enter(Stage.SOLVE.value)
    turns = turns_chosen(chosen, jobs)
    budget = Budget(for_solving(deadline), memory, jobs)
    reports = Reports()
    with reports.collecting():
        solution = solve(program, turns, deadline, budget)
    for line in internal_errors.lines(reports.found()):
        click.echo(line)
    for line in _printed(solution, file, show_model):
        click.echo(line)
    bugs = reports.found()
    finish(code_beside(EXIT_CODES[solution.answer.value], bugs), bugs, {**chosen, "file": file})
