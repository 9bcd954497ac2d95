"""The options that say what is verified: files, how they are compiled, what is checked."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import click

from seahorn_py.cli.options.click_types import AREA, completed_from
from seahorn_py.cli.options.help_groups import titled
from seahorn_py.options import (
    FrontendOptions,
    Inlining,
    Libc,
    Order,
    Overflow,
    Property,
    Volatile,
)
from seahorn_py.properties import (
    GROUPS,
    NAMED,
    SUPPORTED,
    asks_each,
    formula_of,
    of_entries,
    read_properties,
)

Command = TypeVar("Command", bound=Callable[..., Any])


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A decorator that adds all options, in the order in which the help shows them."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def choice(
    flag: str, default: Enum, help_text: str, name: str = ""
) -> Callable[[Command], Command]:
    """An option whose values are those of the enumeration that `default` belongs to."""
    return click.option(
        flag,
        name or flag.removeprefix("--"),
        type=click.Choice([member.value for member in type(default)]),
        default=default.value,
        show_default=True,
        help=help_text,
    )


OTHER_FLAGS = {
    "--bounds-check": "valid-deref",
    "--pointer-check": "valid-deref",
    "--memory-leak-check": "valid-memtrack",
    "--memory-cleanup-check": "valid-memcleanup",
    "--div-by-zero-check": "div-by-zero",
    "--overflow-check": "no-overflow",
    "--signed-overflow-check": "no-overflow",
    "--unsigned-overflow-check": "unsigned-overflow",
    "--undefined-shift-check": "shift",
    "--ub-shift-check": "shift",
    "--conversion-check": "conversion",
}
"""What other verifiers call a property on their command line (CBMC, ESBMC)."""


def _alias(flag: str, name: str) -> Callable[[Command], Command]:
    """A flag that means `--property name`, which the help leaves out."""
    return click.option(flag, "properties", flag_value=name, multiple=True, hidden=True)


_compiled = titled(
    "Files and how they are compiled",
    click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path)),
    click.option("-m32", "bits", flag_value="32", help="ILP32: int, long, pointers 32 bit."),
    click.option(
        "-m64", "bits", flag_value="64", default="64", help="LP64, which is meant without either."
    ),
    click.option(
        "-I",
        "include_dirs",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Search DIR for headers.",
    ),
    click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro."),
    click.option(
        "--cflag",
        "cflags",
        multiple=True,
        metavar="FLAG",
        help="A flag for the compiler; most need no --cflag before them: -std=, -include, -isystem,"
        " -U, -f..., -m..., and -W..., -O... and others, which mean nothing here.",
    ),
    click.option(
        "--compdb",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Compile FILES with the flags that compile_commands.json has for them.",
    ),
    click.option(
        "--clang",
        envvar="SEA_CLANG",
        type=click.Path(path_type=Path),
        help="Use this clang instead of the bundled one.",
    ),
)

_checked = titled(
    "What is checked",
    click.option(
        "--property",
        "properties",
        multiple=True,
        metavar="NAME[,NAME...]|FILE.prp|FORMULA",
        shell_complete=completed_from(lambda: [*GROUPS, *(p.value for p in NAMED)]),
        help=f"What to check (repeatable): {SUPPORTED}, or a .prp file with one or more"
        f" of them; a group, for an answer for each: {', '.join(GROUPS)}; a formula of temporal"
        " logic.  Without it every error call and assertion; in a program without any the"
        " group default.",
    ),
    *(_alias(flag, name) for flag, name in OTHER_FLAGS.items()),
    click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="NAME|FILE|all",
        help="A rule of use to check (repeatable): one that `sea-py rules` lists, a .yml file, or"
        " automata of CPAchecker (.spc), or SLIC (.slic).  Each has an answer of its own.",
    ),
    click.option(
        "--error-function",
        "error_functions",
        multiple=True,
        metavar="NAME",
        help="Calls of NAME are errors too.",
    ),
    click.option(
        "--error-label",
        "error_labels",
        multiple=True,
        metavar="LABEL",
        help="Reaching LABEL is an error too.",
    ),
    click.option(
        "--malloc-may-fail",
        is_flag=True,
        help="Every allocation of memory may return null.",
    ),
)

_entered = titled(
    "Functions as entries",
    click.option(
        "--entry",
        "--function",
        "entries",
        multiple=True,
        metavar="FUNCTION|all",
        help="Begin with a call of FUNCTION with any arguments, not with main (repeatable).",
    ),
    click.option(
        "--drive",
        "driven",
        multiple=True,
        metavar="TABLE",
        help="Call the functions that the object TABLE holds, in any order (repeatable).",
    ),
    click.option(
        "--pointer-depth",
        type=click.IntRange(0),
        default=3,
        show_default=True,
        help="Of an entry: levels of objects that arguments lead to.",
    ),
    click.option(
        "--array-size",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Of an entry: arrays have at most N elements; 0 for any number.",
    ),
    click.option("--may-alias", is_flag=True, help="Of an entry: pointers may be equal."),
    click.option(
        "--globals",
        "globals_",
        type=click.Choice(["initial", "any"]),
        default="initial",
        show_default=True,
        help="Of an entry: what global variables hold when it is called.",
    ),
)

_meaning = titled(
    "How C is read",
    choice("--inline", Inlining.AUTO, "Which calls are inlined.", "inlining"),
    choice("--order", Order.CLANG, "The order of operands that disturb each other."),
    choice(
        "--libc",
        Libc.AUTO,
        "Whose code the C library is: our models, and the compiler's sources where there is none;"
        " our models alone; or these sources wherever there are any of an exact function.",
    ),
    choice(
        "--volatile",
        Volatile.AUTO,
        "What a read of a volatile object gives.  auto: for a proof any value, in a run what was"
        " stored; any: any value, as from devices and interrupts; stored: what was stored.",
    ),
    click.option(
        "--mmio",
        type=AREA,
        multiple=True,
        metavar="ADDRESS:SIZE",
        help="Registers of devices lie at ADDRESS, SIZE bytes of them (repeatable), as in"
        " 0x40000000:0x1000; volatile reads give any value then.",
    ),
)

input_options = together(_compiled, _checked, _entered, _meaning)
"""The options of every command that reads C."""


def _rules(given: tuple[str, ...]) -> tuple[str, ...]:
    """The rules that are asked for; what reads rules is loaded only where there are some."""
    if not given:
        return ()
    from seahorn_py.frontend.rules.known import names

    return names(given)


def _entries(inputs: dict[str, Any]) -> tuple[str, ...]:
    """The functions that a run may begin with, or the objects that hold them."""
    entries: tuple[str, ...] = inputs["entries"]
    driven: tuple[str, ...] = inputs["driven"]
    if driven and (entries or inputs["globals_"] == "any"):
        raise click.UsageError("--drive goes with neither --entry nor --globals any")
    return entries or driven


_AS_GIVEN = (
    *("include_dirs", "defines", "clang", "error_functions", "error_labels", "malloc_may_fail"),
    *("inlining", "order", "libc", "volatile", "mmio", "pointer_depth", "array_size", "may_alias"),
)
"""Options that the front end has under the names of the command line."""


def frontend_options(inputs: dict[str, Any]) -> FrontendOptions:
    """The options of the front end, from what the command line gave."""
    from seahorn_py.frontend.compiling.compdb import recorded
    from seahorn_py.frontend.compiling.flags import read_flags

    given, files = read_flags(inputs["cflags"]), inputs.get("files", ())
    rules, entries = _rules(inputs["rules"]), _entries(inputs)
    asked = frozenset({Property.RULE}) if rules else frozenset()
    properties = read_properties(inputs["properties"]) | asked
    by_group = asks_each(inputs["properties"])
    database, bits = inputs["compdb"], int(inputs["bits"])
    return FrontendOptions(
        flags=tuple(given.flags),
        flags_of=() if database is None else recorded(database, files, bits),
        bits=bits,
        properties=of_entries(properties, by_group) if entries else properties,
        **{name: inputs[name] for name in _AS_GIVEN},
        overflow=Overflow(inputs.get("overflow", Overflow.WRAP.value)),
        entries=entries,
        driven=bool(inputs["driven"]),
        any_globals=inputs["globals_"] == "any",
        rules=rules,
        formula=formula_of(inputs["properties"]),
    )
