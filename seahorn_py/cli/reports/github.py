"""Answers as annotations of GitHub Actions: a line `::error file=F,line=N,col=N,title=T::MESSAGE`.

The runner takes such lines out of a log ("Workflow commands for GitHub Actions").  In a message `%`
and ends of lines are escaped, in a property `:` and `,` as well.  Other lines of ours cannot begin
with `::`, but the runner finds `##[` anywhere in a line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from seahorn_py.cli.reports.findings import Finding, findings, message
from seahorn_py.options import Property
from seahorn_py.result import Answer, VerificationResult

_LEVELS = {Answer.UNSAFE: "error", Answer.UNKNOWN: "warning"}


def annotated(text: str, result: VerificationResult, asked: Collection[Property]) -> str:
    """The text of an answer for the log of a runner, behind its annotations."""
    return "\n".join([*commands(findings(result, asked)), text.replace("##[", "# #[")])


def commands(found: Sequence[Finding]) -> Iterator[str]:
    """A line for each check that fails or has no answer."""
    for finding in found:
        level = _LEVELS.get(finding.answer)
        if level is not None:
            place = finding.place
            at = None if place is None else (place.file, place.line, place.column)
            yield command(level, at, finding.property, message(finding))


def command(level: str, place: tuple[str, int, int] | None, title: str, text: str) -> str:
    """A line about a file, line and column; what is 0 is left out."""
    titled = f"title={_property(f'sea-py: {title}')}"
    return f"::{level} {','.join([*_place(place), titled])}::{_message(text)}"


def _place(place: tuple[str, int, int] | None) -> Iterator[str]:
    if place is not None:
        file, line, column = place
        yield f"file={_property(file)}"
        yield from (f"{k}={n}" for k, n in (("line", line), ("col", column)) if n)


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
