"""What `pf` and `bpf` leave behind beside the answer: witness files, with their options."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seahorn_py.arguments import together
from seahorn_py.errors import SeaError
from seahorn_py.options import VerifyOptions
from seahorn_py.result import Answer, VerificationResult

if TYPE_CHECKING:
    from seahorn_py.evidence.witness import Subject

YAML_ENDINGS = (".yml", ".yaml")
C_ENDINGS = frozenset({".c", ".i"})


def _known_endings(_: click.Context, __: click.Parameter, files: tuple[Path, ...]) -> Any:
    for file in files:
        if file.suffix not in YAML_ENDINGS:
            raise click.BadParameter(f"{file}: a witness is a .yml file")
    return files


exhibit_options = together(
    click.option(
        "--witness",
        "witnesses",
        multiple=True,
        type=click.Path(path_type=Path),
        callback=_known_endings,
        metavar="FILE",
        help="Write a witness for the answer (repeatable): .yml is YAML 2.0.",
    ),
)
"""The options of every command whose answer may be witnessed."""


def leave(
    files: Sequence[Path],
    result: VerificationResult,
    options: VerifyOptions,
    chosen: dict[str, Any],
) -> Iterator[str]:
    """Write what was asked for; lines that say what was written and what not, and why."""
    wanted: tuple[Path, ...] = chosen.get("witnesses", ())
    if not wanted:
        return
    if result.answer is Answer.UNKNOWN:
        yield f"witness: none for an unknown answer: {', '.join(map(str, wanted))} not written"
        return
    if any(file.suffix not in C_ENDINGS for file in files):
        yield "witness: none: positions are those of C files"
        return
    from seahorn_py.evidence.witness import Subject

    subject = Subject.read(files, options.frontend)
    for file in wanted:
        yield from _witness(subject, result, file)


def _witness(subject: Subject, result: VerificationResult, file: Path) -> Iterator[str]:
    from seahorn_py.evidence import witness_yaml
    from seahorn_py.evidence.witness import specification
    from seahorn_py.evidence.witness_correctness import invariants
    from seahorn_py.evidence.witness_violation import waypoints
    from seahorn_py.options import Property

    if result.answer is Answer.SAFE:
        asked = specification(subject.frontend.properties)
        proved = invariants(result.heads, subject)
        write_whole(witness_yaml.correctness_text(subject, asked, proved.invariants), file)
        yield f"witness: {file}: correctness, {len(proved.invariants)} invariants"
        yield from (f"witness: left out: {line}" for line in proved.left_out)
        return
    assert result.violation is not None
    found = waypoints(result.violation, subject)
    if found is None:
        yield f"witness: none: {result.violation.place or '?'} is not in the C files"
        return
    asked = specification(frozenset({Property(result.violation.property)}))
    write_whole(witness_yaml.violation_text(subject, asked, found.path), file)
    yield f"witness: {file}: violation, {len(found.path)} waypoints"
    for line in found.left_out:
        yield f"witness: left out: {line}"


def write_whole(text: str, file: Path) -> None:
    """Write a file that is either whole or not there; SeaError if that is not possible."""
    name = ""
    try:
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as stream:
            name = stream.name
            stream.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, file)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        raise SeaError(f"{file}: cannot write: {error.strerror}") from None
