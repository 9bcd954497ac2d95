"""What `pf` and `bpf` leave behind beside the answer: witness files, with their options."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seahorn_py.base.errors import SeaError, visible
from seahorn_py.cli.options.help_groups import titled
from seahorn_py.cli.whole_files import GRAPHML_ENDINGS, write_whole
from seahorn_py.options import VerifyOptions

if TYPE_CHECKING:
    from seahorn_py.result import VerificationResult

YAML_ENDINGS = (".yml", ".yaml")
C_ENDINGS = frozenset({".c", ".i"})


def _known_endings(_: click.Context, __: click.Parameter, files: tuple[Path, ...]) -> Any:
    for file in files:
        if file.suffix not in YAML_ENDINGS + GRAPHML_ENDINGS:
            raise click.BadParameter(
                f"{visible(str(file))}: a witness is a .yml or a .graphml file"
            )
    return files


exhibit_options = titled(
    "Files that are written",
    click.option(
        "--witness",
        "witnesses",
        multiple=True,
        type=click.Path(path_type=Path),
        callback=_known_endings,
        metavar="FILE",
        help="Write a witness for the answer (repeatable): .yml is YAML, .graphml GraphML 1.0.",
    ),
    click.option(
        "--witness-format",
        type=click.Choice(["2.1", "2.0"]),
        default="2.1",
        show_default=True,
        help="The version of YAML witnesses.",
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
    click.option(
        "--sarif",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write what fails, with its runs, as SARIF 2.1.0.",
    ),
    click.option(
        "--junit",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the answers as JUnit XML: a case for each check or property asked about.",
    ),
    click.option(
        "--report",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Write the answer as a page for a browser, DIR/index.html, which needs no network.",
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
    from seahorn_py.result import Answer

    unwritten = f"{', '.join(map(str, wanted))} not written"
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
    yield from _reports(files, result, chosen)
    if chosen.get("report") is not None:
        from seahorn_py.cli.reports.page.written_report import written_report

        yield written_report(files, result, options, chosen["report"])
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
    from seahorn_py.cli.answers import written_witnesses

    version = chosen.get("witness_format", "2.1")
    yield from written_witnesses.written(files, result, options, (wanted, cex, version))


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
        if result.violation and result.violation.property == "termination":
            why = "a run without end has none: see --witness"
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


def _reports(
    files: Sequence[Path], result: VerificationResult, chosen: dict[str, Any]
) -> Iterator[str]:
    """What other tools read, also of an answer that is unknown."""
    sarif_file, junit_file = chosen.get("sarif"), chosen.get("junit")
    if sarif_file is None and junit_file is None:
        return
    from seahorn_py.cli.reports.findings import findings
    from seahorn_py.properties import read_properties

    found = findings(result, read_properties(chosen["properties"]))
    if sarif_file is not None:
        from seahorn_py.cli.reports.sarif import sarif

        write_whole(sarif(found, Path.cwd()), sarif_file)
        yield f"sarif: {sarif_file}: results: {sum(f.violation is not None for f in found)}"
    if junit_file is not None:
        from seahorn_py.cli.reports.junit import junit

        write_whole(junit(result, found, [*map(str, files)]), junit_file)
        yield f"junit: {junit_file}: cases: {len(found)}"


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
