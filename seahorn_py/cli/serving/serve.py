"""`sea-py serve`: the command."""

from __future__ import annotations

import os
import signal
import sys

import click

from seahorn_py.cli.commands.commands import reports_errors, say
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.cli.serving.asked_for import FLAG, VARIABLE
from seahorn_py.cli.serving.surroundings import default_socket


@click.command("serve", cls=Grouped)
@click.option(
    "--socket",
    type=click.Path(),
    metavar="PATH",
    help="Where clients find it, in a folder that is yours alone; without it in your run folder.",
)
@reports_errors
def serve(socket: str | None) -> None:
    """Stay, with everything loaded, and do what other calls of sea-py ask for."""
    from seahorn_py.cli.serving.server import serve as served

    path = os.path.abspath(socket) if socket else default_socket()
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(128 + signal.SIGHUP))
    served(path, lambda _: say(_ready(path, socket is not None)))
    say("the files of sea-py have changed: this server ends")
    sys.exit(0)


def _ready(path: str, is_chosen: bool) -> str:
    value = path if is_chosen else "1"
    return f"ready at {path}\nto use it: {VARIABLE}={value} sea-py pf ..., or sea-py {FLAG} pf ..."
