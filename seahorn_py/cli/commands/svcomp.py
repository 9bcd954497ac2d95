"""`sea-py svcomp`: a verification task as competitions put it, and the answer as they read it.

The lines `BRUNCH_STAT Result TRUE`, `FALSE` or `UNKNOWN` are those that BenchExec's tool-info
module for SeaHorn looks for, anywhere in the output; `BRUNCH_STAT Property NAME` is ours and names
what is violated.  The last line is that of `pf`, which the same module reads in its other mode.
Text of the program, which is printed too, cannot make such a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seahorn_py.base.errors import visible
from seahorn_py.cli.answers.written_files import exhibit_options
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
from seahorn_py.options import VerifyOptions
from seahorn_py.processes.journal import current

if TYPE_CHECKING:
    from seahorn_py.result import VerificationResult

MARK = "BRUNCH_STAT"
WORDS = {"safe": "TRUE", "unsafe": "FALSE", "unknown": "UNKNOWN"}


def _unanswered(why: Unanswered) -> str:
    if why.is_interrupted:
        return f"{MARK} Result UNKNOWN\nunknown"
    from seahorn_py.cli.answers import written_files

    result = why.result()
    lines, _ = written_files.left(why.chosen["files"], result, VerifyOptions(), why.chosen)
    return _shown(why.chosen, result, lines)


@click.command(cls=Grouped)
@input_options
@click.option("--32", "is_32", is_flag=True, help="The same as -m32.")
@click.option("--64", "is_64", is_flag=True, help="The same as -m64.")
@click.option(
    "--spec",
    type=click.Path(path_type=Path),
    metavar="FILE.prp",
    help="The property file; the same as --property FILE.prp.",
)
@encoding_options
@limit_options
@engine_options
@native_option
@click.option("--strict", is_flag=True, help="Unknown when the answer rests on an assumption.")
@exhibit_options
@supervised(_unanswered)
def svcomp(is_32: bool, is_64: bool, spec: Path | None, **chosen: Any) -> None:
    """Verify FILES against --spec and answer with the lines that BenchExec reads."""
    from seahorn_py.cli.answers import report, written_files
    from seahorn_py.processes import supervision
    from seahorn_py.verification.pipeline import verify

    if is_32 and is_64:
        raise click.UsageError("--32 and --64 exclude each other")
    if is_32 or is_64:
        chosen["bits"] = "32" if is_32 else "64"
    if spec is not None:
        chosen["properties"] = (*chosen["properties"], str(spec))
    options = verify_options(chosen)
    result = verify(chosen["files"], options, report.progress(chosen), current())
    supervision.settle((_shown(chosen, result, ()), exit_code(result)))
    lines, problem = written_files.left(chosen["files"], result, options, chosen)
    click.echo(_shown(chosen, result, lines))
    if problem is not None:
        raise problem
    finish(exit_code(result), result.internal_errors, chosen)


def _shown(chosen: dict[str, Any], result: VerificationResult, lines: Sequence[str]) -> str:
    return "\n".join(
        [*(_harmless(visible(line)) for line in lines), *answer_lines(result, chosen["full_trace"])]
    )


def answer_lines(result: VerificationResult, full_trace: bool = False) -> Iterator[str]:
    """The lines that BenchExec reads, then those of `pf`."""
    from seahorn_py.cli.screen.answer import as_text

    yield f"{MARK} Result {WORDS[result.answer.value]}"
    if result.violation is not None:
        yield f"{MARK} Property {result.violation.property}"
    yield _harmless(as_text(result, False, full_trace))


def _harmless(text: str) -> str:
    """The text without the mark: names and strings of the program are in it."""
    return text.replace(MARK, MARK.replace("_", " "))
