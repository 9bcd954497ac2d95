"""`sea-py lsp`: what editors start."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec
from typing import NoReturn

import click

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.commands.commands import EXIT_TERMINATED, reports_errors
from seahorn_py.processes.limits import end_all_below

ENDING_S = 1.0


@click.command()
@reports_errors
def lsp() -> None:
    """Serve an editor over standard input and output (Language Server Protocol).

    Saved C files are verified within the limits of `pf`; what fails is shown at its line, with its
    run, and what holds at the lines of loops.  Needs `pip install "seahorn-py[lsp]"`.
    """
    if find_spec("pygls") is None:
        raise SeaError(
            'sea-py lsp needs the package pygls: pip install "seahorn-py[lsp]" brings it'
        )
    from seahorn_py.cli.editor.server import Editor

    signal.signal(signal.SIGTERM, _leave)
    with os.fdopen(os.dup(1), "wb") as messages:
        os.dup2(2, 1)  # nothing else may come between them
        Editor().start_io(stdout=messages)


def _leave(*_: object) -> NoReturn:
    """End at once: the thread that reads standard input would wait for its end."""
    end_all_below(ENDING_S)
    os._exit(EXIT_TERMINATED)
