"""What mkdocs asks while it builds.

The page of commands gets the help of each, made by click.  Scripts of the tutorial, whose cells are
marked by `# %%`, become pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File

from seahorn_py.cli.main import main

PAGE = "reference/commands.md"
WIDTH = 100


def on_files(files: Any, *, config: Any) -> Any:
    """The files, with a page for each script of the tutorial beside the script itself."""
    for script in sorted(Path(config.docs_dir, "tutorial").glob("*.py")):
        name = f"tutorial/{script.stem.replace('_', '-')}.md"
        files.append(File.generated(config, name, content=page_of(script.read_text(), script.name)))
    return files


def page_of(text: str, name: str) -> str:
    """The page of a script: its texts as they are, its code in blocks."""
    parts = [_cell(part) for part in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]]
    return "\n\n".join([*parts, f"The whole script: [{name}]({name})."]) + "\n"


def _cell(cell: str) -> str:
    kind, _, content = cell.partition("\n")
    if kind.strip() == "[markdown]":
        return re.sub(r"^# ?", "", content.strip(), flags=re.MULTILINE)
    return f"```python\n{content.strip()}\n```"


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
