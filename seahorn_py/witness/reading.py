"""Witness files to witnesses: what is malformed, too large or hostile is refused in one line.

The size is looked at before anything is read; the parsers work event by event and stop at the
first reference, tag, document type or level of nesting that no witness needs.
"""

from __future__ import annotations

from pathlib import Path

from seahorn_py.errors import SeaError
from seahorn_py.options import Property
from seahorn_py.properties import formula_property
from seahorn_py.witness.model import Invariant, Witness, WitnessError

MAX_BYTES = 16 << 20


def read_witness(file: Path) -> Witness:
    """The witness in a file, GraphML 1.0 or YAML 2.0; WitnessError if it is none."""
    from seahorn_py.witness import graphml_reading, yaml_reading

    data = _bytes(file)
    try:
        if data.lstrip()[:1] == b"<":
            return graphml_reading.witness(data)
        return yaml_reading.witness(data)
    except WitnessError as error:
        raise WitnessError(f"{file}: {error}") from None


def read_invariants(file: Path) -> tuple[Invariant, ...]:
    """The invariants of a correctness witness, or of a plain list; WitnessError for others."""
    from seahorn_py.witness import graphml_reading, yaml_reading

    data = _bytes(file)
    try:
        if data.lstrip()[:1] == b"<":
            return graphml_reading.invariants(data)
        return yaml_reading.invariants(data)
    except WitnessError as error:
        raise WitnessError(f"{file}: {error}") from None


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise WitnessError(f"{file}: cannot read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise WitnessError(f"{file}: larger than {MAX_BYTES >> 20} MiB")
    return data


def specified(text: str) -> frozenset[Property]:
    """The properties of a specification, one formula a line, with or without `CHECK`."""
    found: set[Property] = set()
    for line in filter(None, ("".join(line.split()) for line in text.splitlines())):
        try:
            found.add(formula_property(line, "the specification"))
        except SeaError as error:
            raise WitnessError(str(error)) from None
    if not found:
        raise WitnessError("it has no specification")
    return frozenset(found)


def positive(text: str, what: str) -> int:
    """A line or column."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise WitnessError(f"{what} is no positive number: {text[:40]!r}")
    return int(text)
