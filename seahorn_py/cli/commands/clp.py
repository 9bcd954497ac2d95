"""`sea-py clp` and `sea-py lfe-smt`: the clauses of a program for other solvers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seahorn_py.cli.commands.commands import silent, supervised, write
from seahorn_py.cli.options.arguments import bounds_options, encoding_options, verify_options
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.cli.options.input_options import input_options

output_option = click.option(
    "-o", "output", type=click.Path(path_type=Path), help="Write here, not to stdout."
)


@click.command("clp", cls=Grouped)
@input_options
@encoding_options
@bounds_options
@click.option(
    "--dialect",
    type=click.Choice(["clp", "armc"]),
    default="clp",
    show_default=True,
    help="Clauses, or the trans facts of ARMC.",
)
@output_option
@supervised(silent)
def clp(files: tuple[Path, ...], dialect: str, output: Path | None, **chosen: Any) -> None:
    """Print the program in FILES as constraint logic program over integers."""
    from seahorn_py.verification.export import logic_program

    write(logic_program(files, verify_options(chosen), armc=dialect == "armc"), output)


@click.command("lfe-smt", cls=Grouped)
@input_options
@encoding_options
@bounds_options
@output_option
@supervised(silent)
def lfe_smt(files: tuple[Path, ...], output: Path | None, **chosen: Any) -> None:
    """Print the Horn clauses of the unoptimised program in FILES: a clause for each basic block."""
    from seahorn_py.verification.export import unoptimised_clauses

    write(unoptimised_clauses(files, verify_options(chosen)), output)
