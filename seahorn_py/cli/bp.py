"""`sea-py bp`: whether an assertion of a Boolean program fails.

The last line is `unsat` when none fails, `sat` when one does, `unknown` when the semantics allow no
conclusion, with the exit codes of `pf`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from seahorn_py.base.errors import Stage
from seahorn_py.cli.arguments import bounds_options
from seahorn_py.cli.commands import EXIT_CODES, in_words, supervised
from seahorn_py.cli.help_groups import Grouped
from seahorn_py.options import Semantics
from seahorn_py.processes.journal import enter

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
@bounds_options
@supervised(in_words)
def bp(file: Path, semantics: str, timeout: float, memory: int) -> None:
    """Check the assertions of FILE, a Boolean program in the syntax of Bebop."""
    answer, text = checked(file, Semantics(semantics), timeout)
    click.echo(f"{answer}: {text}")
    click.echo(WORDS[answer])
    sys.exit(EXIT_CODES[answer])


def checked(file: Path, semantics: Semantics, timeout: float) -> tuple[str, str]:
    """The answer and what it rests on; InputError when the file is no Boolean program."""
    from seahorn_py.engines.boolean.bebop import read_program
    from seahorn_py.engines.boolean.diagrams import OutOfMemory
    from seahorn_py.engines.boolean.flow import rules_of
    from seahorn_py.engines.boolean.programs import Assert
    from seahorn_py.engines.boolean.reachability import Reached, Unreached, explore
    from seahorn_py.processes.deadline import Deadline, OutOfTime
    from seahorn_py.processes.textfile import text_of

    enter(Stage.FRONT_END.value)
    deadline = Deadline.after(timeout)
    text = text_of(file)
    program = read_program(text, str(file))
    rules = rules_of(program, str(file))
    bodies = (statement for p in program.procedures for statement in p.body)
    if not any(isinstance(statement.action, Assert) for statement in bodies):
        return "unknown", "nothing to check: no assertion in the program"
    enter(Stage.SOLVE.value)
    try:
        found = explore(rules, semantics, lambda: deadline.remaining == 0)
    except OutOfTime:
        return "unknown", "time limit"
    except OutOfMemory:
        return "unknown", "no room for more diagrams"
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
