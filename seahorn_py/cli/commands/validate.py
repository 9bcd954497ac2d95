"""`sea-py validate`: a witness of any tool against the program it was made for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, assert_never

import click

from seahorn_py.base.errors import InputError, SeaError, StageFailure, visible
from seahorn_py.cli.commands.commands import Unanswered, code_beside, finish, supervised
from seahorn_py.cli.options.arguments import (
    SECONDS,
    encoding_options,
    jobs_option,
    memory_option,
    native_option,
    verify_options,
)
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.cli.options.input_options import input_options
from seahorn_py.options import MEMORY_SAFETY, FrontendOptions, Property, VerifyOptions
from seahorn_py.processes import internal_errors
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import Reports
from seahorn_py.validation.verdict import Validation, Verdict, unknown
from seahorn_py.witness.reading import read_witness
from seahorn_py.witness.witness import About, CorrectnessWitness, ViolationWitness, Witness

EXIT_CODES = {Verdict.CONFIRMED: 0, Verdict.REJECTED: 1, Verdict.UNKNOWN: 3}
C_ENDINGS = (".c", ".i")
PROOF_SECONDS, VIOLATION_SECONDS = 300.0, 90.0
OF_PROOFS = (b"invariant_set", b"correctness_witness")
LOOKED_AT = 1 << 16


def _unvalidated(why: Unanswered) -> str:
    return "" if why.is_interrupted else "\n".join(unknown(f"{why.stage}: {why.reason}").lines())


def _seconds(context: click.Context, _: click.Parameter, value: float | None) -> float:
    """The time limit given, or that of what the witness seems to be."""
    if value is not None:
        return value
    try:
        with Path(context.params["witness"]).open("rb") as stream:
            start = stream.read(LOOKED_AT)
    except (OSError, KeyError):
        return VIOLATION_SECONDS
    return PROOF_SECONDS if any(word in start for word in OF_PROOFS) else VIOLATION_SECONDS


@click.command(cls=Grouped)
@click.argument("witness", type=click.Path(path_type=Path), is_eager=True)
@input_options
@encoding_options
@click.option(
    "--timeout",
    type=SECONDS,
    callback=_seconds,
    help="Wall seconds, for everything; without it 300 for a proof and 90 for a violation.",
)
@memory_option
@jobs_option
@native_option
@supervised(_unvalidated)
def validate(witness: Path, files: tuple[Path, ...], **chosen: Any) -> None:
    """Confirm or reject what WITNESS (YAML 2.x or GraphML 1.0) says of the program in FILES.

    The last line is confirmed (exit code 0), rejected (1) or unknown (3); the line above says why.
    """
    reports = Reports()
    with reports.collecting():
        found = validated(witness, files, verify_options(chosen))
    for line in internal_errors.lines(reports.found()):
        click.echo(line)
    for line in found.lines():
        click.echo(visible(line))
    bugs = reports.found()
    given = {**chosen, "witness": witness, "files": files}
    finish(code_beside(EXIT_CODES[found.verdict], bugs), bugs, given)


def validated(witness: Path, files: Sequence[Path], options: VerifyOptions) -> Validation:
    """Validate a witness file; SeaError if it is none, or is about another task than this."""
    from seahorn_py.validation.cycling import go_round  # no help needs it
    from seahorn_py.validation.ending import ends
    from seahorn_py.validation.following import follow
    from seahorn_py.validation.macros import read_texts
    from seahorn_py.validation.proving import prove

    read = read_witness(witness)
    contents = {file: _content(file) for file in files}
    agreed = _agreed(read, witness, contents, options)
    deadline = Deadline.after(options.timeout)
    try:
        texts = read_texts(contents.items(), agreed.frontend, deadline)
        agreed = replace(agreed, timeout=max(deadline.remaining, 0.1))
        match read:
            case ViolationWitness() if read.cycle:
                return go_round(read, files, texts, agreed)
            case ViolationWitness():
                return follow(read, files, texts, agreed)
            case CorrectnessWitness() if agreed.frontend.wants(Property.TERMINATION):
                return ends(read, files, texts, agreed)
            case CorrectnessWitness():
                return prove(read, files, texts, agreed)
            case _:
                assert_never(read)
    except StageFailure as failure:
        return unknown(str(failure))
    except ChildError as error:
        return unknown(f"a process failed: {error}")


def _content(file: Path) -> bytes:
    if file.suffix not in C_ENDINGS:
        raise InputError(f"{file}: a witness is about a .c or .i file")
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot read: {error.strerror}") from None


# ------------------------------------------------------------------------------------- agreement


def _agreed(
    read: Witness, witness: Path, contents: dict[Path, bytes], options: VerifyOptions
) -> VerifyOptions:
    """The options with the property of the witness; SeaError where the two do not agree."""
    about = read.about
    _compare_hashes(about, witness, contents)
    frontend = options.frontend
    if about.bits != frontend.bits:
        raise SeaError(f"{witness}: it is about {about.bits}-bit programs: use -m{about.bits}")
    given = frontend.properties
    asked, told = _single(given), _single(about.properties)
    if given and not (told <= asked if isinstance(read, ViolationWitness) else asked <= told):
        names = ", ".join(sorted(p.value for p in about.properties))
        raise SeaError(f"{witness}: it is about another property: {names}")
    if Property.RULE in about.properties:
        return replace(options, frontend=_with_rules(read, witness, frontend))
    is_call = about.properties == {Property.UNREACH_CALL}
    if isinstance(read, ViolationWitness) and not given and is_call:
        return options  # an assertion that fails is one of the calls meant
    properties = given or about.properties
    return replace(options, frontend=replace(frontend, properties=properties))


def _with_rules(read: Witness, witness: Path, frontend: FrontendOptions) -> FrontendOptions:
    """The question about the rules of a witness, of which rule files are to be given."""
    from seahorn_py.frontend.rules import known

    about = read.about
    files = {known.rule(given).name: given for given in known.names(frontend.rules)}
    told, asked = frozenset(about.rules), frozenset(files)
    if asked and not (told <= asked if isinstance(read, ViolationWitness) else asked <= told):
        raise SeaError(f"{witness}: it is about another rule: {', '.join(sorted(told))}")
    unknown_rules = sorted(told - asked - known.pack().keys())
    if unknown_rules and not asked:
        raise SeaError(
            f"{witness}: the file of the rule {unknown_rules[0]} is missing: --rule FILE"
        )
    wanted = tuple(files.get(name, name) for name in about.rules if not asked or name in asked)
    return replace(frontend, rules=wanted, properties=frontend.properties | about.properties)


def _single(properties: frozenset[Property]) -> frozenset[Property]:
    """The properties with its parts in the place of the one that stands for several."""
    if Property.VALID_MEMSAFETY not in properties:
        return properties
    return properties - {Property.VALID_MEMSAFETY} | MEMORY_SAFETY


def _compare_hashes(about: About, witness: Path, contents: dict[Path, bytes]) -> None:
    known = {hashed.lower() for _, hashed in about.hashes}
    checked = list(contents.items())[: 1 if about.only_first else None]
    for file, data in checked:
        hashed = hashlib.sha256(data).hexdigest()
        if hashed not in known:
            raise SeaError(f"{witness}: it is about another program: no hash is that of {file}")
