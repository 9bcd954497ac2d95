"""One encoding: encode, solve, split what wraps, solve again, confirm.

In integers an operation starts as an obligation: it does not wrap.  A refuted obligation becomes a
case split, and after a share of the time without an answer all of them do.  *Safe* needs a model in
which the checks and all obligations are unreachable.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cached_property

from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding, Wrapping
from seahorn_py.engines import catalogue
from seahorn_py.engines.engine import Budget, for_solving
from seahorn_py.engines.heap.facts import has_lists
from seahorn_py.engines.portfolio import Portfolio
from seahorn_py.engines.profile import profile_of
from seahorn_py.evidence.agreement.agreement import Agreement, Disagreement, agree
from seahorn_py.evidence.certificate import bundle, certificate
from seahorn_py.evidence.expressions.contracts import contracts
from seahorn_py.evidence.expressions.heads import heads
from seahorn_py.evidence.expressions.invariants import show
from seahorn_py.evidence.replay import replay, showing
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.ledger import Approximation
from seahorn_py.horn.system import (
    HornSystem,
    Model,
    Obligation,
    OperationId,
    Query,
    Refutation,
)
from seahorn_py.ir.program import Program, SiteKind
from seahorn_py.ir.types import IntType
from seahorn_py.options import EngineName, Planned, Schedule, Step, VerifyOptions
from seahorn_py.passes.ranges.ranges import Ranges, value_ranges
from seahorn_py.passes.termination.unsigned import widens
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal
from seahorn_py.result import (
    Answer,
    Contract,
    Invariant,
    Safe,
    Unknown,
    Unsafe,
    Verdict,
    VerificationResult,
)
from seahorn_py.verification import bugs
from seahorn_py.verification.clock import Clock
from seahorn_py.verification.encodings.checks import Checks, restricted
from seahorn_py.verification.encodings.proved import left_open, model_of


class Contradicted(StageFailure):
    """A run contradicts a checked proof: the encoding is wrong, and so may be its other proofs."""


_CHARACTER = IntType(8)
RANKS = "int_ranks", "bv_ranks"
COUNTED = "int_counted", "bv_counted"


@dataclass(frozen=True)
class Task:
    """A question about a program in one encoding, with limits."""

    subject: Subject
    arithmetic: Arithmetic
    options: VerifyOptions
    jobs: int
    deadline: Deadline
    clock: Clock
    journal: Journal
    reading: Wrapping | None = None
    """What overflow means, if that is not what the options say."""
    replays: bool = True
    """Whether a refutation is replayed; if not, it only says that there is no proof."""
    unreplayed: tuple[str, str] = RANKS
    """The schedules without replays: in integers, and in bit-vectors."""
    loose: bool = False
    """Whether the program has more runs than the one that is executed."""

    @property
    def ideal(self) -> bool:
        """Whether signed integers have no bounds; then native runs, which wrap, tell nothing."""
        return self.reading is Wrapping.IDEAL

    @cached_property
    def ranges(self) -> Ranges:
        """The value ranges of the program."""
        with self.clock.phase("ranges", Stage.ENCODE):
            return value_ranges(self.subject.program)

    def encode(self, split: frozenset[OperationId], split_all: bool) -> Encoding:
        """The encoding of the program in which these operations, or all, are case splits."""
        ranges = self.ranges
        wrapping = self.reading or Wrapping.WRAP
        small = self.options.step is Step.SMALL
        typed = self.ideal and widens(self.subject.source)
        strict = self.reading is not None
        chosen = EncodeOptions(self.arithmetic, wrapping, split, split_all, small, typed, strict)
        with self.clock.phase("encode", Stage.ENCODE):
            return encode(self.subject.program, chosen, ranges)

    def portfolio(self, system: HornSystem, seconds: float) -> Portfolio:
        """The engines for a system: by a given schedule, by given names, or by its profile."""
        options, bits = self.options, self.arithmetic is Arithmetic.BV
        plan = options.schedule.bv if bits else options.schedule.int
        if plan is not None:
            turns = catalogue.planned(plan, options.bound)
        elif options.engines:
            turns = catalogue.named(options.engines, self.jobs, options.bound, options.abstraction)
        elif not self.replays:
            turns = catalogue.scheduled(self.unreplayed[bits], options.bound)
        else:
            turns = catalogue.schedule(profile_of(system), bits, options.bound)
            turns = catalogue.shortened(turns) if options.jobs == 1 else turns
            turns = catalogue.affordable(turns, seconds * self.jobs)
        return Portfolio(turns, self.journal, self.arithmetic.value)


def check_engines(options: VerifyOptions) -> None:
    """Raises SeaError if an engine does not know a choice that is made for it."""
    if options.abstraction.choices:
        catalogue.engine(EngineName.CEGAR, options.bound, options.abstraction)
    for plan in (options.schedule.int, options.schedule.bv):
        catalogue.planned(plan or (), options.bound)


def answer_by_one(task: Task, only: Checks | None = None) -> VerificationResult:
    """An answer for all checks, or for some of them; unknown with the stage that failed."""
    try:
        return _solved(task, only)
    except StageFailure as failure:
        reason = f"{task.arithmetic.value}: {failure.reason}"
        return VerificationResult(Answer.UNKNOWN, stage=failure.stage, reason=reason)


def answer_by_guess(task: Task, guess: Callable[[Encoding], Model]) -> VerificationResult:
    """Safe if the guessed model is a proof, with all that may wrap as cases; otherwise unknown."""
    try:
        encoding = task.encode(frozenset(), not task.ideal)
        return _confirm_safe(task, encoding, Safe(guess(encoding)))
    except Contradicted:
        raise
    except StageFailure as failure:
        return VerificationResult(Answer.UNKNOWN, stage=failure.stage, reason=failure.reason)


def _solved(task: Task, only: Checks | None) -> VerificationResult:
    solving = for_solving(task.deadline)
    reads = _reads_text(task.subject.source)
    first = _before_splitting(task, solving, reads)
    split: frozenset[OperationId] = frozenset()
    while True:
        split_all = len(split) > policy().confirming.most_single_splits or first.remaining == 0
        encoding = restricted(task.encode(split, split_all), only)
        last = split_all or not _obligations(encoding)
        if not split and (lists := _of_lists(task, encoding.system)) is not None:
            share = solving.share(policy().confirming.lists_share)
            if (result := _split_for(lists, only, share)) is not None:
                return result
        budget = Budget(solving if last else first, task.options.memory_mib, task.jobs)
        match _decide(task, encoding, budget):
            case OperationId() as operation:
                briefly = solving.share(policy().confirming.split_briefly_share)
                if not (split or reads) and (result := _split_for(task, only, briefly)) is not None:
                    return result
                split |= {operation}
            case VerificationResult() as result:
                return result
            case StageFailure() as failure if last:
                raise failure
            case StageFailure():
                # the run needs arithmetic without wrapping; with case splits it has none
                first = Deadline.after(0)


def _before_splitting(task: Task, solving: Deadline, reads_text: bool) -> Deadline:
    """For obligations, until all operations are cases."""
    if task.loose:
        return Deadline.after(0)  # nothing is known of open values, so that most sums may wrap
    shares = policy().confirming
    return solving.share(shares.first_share_of_text if reads_text else shares.first_share)


def _split_for(task: Task, only: Checks | None, brief: Deadline) -> VerificationResult | None:
    """An answer with all operations as cases, in a short time.

    What obligations a check does not need can be hard to prove, as those of a loop that reads a
    number are; then the check alone is often easy.
    """
    encoding = restricted(task.encode(frozenset(), True), only)
    found = _decide(task, encoding, Budget(brief, task.options.memory_mib, task.jobs))
    return found if isinstance(found, VerificationResult) else None


def _of_lists(task: Task, system: HornSystem) -> Task | None:
    """The task for facts about blocks alone; None without lists, or where engines are chosen."""
    options = task.options
    chosen = options.engines or options.schedule.int is not None or not task.replays
    if chosen or task.arithmetic is Arithmetic.BV or not has_lists(system):
        return None
    plan = Schedule((Planned(EngineName.HEAP),), options.schedule.bv)
    return replace(task, options=replace(options, schedule=plan))


def _reads_text(program: Program) -> bool:
    """Whether the environment gives the program characters."""
    return any(s.kind is SiteKind.EXTERN and s.type == _CHARACTER for s in program.sites)


def _decide(
    task: Task, encoding: Encoding, budget: Budget
) -> VerificationResult | OperationId | StageFailure:
    """The first confirmed answer, an operation that may wrap, or the failure."""
    failed: StageFailure | None = None
    portfolio = task.portfolio(encoding.system, budget.deadline.remaining)
    with closing(portfolio.verdicts(encoding.system, budget)) as verdicts:
        while True:
            with task.clock.phase("solve", Stage.SOLVE):
                verdict = next(verdicts)
            try:
                match verdict:
                    case Safe():
                        return _confirm_safe(task, encoding, verdict)
                    case Unsafe(refutation, system=derived):
                        ran = encoding if derived is None else _derived(encoding, derived)
                        operation = _refuted(ran, refutation)
                        if operation is None and not task.replays:
                            return StageFailure(Stage.SOLVE, "a check can fail")
                        return operation or _confirm_unsafe(task, ran, verdict)
                    case Unknown(stage, reason):
                        return failed or StageFailure(stage, reason)
            except Contradicted:
                raise
            except StageFailure as failure:
                inexact = _inexact(encoding, verdict)
                reason = "; ".join((failure.reason, *inexact))
                failed = failed or StageFailure(failure.stage, reason)
                if isinstance(verdict, Unsafe) and not inexact and _obligations(encoding):
                    return failed  # with case splits a confirmed answer may be found


def _derived(encoding: Encoding, system: HornSystem) -> Encoding:
    """The encoding with another system of the same inputs, whose own ledger the replay replaces."""
    return replace(encoding, system=replace(system, ledger=encoding.system.ledger))


def _inexact(encoding: Encoding, verdict: Verdict) -> tuple[str, ...]:
    """The over-approximations of the system of a refutation that the encoding does not have."""
    if not isinstance(verdict, Unsafe) or verdict.system is None:
        return ()
    added = (entry for entry in verdict.system.ledger if entry not in encoding.system.ledger)
    return tuple(entry.text for entry in added if entry.kind is Approximation.OVER)


def _obligations(encoding: Encoding) -> tuple[OperationId, ...]:
    heads = [rule.head for rule in encoding.system.queries]
    return tuple(
        head.kind.operation
        for head in heads
        if isinstance(head, Query) and isinstance(head.kind, Obligation)
    )


def _refuted(encoding: Encoding, refutation: Refutation) -> OperationId | None:
    """The operation whose obligation the refutation violates; None if it violates a check."""
    rules = {rule.name: rule for rule in encoding.system.rules}
    head = rules[refutation.query.rule].head
    assert isinstance(head, Query)
    return head.kind.operation if isinstance(head.kind, Obligation) else None


def _confirm_safe(task: Task, encoding: Encoding, verdict: Safe) -> VerificationResult:
    """Safe, by a re-proof by a second solver, agreement with runs, and no under-approximation.

    Raises StageFailure if one of these fails.
    """
    ledger = left_open(encoding.system.ledger, verdict.proof)
    evidence = [_reproved(task, encoding, verdict)]
    invariants: tuple[Invariant, ...] = ()
    with task.clock.phase("executions", Stage.REPROOF):
        unwatched = task.subject.unwatched()  # known once the executions are over
    wanted = task.options.certificate
    model = model_of(verdict.proof)
    if model is not None and not task.ideal and not task.loose:
        with task.clock.phase("agreement", Stage.REPROOF):
            agreement = _agree(task, encoding, model)
        evidence.extend(agreement.evidence)
        unwatched = task.subject.unwatched(agreement.runs)
    if model is not None:
        invariants = show(encoding, model, in_c=task.options.witness)
    return VerificationResult(
        Answer.SAFE,
        tuple(evidence),
        invariants=invariants,
        ledger=(*ledger, *unwatched),
        statistics=verdict.statistics,
        certificate=certificate.of_proof(encoding.system, verdict.proof) if wanted else None,
        heads=heads(encoding, model) if task.options.witness and model is not None else (),
        contracts=_contracts(task, encoding, model),
    )


def _reproved(task: Task, encoding: Encoding, verdict: Safe) -> str:
    """What checked the proof, in words.  Raises StageFailure if it is no proof."""
    with task.clock.phase("re-proof", Stage.REPROOF):
        checked = check_proof(
            encoding.system, verdict.proof, finder=verdict.finder, deadline=task.deadline
        )
    if not checked.ok:
        raise StageFailure(Stage.REPROOF, checked.reason)
    rules = f"{len(encoding.system.rules)} rules"
    return f"{_arithmetic(task.arithmetic)}: {rules} re-proved by {checked.solver}"


def _contracts(task: Task, encoding: Encoding, model: Model | None) -> tuple[Contract, ...]:
    if model is None or not task.options.witness:
        return ()
    returned = {f.name: len(f.results) for f in task.subject.source.functions.values()}
    return contracts(encoding, model, returned)


def _agree(task: Task, encoding: Encoding, model: Model) -> Agreement:
    """Compare the model with runs.  Raises Contradicted for a contradiction, with a bug bundle."""
    share = policy().confirming.agreement_share * sum(task.clock.times.values())
    seconds = max(policy().confirming.agreement_seconds, share)
    try:
        execution, is_undefined = task.subject.execution(), task.subject.is_undefined
        return agree(encoding, model, execution, task.deadline, seconds, is_undefined)
    except Disagreement as disagreement:
        path = bundle.write(
            task.subject, encoding, model, disagreement.run, str(disagreement), bugs.folder()
        )
        raise Contradicted(Stage.REPROOF, f"{disagreement} (bug bundle: {path})") from None


def _confirm_unsafe(task: Task, encoding: Encoding, verdict: Unsafe) -> VerificationResult:
    """Unsafe, by a replay on the unsliced program.  Raises StageFailure if that fails."""
    with task.clock.phase("replay", Stage.REPLAY):
        shown = replay.confirm(task.subject, encoding, verdict.refutation, task.deadline)
    reached, *followed = shown.evidence
    evidence = [f"{_arithmetic(task.arithmetic)}: {reached}", *followed]
    outside = showing.outside(shown.violation)
    if outside:
        evidence.append(
            f"the error needs values that the program does not decide: {', '.join(outside)}"
        )
    written = None
    if task.options.certificate:
        written = certificate.of_refutation(verdict.system or encoding.system, verdict.refutation)
    return VerificationResult(
        Answer.UNSAFE,
        tuple(evidence),
        violation=shown.violation,
        ledger=(*encoding.system.ledger, *shown.ledger),
        certificate=written,
    )


def _arithmetic(arithmetic: Arithmetic) -> str:
    return "in bit-vectors" if arithmetic is Arithmetic.BV else "in integers"
