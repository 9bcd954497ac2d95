"""`sea-py completion`: what a shell needs to complete commands, options and their values."""

from __future__ import annotations

import os

import click
from click.shell_completion import get_completion_class, shell_complete

from seahorn_py.cli.commands.commands import reports_errors

VARIABLE = "_SEA_PY_COMPLETE"
"""What a shell sets when it asks what may stand at the cursor."""

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@reports_errors
def completion(shell: str) -> None:
    """Print what SHELL needs to complete commands, options and their values.

    In ~/.bashrc: eval "$(sea-py completion bash)"; in ~/.zshrc: eval "$(sea-py completion zsh)"; in
    config.fish: sea-py completion fish | source
    """
    found = get_completion_class(shell)
    assert found is not None
    source = found(click.Command("sea-py"), {}, "sea-py", VARIABLE)
    click.echo(source.source_template % source.source_vars())


def asked(command: click.Command) -> int | None:
    """Answer a shell that asks; the exit code, None if none does."""
    instruction = os.environ.get(VARIABLE)
    if not instruction:
        return None
    return shell_complete(command, {}, "sea-py", VARIABLE, instruction)
