"""The command line: a thin layer over `pipeline.verify`.

As in SeaHorn the last line of `pf` is `unsat` for safe (no counterexample exists), `sat` for
unsafe, `unknown` otherwise; the line above says it in words.  Exit codes: 0 safe, 1 unsafe, 2 wrong
usage or input, 3 unknown.  `chc` answers as in CHC-COMP: `sat` means solvable.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from seahorn_py.arguments import (
    answer_options,
    bound_option,
    encoding_options,
    engine_options,
    input_options,
    limit_options,
    turns_chosen,
    verify_options,
)
from seahorn_py.commands import (
    EXIT_CODES,
    EXIT_TERMINATED,
    EXIT_USAGE,
    Commands,
    reports_errors,
    write,
)
from seahorn_py.errors import visible
from seahorn_py.exhibits import exhibit_options
from seahorn_py.limits import adopt_orphans, end_all_below
from seahorn_py.options import EngineName, VerifyOptions

if TYPE_CHECKING:
    from seahorn_py.journal import Journal
    from seahorn_py.result import VerificationResult

REAPING_S = 2.0
"""How long to wait at most for the end of what was killed, so that its times are known."""
COLLECT_AFTER = 50_000
"""Allocations between two searches for garbage; formulas and programs have no cycles."""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="seahorn-py", prog_name="sea-py")
def main() -> None:
    """Prove C programs free of reachable errors, or show the inputs that reach one."""
    # an exception, so that children are reaped and temporary files removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_TERMINATED))


@main.command()
@input_options
@encoding_options
@limit_options
@engine_options
@answer_options
@exhibit_options
@click.option(
    "--invariants",
    "hints",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Try to prove and use these: a correctness witness, or a YAML list of invariants.",
)
@reports_errors
def pf(files: tuple[Path, ...], show_invars: bool, as_json: bool, **chosen: Any) -> None:
    """Prove that no run of the program in FILES reaches an error, or show one that does."""
    _answer(files, show_invars, as_json, chosen)


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
@reports_errors
def bpf(
    files: tuple[Path, ...],
    dump_smt: Path | None,
    show_invars: bool,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Like pf, by bounded model checking alone: ever more unwindings, or --bound K of them."""
    chosen["engines"] = (EngineName.BMC.value,)
    if dump_smt is None:
        _answer(files, show_invars, as_json, chosen)
        return
    from seahorn_py.export import bounded_formula

    write(bounded_formula(files, verify_options(chosen)), dump_smt)


def _answer(
    files: tuple[Path, ...], show_invars: bool, as_json: bool, chosen: dict[str, Any]
) -> None:
    """Verify, print the answer, end with its exit code."""
    from seahorn_py.child import Deadline
    from seahorn_py.frontend import loading

    options = verify_options({**chosen, "show_invars": show_invars})
    began = click.get_current_context().obj or time.monotonic()
    spent = min(time.monotonic() - began, options.timeout / 2)
    limited = replace(options, timeout=options.timeout - spent)
    with loading.begin(files, options.frontend, Deadline.after(limited.timeout)) as lowering:
        # to import what follows takes as long as to compile
        from seahorn_py import exhibits, explanation, report
        from seahorn_py.journal import Journal
        from seahorn_py.pipeline import verify

        journal = Journal()
        try:
            if chosen.get("hints") is None:
                result = verify(files, limited, report.progress(), journal, lowering)
            else:
                result = _verify_hinted(files, limited, chosen["hints"], journal)
        except (KeyboardInterrupt, SystemExit):
            click.echo("\n".join([*explanation.so_far(journal.attempts()), "unknown"]))
            raise
    if chosen["explain"] and not as_json:
        for line in explanation.lines(result, [str(file) for file in files]):
            click.echo(f"explain: {visible(line)}")
    lines, problem = exhibits.left(files, result, options, chosen)
    for line in lines:
        click.echo(visible(line), err=as_json)
    text = report.as_text(result, show_invars, chosen["full_trace"])
    click.echo(report.as_json(result) if as_json else text)
    if problem is not None:
        raise problem
    sys.exit(EXIT_CODES[result.answer.value])


def _verify_hinted(
    files: tuple[Path, ...], options: VerifyOptions, hints: Path, journal: Journal
) -> VerificationResult:
    """Verify with the invariants in a file as candidates."""
    from seahorn_py import report
    from seahorn_py.validation.hints import verify_with
    from seahorn_py.validation.reading import read_invariants

    return verify_with(files, options, read_invariants(hints), report.progress(), journal)


@main.command()
@input_options
@encoding_options
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@reports_errors
def smt(files: tuple[Path, ...], output: Path | None, **chosen: Any) -> None:
    """Print the Horn clauses of the program in FILES as SMT-LIB (logic HORN)."""
    from seahorn_py.export import horn_clauses

    write(horn_clauses(files, verify_options(chosen)), output)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@limit_options
@engine_options
@click.option("--show-model", is_flag=True, help="Print the solution as SMT-LIB definitions.")
@reports_errors
def chc(
    file: Path, timeout: float, memory: int, jobs: int, show_model: bool, **chosen: Any
) -> None:
    """Solve the Horn clauses in FILE (SMT-LIB); the last line is sat, unsat or unknown.

    Of a schedule the turns for int count.
    """
    from seahorn_py.chc import solve_file

    solution = solve_file(file, timeout, memory, jobs, turns_chosen(chosen, jobs))
    for line in solution.lines(show_model):
        click.echo(line)
    sys.exit({"sat": 0, "unsat": 1, "unknown": EXIT_CODES["unknown"]}[solution.status])


@main.command()
@input_options
@encoding_options
@click.option("--regions", is_flag=True, help="What pointers point to.")
@click.option("--cfg", is_flag=True, help="Control flow as read, or with --passes after them.")
@click.option("--callgraph", is_flag=True, help="Which function calls which.")
@click.option("--horn", is_flag=True, help="The Horn clauses.")
@click.option("--passes", is_flag=True, help="The program after the passes.")
@click.option("--dot", is_flag=True, help="As Graphviz text.")
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@reports_errors
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
    from seahorn_py.inspection import View, inspected

    wanted = {View.REGIONS: regions, View.CFG: cfg, View.CALLS: callgraph, View.HORN: horn}
    views = [view for view, is_wanted in wanted.items() if is_wanted] or [View.CFG]
    write(inspected(files, verify_options(chosen), views, passes=passes, dot=dot), output)


@main.command()
def doctor() -> None:
    """Say whether everything that sea-py needs is here and works."""
    from seahorn_py.doctor import examine

    findings = examine()
    for finding in findings:
        click.echo(f"{'ok ' if finding.ok else 'BAD'} {finding.name}: {finding.text}")
    sys.exit(0 if all(f.ok for f in findings) else EXIT_USAGE)


def run() -> NoReturn:
    """The command line as a process, which ends at once, and with it all that it started.

    To free the terms of the solvers one by one takes longer than many a proof.
    """
    gc.set_threshold(COLLECT_AFTER)
    adopt_orphans()
    code: object = 0
    try:
        main(obj=time.monotonic())  # from here the time limit counts
    except SystemExit as end:
        code = end.code
    with contextlib.suppress(OSError):  # nobody reads
        sys.stdout.flush()
        sys.stderr.flush()
    try:
        end_all_below(REAPING_S)
    finally:
        os._exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    run()
