"""What mkdocs asks while it builds: the page of commands gets the help of each, made by click."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from seahorn_py.cli.main import main

PAGE = "reference/commands.md"
WIDTH = 100


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page as it is, with a section for each command behind its text."""
    if page.file.src_uri != PAGE:
        return markdown
    return "\n\n".join([markdown, *_sections(main, click.Context(main, info_name="sea-py"), 2)])


def _sections(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    context.terminal_width = context.max_content_width = WIDTH
    text = command.get_help(context)
    yield f"{'#' * level} {context.command_path}\n\n```text\n{text}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            part = command.get_command(context, name)
            assert part is not None
            inner = click.Context(part, info_name=name, parent=context)
            yield from _sections(part, inner, level + 1)
