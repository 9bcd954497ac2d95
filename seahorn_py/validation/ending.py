"""Correctness witnesses of termination: relations between visits of loops, and that all runs end.

    relations   the relations of each loop are well-founded: small programs      `wellfounded`
    hold        relations and invariants hold: proved as checks of the program   `asserting`
    ends        all runs end: proved of the program as it is

A relation that is a strict order is checked at neighbouring visits, any other at any two visits.

If the third proof fails, the witness helps: the program with the checks is asked whether its runs
end.  A run would end at a failing check, but no check fails.  For integers without bounds that is
only known if signed arithmetic does not overflow, which is proved too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText
from seahorn_py.ir.program import Block, Fail, Function, Program, Stop, StopKind
from seahorn_py.options import Overflow, Property, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.validation.asserting import Asserted, asserted, failed
from seahorn_py.validation.expression import ExpressionError, c_expression
from seahorn_py.validation.places import PlaceError, Places, text_at
from seahorn_py.validation.proving import refuted, verified_with
from seahorn_py.validation.relating import Relation, relation
from seahorn_py.validation.unchanged import unchanged
from seahorn_py.validation.verdict import Validation, Verdict, unknown
from seahorn_py.validation.wellfounded import Between, all_well_founded, between, strict_orders
from seahorn_py.verification.pipeline import load, verify
from seahorn_py.witness.witness import CorrectnessWitness, Invariant


@dataclass(frozen=True)
class _Task:
    """The witness, the program, and the time that is left."""

    witness: CorrectnessWitness
    files: Sequence[Path]
    texts: Sequence[CText]
    options: VerifyOptions
    deadline: Deadline

    def asked(self, properties: Property, share: float) -> VerifyOptions:
        """The options with a question, in a share of the time that is left."""
        frontend = replace(self.options.frontend, properties=frozenset({properties}))
        seconds = max(self.deadline.share(share).remaining, 0.1)
        return replace(self.options, frontend=frontend, timeout=seconds, witness=False)


def ends(
    witness: CorrectnessWitness,
    files: Sequence[Path],
    texts: Sequence[CText],
    options: VerifyOptions,
) -> Validation:
    """Prove the witness or refute it.  SeaError if the program itself is wrong input."""
    task = _Task(witness, files, texts, options, Deadline.after(options.timeout))
    try:
        related = [relation(one, texts, options.frontend.bits) for one in witness.transitions]
        loops = list(_between(related, witness, texts))
        if any(c_expression(one.expression).may_end for one in witness.invariants):
            return unknown("an invariant that divides or reads memory, which may end a run")
        limit = task.deadline.share(policy().validation.founded_share)
        is_ordered = bool(loops) and strict_orders(loops, options, limit)
        pairs = [(one, not is_ordered) for one in related]
        program = asserted(witness.invariants, texts, pairs)
    except (PlaceError, ExpressionError) as error:
        return unknown(f"what the witness says cannot be used: {error}")
    if not unchanged(files, texts, program.bare, options.frontend, task.deadline):
        return unknown("an invariant cannot be put in its place without changing the program")
    wrong = _checked(task, program)
    if wrong is not None:
        return wrong
    if not _are_founded(task, loops, is_ordered):
        return unknown("not all relations between visits are shown to be well-founded")
    return _all_end(task, program)


def _are_founded(task: _Task, loops: Sequence[Between], is_ordered: bool) -> bool:
    """Whether the relations are well-founded; strict orders (`is_ordered`) of C values are."""
    if is_ordered and task.options.frontend.overflow is not Overflow.ASSUME:
        return True
    limit = task.deadline.share(policy().validation.founded_share)
    return all_well_founded(loops, task.options, limit)


def _between(
    related: Sequence[Relation], witness: CorrectnessWitness, texts: Sequence[CText]
) -> Iterator[Between]:
    """For each loop, all its relations as one, with the invariants of the loop."""
    groups: dict[tuple[str, int], list[Relation]] = {}
    for one in related:
        groups.setdefault((one.text.name, one.loop.start_byte), []).append(one)
    for key, group in groups.items():
        always = [i for i in witness.invariants if i.loop and _loop_of(i, texts) == key]
        said = {i.expression: c_expression(i.expression).names for i in always}
        known = {text: names for text, names in said.items() if _all_typed(group[0], names)}
        names = {name for one in group for name in one.variables}.union(*known.values())
        yield between(group, list(known), sorted(names))


def _loop_of(invariant: Invariant, texts: Sequence[CText]) -> tuple[str, int]:
    text = text_at(texts, invariant.place)
    return text.name, Places(text).loop(invariant.place).start_byte


def _all_typed(found: Relation, names: frozenset[str]) -> bool:
    try:
        for name in names:
            found.type_of(name)
    except ExpressionError:
        return False
    return True


# ---------------------------------------------------------------------------------- what holds


def _checked(task: _Task, program: Asserted) -> Validation | None:
    """Why the checks are not proved; None if they are."""
    if not program.names:
        return None
    asked = task.asked(Property.UNREACH_CALL, policy().validation.checked_share)
    options = replace(asked, native=False)  # native runs end at checks of the program, too

    def only_ours(source: Program) -> Program:
        return _ending_at_others(source, program)

    limit = Deadline.after(options.timeout)
    result, wrong = verified_with(task.files, program, options, limit, only_ours)
    if wrong:
        load(task.files, task.options, task.deadline)  # an error of the program is the user's
        return unknown(f"an invariant does not compile: {wrong}")
    match result.answer:
        case Answer.SAFE:
            return None
        case Answer.UNSAFE if (
            result.violation and failed(program, result.violation.text) is not None
        ):
            return refuted(task.witness, program, result.violation)
        case _:
            return _open("neither proved nor refuted", result)


def _ending_at_others(source: Program, program: Asserted) -> Program:
    """The program in which a run just ends at checks that do not come from the witness."""
    functions = {name: _ending(function, program) for name, function in source.functions.items()}
    checks = tuple(c for c in source.checks if failed(program, c.text) is not None)
    return replace(source, functions=functions, checks=checks)


def _ending(function: Function, program: Asserted) -> Function:
    return replace(function, blocks=tuple(_end(block, program) for block in function.blocks))


def _end(block: Block, program: Asserted) -> Block:
    end = block.terminator
    if not isinstance(end, Fail) or failed(program, end.check.text) is not None:
        return block
    return replace(block, terminator=Stop(StopKind.END, end.origin))


# ------------------------------------------------------------------------------ that runs end


def _all_end(task: _Task, program: Asserted) -> Validation:
    alone = verify(task.files, task.asked(Property.TERMINATION, policy().validation.alone_share))
    if alone.answer is Answer.UNKNOWN and task.witness.transitions:
        helped = _with_help(task, program)
        alone = helped if helped.answer is Answer.SAFE else alone
    match alone.answer:
        case Answer.SAFE:
            return _confirmed(task, alone)
        case Answer.UNSAFE:
            assert alone.violation is not None
            return Validation(Verdict.REJECTED, f"a run does not end: {alone.violation.text}")
        case Answer.UNKNOWN:
            return _open("that all runs end is not proved", alone)


def _with_help(task: _Task, program: Asserted) -> VerificationResult:
    """The answer for the program with checks; unknown if signed arithmetic may overflow."""
    wraps = task.asked(Property.NO_OVERFLOW, policy().validation.checked_share)
    result, _ = verified_with(task.files, program, wraps, Deadline.after(wraps.timeout))
    if result.answer is not Answer.SAFE:
        return replace(result, answer=Answer.UNKNOWN)
    asked = task.asked(Property.TERMINATION, 1.0)
    result, _ = verified_with(task.files, program, asked, Deadline.after(asked.timeout))
    return result


def _confirmed(task: _Task, result: VerificationResult) -> Validation:
    proof = "; ".join(result.evidence)
    return Validation(Verdict.CONFIRMED, f"all runs end{_held(task.witness)}: {proof}")


def _held(witness: CorrectnessWitness) -> str:
    """The invariants and relations that were proved, in words."""
    counts = (len(witness.invariants), "invariant"), (len(witness.transitions), "relation")
    said = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts if n]
    if not said:
        return ""
    verb = "holds" if sum(n for n, _ in counts) == 1 else "hold"
    founded = ", and each relation is well-founded" if witness.transitions else ""
    return f"; {' and '.join(said)} of the witness {verb}{founded}"


def _open(what: str, result: VerificationResult) -> Validation:
    stage = "" if result.stage is None else f"{result.stage.value}: "
    return unknown(f"{what}; {stage}{result.reason}")
