"""The options of the command line, in groups, and the dataclasses that they fill."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seahorn_py.base.errors import SeaError
from seahorn_py.base.option_values import MOST_MEMORY_MIB, MOST_SECONDS
from seahorn_py.base.plugins import Kind, PlugIn, find
from seahorn_py.cli.options.click_types import Finite, Format, completed_from, wants_color
from seahorn_py.cli.options.help_groups import titled
from seahorn_py.cli.options.input_options import choice, frontend_options
from seahorn_py.options import (
    LEAST_MEMORY_MIB,
    AbstractionOptions,
    Encodings,
    EngineName,
    Overflow,
    Schedule,
    Semantics,
    Step,
    Track,
    VerifyOptions,
)
from seahorn_py.properties import asks_each, nearest

if TYPE_CHECKING:
    from seahorn_py.engines.portfolio import Turn

encoding_options = titled(
    "Encoding",
    choice(
        "--encoding",
        Encodings.AUTO,
        "Integers with proved ranges, bit-vectors, or both side by side.",
    ),
    choice("--track", Track.MEM, "Model registers only, pointers too, or memory too."),
    choice("--step", Step.LARGE, "A Horn rule for each loop-free region, or each basic block."),
    choice("--overflow", Overflow.WRAP, "What signed overflow means."),
)
"""The options of every command that encodes."""

SECONDS = Finite(0, MOST_SECONDS, min_open=True)
"""The type of a time limit."""

memory_option = click.option(
    "--memory",
    type=click.IntRange(LEAST_MEMORY_MIB, MOST_MEMORY_MIB),
    default=4096,
    show_default=True,
    help="MiB for all processes together.",
)
bounds_options = titled(
    "Limits",
    click.option(
        "--timeout",
        type=SECONDS,
        default=60.0,
        show_default=True,
        help="Wall seconds, for everything.",
    ),
    memory_option,
    click.option(
        "--trace-time",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write a time line of processes, stages and questions to solvers to FILE, in the trace"
        " format of Chrome.",
    ),
)
"""The options of every command that works."""

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Processes at once.",
)
limit_options = titled("Limits", bounds_options, jobs_option)
"""The options of every command that solves."""

bound_option = click.option(
    "--bound",
    "--unwind",
    "bound",
    type=click.IntRange(0),
    metavar="K",
    help="Unwind loops and recursion K times, no more.",
)

native_option = click.option(
    "--no-native",
    "native",
    flag_value=False,
    default=True,
    show_default=False,
    type=bool,
    help="Build and execute nothing of the program: the interpreter alone makes runs and replays.",
)
"""An option of the commands that run the program."""

answer_options = titled(
    "The answer",
    click.option(
        "--all-checks",
        "every_check",
        is_flag=True,
        help="An answer for each check instead of one for all.",
    ),
    click.option("--strict", is_flag=True, help="Unknown when the answer rests on an assumption."),
    native_option,
    click.option("--quiet", "-q", is_flag=True, help="Print the answer alone, in two lines."),
    click.option(
        "--verbose",
        "-v",
        is_flag=True,
        help="Print all that is known: --explain, --show-invars and --full-trace; and tell what"
        " goes"
        " on also where standard error is no terminal.",
    ),
    click.option(
        "--explain",
        is_flag=True,
        help="Say what each engine did; for unknown, what stood in the way and what to try.",
    ),
    click.option("--show-invars", is_flag=True, help="Print the invariants of a safe program."),
    click.option(
        "--format",
        "format_",
        type=click.Choice([member.value for member in Format]),
        default=Format.TEXT.value,
        show_default=True,
        help="What is printed: text; one JSON object; or text with annotations for GitHub Actions.",
    ),
    click.option(
        "--json", "format_", flag_value=Format.JSON.value, help="The same as --format json."
    ),
    click.option(
        "--color",
        "--colour",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        callback=wants_color,
        help="Colours, and the line of C with a caret below the answer; auto: on a terminal, unless"
        " NO_COLOR is set.",
    ),
)
"""The options of every command that answers."""

bounds_option = click.option(
    "--bounds",
    "bounds",
    is_flag=True,
    help="Of termination: say how often loops go round at most, and under which condition those"
    " end that need not.",
)
"""An option of the commands that ask whether runs end."""

engines_option = click.option(
    "--engine",
    "--engines",
    "engines",
    multiple=True,
    metavar="NAME[,NAME...]",
    shell_complete=completed_from(lambda: [engine.value for engine in EngineName]),
    help="Engines to try in turn: "
    + ", ".join(e.value for e in EngineName)
    + ".  Without it the program decides.",
)

abstraction_options = titled(
    "Engines that abstract",
    click.option(
        "--cegar",
        "choices",
        default="",
        metavar="NAME=VALUE,...",
        help="Choices of the engine cegar: domain, abstraction, refinement, order, initial,"
        " pruning, split (docs/explanation/cegar.md); boolean has initial.",
    ),
    click.option(
        "--trace-cegar",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Append each refinement of cegar and impact to FILE; as JSON lines to a .jsonl file.",
    ),
    click.option(
        "--precision",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Begin with the predicates in FILE, if it is there, and write those of the end.",
    ),
    choice(
        "--semantics",
        Semantics.OVER,
        "What unknown is to the engine boolean: either value, the end, a value"
        " (docs/explanation/boolean.md).",
    ),
    click.option(
        "--show-boolean-program",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Append the last program of the engine boolean to FILE.",
    ),
)
"""The options of engines that abstract by predicates."""

engine_options = titled(
    "Engines",
    engines_option,
    click.option(
        "--schedule",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The order of the engines and their shares of the time, as YAML.",
    ),
    bound_option,
    abstraction_options,
)


modular_options = titled(
    "Proofs in pieces",
    click.option(
        "--modular",
        is_flag=True,
        help="Prove each function that has a contract by itself; calls rest on contracts.",
    ),
    click.option(
        "--contracts",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="With --modular: contracts in YAML, for functions of FILES (repeatable).",
    ),
    click.option(
        "--enforce-contract",
        "enforced",
        multiple=True,
        metavar="FUNCTION",
        help="Check FUNCTION's contract at each call; what it requires is assumed ('*': all).",
    ),
    click.option(
        "--replace-call-with-contract",
        "replaced",
        multiple=True,
        metavar="FUNCTION",
        help="Let FUNCTION's contract stand for its body at each call ('*': all).",
    ),
    click.option(
        "--cache",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="With --modular: keep proofs in DIR, and check those that are there again.",
    ),
)
"""The options of proofs in pieces."""


_IN_C = ("witnesses", "show_invars", "verbose", "emit_acsl", "report")
"""Options that need invariants as C expressions."""


def verify_options(chosen: dict[str, Any]) -> VerifyOptions:
    """The options of a verification, from what the command line gave; the rest by default.

    SeaError for a value that no option takes.
    """
    try:
        return _verify_options(chosen)
    except ValueError as error:
        raise SeaError(str(error)) from None


def _verify_options(chosen: dict[str, Any]) -> VerifyOptions:
    options = VerifyOptions(
        frontend_options(chosen),
        Encodings(chosen["encoding"]),
        track=Track(chosen["track"]),
        step=Step(chosen["step"]),
        strict=chosen.get("strict", False),
        engines=engines_named(chosen.get("engines", ())),
        bound=chosen.get("bound"),
        every_check=chosen.get("every_check", False),
        each_property=asks_each(chosen["properties"]),
        ask_default=chosen.get("ask_default", False),
        schedule=_schedule(chosen.get("schedule")),
        certificate=chosen.get("certificate") is not None,
        witness=any(map(chosen.get, _IN_C)),
        abstraction=abstraction_chosen(chosen),
        native=chosen.get("native", True),
        bounds=chosen.get("bounds", False),
    )
    return replace(
        options,
        timeout=chosen["timeout"],
        memory_mib=chosen["memory"],
        jobs=chosen.get("jobs", options.jobs),
    )


def turns_chosen(chosen: dict[str, Any], jobs: int) -> tuple[Turn, ...]:
    """The turns that `engine_options` ask for on a Horn system; none where it decides itself."""
    from seahorn_py.engines.catalogue import named, planned

    engines, plan = engines_named(chosen["engines"]), _schedule(chosen["schedule"]).int
    if plan is not None:
        return planned(plan, chosen["bound"])
    turns = named(engines, jobs, chosen["bound"], abstraction_chosen(chosen))
    if engines and not turns:
        raise SeaError(f"{', '.join(e.value for e in engines)}: this engine is for C programs")
    return turns


def abstraction_chosen(chosen: dict[str, Any]) -> AbstractionOptions:
    """The choices of `abstraction_options`; files are looked at before anything is computed."""
    choices, precision = chosen.get("choices", ""), chosen.get("precision")
    if choices:
        from seahorn_py.engines.refinement.configuration import configured

        configured(choices)
    if precision is not None:
        from seahorn_py.engines.refinement.precision import sections_in

        sections_in(precision)
    return AbstractionOptions(
        choices,
        _appendable(chosen.get("trace_cegar")),
        precision,
        Semantics(chosen.get("semantics", Semantics.OVER.value)),
        _appendable(chosen.get("show_boolean_program")),
    )


def _appendable(file: Path | None) -> Path | None:
    """The file, to which something can be appended; SeaError otherwise."""
    if file is not None:
        try:
            file.open("a").close()
        except OSError as error:
            raise SeaError(f"{file}: cannot write: {error.strerror}") from None
    return file


def _schedule(file: Path | None) -> Schedule:
    if file is None:
        return Schedule()
    from seahorn_py.engines.schedules import read_schedule

    return read_schedule(file)


def engines_named(given: Iterable[str]) -> tuple[EngineName | PlugIn, ...]:
    """The engines of `--engine`, each once; SeaError where there is none of that name."""
    names = [name for text in given for name in text.split(",")]
    known: dict[str, EngineName | PlugIn] = {engine.value: engine for engine in EngineName}
    for name in names:
        found = None if name in known else find(Kind.ENGINE, name) or find(Kind.DOMAIN, name)
        if found is not None:
            known[name] = found
        if name not in known:
            near = nearest(name, known)
            raise SeaError(f"unknown engine {name}{near}; known: {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(names))
