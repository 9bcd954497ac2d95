"""What `pf`, `bpf` and `term` print for an answer, in the format that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seahorn_py.base.errors import visible
from seahorn_py.cli.click_types import Format

if TYPE_CHECKING:
    from seahorn_py.result import VerificationResult


def printed(chosen: dict[str, Any], result: VerificationResult, lines: Sequence[str]) -> str:
    """The answer as it was asked for; in JSON the lines about other files are not."""
    if chosen["format_"] == Format.JSON.value:
        from seahorn_py.cli.report import as_json

        return as_json(result)
    from seahorn_py.cli.screen.answer import as_text, explained

    files = [*map(str, chosen["files"])]
    told = [*explained(result, files, chosen["explain"]), *lines, *_call(chosen, result)]
    text = as_text(result, chosen["show_invars"], chosen["full_trace"], chosen["color"])
    whole = "\n".join([*map(visible, told), text])
    if chosen["format_"] == Format.GITHUB.value:
        from seahorn_py.cli.reports.github import annotated
        from seahorn_py.properties import read_properties

        return annotated(whole, result, read_properties(chosen["properties"]))
    return whole


def _call(chosen: dict[str, Any], result: VerificationResult) -> list[str]:
    """The call of an entry that violates a check."""
    if not chosen["entries"] or result.violation is None:
        return []
    from seahorn_py.cli.entry_call import call_lines, called

    entry = called(chosen["entries"], result.violation)
    return [f"call: {line}" for line in call_lines(entry, result.violation.inputs)]
