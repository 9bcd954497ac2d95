"""A question is answered in a process of its own, which the server ends whenever it wants."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.editor.shown_answers import Asked, Shown, answer_text, question_of
from seahorn_py.processes import limits

DATABASES = ("compile_commands.json", "build/compile_commands.json")
"""Where a project keeps the flags of its build, in a folder of it."""


def answer(text: str) -> str:
    """Answer a question; the text of an answer."""
    limits.adopt_orphans()
    asked = question_of(text)
    os.chdir(asked.root)
    try:
        return answer_text(_answered(asked))
    except click.exceptions.Exit:
        said = "arguments: one of them, as --help, ends the command before it has answered"
        return answer_text(_refused(SeaError(said), asked))
    except click.ClickException as error:
        return answer_text(_refused(SeaError(error.format_message()), asked))
    except SeaError as error:
        return answer_text(_refused(error, asked))


def _refused(error: SeaError, asked: Asked) -> Shown:
    from seahorn_py.cli.editor.of_result import refused

    return refused(error, asked)


def _answered(asked: Asked) -> Shown:
    from seahorn_py.cli.editor.of_result import shown
    from seahorn_py.cli.options.arguments import verify_options
    from seahorn_py.properties import read_properties
    from seahorn_py.verification.pipeline import verify

    chosen = _chosen(asked)
    result = verify(asked.file, verify_options({**chosen, "ask_default": True}))
    return shown(result, asked, read_properties(chosen["properties"]))


def _chosen(asked: Asked) -> dict[str, Any]:
    """The parameters of `pf`, as its command line takes them."""
    from seahorn_py.cli.main import pf
    from seahorn_py.frontend.compiling.flags import as_options

    given = as_options([*asked.arguments])
    database = _database(Path(asked.file), Path(asked.root))
    if database is not None and "--compdb" not in given:
        given = [*given, "--compdb", str(database)]
    chosen = pf.make_context("pf", [*given, "--show-invars", "--", asked.file]).params
    if chosen["modular"]:
        raise SeaError("--modular: an editor asks about files and functions, not about contracts")
    return chosen


def _database(file: Path, root: Path) -> Path | None:
    """The nearest compilation database that knows the file, not above the root."""
    from seahorn_py.frontend.compiling.compdb import listed

    for folder in (file.parent, *file.parent.parents):
        for name in DATABASES:
            found = folder / name
            if found.is_file() and file.resolve() in {one.resolve() for one in listed(found)}:
                return found
        if folder == root:
            return None
    return None
