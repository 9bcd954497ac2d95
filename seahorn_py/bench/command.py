"""`sea-py bench`: run tasks, compare runs, report on them.

`sea-py bench TASKS...` is `sea-py bench run TASKS...`; tasks in a file that is called as one of the
other commands are written `./report`.  Exit codes of a run: 0, 1 when an answer was wrong, 2 when
something could not be read, run or stored, 4 when `sea-py` met an internal error in a task, 130
when it was interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import click

from seahorn_py.bench.jobs import Kept, changed
from seahorn_py.bench.progress import Progress, progress_on
from seahorn_py.bench.rows import Limits, Row
from seahorn_py.bench.runner import Plan, run_here, store_all
from seahorn_py.bench.store import Store
from seahorn_py.bench.tasks.sources import Wanted, all_of, read_tasks
from seahorn_py.bench.tools import check, read_configurations, tool_of
from seahorn_py.cli.commands.commands import EXIT_INTERNAL, EXIT_USAGE, reports_errors
from seahorn_py.cli.options.click_types import Finite

EXIT_WRONG = 1
MOST_SECONDS = 1e7
_ELSEWHERE = {
    "diff": "seahorn_py.bench.diff:diff",
    "report": "seahorn_py.bench.report.command:report",
}


class _Bench(click.Group):
    """A group whose first word may be left out: then it is `run`."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Put the missing word in."""
        known = {*self.list_commands(context), *context.help_option_names}
        return super().parse_args(context, args if not args or args[0] in known else ["run", *args])

    def list_commands(self, context: click.Context) -> list[str]:
        """All names in alphabetical order."""
        return sorted([*super().list_commands(context), *_ELSEWHERE])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, imported if need be."""
        if name not in _ELSEWHERE:
            return super().get_command(context, name)
        module, _, attribute = _ELSEWHERE[name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Bench)
def bench() -> None:
    """Run lists of tasks, compare and report results; `bench TASKS...` is `bench run TASKS...`."""


@bench.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "output",
    type=click.Path(path_type=Path),
    default=Path("results.jsonl"),
    show_default=True,
    metavar="FILE",
    help="Append a row a task here, as JSON lines; logs and witnesses go into a folder beside it.",
)
@click.option("--resume", is_flag=True, help="Go on with the results that FILE has.")
@click.option(
    "-c",
    "--configuration",
    "configurations",
    multiple=True,
    metavar="NAME=ARGUMENTS",
    help="Run each task with these arguments (repeatable): -c 'bits=--encoding bv'.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME|FILE.prp",
    help="Only tasks of this property (repeatable); what plain programs are asked.",
)
@click.option("--match", default="", metavar="TEXT", help="Only tasks whose name has this text.")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where the files of JSON lists lie, if not beside the list.",
)
@click.option(
    "--timeout",
    type=Finite(0, MOST_SECONDS, min_open=True),
    default=60.0,
    show_default=True,
    help="Wall seconds a task.",
)
@click.option(
    "--cpu",
    type=Finite(0, MOST_SECONDS, min_open=True),
    help="CPU seconds a task, for all of its processes together.  [default: no limit]",
)
@click.option(
    "--memory",
    type=click.IntRange(1),
    default=5000,
    show_default=True,
    help="MiB a task, for all of its processes together.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=max(1, len(os.sched_getaffinity(0)) // 2),
    show_default="half the cores",
    help="Tasks at once.",
)
@click.option("--witnesses", is_flag=True, help="Keep witnesses of the answers.")
@click.option("--pages", is_flag=True, help="Keep a page about each answer (pf --report).")
@click.option("--no-logs", is_flag=True, help="Keep neither logs nor witnesses nor pages.")
@click.option(
    "--tool",
    metavar="COMMAND",
    help="Run this instead of sea-py, with {file}, {property}, {bits} and more filled in.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the workers of this Dask scheduler (needs seahorn-py[cluster]).",
)
@reports_errors
def run(
    sources: tuple[Path, ...],
    output: Path,
    resume: bool,
    configurations: tuple[str, ...],
    properties: tuple[str, ...],
    match: str,
    root: Path | None,
    timeout: float,
    cpu: float | None,
    memory: int,
    jobs: int,
    witnesses: bool,
    pages: bool,
    no_logs: bool,
    tool: str | None,
    scheduler: str | None,
) -> None:
    """Run the tasks of SOURCES: .yml, .set, .jsonl, folders, or programs.

    A killed run loses nothing but the tasks at work; --resume goes on with the others.
    """
    reading = read_tasks(sources, Wanted(properties), root, match)
    for problem in reading.problems:
        progress_on(sys.stdout, 0).problem(str(problem))
    folder = output.absolute().parent / f"{output.stem}.files"
    kept = None if no_logs else Kept(folder, witnesses, pages)
    plan = Plan(
        all_of(reading, sources),
        read_configurations(configurations),
        tool_of(tool),
        Limits(timeout, cpu, memory),
        kept,
    )
    check(plan.tool, plan.configurations, plan.tasks)
    progress = progress_on(sys.stdout, len(plan))
    changes = _run(plan, output, resume, progress, jobs, scheduler)
    if progress.wrong:
        sys.exit(EXIT_WRONG)
    if progress.errors or reading.problems or changes:
        sys.exit(EXIT_USAGE)
    if progress.bugs:
        sys.exit(EXIT_INTERNAL)


def _run(
    plan: Plan,
    output: Path,
    resume: bool,
    progress: Progress,
    at_once: int,
    scheduler: str | None,
) -> int:
    """Run what the result file does not have yet, and sum up; how many tasks have changed."""
    names = {configuration.name for configuration in plan.configurations}
    tasks = {task.id: task for task in plan.tasks}
    changes: list[str] = []

    def seen(row: Row) -> None:
        if row.configuration not in names:
            return
        plan.check_resumed(row)
        task = tasks.get(row.task)
        if task is None:
            return
        progress.seen(row)
        if what := changed(row, task):
            changes.append(f"{row.task}: {what} has changed since its result was made")

    with Store.open(output, resume, seen) as store:
        for change in changes:
            progress.problem(change)
        if plan.kept is not None:
            plan.kept.prepare(plan.configurations)
        waiting = plan.jobs(store)
        if scheduler is None:
            rows = run_here(waiting, at_once, progress.idle)
        else:
            from seahorn_py.bench.cluster import run_there

            rows = run_there(waiting, scheduler, progress.idle)
        store_all(rows, store, progress)
    progress.summary()
    return len(changes)
