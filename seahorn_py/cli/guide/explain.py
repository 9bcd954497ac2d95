"""`sea-py explain`: what a code means."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.commands.commands import reports_errors
from seahorn_py.cli.messages.codes import known
from seahorn_py.cli.messages.message import Message
from seahorn_py.properties import nearest

KINDS = {
    "U": "Unknown answers",
    "L": "Entries of the ledger",
    "E": "Refusals and errors",
}
_WIDTH = 100


@click.command()
@click.argument("code", required=False)
@reports_errors
def explain(code: str | None) -> None:
    """Say what the CODE behind a message means, and what to do; without one list all codes."""
    click.echo("\n".join(listed() if code is None else page(message_of(code))))


def message_of(code: str) -> Message:
    """The kind of message with a code; SeaError if there is none."""
    codes = {message.code: message for message in known()}
    wanted = code.strip("[]").upper()
    if wanted not in codes:
        raise SeaError(
            f"no message has the code {code}{nearest(wanted, codes)}; see sea-py explain"
        )
    return codes[wanted]


def listed() -> Iterator[str]:
    """All codes with their titles."""
    for letter, title in KINDS.items():
        yield f"{title}:"
        yield from (f"  {one.code}  {one.title}" for one in known() if one.code[0] == letter)


def page(message: Message) -> Iterator[str]:
    """A message as text."""
    yield f"{message.code}: {message.title}"
    yield ""
    yield from textwrap.wrap(message.meaning, _WIDTH)
    yield ""
    yield from (f"    {line}" for line in message.example.splitlines())
    yield ""
    yield from textwrap.wrap(f"What to do: {message.repair}", _WIDTH)


def reference() -> str:
    """The page docs/reference/messages.md."""
    lines = [
        "# Messages",
        "",
        "The code in brackets behind a message says what kind it is: `U` for unknown answers, `L`"
        " for entries of the",
        "[ledger](ledger.md), `E` for refusals and errors. A code keeps its meaning. `sea-py"
        " explain CODE` prints what is below.",
    ]
    for letter, title in KINDS.items():
        lines += ["", f"## {title}"]
        for one in (message for message in known() if message.code[0] == letter):
            lines += ["", f"### {one.code}: {one.title}", "", one.meaning, ""]
            lines += [*(f"    {line}" for line in one.example.splitlines()), ""]
            lines += [f"**What to do:** {one.repair}"]
    return "\n".join(lines) + "\n"
