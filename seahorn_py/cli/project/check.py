"""`sea-py check`: the proofs of `sea.toml`, as far as something has changed."""

from __future__ import annotations

import datetime
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn

import click

from seahorn_py.base.errors import SeaError, printable
from seahorn_py.base.records import dataclass
from seahorn_py.cli.commands.commands import (
    EXIT_CODES,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    bundled,
    reports_errors,
    say,
)
from seahorn_py.cli.options.click_types import Format, is_terminal, wants_color
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.cli.project import shown
from seahorn_py.cli.project.at_once import Question, outcomes
from seahorn_py.cli.project.kept_answers import FOLDER, KeptAnswer, KeptAnswers, is_modular, tool
from seahorn_py.cli.project.outcomes import Outcome, Status, expired
from seahorn_py.cli.project.project import Project, Proof, Suppression
from seahorn_py.cli.project.toml_reading import found, read
from seahorn_py.cli.whole_files import write_whole
from seahorn_py.properties import nearest
from seahorn_py.result import Answer

PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"
_CODES = (
    (Status.DIFFERS, EXIT_CODES["unsafe"]),
    (Status.REFUSED, EXIT_USAGE),
    (Status.BROKEN, EXIT_INTERNAL),
    (Status.UNKNOWN, EXIT_CODES["unknown"]),
    (Status.NOT_RUN, EXIT_CODES["unknown"]),
)
"""Exit codes, that of the worst counts."""
ENOUGH = 3
"""Proofs for which it pays to load all that any of them may need."""


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for."""

    jobs: int
    again: bool
    form: str
    color: bool
    sarif: Path | None
    junit: Path | None
    report: Path | None
    quiet: bool


@click.command("check", cls=Grouped)
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file of the proofs; without it sea.toml in this folder or the nearest one above.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=lambda: max(1, len(os.sched_getaffinity(0)) // 2),
    show_default="half of the processors",
    help="Proofs at once; each has its own limits on time and memory, and two processes.",
)
@click.option("--again", is_flag=True, help="Run also what has not changed since the last check.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help=f"Where answers and proofs are kept; without it {FOLDER} beside the file.",
)
@click.option("--list", "only_list", is_flag=True, help="Print names and commands, run nothing.")
@click.option(
    "--sarif",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what fails, with its runs, as SARIF 2.1.0.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the answers as JUnit XML: a case for each proof.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a page for each proof that is run and a table of all, DIR/index.html.",
)
@click.option(
    "--quiet", "-q", is_flag=True, help="Tell what is wrong and the sum, and no progress."
)
@click.option(
    "--format",
    "form",
    type=click.Choice([member.value for member in Format]),
    default=Format.TEXT.value,
    show_default=True,
    help="What is printed: text; one JSON object; or text with annotations for GitHub Actions.",
)
@click.option(
    "--color",
    "--colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    callback=wants_color,
    help="Colours; auto: on a terminal, unless NO_COLOR is set.",
)
@reports_errors
def check(
    names: tuple[str, ...],
    file: Path | None,
    cache: Path | None,
    only_list: bool,
    jobs: int,
    again: bool,
    form: str,
    color: bool,
    sarif: Path | None,
    junit: Path | None,
    report: Path | None,
    quiet: bool,
) -> NoReturn:
    """Run the proofs of sea.toml that have changed, or those called NAME (also with *).

    Exit codes: 0 all as expected, 1 another answer than the expected one, or a suppression that has
    expired; 2 wrong input, 3 no answer, 4 an internal error.
    """
    project = read(file or found_here())
    proofs = chosen(project, names)
    if only_list:
        for proof in proofs:
            say(f"{proof.name}: {printable(proof.command)}")
        sys.exit(0)
    wanted = Wanted(jobs, again, form, color, sarif, junit, report, quiet)
    sys.exit(_checked(project, proofs, wanted, cache or project.file.parent / FOLDER))


def found_here() -> Path:
    """The nearest sea.toml, in few words."""
    return Path(os.path.relpath(found(Path.cwd())))


def chosen(project: Project, names: Sequence[str]) -> tuple[Proof, ...]:
    """The proofs of these names, all for none; SeaError for a name that no proof has."""
    for name in names:
        if not any(fnmatchcase(proof.name, name) for proof in project.proofs):
            known = [proof.name for proof in project.proofs]
            raise SeaError(
                f"{project.file}: no proof {name}{nearest(name, known)}; there are:"
                f" {', '.join(known)}"
            )
    return tuple(
        proof
        for proof in project.proofs
        if not names or any(fnmatchcase(proof.name, name) for name in names)
    )


def _checked(project: Project, proofs: Sequence[Proof], wanted: Wanted, cache: Path) -> int:
    """Run, tell, write; the exit code."""
    began = time.monotonic()
    today = datetime.date.today()
    past = expired(project.suppressions, proofs, today)
    live = tuple(one for one in project.suppressions if one not in past)
    kept = KeptAnswers(cache)
    questions = _questions(proofs, live, kept, wanted)
    progress = _progress(proofs, kept, wanted)
    ended = 0
    try:
        for outcome in outcomes(questions, wanted.jobs, progress.idle):
            progress.outcome(outcome)
            _keep(kept, outcome)
    except KeyboardInterrupt:
        ended = EXIT_INTERRUPTED
    except SystemExit as end:  # SIGTERM
        ended = end.code if isinstance(end.code, int) else EXIT_INTERRUPTED
    progress.end()
    seen = [*progress.seen, *_left_out(proofs, progress.seen)]
    code = _code(seen, past)
    _tell(project, seen, past, wanted, (time.monotonic() - began, code))
    return ended or code


def _questions(
    proofs: Sequence[Proof], live: tuple[Suppression, ...], kept: KeptAnswers, wanted: Wanted
) -> list[Question]:
    seal = tool()
    found = []
    for proof in proofs:
        if is_modular(proof):
            where = f"--cache={kept.folder / 'proofs'}"
            proof = replace(proof, arguments=(*proof.arguments, where))
        row = None if wanted.again else kept.of(proof)
        found.append(Question(proof, live, row, seal))
    _load(sum(question.kept is None for question in found))
    return found


def _load(many: int) -> None:
    """Load once, for all copies, what so many proofs need that were never answered."""
    if many >= ENOUGH:
        from seahorn_py.cli.serving import warm

        warm.load()
    else:
        from seahorn_py.verification import pipeline  # noqa: F401


def _progress(proofs: Sequence[Proof], kept: KeptAnswers, wanted: Wanted) -> shown.Progress:
    """A table on a terminal, else lines; in JSON these go to standard error."""
    names = [proof.name for proof in proofs]
    stream = sys.stderr if wanted.form == Format.JSON.value else sys.stdout
    if wanted.quiet:
        return shown.Silent(stream, names, wanted.color)
    if is_terminal(stream) and is_terminal(sys.stdout):
        return shown.Table(stream, names, wanted.color, kept.seconds)
    return shown.Progress(stream, names, wanted.color)


def _keep(kept: KeptAnswers, outcome: Outcome) -> None:
    """Keep what a proof took now, and its answer if that was the expected one."""
    if outcome.is_kept or outcome.answer is None:
        return
    row = None
    is_answer = outcome.answer in (Answer.SAFE, Answer.UNSAFE)
    if outcome.status is Status.AS_EXPECTED and is_answer and outcome.key:
        row = KeptAnswer(outcome.key, outcome.answer, outcome.headline, outcome.seconds)
    kept.keep(outcome.proof, outcome.seconds, row)


def _left_out(proofs: Sequence[Proof], seen: Sequence[Outcome]) -> Iterator[Outcome]:
    """The proofs whose turn did not come, or that were broken off."""
    names = {outcome.proof.name for outcome in seen}
    for proof in proofs:
        if proof.name not in names:
            yield Outcome(proof, Status.NOT_RUN, None, "interrupted")


def _code(seen: Sequence[Outcome], past: Sequence[Suppression]) -> int:
    statuses = {outcome.status for outcome in seen}
    codes = (code for status, code in _CODES if status in statuses)
    return EXIT_CODES["unsafe"] if past else next(codes, 0)


def verdict(code: int) -> str:
    """The last line for an exit code."""
    return {0: PASSED, EXIT_CODES["unknown"]: UNKNOWN}.get(code, FAILED)


def _tell(
    project: Project,
    seen: Sequence[Outcome],
    past: Sequence[Suppression],
    wanted: Wanted,
    end: tuple[float, int],
) -> None:
    """Print what came of the check, and write the files that were asked for."""
    from seahorn_py.cli.project import reports

    seconds, code = end
    written, problem = _left(project, seen, wanted, seconds)
    for outcome in seen:
        for bug in outcome.result.internal_errors if outcome.result is not None else ():
            if outcome.status is Status.BROKEN:
                say(f"sea-py: {bundled(bug, {'files': outcome.proof.sources})}", err=True)
    if wanted.form == Format.JSON.value:
        say("\n".join(written), err=True)
        say(reports.as_json(project.file, verdict(code), seen, seconds))
    else:
        _say_text(project, seen, past, wanted, (written, seconds, code))
    if problem is not None:
        raise problem


def _say_text(
    project: Project,
    seen: Sequence[Outcome],
    past: Sequence[Suppression],
    wanted: Wanted,
    end: tuple[Sequence[str], float, int],
) -> None:
    from seahorn_py.cli.project import reports

    written, seconds, code = end
    lines = [*_lines(project, seen, past, wanted), *written]
    if wanted.form == Format.GITHUB.value:
        lines = [line.replace("##[", "# #[") for line in lines]
        lines = [*reports.github_lines(seen, past), *lines]
    say("\n".join([*lines, shown.summary(seen, seconds), verdict(code)]))


def _lines(
    project: Project, seen: Sequence[Outcome], past: Sequence[Suppression], wanted: Wanted
) -> Iterator[str]:
    yield from shown.details(seen, wanted.color)
    if any(not outcome.is_good for outcome in seen):
        yield ""
    yield from shown.suppressed(seen)
    yield from shown.unused(project.suppressions, seen, past)
    yield from shown.past(past)
    if is_terminal(sys.stdout) and not wanted.quiet:
        width = max(len(outcome.proof.name) for outcome in seen)
        yield from (shown.row(one, width, wanted.color) for one in shown.by_urgency(seen))


def _left(
    project: Project, seen: Sequence[Outcome], wanted: Wanted, seconds: float
) -> tuple[list[str], SeaError | None]:
    """The lines about files, and why they end early: that must not cost the answers."""
    lines: list[str] = []
    try:
        for line in _written(project, seen, wanted, seconds):
            lines.append(line)
    except SeaError as error:
        return lines, error
    return lines, None


def _written(
    project: Project, seen: Sequence[Outcome], wanted: Wanted, seconds: float
) -> Iterator[str]:
    from seahorn_py.cli.project import reports

    if wanted.sarif is not None:
        write_whole(reports.as_sarif(seen, Path.cwd()), wanted.sarif)
        yield f"sarif: {wanted.sarif}"
    if wanted.junit is not None:
        write_whole(reports.as_junit(project.file, seen, seconds), wanted.junit)
        yield f"junit: {wanted.junit}"
    if wanted.report is not None:
        from seahorn_py.cli.project.report_pages import written_pages

        yield written_pages(project.file, seen, wanted.report)
