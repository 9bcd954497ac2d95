"""Reads witness files; what is malformed, too large or hostile is refused with one line.

The size of a file is limited.  The parsers work event by event, and stop at the first reference,
tag, document type or level of nesting that no witness needs.
"""

from __future__ import annotations

from pathlib import Path

from seahorn_py.witness.graphml import witnesses as graphml
from seahorn_py.witness.witness import Invariant, Witness, WitnessError
from seahorn_py.witness.yaml import witnesses as yaml

MAX_BYTES = 16 << 20


def read_witness(file: Path) -> Witness:
    """The witness in a file, GraphML 1.0 or YAML 2.0 to 2.2.  Raises WitnessError for others."""
    data = _bytes(file)
    try:
        if data.lstrip()[:1] == b"<":
            return graphml.witness(data)
        return yaml.witness(data)
    except WitnessError as error:
        raise WitnessError(f"{file}: {error}") from None


def read_invariants(file: Path) -> tuple[Invariant, ...]:
    """The invariants of a correctness witness or a plain list.  Raises WitnessError for others."""
    data = _bytes(file)
    try:
        if data.lstrip()[:1] == b"<":
            return graphml.invariants(data)
        return yaml.invariants(data)
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
