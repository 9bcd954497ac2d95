"""Texts made from programs without solving anything: clauses, logic programs, formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import SeaError, Stage
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding
from seahorn_py.engines.bmc.bmc import Bmc
from seahorn_py.engines.engine import Budget
from seahorn_py.evidence.certificate import certificate
from seahorn_py.horn.system import Check, HornSystem, Model, Query, Rule
from seahorn_py.horn.text.clp import print_armc, print_clp
from seahorn_py.horn.text.smtlib import print_horn
from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import check
from seahorn_py.options import Encodings, Step, VerifyOptions
from seahorn_py.passes.pipeline import Pass, passes_for
from seahorn_py.passes.promotion.lanes import split_lanes
from seahorn_py.passes.ranges.ranges import value_ranges
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import enter
from seahorn_py.verification.pipeline import load, prepared

UNOPTIMISED: tuple[Pass, ...] = (simplify, split_lanes, slice_program)
"""The passes that are left out for an unoptimised program."""


def horn_clauses(files: Sequence[Path], options: VerifyOptions) -> str:
    """The Horn system of a program as SMT-LIB text, preceded by its ledger as comments."""
    _, source = load(files, options, Deadline.after(options.timeout))
    return _commented(encoded(source, options).system, print_horn, ";")


def logic_program(files: Sequence[Path], options: VerifyOptions, *, armc: bool) -> str:
    """The Horn system in integers as a constraint logic program, or as facts for ARMC."""
    if options.encoding is Encodings.BV:
        raise SeaError("a constraint logic program is over integers: not with --encoding=bv")
    _, source = load(files, options, Deadline.after(options.timeout))
    return _commented(encoded(source, options).system, print_armc if armc else print_clp, "%")


def unoptimised_clauses(files: Sequence[Path], options: VerifyOptions) -> str:
    """The Horn system, a rule for each basic block, without passes that only shrink programs."""
    _, program = load(files, options, Deadline.after(options.timeout))
    for step in passes_for(options.track):
        if step not in UNOPTIMISED:
            program = step(program)
            check(program, step.__name__)
    enter(Stage.ENCODE.value)
    chosen = EncodeOptions(_arithmetic(options), small_steps=True)
    return _commented(encode(program, chosen).system, print_horn, ";")


def _commented(system: HornSystem, text: Callable[[HornSystem], str], mark: str) -> str:
    notes = [f"{mark} {entry.kind.value}: {entry.text}" for entry in system.ledger]
    return "\n".join([*notes, text(system)])


def _arithmetic(options: VerifyOptions) -> Arithmetic:
    return Arithmetic.BV if options.encoding is Encodings.BV else Arithmetic.INT


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


def without_queries(files: Sequence[Path], options: VerifyOptions) -> certificate.Files | None:
    """The certificate of a program without a reachable check; None if a check may be reached."""
    _, source = load(files, options, Deadline.after(options.timeout))
    system = encoded(source, options).system
    asked = [rule for rule in system.queries if _is_check(rule)]
    if asked:
        return None
    kept = tuple(rule for rule in system.rules if not isinstance(rule.head, Query))
    return certificate.of_proof(replace(system, rules=kept), Model({}))


def _is_check(rule: Rule) -> bool:
    return isinstance(rule.head, Query) and isinstance(rule.head.kind, Check)


def encoded(source: Program, options: VerifyOptions) -> Encoding:
    """A program as read, in the chosen encoding; in integers if the options choose none."""
    program = prepared(source, options)
    enter(Stage.ENCODE.value)
    small = options.step is Step.SMALL
    chosen = EncodeOptions(_arithmetic(options), small_steps=small)
    return encode(program, chosen, value_ranges(program))
