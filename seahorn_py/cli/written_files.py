"""What `pf` and `bpf` leave behind beside the answer: witness files, with their options."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seahorn_py.base.errors import SeaError, visible
from seahorn_py.cli.input_options import together
from seahorn_py.options import VerifyOptions

if TYPE_CHECKING:
    from seahorn_py.result import VerificationResult
    from seahorn_py.witness.texts import Sources
    from seahorn_py.witness.witness import Witness

YAML_ENDINGS = (".yml", ".yaml")
GRAPHML_ENDINGS = (".graphml", ".xml")
C_ENDINGS = frozenset({".c", ".i"})


def _known_endings(_: click.Context, __: click.Parameter, files: tuple[Path, ...]) -> Any:
    for file in files:
        if file.suffix not in YAML_ENDINGS + GRAPHML_ENDINGS:
            raise click.BadParameter(
                f"{visible(str(file))}: a witness is a .yml or a .graphml file"
            )
    return files


exhibit_options = together(
    click.option(
        "--witness",
        "witnesses",
        multiple=True,
        type=click.Path(path_type=Path),
        callback=_known_endings,
        metavar="FILE",
        help="Write a witness for the answer (repeatable): .yml is YAML 2.0, .graphml GraphML 1.0.",
    ),
    click.option(
        "--cex",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the violating run as a GraphML 1.0 witness.",
    ),
    click.option(
        "--cex-format",
        type=click.Choice(["graphml", "seahorn15"]),
        default="graphml",
        show_default=True,
        help="The format of --cex; seahorn15 is what SeaHorn wrote in 2015.",
    ),
    click.option(
        "--emit-acsl",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the program of a safe answer with its invariants and contracts in ACSL.",
    ),
    click.option(
        "--certificate",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Write clauses, proof and a checker that needs only cvc5 or z3.",
    ),
    click.option("--full-trace", is_flag=True, help="Print every step of the violating run."),
    click.option(
        "--trace-json",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the steps of the violating run as JSON.",
    ),
)
"""The options of every command whose answer may be witnessed."""


def left(
    files: Sequence[Path],
    result: VerificationResult,
    options: VerifyOptions,
    chosen: dict[str, Any],
) -> tuple[list[str], SeaError | None]:
    """The lines of `leave`, and why they end early: a file that cannot be written.

    That must not cost the answer.
    """
    lines: list[str] = []
    try:
        for line in leave(files, result, options, chosen):
            lines.append(line)
    except SeaError as error:
        return lines, error
    return lines, None


def _no_witness(
    files: Sequence[Path],
    result: VerificationResult,
    options: VerifyOptions,
    wanted: Sequence[Path],
) -> str:
    """Why no witness is written; empty where one is."""
    from seahorn_py.options import Property
    from seahorn_py.result import Answer

    unwritten = f"{', '.join(map(str, wanted))} not written"
    if options.frontend.wants(Property.TERMINATION):
        return f" about termination: {unwritten}"
    if result.answer is Answer.UNKNOWN:
        return f" for an unknown answer: {unwritten}"
    if options.frontend.entries:
        return ": a witness is of a program with its main function"
    if result.properties and result.answer is Answer.SAFE:
        return ": a proof is of one property, which --property names"
    if any(file.suffix not in C_ENDINGS for file in files):
        return ": positions are those of C files"
    return ""


def leave(
    files: Sequence[Path],
    result: VerificationResult,
    options: VerifyOptions,
    chosen: dict[str, Any],
) -> Iterator[str]:
    """Write what was asked for; lines that say what was written and what not, and why."""
    from seahorn_py.options import Property
    from seahorn_py.result import Answer

    yield from _trace(result, chosen.get("trace_json"))
    yield from _certificate(files, result, options, chosen.get("certificate"))
    yield from _acsl(files, result, options, chosen.get("emit_acsl"))
    wanted: tuple[Path, ...] = chosen.get("witnesses", ())
    cex: Path | None = chosen.get("cex")
    if cex is not None and result.answer is Answer.UNSAFE:
        is_old = chosen.get("cex_format") == "seahorn15"
        if is_old and not options.frontend.wants(Property.TERMINATION):
            yield _seahorn15(result, options, cex)
        else:
            wanted = (*wanted, cex)
    if not wanted:
        return
    reason = _no_witness(files, result, options, wanted)
    if reason:
        yield f"witness: none{reason}"
        return
    from seahorn_py.witness.texts import Sources

    sources = Sources.read(files, options.frontend)
    write = _correctness if result.answer is Answer.SAFE else _violation
    yield from write(sources, result, wanted, cex)


def _seahorn15(result: VerificationResult, options: VerifyOptions, file: Path) -> str:
    from seahorn_py.options import Property
    from seahorn_py.witness.fields import specification
    from seahorn_py.witness.graphml.seahorn15 import violation_text

    found = result.violation
    assert found is not None
    asked = specification(frozenset({Property(found.property)}))
    write_whole(violation_text(found, asked, options.frontend.bits), file)
    return f"witness: {file}: seahorn15, {len(found.trace)} steps"


def _certificate(
    files: Sequence[Path], result: VerificationResult, options: VerifyOptions, folder: Path | None
) -> Iterator[str]:
    if folder is None:
        return
    from seahorn_py.evidence.certificate import certificate
    from seahorn_py.result import Answer
    from seahorn_py.verification.export import without_queries

    found = result.certificate
    if result.properties and result.answer is Answer.SAFE:
        yield f"certificate: none: of one property, which --property names: {folder} not written"
        return
    if found is None and result.answer is Answer.SAFE:
        found = without_queries(files, options)
    if found is None:
        why = "found by a run: see sea-py exe" if result.violation else "no answer"
        yield f"certificate: none: {why}: {folder} not written"
        return
    try:
        certificate.prepare(folder)
    except OSError as error:
        raise SeaError(f"{folder}: cannot write: {error.strerror}") from None
    for name, text in certificate.with_checker(found).items():
        write_whole(text, folder / name)
    yield f"certificate: {folder}: check it with python {folder / 'check.py'}"


def _trace(result: VerificationResult, file: Path | None) -> Iterator[str]:
    if file is None or result.violation is None:
        return
    from seahorn_py.evidence.trace import text as trace_text

    steps = trace_text.data(result.violation)
    write_whole(json.dumps({"trace": steps}, indent=2) + "\n", file)
    yield f"trace: {file}: {len(steps)} steps"


def _acsl(
    files: Sequence[Path], result: VerificationResult, options: VerifyOptions, file: Path | None
) -> Iterator[str]:
    from seahorn_py.result import Answer

    if file is None:
        return
    if result.answer is not Answer.SAFE or any(f.suffix not in C_ENDINGS for f in files):
        yield f"acsl: only for safe answers of C files: {file} not written"
        return
    from seahorn_py.witness.acsl import annotate, summary
    from seahorn_py.witness.texts import Sources

    found = annotate(result.heads, result.contracts, Sources.read(files, options.frontend))
    write_whole(found.text, file)
    yield from (f"acsl: {file}: {line}" for line in summary(found))


def _correctness(
    sources: Sources, result: VerificationResult, wanted: Sequence[Path], _: Path | None
) -> Iterator[str]:
    from seahorn_py.witness.correctness import invariants
    from seahorn_py.witness.witness import CorrectnessWitness

    found = invariants(result.heads, sources)
    about = sources.about(sources.frontend.properties)
    witness = CorrectnessWitness(about, found.invariants)
    for file in wanted:
        _write(witness, file, is_graphml=file.suffix in GRAPHML_ENDINGS)
        yield f"witness: {file}: correctness, {len(found.invariants)} invariants"
    yield from (f"witness: left out: {line}" for line in found.left_out)


def _violation(
    sources: Sources, result: VerificationResult, wanted: Sequence[Path], cex: Path | None
) -> Iterator[str]:
    from seahorn_py.options import Property
    from seahorn_py.witness.told import by_lines, by_statements
    from seahorn_py.witness.violation import waypoints

    assert result.violation is not None
    found = waypoints(result.violation, sources)
    if found is None:
        yield f"witness: none: {result.violation.place or '?'} is not in the C files"
        return
    about = sources.about(frozenset({Property(result.violation.property)}))
    for file in wanted:
        is_graphml = file == cex or file.suffix in GRAPHML_ENDINGS
        witness = by_lines if is_graphml else by_statements
        _write(witness(about, found.path), file, is_graphml=is_graphml)
        yield f"witness: {file}: violation, {len(found.path)} waypoints"
    yield from (f"witness: left out: {line}" for line in found.left_out)


def _write(witness: Witness, file: Path, *, is_graphml: bool) -> None:
    from seahorn_py.witness.fields import this_producer
    from seahorn_py.witness.graphml import witnesses as graphml
    from seahorn_py.witness.yaml import witnesses as yaml

    kind = graphml if is_graphml else yaml
    write_whole(kind.text(witness, this_producer()), file)


def write_whole(text: str, file: Path) -> None:
    """Write a file that is either whole or not there; SeaError if that is not possible."""
    name = ""
    try:
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as stream:
            name = stream.name
            stream.write(text.encode("utf-8", "surrogateescape"))
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, file)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        raise SeaError(f"{file}: cannot write: {error.strerror}") from None
