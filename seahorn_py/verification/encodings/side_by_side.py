"""The executions and the encodings of a program side by side; the first checked answer wins.

The executions have the machine for themselves for a moment, then the encoding in integers has.
Each encoding is solved in a forked copy of the process.  No program is called safe before the
executions are over.  If every check is to have an answer, the results of the copies are merged.
"""

from __future__ import annotations

import select
import selectors
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import field, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.evidence.replay import showing
from seahorn_py.evidence.replay.confirmation import Denied
from seahorn_py.evidence.runs.search import search
from seahorn_py.evidence.runs.subject import Subject, assumptions
from seahorn_py.horn.ledger import Ledger
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.options import Encodings, EngineName, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import BEHIND, ChildError, ChildTimeout, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import working
from seahorn_py.processes.journal import Journal
from seahorn_py.processes.patience import Patience
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.answers.no_checks import trivially_safe
from seahorn_py.verification.clock import Clock
from seahorn_py.verification.encodings.merging import merged

if TYPE_CHECKING:
    from seahorn_py.encode.encoding import Arithmetic

CLOSING = frozenset({EngineName.LINEAR, EngineName.ACCELERATED})
"""Engines for integers alone."""

NATIVE = "native"
"""The place of executions, in the journal."""

LATE = (
    "seahorn_py.logic.terms.terms",
    "seahorn_py.encode.encoder",
    "seahorn_py.engines.catalogue",
    "seahorn_py.verification.encodings.check_by_check",
)
"""Modules that encodings need, and runs that find an error do not; each takes about as long."""

Collect = Callable[[], VerificationResult | None]


def executed(subject: Subject) -> VerificationResult | None:
    """The answer of the executions once they are over; None if they found no error."""
    return _refuted(subject, (run for run in subject.runs if run.ending is Ending.FAILED))


def _refuted(subject: Subject, failed: Iterable[Outcome]) -> VerificationResult | None:
    """Unsafe by the first of the failed runs whose error the interpreter does not deny."""
    for run in failed:
        observed = subject.observed(run)
        shown = showing.show(subject, observed)
        if isinstance(shown, Denied):
            continue
        reached = f"a run on random and boundary inputs reached the error ({observed.how})"
        return VerificationResult(
            Answer.UNSAFE,
            (reached, *shown.evidence),
            violation=shown.violation,
            ledger=(*assumptions(subject.program), *shown.ledger),
            times={"execute": subject.execution().seconds},
        )
    return None


@dataclass(frozen=True)
class Race:
    """The processes that look for an answer; `watch` is called now and then while all work."""

    subject: Subject
    executing: Fork
    options: VerifyOptions
    deadline: Deadline
    journal: Journal
    watch: Callable[[], None]
    stack: ExitStack = field(default_factory=ExitStack)
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    waiting: list[tuple[Patience, Callable[[], None]]] = field(default_factory=list)
    """Work that begins later: at a time, or earlier if no process is at work."""
    unfolding: Fork | None = None
    """A process that works on the unfolded program already."""

    def run(self) -> VerificationResult:
        """An answer from the executions or from one of the chosen encodings."""
        with self.stack, self.selector:
            if set(self.options.engines) == {EngineName.EXECUTE}:
                found = executed(self.subject)
                return found or self._searched(self.deadline) or _no_error(self.subject)
            if self.options.every_check:
                return self._each_check()
            if self.options.jobs == 1:
                return executed(self.subject) or self._one_by_one()
            return self._side_by_side()

    def _side_by_side(self) -> VerificationResult:
        if not self.options.engines or EngineName.EXECUTE in self.options.engines:
            if self.executing.running:
                self._join(self.executing, self._execute_on)
            elif (failed := self._execute_on()) is not None:
                return failed
        if self.unfolding is not None:
            self._join(self.unfolding, partial(found_by, self.unfolding))
        unknown = []
        for result in self._results():
            match result.answer:
                case Answer.UNSAFE:
                    return result
                case Answer.SAFE:
                    return executed(self.subject) or result
                case Answer.UNKNOWN:
                    unknown.append(result)
        return self._undecided(unknown)

    def _one_by_one(self) -> VerificationResult:
        """The answer with one job: encodings take turns, and integers, which come first, have more
        time.
        """
        unknown = []
        chosen = arithmetics(self.options)
        for arithmetic in chosen:
            is_last = arithmetic is chosen[-1]
            share = self.deadline.share(1.0 if is_last else policy().race.first_share)
            fork = self._fork(arithmetic, 1, share)
            while fork.running:
                select.select([fork], [], [], min(policy().race.watch_seconds, share.remaining))
                self.watch()
            result = _collect(fork, arithmetic)
            if result.answer is not Answer.UNKNOWN:
                return result
            unknown.append(result)
        return self._undecided(unknown)

    def _undecided(self, results: Sequence[VerificationResult]) -> VerificationResult:
        """Unknown, with answers for single checks; safe if all checks are safe."""
        least = _least_unknown(results)
        if not any(result.checks for result in results):
            return least
        parts = merged(results, self.subject.source.checks, self.subject.program)
        return parts if parts.answer is Answer.SAFE else replace(least, checks=parts.checks)

    def _each_check(self) -> VerificationResult:
        """An answer for each check: a definite one, if an encoding or execution has it."""
        found = executed(self.subject)
        results = [] if found is None else [found]
        for result in self._results():
            results.append(result)
            if result.checks and not _is_open(result):
                break
        return merged(results, self.subject.source.checks, self.subject.program)

    # ------------------------------------------------------------------------------ executions

    def _execute_on(self) -> VerificationResult | None:
        """The answer of the first executions; if they have none, longer ones are begun later."""
        found = executed(self.subject)
        if found is None and self.options.executions and self.subject.may_be_told_by_runs:
            self._later(policy().race.before_search_seconds, self._start_search)
        return found

    def _start_search(self) -> None:
        race, reads_text = policy().race, bool(self.subject.execution().texts)
        limit = self.deadline.at_most(race.search_times * self.options.executions)
        if reads_text:
            limit = self.deadline.share(race.text_search_share)
        work, niceness = partial(self._searched, limit), 0 if reads_text else BEHIND
        with working(Stage.REPLAY.value, "search"):
            fork = self.stack.enter_context(Fork(work, self.deadline, niceness=niceness))
        self._join(fork, partial(found_by, fork))

    def _searched(self, deadline: Deadline) -> VerificationResult | None:
        """The answer of native runs up to the deadline."""
        self.journal.begins(NATIVE, "search")
        found = _refuted(self.subject, search(self.subject, deadline))
        outcome = "no error" if found is None else "reached the error"
        self.journal.ends(NATIVE, "search", outcome)
        return found

    # ------------------------------------------------------------------------------- encodings

    def _results(self) -> Iterator[VerificationResult]:
        """The results of the executions and the encodings, as they end.

        Integers prove more: they start first and get all jobs.  Bit-vectors get one job on top.
        """
        race = policy().race
        alone = race.runs_alone_seconds if self.unfolding is None else race.unfolding_alone_seconds
        self._later(alone, self._start_encodings)
        for name in LATE:
            if self.executing.running:  # another processor is free
                import_module(name)
        while self.deadline.remaining and (self.waiting or self.selector.get_map()):
            if ready := self._next_ready():
                result = ready()
                if result is not None:
                    yield result
            elif self.waiting:
                _, start = self.waiting.pop(0)
                start()

    def _later(self, seconds: float, start: Callable[[], None]) -> None:
        race = policy().race
        patience = Patience.of(seconds, self.deadline, race.patience, race.patience_share)
        self.waiting.append((patience, start))
        self.waiting.sort(key=lambda one: one[0].soonest.at)

    def _start_encodings(self) -> None:
        first, *others = arithmetics(self.options)
        self._start(first, self.options.jobs)
        for other in others:
            self._later(policy().race.head_start_seconds, partial(self._start, other, 1))

    def _start(self, arithmetic: Arithmetic, jobs: int) -> None:
        fork = self._fork(arithmetic, jobs, self.deadline)
        self._join(fork, partial(_collect, fork, arithmetic))

    def _fork(self, arithmetic: Arithmetic, jobs: int, deadline: Deadline) -> Fork:
        from seahorn_py.logic.solvers.solvers import warm_up
        from seahorn_py.verification.encodings.check_by_check import refine

        warm_up()
        work = partial(refine, self.subject, arithmetic, self.options, jobs, deadline, self.journal)
        with working(Stage.ENCODE.value, arithmetic.value):
            return self.stack.enter_context(Fork(work, deadline))

    def _join(self, fork: Fork, collect: Collect) -> None:
        self.selector.register(fork, selectors.EVENT_READ, collect)

    def _next_ready(self) -> Collect | None:
        """How to collect the result that comes first; None if none is left or work must begin."""
        until = self.waiting[0][0] if self.waiting else self.deadline
        while self.selector.get_map():
            wait = min(policy().race.watch_seconds, until.remaining)
            for key, _ in self.selector.select(wait):
                self.selector.unregister(key.fileobj)
                collect: Collect = key.data
                return collect
            if not until.remaining:
                break
            self.watch()
        return None


def arithmetics(options: VerifyOptions) -> tuple[Arithmetic, ...]:
    """The encodings to solve, in their order: the chosen ones that the named engines handle."""
    from seahorn_py.encode.encoding import Arithmetic

    match options.encoding:
        case Encodings.AUTO if set(options.engines) == {EngineName.BMC}:
            return (Arithmetic.BV,)
        case Encodings.AUTO if options.engines and CLOSING.issuperset(options.engines):
            return (Arithmetic.INT,)
        case Encodings.AUTO:
            return Arithmetic.INT, Arithmetic.BV
        case Encodings.INT:
            return (Arithmetic.INT,)
        case Encodings.BV:
            return (Arithmetic.BV,)


def found_by(fork: Fork) -> VerificationResult | None:
    """The answer of a process; None if it has none or went wrong."""
    try:
        result = fork.result()
    except ChildError:
        return None
    assert result is None or isinstance(result, VerificationResult)
    return result


def unreached(subject: Subject, options: VerifyOptions, clock: Clock) -> VerificationResult:
    """The answer for a program in which no check can be reached."""
    with clock.phase("execute", Stage.REPLAY):
        found = executed(subject) or _unfailing(subject, assumptions(subject.program))
    if options.every_check:
        checks = merged([found], subject.source.checks, subject.program).checks
        return replace(found, checks=checks)
    return found


def _unfailing(subject: Subject, ledger: Ledger) -> VerificationResult:
    """Safe by the passes alone: no check is reachable, and no execution has reached one."""
    execution = subject.execution()
    count = len(execution.runs) + execution.interpreted
    why = f"no check is reachable in the control-flow graph, nor in {count} runs"
    return trivially_safe((why,), (*ledger, *subject.unwatched(execution.interpreted)))


def _no_error(subject: Subject) -> VerificationResult:
    reason = subject.execution().refusal or f"no error in {len(subject.runs)} runs"
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason)


def _is_open(result: VerificationResult) -> bool:
    return any(check.answer is Answer.UNKNOWN for check in result.checks)


def _collect(fork: Fork, arithmetic: Arithmetic) -> VerificationResult:
    try:
        result = fork.result()
    except ChildTimeout:
        reason = f"{arithmetic.value}: time limit"
    except ChildError as error:
        reason = f"{arithmetic.value}: {error}"
    else:
        assert isinstance(result, VerificationResult)
        return result
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason)


def _least_unknown(results: Sequence[VerificationResult]) -> VerificationResult:
    """One unknown answer for all: the latest stage that one came to, and all reasons."""
    if not results:
        return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    order = list(Stage)
    furthest = max(results, key=lambda r: order.index(r.stage or Stage.FRONT_END))
    return replace(furthest, reason="; ".join(dict.fromkeys(r.reason for r in results)))
