"""What `pf`, `bpf` and `term` print for an answer, in the format that was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from seahorn_py.base.errors import visible
from seahorn_py.cli.options.click_types import Format
from seahorn_py.options import Property

if TYPE_CHECKING:
    from seahorn_py.result import VerificationResult

VIOLATED = tuple(one.value for one in Property if one is not Property.UNREACH_CALL)
"""The properties that a line `unsafe` names in front of what is violated."""


def printed(chosen: dict[str, Any], result: VerificationResult, lines: Sequence[str]) -> str:
    """The answer as it was asked for; in JSON the lines about other files are not."""
    if chosen["format_"] == Format.JSON.value:
        from seahorn_py.cli.answers.report import as_json

        return as_json(result)
    whole = "\n".join(_for_people(chosen, result, lines))
    if chosen["format_"] == Format.GITHUB.value:
        from seahorn_py.cli.reports.github import annotated
        from seahorn_py.properties import read_properties

        return annotated(whole, result, read_properties(chosen["properties"]))
    return whole


def _for_people(
    chosen: dict[str, Any], result: VerificationResult, lines: Sequence[str]
) -> Iterator[str]:
    """The lines about the answer: of a quiet command the last two, of a verbose one all."""
    from seahorn_py.cli.screen.answer import as_text, explained, in_two_lines

    if chosen.get("quiet", False):
        yield from in_two_lines(result)
        return
    at_length = chosen.get("verbose", False)
    files = [*map(str, chosen["files"])]
    told = [*explained(result, files, chosen["explain"] or at_length), *lines]
    yield from map(visible, [*told, *_call(chosen, result)])
    shows = (chosen["show_invars"] or at_length, chosen["full_trace"] or at_length)
    yield as_text(result, *shows, chosen["color"])


def _call(chosen: dict[str, Any], result: VerificationResult) -> list[str]:
    """The call of an entry that violates a check."""
    if not chosen["entries"] or result.violation is None:
        return []
    from seahorn_py.cli.answers.entry_call import call_lines, called

    entry = called(chosen["entries"], result.violation)
    return [f"call: {line}" for line in call_lines(entry, result.violation.inputs)]
