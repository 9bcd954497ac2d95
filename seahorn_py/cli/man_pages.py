"""Manual pages of all commands, from what they say of themselves (groff's man macros).

`python -m seahorn_py.cli.man_pages FOLDER` writes them; the build of the wheel does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from seahorn_py.base.version import VERSION
from seahorn_py.cli.main import main
from seahorn_py.cli.options.help_groups import OTHERS

EXIT_STATUS = (
    ("0", "safe, or what was asked for was done"),
    ("1", "unsafe"),
    ("2", "wrong usage or input"),
    ("3", "no answer"),
    ("4", "an internal error"),
    ("130, 143", "interrupted, by SIGINT or SIGTERM; what was known is printed"),
)


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page, that of `sea-py` first."""
    whole = click.Context(main, info_name="sea-py", **main.context_settings)
    yield "sea-py.1", page(whole)
    for name in main.list_commands(whole):
        command = main.get_command(whole, name)
        assert command is not None
        yield f"sea-py-{name}.1", page(click.Context(command, whole, f"sea-py {name}"))


def page(context: click.Context) -> str:
    """The page of a command."""
    command, name = context.command, context.info_name or ""
    about = " ".join((command.help or "").split("\n\n")[0].split())
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f'.TH "{name.replace(" ", "-").upper()}" 1 "" "sea-py {VERSION}"']
    lines += [".SH NAME", _text(f"{name.replace(' ', '-')} - {about}")]
    lines += [".SH SYNOPSIS", f".B {_text(name)}", _text(usage)]
    lines += [".SH DESCRIPTION", *_paragraphs(command.help or "")]
    for title, rows in _sections(context).items():
        lines.append(f".SH {_text(title.upper())}")
        for left, right in rows:
            lines += [".TP", f"\\fB{_text(left)}\\fR", _text(right)]
    if isinstance(command, click.Group):
        lines += [".SH COMMANDS", *_commands(context, command)]
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXIT_STATUS:
        lines += [".TP", _text(code), _text(meaning)]
    return "\n".join(lines) + "\n"


def _sections(context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """The options under their titles, those without one last."""
    found: dict[str, list[tuple[str, str]]] = {}
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            found.setdefault(getattr(parameter, "help_title", OTHERS), []).append(record)
    return {**{k: rows for k, rows in found.items() if k != OTHERS}, OTHERS: found.get(OTHERS, [])}


def _commands(context: click.Context, group: click.Group) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        about = command.get_short_help_str(200) if command is not None else ""
        yield from (".TP", f"\\fB{_text(name)}\\fR", _text(about))


def _paragraphs(text: str) -> Iterator[str]:
    for number, part in enumerate(text.split("\n\n")):
        if number:
            yield ".PP"
        yield _text(" ".join(part.split()))


def _text(text: str) -> str:
    """Text of a page: nothing in it is a request or an escape."""
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", shown)


def write(folder: Path) -> None:
    """Write all pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
