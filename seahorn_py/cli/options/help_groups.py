"""Help in groups: options under titles, in the order in which they are declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
OTHERS = "Options"


def titled(
    title: str, *options: Callable[[Decorated], Decorated]
) -> Callable[[Decorated], Decorated]:
    """A decorator that adds options in the order in which the help shows them, under a title."""

    def add(command: Decorated) -> Decorated:
        known = len(getattr(command, "__click_params__", ()))
        for option in reversed(options):
            command = option(command)
        for parameter in getattr(command, "__click_params__", ())[known:]:
            if not hasattr(parameter, "help_title"):
                parameter.help_title = title
        return command

    return add


class Grouped(click.Command):
    """A command whose help has a section for each title."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections; options without a title come last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                title = getattr(parameter, "help_title", OTHERS)
                sections.setdefault(title, []).append(record)
        others = sections.pop(OTHERS, [])
        for title, rows in (*sections.items(), (OTHERS, others)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
