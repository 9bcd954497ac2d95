"""`sea-py exe`: verify a program, then build what shows its error: an executable, a C test."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from seahorn_py.base.errors import SeaError, visible
from seahorn_py.cli.commands.commands import Unanswered, exit_code, finish, supervised
from seahorn_py.cli.options.arguments import (
    encoding_options,
    engine_options,
    limit_options,
    native_option,
    verify_options,
)
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.cli.options.input_options import input_options
from seahorn_py.cli.whole_files import write_whole
from seahorn_py.evidence.harness import ctest as harness_c
from seahorn_py.evidence.harness import harness
from seahorn_py.evidence.runs import native
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.runtime.native import Executable, Refusal
from seahorn_py.ir.program import Program
from seahorn_py.ir.run import Outcome
from seahorn_py.options import VerifyOptions
from seahorn_py.processes import scratch
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import current
from seahorn_py.result import VerificationResult

_BUILD_SECONDS = 60.0
_RUN_SECONDS = 60.0
_RUN_MEMORY_MIB = 2048
_EXIT_ERROR = 1
"""The exit code of an executable in which a check fails."""


def _unanswered(why: Unanswered) -> str:
    if why.is_interrupted:
        return ""
    return _shown(why.result(), ("exe: nothing is written: the answer is unknown",))


def _shown(result: VerificationResult, lines: Iterable[str]) -> str:
    from seahorn_py.cli.screen.answer import as_text

    return "\n".join([*map(visible, lines), as_text(result, False)])


@click.command("exe", cls=Grouped)
@input_options
@encoding_options
@limit_options
@engine_options
@native_option
@click.option(
    "-o",
    "output",
    type=click.Path(path_type=Path),
    metavar="PROG",
    help="Write an executable that runs the program into the error, says so and exits with 1.",
)
@click.option(
    "--test",
    type=click.Path(path_type=Path),
    metavar="FILE.c",
    help="Write a C file that, compiled beside the program, exits with 1 while the error is there.",
)
@supervised(_unanswered)
def exe(files: tuple[Path, ...], output: Path | None, test: Path | None, **chosen: Any) -> None:
    """Verify the program in FILES; if it is unsafe, build an executable that reaches the error."""
    from seahorn_py.cli.answers import report
    from seahorn_py.processes import supervision
    from seahorn_py.verification.pipeline import verify

    if output is None and test is None:
        raise SeaError("nothing to write: give -o PROG, --test FILE.c or both")
    options = verify_options({**chosen, "ask_default": True})
    result = verify(files, options, report.progress(chosen), current())
    options = _violating(options, result)
    supervision.settle((_shown(result, ()), exit_code(result)))
    click.echo(_shown(result, left(files, result, options, output, test)))
    finish(exit_code(result), result.internal_errors, {**chosen, "files": files})


def _violating(options: VerifyOptions, result: VerificationResult) -> VerifyOptions:
    """The options with which the error was found, where properties were asked about apart."""
    rows = (row for row in result.properties if row.violation is result.violation)
    row = next(rows, None)
    if row is None or result.violation is None:
        return options
    from seahorn_py.verification.questions.each_property import options_of

    return replace(options, frontend=options_of(options.frontend, row.together))


def left(
    files: Sequence[Path],
    result: VerificationResult,
    options: VerifyOptions,
    output: Path | None,
    test: Path | None,
) -> Iterator[str]:
    """Write what was asked for; lines that say what was written and what not, and why."""
    from seahorn_py.verification.pipeline import load

    if result.violation is None or result.violation.run is None:
        yield f"exe: nothing is written: the answer is {result.answer.value}"
        return
    if result.violation.property == "termination":
        yield "exe: nothing is written: the run does not end"
        return
    run = result.violation.run
    deadline = Deadline.after(_BUILD_SECONDS)
    lowered, source = load(files, options, deadline)
    if test is not None and options.frontend.entries:
        yield f"test: {test} is not written: the program has no main function of its own"
    elif test is not None:
        written = harness_c.c_test(source, run, options.frontend, files)
        if isinstance(written, Refusal):
            yield f"test: {test} is not written: {written.reason}"
        else:
            write_whole(written, test)
            yield f"test: {test}: compile it as its first lines say"
    if output is not None:
        built = _built(lowered, source, run, options, output, deadline)
        yield f"exe: {output} {built}"


def _built(
    lowered: Lowered,
    source: Program,
    run: Outcome,
    options: VerifyOptions,
    output: Path,
    deadline: Deadline,
) -> str:
    """Build the executable, run it once within limits if it may be, and put it in its place."""
    with scratch.folder() as place:
        path = place / "prog"
        built = harness.build(lowered, source, run, options.frontend.bits, path, deadline)
        if isinstance(built, Refusal):
            return f"is not written: {built.reason}"
        if not options.native:
            _place(path, output)
            return "is written; it was not run"
        says = confirmed(built)
        if isinstance(says, Refusal):
            return f"is not written: {says.reason}"
        _place(path, output)
        return f"exits with {_EXIT_ERROR} and says: {says}"


def confirmed(built: Executable) -> str | Refusal:
    """What the executable says when it is run behind walls and its check fails."""
    done = native.says(built, _RUN_SECONDS, _RUN_MEMORY_MIB)
    if isinstance(done, Refusal):
        return Refusal(f"it does not run here: {done.reason}")
    code, errors = done
    if code != _EXIT_ERROR:
        return Refusal(f"it ends with code {code} instead of the error")
    return errors.strip()


def _place(path: Path, output: Path) -> None:
    """Move the executable to where it is wanted, whole or not at all."""
    partial = output.with_name(f".sea-py-{os.getpid()}")
    try:
        shutil.copyfile(path, partial)
        partial.chmod(0o755)
        partial.replace(output)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise SeaError(f"{output}: cannot write: {error.strerror}") from None
