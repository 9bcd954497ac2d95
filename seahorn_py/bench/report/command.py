"""`sea-py bench report`: result files as a page, as tables and as test results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from seahorn_py.base.errors import SeaError, visible
from seahorn_py.bench.report.columns import Results, read_results
from seahorn_py.bench.report.exports import as_csv, as_junit, as_markdown
from seahorn_py.bench.report.page import as_html
from seahorn_py.cli.commands.commands import reports_errors, write

Writer = Callable[[Results, Path], str]
WRITERS: dict[str, Writer] = {
    ".html": as_html,
    ".csv": lambda results, _: as_csv(results),
    ".xml": lambda results, _: as_junit(results),
    ".md": lambda results, _: as_markdown(results),
}
"""By the ending of the file; each is given the folder that the file will lie in."""
STEM = "report"


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR|FILE",
    help="Write report.html, .csv, .xml (JUnit) and .md into DIR, or FILE in the format of its"
    " ending (repeatable).  Without it the Markdown is printed.",
)
@reports_errors
def report(results: tuple[Path, ...], outputs: tuple[Path, ...]) -> None:
    """Show the results in files of `sea-py bench` side by side."""
    files = [file for output in outputs for file in _files(output)]
    found = read_results(results)
    if not found.columns:
        raise SeaError(f"{', '.join(map(str, results))}: no results")
    if not files:
        write(as_markdown(found).rstrip("\n"), None)
    for file in files:
        write(WRITERS[file.suffix](found, file.parent), file)
        click.echo(f"wrote {visible(str(file))}")


def _files(output: Path) -> list[Path]:
    """The files that an output stands for; its folder is made if need be."""
    is_file = output.suffix in WRITERS and not output.is_dir()
    folder = output.parent if is_file else output
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SeaError(f"{folder}: cannot write: {error.strerror}") from None
    return [output] if is_file else [output / f"{STEM}{ending}" for ending in WRITERS]
