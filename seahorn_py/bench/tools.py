"""What is run on a task: `sea-py`, or another command, in one of several configurations."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

import click

from seahorn_py.base.errors import SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.base.version import VERSION
from seahorn_py.bench.rows import Limits
from seahorn_py.bench.tasks.task import Task
from seahorn_py.cli.commands.commands import EXIT_CODES

WITNESS_ENDINGS = (".yml", ".graphml")
LEAST_MEMORY = 256
MEMORY_SHARE = 0.9
"""The share of the limit on memory that sea-py is told to keep to."""
TIME_SHARE, MOST_SPARE_S = 0.1, 10.0
"""The share of the wall time that sea-py is told to leave unused, and the most seconds of it."""

_BITS = {"ILP32": "-m32", "LP64": "-m64"}
_NAMED = pattern(r"([A-Za-z0-9][\w.+-]*)=(.*)", re.DOTALL)
_FIELD = pattern(r"\{(\w*)\}")


@dataclass(frozen=True, slots=True)
class Configuration:
    """Arguments under a name."""

    name: str
    arguments: tuple[str, ...] = ()


DEFAULT = Configuration("default")


def read_configurations(given: Iterable[str]) -> tuple[Configuration, ...]:
    """Those of `NAME=ARGUMENTS` texts; the default one if there are none."""
    found: dict[str, Configuration] = {}
    for text in given:
        match = _NAMED.fullmatch(text)
        if match is None:
            raise SeaError(f"configuration {text}: write NAME=ARGUMENTS")
        if match[1] in found:
            raise SeaError(f"configuration {match[1]} is there twice")
        found[match[1]] = Configuration(match[1], _words(match[2]))
    return tuple(found.values()) or (DEFAULT,)


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise SeaError(f"{text}: {error}") from None


@dataclass(frozen=True, slots=True)
class Order:
    """What a command is made from; `witness` is a path without ending, or None for no witness.

    `page` is the folder of a page about the answer, or None.
    """

    task: Task
    configuration: Configuration
    limits: Limits
    witness: Path | None
    page: Path | None = None


@dataclass(frozen=True, slots=True)
class SeaPy:
    """Our own `sea-py`: `pf`, and `chc` for Horn systems."""

    codes: ClassVar[frozenset[int] | None] = frozenset(EXIT_CODES.values())
    """The exit codes of an answer; others are those of errors and crashes."""

    name: str = "sea-py"

    def command(self, order: Order) -> list[str]:
        """The command; arguments of the configuration come after ours, so they win."""
        limits, task = order.limits, order.task
        wall = limits.wall_s - min(TIME_SHARE * limits.wall_s, MOST_SPARE_S)
        memory = max(LEAST_MEMORY, int(MEMORY_SHARE * limits.memory_mib))
        bounds = ["--timeout", f"{wall:g}", "--memory", str(memory)]
        asked = [] if task.is_horn else _asked(task, order.witness, order.page)
        words = ["chc" if task.is_horn else "pf", *asked, *bounds, *order.configuration.arguments]
        files = map(str, task.paths)
        return [sys.executable, "-P", "-m", "seahorn_py.cli", *words, "--", *files]

    def check(self, configurations: Iterable[Configuration], is_horn: bool) -> None:
        """SeaError for arguments that are none of `pf` (or `chc`), before anything is run."""
        for configuration in configurations:
            try:
                _check_arguments(configuration.arguments, is_horn)
            except (click.UsageError, SeaError) as error:
                why = error.format_message() if isinstance(error, click.UsageError) else error
                raise SeaError(f"configuration {configuration.name}: {why}") from None
            except click.exceptions.Exit:
                raise SeaError(f"configuration {configuration.name} only shows help") from None


def _check_arguments(arguments: Sequence[str], is_horn: bool) -> None:
    """SeaError or UsageError for what is none of the command's options, or asks something else."""
    from seahorn_py.cli.commands.chc import chc
    from seahorn_py.cli.main import pf
    from seahorn_py.cli.options.arguments import turns_chosen, verify_options
    from seahorn_py.cli.options.click_types import Format

    command = chc if is_horn else pf
    chosen = command.make_context("sea-py", [*arguments, "--", "file.c"]).params
    if is_horn:
        turns_chosen(chosen, chosen["jobs"])
        return
    if len(chosen["files"]) > 1:
        raise SeaError(
            f"{chosen['files'][0]}: a file is none of the arguments; options begin with -"
        )
    if chosen["properties"]:
        raise SeaError("--property is not for configurations: the task says what is asked")
    if chosen["format_"] != Format.TEXT.value:
        raise SeaError("--json and --format are not for configurations: the answer is read as text")
    verify_options(chosen)


def _asked(task: Task, witness: Path | None, page: Path | None) -> list[str]:
    words = [_BITS[task.data_model]] if task.data_model else []
    words += ["--property", str(task.property_file or task.property_name)]
    if witness is not None:
        for ending in WITNESS_ENDINGS:
            words += ["--witness", f"{witness}{ending}"]
    if page is not None:
        words += ["--report", str(page)]
    return words


@dataclass(frozen=True, slots=True)
class OtherTool:
    """Any command, as words with fields in braces, which the task fills.

    `{file}` and `{arguments}`, as words of their own, are all files and the configuration's
    arguments.  `{property}` is its name, `{property_file}` its file, `{bits}` is `-m32`, `-m64` or
    nothing, `{data_model}` its name, `{witness}` a path without ending, `{timeout}` the seconds of
    wall time, `{memory}` the MiB.  Words that come out empty are dropped.
    """

    codes: ClassVar[frozenset[int] | None] = None
    """Nothing is known of its exit codes."""

    name: str
    words: tuple[str, ...]

    @staticmethod
    def of(text: str) -> OtherTool:
        """The tool of a command line; SeaError for one with fields that are not known."""
        words = _words(text)
        if not words:
            raise SeaError("--tool: no command")
        for name in _FIELD.findall(text):
            if name not in _FIELDS:
                raise SeaError(f"--tool: {{{name}}} is not known; known: {', '.join(_FIELDS)}")
        return OtherTool(text, words)

    def command(self, order: Order) -> list[str]:
        """The words, filled."""
        files = [str(path) for path in order.task.paths]
        several = {"{file}": files, "{arguments}": list(order.configuration.arguments)}
        values = {
            "file": files[0],
            "arguments": shlex.join(order.configuration.arguments),
            "property": order.task.property_name,
            "property_file": str(order.task.property_file or ""),
            "bits": _BITS.get(order.task.data_model, ""),
            "data_model": order.task.data_model,
            "witness": str(order.witness or ""),
            "timeout": f"{order.limits.wall_s:g}",
            "memory": str(order.limits.memory_mib),
        }
        filled: list[str] = []
        for word in self.words:
            filled += several.get(word, [_FIELD.sub(lambda m: values[m[1]], word)])
        return [word for word in filled if word]


_FIELDS = (
    *("file", "arguments", "property", "property_file", "bits", "data_model"),
    *("witness", "timeout", "memory"),
)

Tool = SeaPy | OtherTool


def this_sea_py() -> SeaPy:
    """Our own tool, named with its version."""
    return SeaPy(f"sea-py {VERSION}")


def tool_of(text: str | None) -> Tool:
    """The tool that was asked for; ours by default."""
    return this_sea_py() if text is None else OtherTool.of(text)


def check(tool: Tool, configurations: Sequence[Configuration], tasks: Iterable[Task]) -> None:
    """SeaError for configurations that the tool would refuse for every task."""
    if isinstance(tool, SeaPy):
        for is_horn in {task.is_horn for task in tasks}:
            tool.check(configurations, is_horn)
