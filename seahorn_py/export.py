"""Texts made from programs without solving them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from seahorn_py.child import Deadline
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Wrapping
from seahorn_py.horn.smtlib import print_horn
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.passes.ranges import value_ranges
from seahorn_py.pipeline import load


def horn_clauses(files: Sequence[Path], options: VerifyOptions) -> str:
    """The Horn system of a program as SMT-LIB text, preceded by its ledger as comments."""
    _, source = load(files, options, Deadline.after(options.timeout))
    program = prepare(source, track=options.track)
    arithmetic = Arithmetic.BV if options.encoding is Encodings.BV else Arithmetic.INT
    chosen = EncodeOptions(arithmetic, Wrapping(options.overflow.value))
    system = encode(program, chosen, value_ranges(program)).system
    notes = [f"; {entry.kind.value}: {entry.text}" for entry in system.ledger]
    return "\n".join([*notes, print_horn(system)])
