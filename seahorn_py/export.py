"""Texts made from programs without solving them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.child import ChildError, Deadline
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding, Wrapping
from seahorn_py.engines.bmc import Bmc
from seahorn_py.engines.engine import Budget
from seahorn_py.errors import SeaError
from seahorn_py.horn.smtlib import print_horn
from seahorn_py.ir.program import Program
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.passes.ranges import value_ranges
from seahorn_py.pipeline import load


def horn_clauses(files: Sequence[Path], options: VerifyOptions) -> str:
    """The Horn system of a program as SMT-LIB text, preceded by its ledger as comments."""
    _, source = load(files, options, Deadline.after(options.timeout))
    system = encoded(source, options).system
    notes = [f"; {entry.kind.value}: {entry.text}" for entry in system.ledger]
    return "\n".join([*notes, print_horn(system)])


def bounded_formula(files: Sequence[Path], options: VerifyOptions) -> str:
    """The question whether an error is reached within `options.bound`, as SMT-LIB text."""
    deadline = Deadline.after(options.timeout)
    _, source = load(files, options, deadline)
    bits = replace(options, encoding=Encodings.BV)
    system = encoded(source, options if options.encoding is Encodings.INT else bits).system
    try:
        return Bmc(options.bound).formula(system, Budget(deadline, options.memory_mib))
    except ChildError as error:
        raise SeaError(f"the formula was not written: {error}") from None


def encoded(source: Program, options: VerifyOptions) -> Encoding:
    """A program as read, in the encoding chosen; integers where that leaves it open."""
    program = prepare(source, track=options.track)
    arithmetic = Arithmetic.BV if options.encoding is Encodings.BV else Arithmetic.INT
    chosen = EncodeOptions(arithmetic, Wrapping(options.overflow.value))
    return encode(program, chosen, value_ranges(program))
