"""`sea-py bp`: whether an assertion of a Boolean program fails, or it fulfils a temporal formula.

The last line is `unsat` when none fails or all runs fulfil the formula, `sat` when one does or not,
`unknown` when the semantics allow no conclusion, with the exit codes of `pf`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from seahorn_py.base.errors import Stage
from seahorn_py.cli.commands.commands import EXIT_CODES, in_words, supervised
from seahorn_py.cli.options.arguments import bounds_options
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.options import Semantics
from seahorn_py.processes.journal import enter

if TYPE_CHECKING:
    from seahorn_py.engines.boolean.programs import BooleanProgram
    from seahorn_py.engines.boolean.rules import BooleanRules
    from seahorn_py.processes.deadline import Deadline

WORDS = {"safe": "unsat", "unsafe": "sat", "unknown": "unknown"}


@click.command(cls=Grouped)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--semantics",
    type=click.Choice([s.value for s in Semantics]),
    default=Semantics.OVER.value,
    show_default=True,
    help="What unknown is: either value, the end of the run, or a value of its own.",
)
@click.option(
    "--property",
    "formula",
    metavar="FORMULA",
    default="",
    help="A formula of CTL or LTL instead of the assertions: 'AG EF free', 'G(p -> F \"f.x\")'.",
)
@bounds_options
@supervised(in_words)
def bp(file: Path, semantics: str, formula: str, timeout: float, memory: int) -> None:
    """Check FILE, a Boolean program in the syntax of Bebop: its assertions, or a formula."""
    if formula and Semantics(semantics) is not Semantics.OVER:
        raise click.UsageError("--property takes unknown values for either: --semantics over")
    answer, text = checked(file, Semantics(semantics), timeout, formula)
    click.echo(f"{answer}: {text}")
    click.echo(WORDS[answer])
    sys.exit(EXIT_CODES[answer])


def checked(file: Path, semantics: Semantics, timeout: float, formula: str = "") -> tuple[str, str]:
    """The answer and what it rests on; InputError when the file is no Boolean program."""
    from seahorn_py.cli.commands.bp_formulas import about_formula
    from seahorn_py.engines.boolean.bebop import read_program
    from seahorn_py.engines.boolean.diagrams import OutOfMemory
    from seahorn_py.engines.boolean.flow import rules_of
    from seahorn_py.processes.deadline import Deadline, OutOfTime
    from seahorn_py.processes.textfile import text_of

    enter(Stage.FRONT_END.value)
    deadline = Deadline.after(timeout)
    program = read_program(text_of(file), str(file))
    rules = rules_of(program, str(file))
    try:
        if formula:
            return about_formula(program, formula, lambda: deadline.remaining == 0)
        return _about_assertions(program, rules, semantics, deadline)
    except OutOfTime:
        return "unknown", "time limit"
    except OutOfMemory:
        return "unknown", "no room for more diagrams"


def _about_assertions(
    program: BooleanProgram, rules: BooleanRules, semantics: Semantics, deadline: Deadline
) -> tuple[str, str]:
    from seahorn_py.engines.boolean.programs import Assert
    from seahorn_py.engines.boolean.reachability import Reached, Unreached, explore

    bodies = (statement for p in program.procedures for statement in p.body)
    if not any(isinstance(statement.action, Assert) for statement in bodies):
        return "unknown", "nothing to check: no assertion in the program"
    enter(Stage.SOLVE.value)
    found = explore(rules, semantics, lambda: deadline.remaining == 0)
    match found.conclusion:
        case Reached(steps, for_sure):
            is_sure = semantics is not Semantics.BELNAP or for_sure
            return _failing(f"a derivation of {len(steps)} steps", is_sure)
        case Unreached(proves=True):
            return "safe", f"no assertion fails; {found.rounds} rounds"
    return "unknown", "no assertion fails in a run of known values"


def _failing(how: str, is_sure: bool) -> tuple[str, str]:
    if is_sure:
        return "unsafe", f"an assertion fails, by {how}"
    return "unknown", f"an assertion may fail where values are unknown, by {how}"
