"""The command line: a thin layer over `pipeline.verify`.

As in SeaHorn the last line of `pf` is `unsat` for safe (no counterexample exists), `sat` for
unsafe, `unknown` otherwise; the line above says it in words.  Exit codes: 0 safe, 1 unsafe, 2 wrong
usage or input, 3 unknown.  `chc` answers as in CHC-COMP: `sat` means solvable.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import click

from seahorn_py.errors import SeaError
from seahorn_py.options import (
    Encodings,
    FrontendOptions,
    Inlining,
    Overflow,
    Step,
    Track,
    VerifyOptions,
)
from seahorn_py.properties import SUPPORTED, read_properties

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143
EXIT_CODES = {"safe": 0, "unsafe": 1, "unknown": 3}

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="seahorn-py", prog_name="sea-py")
def main() -> None:
    """Prove C programs free of reachable errors, or show the inputs that reach one."""
    # an exception, so that children are reaped and temporary files removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_TERMINATED))


def _together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A decorator that adds all options, in the order in which the help shows them."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _choice(
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


_input_options = _together(
    click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path)),
    click.option("-m32", "bits", flag_value="32", help="ILP32: int, long, pointers 32 bit."),
    click.option("-m64", "bits", flag_value="64", default="64", help="LP64 (the default)."),
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
        "--clang",
        envvar="SEA_CLANG",
        type=click.Path(path_type=Path),
        help="Use this clang instead of the bundled one.",
    ),
    click.option(
        "--property",
        "properties",
        multiple=True,
        metavar="NAME|FILE.prp",
        help=f"What to check (repeatable): {SUPPORTED}, or a .prp file with one or more"
        " of them.  Without it every error call and assertion.",
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
    _choice("--inline", Inlining.AUTO, "Which calls are inlined.", "inlining"),
)
"""The options of every command that reads C."""

_encoding_options = _together(
    _choice(
        "--encoding",
        Encodings.AUTO,
        "Integers with proved ranges, bit-vectors, or both side by side.",
    ),
    _choice("--track", Track.MEM, "Model registers only, pointers too, or memory too."),
    _choice("--step", Step.LARGE, "A Horn rule for each loop-free region."),
    _choice("--overflow", Overflow.WRAP, "What signed overflow means."),
)
"""The options of every command that encodes."""

_limit_options = _together(
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=60.0,
        show_default=True,
        help="Wall seconds.",
    ),
    click.option(
        "--memory",
        type=click.IntRange(256),
        default=4096,
        show_default=True,
        help="MiB a process.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1),
        default=2,
        show_default=True,
        help="Processes at once.",
    ),
)
"""The options of every command that solves."""


def _reports_errors(command: Command) -> Command:
    """Turn SeaError into one line and exit code 2."""

    @functools.wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except SeaError as error:
            click.echo(f"sea-py: error: {error}", err=True)
            sys.exit(EXIT_USAGE)
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)

    return guarded  # type: ignore[return-value]


@main.command()
@_input_options
@_encoding_options
@_limit_options
@click.option("--strict", is_flag=True, help="Unknown when the answer rests on an assumption.")
@click.option("--show-invars", is_flag=True, help="Print the invariants of a safe program.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@_reports_errors
def pf(files: tuple[Path, ...], show_invars: bool, as_json: bool, **chosen: Any) -> None:
    """Prove that no run of the program in FILES reaches an error, or show one that does."""
    from seahorn_py import report
    from seahorn_py.pipeline import verify

    result = verify(files, _options(chosen), report.progress())
    click.echo(report.as_json(result) if as_json else report.as_text(result, show_invars))
    sys.exit(EXIT_CODES[result.answer.value])


@main.command()
@_input_options
@_encoding_options
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@_reports_errors
def smt(files: tuple[Path, ...], output: Path | None, **chosen: Any) -> None:
    """Print the Horn clauses of the program in FILES as SMT-LIB (logic HORN)."""
    from seahorn_py.export import horn_clauses

    _write(horn_clauses(files, _options(chosen)), output)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@_limit_options
@click.option("--show-model", is_flag=True, help="Print the solution as SMT-LIB definitions.")
@_reports_errors
def chc(file: Path, timeout: float, memory: int, jobs: int, show_model: bool) -> None:
    """Solve the Horn clauses in FILE (SMT-LIB); the last line is sat, unsat or unknown."""
    from seahorn_py.chc import solve_file

    solution = solve_file(file, timeout, memory, jobs)
    for line in solution.lines(show_model):
        click.echo(line)
    sys.exit({"sat": 0, "unsat": 1, "unknown": EXIT_CODES["unknown"]}[solution.status])


@main.command()
def doctor() -> None:
    """Say whether everything that sea-py needs is here and works."""
    from seahorn_py.doctor import examine

    findings = examine()
    for finding in findings:
        click.echo(f"{'ok ' if finding.ok else 'BAD'} {finding.name}: {finding.text}")
    sys.exit(0 if all(f.ok for f in findings) else EXIT_USAGE)


def _options(chosen: dict[str, Any]) -> VerifyOptions:
    """The options of a verification, from what the command line gave; the rest by default."""
    options = VerifyOptions(
        _frontend_options(chosen),
        Encodings(chosen["encoding"]),
        Overflow(chosen["overflow"]),
        track=Track(chosen["track"]),
        step=Step(chosen["step"]),
        strict=chosen.get("strict", False),
    )
    if "timeout" not in chosen:
        return options
    return replace(
        options, timeout=chosen["timeout"], memory_mib=chosen["memory"], jobs=chosen["jobs"]
    )


def _frontend_options(inputs: dict[str, Any]) -> FrontendOptions:
    return FrontendOptions(
        bits=int(inputs["bits"]),
        include_dirs=inputs["include_dirs"],
        defines=inputs["defines"],
        clang=inputs["clang"],
        properties=read_properties(inputs["properties"]),
        inlining=Inlining(inputs["inlining"]),
        error_functions=inputs["error_functions"],
        error_labels=inputs["error_labels"],
        malloc_may_fail=inputs["malloc_may_fail"],
    )


def _write(text: str, output: Path | None) -> None:
    """Print, or write a file that is either whole or not there."""
    if output is None:
        click.echo(text)
        return
    try:
        with tempfile.NamedTemporaryFile("w", dir=output.parent, delete=False) as stream:
            stream.write(text)
        os.replace(stream.name, output)
    except OSError as error:
        raise SeaError(f"{output}: cannot write: {error.strerror}") from None


if __name__ == "__main__":
    main()
