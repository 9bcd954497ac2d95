"""Correctness witnesses: it is proved or refuted that the program is safe and all invariants hold.

Program and invariants are one problem, in which each invariant is a check.  A proof of the problem
confirms the witness; a run that fails any of the checks rejects it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.csource.syntax import CText
from seahorn_py.ir.program import Program
from seahorn_py.options import VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult, Violation
from seahorn_py.validation.asserting import Asserted, asserted, failed
from seahorn_py.validation.edits import WITNESS_FILE
from seahorn_py.validation.expression import ExpressionError, c_expression
from seahorn_py.validation.own_checks import if_asked
from seahorn_py.validation.places import PlaceError
from seahorn_py.validation.relating import relation
from seahorn_py.validation.unchanged import unchanged
from seahorn_py.validation.verdict import Validation, Verdict, unknown
from seahorn_py.verification.pipeline import load, verify
from seahorn_py.witness.witness import CorrectnessWitness


def prove(
    witness: CorrectnessWitness,
    files: Sequence[Path],
    texts: Sequence[CText],
    options: VerifyOptions,
) -> Validation:
    """Prove the witness or refute it.  SeaError if the program itself is wrong input."""
    deadline = Deadline.after(options.timeout)
    try:
        bits = options.frontend.bits
        related = [(relation(one, texts, bits), True) for one in witness.transitions]
        program = asserted(witness.invariants, texts, related)
    except (PlaceError, ExpressionError) as error:
        return unknown(f"an invariant cannot be used: {error}")
    if not unchanged(files, texts, program.bare, options.frontend, deadline):
        return unknown("an invariant cannot be put in its place without changing the program")
    share = policy().validation.others_share if program.may_end else 1.0
    result, wrong = verified_with(files, program, options, deadline.share(share))
    if wrong:
        load(files, options, deadline)  # an error of the program itself is the user's
        return unknown(f"an invariant does not compile: {wrong}")
    if result.answer is Answer.SAFE and program.may_end:
        # where evaluating an invariant ends a run, nothing is known of what follows
        always = without_ends(witness)
        firm = asserted(always.invariants, texts, related)
        alone, _ = verified_with(files, firm, options, deadline)
        if alone.answer is not Answer.SAFE:
            witness, program, result = always, firm, alone
    result = if_asked(result, files, options, deadline)
    return _validation(witness, program, result)


def without_ends(witness: CorrectnessWitness) -> CorrectnessWitness:
    """The witness without the invariants whose evaluation may end a run."""
    always = tuple(one for one in witness.invariants if not c_expression(one.expression).may_end)
    return replace(witness, invariants=always)


def verified_with(
    files: Sequence[Path],
    program: Asserted,
    options: VerifyOptions,
    deadline: Deadline,
    adapt: Callable[[Program], Program] | None = None,
) -> tuple[VerificationResult, str]:
    """The answer for the program with its invariants, and "" or why it does not compile."""
    functions = (*options.frontend.error_functions, *program.names)
    frontend = replace(options.frontend, error_functions=functions, edited=program.edited)
    limited = replace(options, frontend=frontend, timeout=max(deadline.remaining, 0.1))
    try:
        return verify(files, limited, adapt=adapt), ""
    except InputError as error:
        return VerificationResult(Answer.UNKNOWN), str(error).splitlines()[0]


def _validation(
    witness: CorrectnessWitness, program: Asserted, result: VerificationResult
) -> Validation:
    match result.answer:
        case Answer.SAFE:
            count = len(witness.invariants)
            what = f" and its {count} invariant{'' if count == 1 else 's'} hold" if count else ""
            what += " where they have a value" if program.may_end else ""
            proof = "; ".join(result.evidence)
            return Validation(Verdict.CONFIRMED, f"the program is safe{what}: {proof}")
        case Answer.UNSAFE:
            assert result.violation is not None
            return refuted(witness, program, result.violation)
        case Answer.UNKNOWN:
            stage = "" if result.stage is None else f"{result.stage.value}: "
            return unknown(f"neither proved nor refuted; {stage}{result.reason}")


def refuted(witness: CorrectnessWitness, program: Asserted, violation: Violation) -> Validation:
    """The judgement of a witness if a run fails a check of the program with its invariants."""
    own = (i for i in violation.inputs if i.place is None or i.place.file != WITNESS_FILE)
    inputs = ", ".join(f"{i.name} = {i.value}" for i in list(own)[:5])
    run = f"a run ({inputs})" if inputs else "a run"
    number = failed(program, violation.text)
    if number is None:
        if violation.place is not None and violation.place.file == WITNESS_FILE:
            return unknown(f"{run} in which an invariant has no value: {violation.text}")
        where = violation.place or "?"
        return Validation(Verdict.REJECTED, f"{run} violates {violation.property} at {where}")
    if number >= len(witness.invariants):
        relation_ = witness.transitions[number - len(witness.invariants)]
        text = f"the relation `{relation_.expression[:200]}` at {relation_.place}"
        return Validation(Verdict.REJECTED, f"{run} violates {text}")
    invariant = witness.invariants[number]
    text = f"the invariant `{invariant.expression[:200]}` at {invariant.place}"
    if not invariant.is_exact:
        return unknown(f"{text} does not hold there, and its place is not told exactly")
    return Validation(Verdict.REJECTED, f"{run} violates {text}")
