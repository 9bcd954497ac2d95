"""Values of options on the command line."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, TextIO

import click

from seahorn_py.base import option_values


class Format(Enum):
    """What is printed: lines for people, one JSON object, lines and annotations of GitHub."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is one; a closed stream is None."""
    return stream is not None and stream.isatty()


def wants_color(context: click.Context, _: click.Parameter, given: str) -> bool:
    """Whether standard output gets colours (no-color.org); asked before a worker prints.

    The worker prints into a file, for which the context must say that colours stay.
    """
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    is_wanted = given == "always" or (given == "auto" and not is_plain and is_terminal(sys.stdout))
    context.color = is_wanted
    return is_wanted


Completed = Callable[[click.Context, click.Parameter, str], list[Any]]


def completed_from(known: Callable[[], Iterable[str]]) -> Completed:
    """What completes an option that takes names with commas between them."""

    def complete(_: click.Context, __: click.Parameter, begun: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        before, comma, last = begun.rpartition(",")
        fitting = (name for name in known() if name.startswith(last))
        return [CompletionItem(f"{before}{comma}{name}") for name in fitting]

    return complete


class Finite(click.FloatRange):
    """A range without `nan`, which no comparison refuses, and without infinity."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; a usage error for one that is none or out of range."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            what = "a number" if math.isnan(number) else "finite"
            self.fail(f"{value} is not {what}", param, ctx)
        return number


class Area(click.ParamType[tuple[int, int]]):
    """ADDRESS:SIZE, numbers as C writes them."""

    name = "area"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """The first address and the size in bytes."""
        try:
            first, size = (int(part, 0) for part in str(value).split(":"))
            return option_values.area((first, size))
        except ValueError:
            example = "0x40000000:0x1000"
            self.fail(f"{value!r} is no ADDRESS:SIZE, as in {example}", param, ctx)


AREA = Area()
