"""The refinement of one encoding: encode, solve, split what wraps, solve again, confirm.

In integers an operation starts as a proof obligation (it does not wrap); the obligations that are
refuted become case splits, and when a share of the time has passed without an answer, all of them
do.  *Safe* needs a model in which the checks and all obligations are unreachable.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from seahorn_py.child import Deadline
from seahorn_py.clock import Clock
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding, Wrapping
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer import Spacer
from seahorn_py.errors import Stage, StageFailure
from seahorn_py.evidence import bundle, replay
from seahorn_py.evidence.agreement import Agreement, Disagreement, agree
from seahorn_py.evidence.invariants import show
from seahorn_py.evidence.subject import Subject
from seahorn_py.horn.proofs import check_proof
from seahorn_py.horn.system import (
    Approximation,
    Model,
    Obligation,
    OperationId,
    Query,
    Refutation,
)
from seahorn_py.logic.solvers import Solver
from seahorn_py.options import VerifyOptions
from seahorn_py.passes.ranges import value_ranges
from seahorn_py.result import Answer, Invariant, Safe, Unknown, Unsafe, VerificationResult

SOLVING_SHARE = 0.75
"""At least a quarter of the time is kept for evidence."""

FIRST_SHARE = 0.5
"""The share of the solving time after which open obligations are split."""

MAX_SINGLE_SPLITS = 8
"""How many refuted obligations are split one by one before all are."""

AGREEMENT_SECONDS, AGREEMENT_SHARE = 0.1, 0.1
"""Runs are followed to their ends for so long, or for this share of what the proof took."""


@dataclass(frozen=True)
class Task:
    """What is refined, within which bounds."""

    subject: Subject
    arithmetic: Arithmetic
    options: VerifyOptions
    jobs: int
    deadline: Deadline
    clock: Clock


def refine(
    subject: Subject, arithmetic: Arithmetic, options: VerifyOptions, jobs: int, deadline: Deadline
) -> VerificationResult:
    """A checked answer from one encoding, or unknown with the stage that failed."""
    task = Task(subject, arithmetic, options, jobs, deadline, Clock())
    try:
        result = _refine(task)
    except StageFailure as failure:
        reason = f"{arithmetic.value}: {failure.reason}"
        result = VerificationResult(Answer.UNKNOWN, stage=failure.stage, reason=reason)
    times = {f"{arithmetic.value}: {name}": spent for name, spent in task.clock.times.items()}
    return replace(result, times=times)


def _refine(task: Task) -> VerificationResult:
    with task.clock.phase("ranges", Stage.ENCODE):
        ranges = value_ranges(task.subject.program)
    solving = task.deadline.share(SOLVING_SHARE)
    first = solving.share(FIRST_SHARE)
    split: frozenset[OperationId] = frozenset()
    while True:
        split_all = len(split) > MAX_SINGLE_SPLITS or first.remaining == 0
        wrapping = Wrapping(task.options.overflow.value)
        chosen = EncodeOptions(task.arithmetic, wrapping, split, split_all)
        with task.clock.phase("encode", Stage.ENCODE):
            encoding = encode(task.subject.program, chosen, ranges)
        last = split_all or not _obligations(encoding)
        budget = Budget(solving if last else first, task.options.memory_mib, task.jobs)
        with task.clock.phase("spacer", Stage.SOLVE):
            verdict = Spacer().solve(encoding.system, budget)
        match verdict:
            case Safe():
                return _confirm_safe(task, encoding, verdict)
            case Unsafe(refutation):
                operation = _refuted(encoding, refutation)
                if operation is not None:
                    split |= {operation}
                    continue
                try:
                    return _confirm_unsafe(task, encoding, refutation)
                except StageFailure:
                    # plain arithmetic went where the machine wraps; with cases it cannot
                    if last:
                        raise
                    first = Deadline.after(0)
            case Unknown(stage, reason):
                if last:
                    raise StageFailure(stage, reason)
                first = Deadline.after(0)


def _obligations(encoding: Encoding) -> tuple[OperationId, ...]:
    heads = [rule.head for rule in encoding.system.queries]
    return tuple(
        head.kind.operation
        for head in heads
        if isinstance(head, Query) and isinstance(head.kind, Obligation)
    )


def _refuted(encoding: Encoding, refutation: Refutation) -> OperationId | None:
    """The obligation that the refutation violates, if it is not a check."""
    rules = {rule.name: rule for rule in encoding.system.rules}
    head = rules[refutation.query.rule].head
    assert isinstance(head, Query)
    return head.kind.operation if isinstance(head.kind, Obligation) else None


def _confirm_safe(task: Task, encoding: Encoding, claim: Safe) -> VerificationResult:
    """Re-proof by a second solver, agreement with the runs, no under-approximation."""
    under = [e for e in encoding.system.ledger if e.kind is Approximation.UNDER]
    if under:
        raise StageFailure(
            Stage.ENCODE, f"the proof rests on an under-approximation: {under[0].text}"
        )
    with task.clock.phase("re-proof", Stage.REPROOF):
        checked = check_proof(
            encoding.system, claim.proof, finder=Solver.Z3, deadline=task.deadline
        )
    if not checked.ok:
        raise StageFailure(Stage.REPROOF, checked.reason)
    evidence = [
        f"{_arithmetic(task.arithmetic)}: "
        f"{len(encoding.system.rules)} rules re-proved by {checked.solver}"
    ]
    invariants: tuple[Invariant, ...] = ()
    with task.clock.phase("executions", Stage.REPROOF):
        unwatched = task.subject.unwatched  # known once they are over
    if isinstance(claim.proof, Model):
        with task.clock.phase("agreement", Stage.REPROOF):
            agreement = _agree(task, encoding, claim.proof)
        kind = "native" if agreement.native else "interpreted"
        evidence.append(
            f"the invariants hold in {agreement.states} states of {agreement.runs} {kind} runs"
        )
        unwatched = () if agreement.runs else unwatched
        invariants = show(encoding, claim.proof)
    return VerificationResult(
        Answer.SAFE,
        tuple(evidence),
        invariants=invariants,
        ledger=(*encoding.system.ledger, *unwatched),
        statistics=claim.statistics,
    )


def _agree(task: Task, encoding: Encoding, model: Model) -> Agreement:
    """Compare with the runs; a contradiction is a bug of ours and leaves a bundle behind."""
    seconds = max(AGREEMENT_SECONDS, AGREEMENT_SHARE * sum(task.clock.times.values()))
    try:
        return agree(encoding, model, task.subject.execution(), task.deadline, seconds)
    except Disagreement as disagreement:
        folder = Path(tempfile.gettempdir())
        path = bundle.write(
            task.subject, encoding, model, disagreement.run, str(disagreement), folder
        )
        raise StageFailure(Stage.REPROOF, f"{disagreement} (bug bundle: {path})") from None


def _confirm_unsafe(task: Task, encoding: Encoding, refutation: Refutation) -> VerificationResult:
    """Replay on the unsliced program."""
    with task.clock.phase("replay", Stage.REPLAY):
        found, how = replay.confirm(task.subject, encoding, refutation, task.deadline)
    evidence = [f"{_arithmetic(task.arithmetic)}: the inputs reach the error in a replay ({how})"]
    if replay.needs_extern(found):
        evidence.append(
            "the error needs a value from a function without body or an undefined shift"
        )
    return VerificationResult(
        Answer.UNSAFE, tuple(evidence), violation=found, ledger=encoding.system.ledger
    )


def _arithmetic(arithmetic: Arithmetic) -> str:
    return "in bit-vectors" if arithmetic is Arithmetic.BV else "in integers"
