"""What all commands share: how they are found, how errors end them, their exit codes.

A command lives in the room of what it does and is imported when it is asked for, so that
`sea-py --version` starts at once.
"""

from __future__ import annotations

import functools
import importlib
import sys
from pathlib import Path
from typing import Any

import click

from seahorn_py.arguments import Command
from seahorn_py.errors import SeaError
from seahorn_py.exhibits import write_whole

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143
EXIT_CODES = {"safe": 0, "unsafe": 1, "unknown": 3}

ELSEWHERE: dict[str, str] = {
    "bench": "seahorn_py.bench.command:bench",
    "bp": "seahorn_py.boolean_programs:bp",
    "clp": "seahorn_py.clp:clp",
    "exe": "seahorn_py.executable:exe",
    "lfe-smt": "seahorn_py.clp:lfe_smt",
    "svcomp": "seahorn_py.svcomp:svcomp",
    "rip": "seahorn_py.rip.command:rip",
    "validate": "seahorn_py.validation.command:validate",
}
"""Name of a command -> "module:object" of those that are not in `cli`."""


class Commands(click.Group):
    """The commands of `sea-py`, those of other rooms among them."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All names, in the order of the alphabet."""
        return sorted([*super().list_commands(context), *ELSEWHERE])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, imported if need be."""
        if name not in ELSEWHERE:
            return super().get_command(context, name)
        module, _, attribute = ELSEWHERE[name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


def reports_errors(command: Command) -> Command:
    """Turn SeaError into one line and exit code 2."""

    @functools.wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except SeaError as error:
            click.echo(f"sea-py: error: {error}", err=True)
            sys.exit(EXIT_USAGE)
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)

    return guarded  # type: ignore[return-value]


def write(text: str, output: Path | None) -> None:
    """Print, or write a file."""
    if output is None:
        click.echo(text)
    else:
        write_whole(text, output)
