"""The command line: a thin layer over `pipeline.verify`.

As in SeaHorn the last line of `pf` is `unsat` for safe (no counterexample exists), `sat` for
unsafe, `unknown` otherwise; the line above says it in words.  Exit codes: 0 safe, 1 unsafe, 2 wrong
usage or input, 3 unknown or no time left, 4 internal error.  `chc` answers as in CHC-COMP: `sat`
means solvable.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from seahorn_py import __version__
from seahorn_py.base.errors import SeaError, visible
from seahorn_py.cli.answers.contract_calls import resting, with_contracts
from seahorn_py.cli.answers.printed import printed
from seahorn_py.cli.answers.written_files import exhibit_options
from seahorn_py.cli.commands.commands import (
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    EXIT_USAGE,
    Commands,
    Leaving,
    Unanswered,
    exit_code,
    finish,
    internal_error,
    refusal_line,
    reports_errors,
    say,
    silent,
    supervised,
    write,
)
from seahorn_py.cli.options.arguments import (
    answer_options,
    bound_option,
    bounds_option,
    bounds_options,
    encoding_options,
    engine_options,
    limit_options,
    modular_options,
    verify_options,
)
from seahorn_py.cli.options.click_types import Format
from seahorn_py.cli.options.input_options import input_options
from seahorn_py.options import EngineName, Property, VerifyOptions
from seahorn_py.processes.internal_errors import lacking
from seahorn_py.processes.limits import adopt_orphans, age, end_all_below

if TYPE_CHECKING:
    from seahorn_py.result import VerificationResult

MOST_START_S = 1.0
REAPING_S = 2.0
"""The most seconds to wait for the end of what was killed, so that its times are known.

At a limit there is no time to wait: whoever adopts the orphans then learns their times.
"""
EXIT_BROKEN_PIPE = 141
CANNOT_PRINT = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF})
COLLECT_AFTER = 400_000
"""Allocations between two searches for garbage; formulas and programs have no cycles."""


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(__version__, prog_name="sea-py")
@click.option(
    "--server",
    is_flag=True,
    expose_value=False,
    help="First of all: have a running server do the command (`sea-py serve`), if there is one.",
)
def main() -> None:
    """Prove C programs free of reachable errors, or show the inputs that reach one."""
    # an exception, so that children are reaped and temporary files removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_TERMINATED))


def _unanswered(why: Unanswered) -> str:
    """What `pf` and `bpf` say where their supervisor has to answer."""
    chosen = why.chosen
    if chosen.get("dump_smt") is not None:
        return ""
    from seahorn_py.cli.messages.codes import with_code
    from seahorn_py.verification.answers import explanation

    if why.is_interrupted:
        *known, last = explanation.so_far(why.journal.attempts())
        return "\n".join([*known, with_code("U", last), "unknown"])
    from seahorn_py.cli.answers.written_files import left

    result = why.result()
    lines, _ = left(chosen["files"], result, VerifyOptions(), chosen)
    return printed(chosen, result, lines)


@main.command()
@input_options
@encoding_options
@limit_options
@engine_options
@answer_options
@bounds_option
@exhibit_options
@click.option(
    "--invariants",
    "hints",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Try to prove and use these: a correctness witness, or a YAML list of invariants.",
)
@modular_options
@supervised(_unanswered)
def pf(**chosen: Any) -> None:
    """Prove that no run of the program in FILES reaches an error, or show one that does."""
    if chosen["modular"]:
        if chosen["rules"]:
            raise SeaError("--rule: a contract says nothing about a rule; ask without --modular")
        from seahorn_py.cli.commands import function_table

        function_table.answer(chosen)
    _answer(chosen)


@main.command()
@input_options
@encoding_options
@limit_options
@bound_option
@click.option(
    "--dump-smt",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the formula for the bound as SMT-LIB, and solve nothing.",
)
@answer_options
@exhibit_options
@supervised(_unanswered)
def bpf(dump_smt: Path | None, **chosen: Any) -> None:
    """Like pf, by bounded model checking alone: ever more unwindings, or --bound K of them."""
    chosen["engines"] = (EngineName.BMC.value,)
    if dump_smt is None:
        _answer(chosen)
        return
    from seahorn_py.verification.export import bounded_formula

    write(bounded_formula(chosen["files"], verify_options(chosen)), dump_smt)


@main.command()
@input_options
@encoding_options
@limit_options
@engine_options
@answer_options
@bounds_option
@exhibit_options
@supervised(_unanswered)
def term(**chosen: Any) -> None:
    """Prove that all runs of the program in FILES end, or show one that does not."""
    chosen["properties"] = (*chosen["properties"], Property.TERMINATION.value)
    _answer(chosen)


def _answer(chosen: dict[str, Any]) -> None:
    """Verify, print the answer, end with its exit code."""
    from seahorn_py.frontend import loading
    from seahorn_py.processes.deadline import Deadline

    files: tuple[Path, ...] = chosen["files"]
    asked = {**chosen, "ask_default": chosen.get("hints") is None}
    options, assumed = with_contracts(chosen, verify_options(asked))
    begun = loading.begin(files, options.frontend, Deadline.after(options.timeout))
    several = options.each_property or options.frontend.rules
    with nullcontext() if several else begun as lowering:
        # to import what follows takes as long as to compile
        from seahorn_py.cli.answers import report
        from seahorn_py.processes.journal import current
        from seahorn_py.verification.pipeline import verify

        notes = current()
        if chosen.get("hints") is None:
            result = verify(files, options, report.progress(chosen), notes, lowering)
        else:
            from seahorn_py.validation.hints import verify_with
            from seahorn_py.witness.reading import read_invariants

            found = read_invariants(chosen["hints"])
            result = verify_with(files, options, found, report.progress(chosen), notes)
    _told(chosen, resting(result, assumed, chosen), options)


def _told(chosen: dict[str, Any], result: VerificationResult, options: VerifyOptions) -> None:
    """Print an answer, end with its exit code."""
    from seahorn_py.cli.answers import written_files
    from seahorn_py.processes import supervision

    files: tuple[Path, ...] = chosen["files"]
    code = exit_code(result)
    supervision.settle((printed(chosen, result, ()), code))
    lines, problem = written_files.left(files, result, options, chosen)
    for line in lines if chosen["format_"] == Format.JSON.value else ():
        click.echo(visible(line), err=True)
    click.echo(printed(chosen, result, lines))
    if problem is not None:
        raise problem
    finish(code, result.internal_errors, chosen)


@main.command()
@input_options
@encoding_options
@bounds_options
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@supervised(silent)
def smt(files: tuple[Path, ...], output: Path | None, **chosen: Any) -> None:
    """Print the Horn clauses of the program in FILES as SMT-LIB (logic HORN)."""
    from seahorn_py.verification.export import horn_clauses

    write(horn_clauses(files, verify_options(chosen)), output)


def _show_library(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the contracts and leave, whatever else is asked for."""
    if wanted and not context.resilient_parsing:
        from seahorn_py.frontend.library.listing import table

        click.echo(table())
        context.exit()


@main.command()
@input_options
@encoding_options
@bounds_options
@click.option("--regions", is_flag=True, help="What pointers point to.")
@click.option("--cfg", is_flag=True, help="Control flow as read, or with --passes after them.")
@click.option("--callgraph", is_flag=True, help="Which function calls which.")
@click.option("--horn", is_flag=True, help="The Horn clauses.")
@click.option("--passes", is_flag=True, help="The program after the passes.")
@click.option(
    "--library",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_library,
    help="What is promised of each function of the C library; needs no FILES.",
)
@click.option("--dot", is_flag=True, help="As Graphviz text.")
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@supervised(silent)
def inspect(
    files: tuple[Path, ...],
    regions: bool,
    cfg: bool,
    callgraph: bool,
    horn: bool,
    passes: bool,
    dot: bool,
    output: Path | None,
    **chosen: Any,
) -> None:
    """Show regions, control flow, calls or Horn clauses of the program in FILES."""
    from seahorn_py.verification.views.inspection import View, inspected

    wanted = {View.REGIONS: regions, View.CFG: cfg, View.CALLS: callgraph, View.HORN: horn}
    views = [view for view, is_wanted in wanted.items() if is_wanted] or [View.CFG]
    write(inspected(files, verify_options(chosen), views, passes=passes, dot=dot), output)


@main.command()
@reports_errors
def doctor() -> None:
    """Say whether everything that sea-py needs is here and works."""
    from seahorn_py.cli.guide.doctor import examine

    findings = examine()
    for finding in findings:
        click.echo(f"{'ok ' if finding.ok else 'BAD'} {finding.name}: {finding.text}")
    sys.exit(0 if all(f.ok for f in findings) else EXIT_USAGE)


def run(began: float | None = None) -> NoReturn:
    """The command line as a process, which ends at once, and with it all that it started.

    It began when the process did, if nobody says so.  To free the terms of the solvers one by one
    takes longer than many a proof.
    """
    code: int | None = EXIT_INTERNAL
    reaping = REAPING_S
    try:
        gc.set_threshold(COLLECT_AFTER)
        _open_standard_streams()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored ones leave no exit code
        adopt_orphans()
        code = _completed()
        if code is None:
            code = _command(
                _began() if began is None else began
            )  # the time limit counts from there
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except Leaving as end:
        code, reaping = _number(end.code), 0.0 if end.is_late else REAPING_S
    except BrokenPipeError:  # nobody reads
        code = EXIT_BROKEN_PIPE
    except BaseException as error:
        code = _code_of(error)
    try:
        end_all_below(reaping)
    finally:
        os._exit(EXIT_INTERNAL if code is None else code)


def _began() -> float:
    """When this process was made, as far as the start of Python and of ours may take so long.

    What a shell did in the same process before is not ours.
    """
    return time.monotonic() - min(age(os.getpid()), MOST_START_S)


def _completed() -> int | None:
    """Answer a shell that completes a command; the exit code, None if none asks."""
    if "_SEA_PY_COMPLETE" not in os.environ:
        return None
    from seahorn_py.cli.guide.completion import asked

    return asked(main)


def _command(began: float) -> int:
    """Do what the arguments say; the exit code where nothing else is raised.

    Not `main()`, for which an interrupt and a closed pipe end with 1, the code of a verdict.
    """
    with main.make_context("sea-py", sys.argv[1:], obj=began) as context:
        main.invoke(context)
    return 0


def _code_of(error: BaseException) -> int:
    """The exit code for what was raised; what nobody expected is never that of a verdict."""
    try:
        match error:
            case SystemExit():
                return _number(error.code)
            case click.exceptions.Exit():
                return error.exit_code
            case click.ClickException():
                error.show()
                return EXIT_USAGE
            case KeyboardInterrupt() | click.Abort():
                return EXIT_INTERRUPTED
            case OSError() if error.errno in CANNOT_PRINT:
                say(f"sea-py: error: cannot print: {error.strerror}", err=True)
                return EXIT_USAGE
        refusal = error if isinstance(error, SeaError) else lacking(error)
        if refusal is None:
            return internal_error(error)
        say(refusal_line(refusal), err=True)
        return EXIT_USAGE
    except BaseException:  # it cannot even be said
        return EXIT_INTERNAL


def _number(code: object) -> int:
    return code if isinstance(code, int) else EXIT_INTERNAL if code else 0


def _open_standard_streams() -> None:
    """Where a standard stream is closed no file of ours must take its number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


if __name__ == "__main__":
    run()
