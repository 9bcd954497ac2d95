"""The executions and the encodings of a program side by side; the first checked answer wins.

Each encoding is refined in a forked copy of the process.  No program is called safe before the
executions are over.  When every check is to have an answer, what the copies found is put together.
"""

from __future__ import annotations

import selectors
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from seahorn_py.checks import merged
from seahorn_py.child import ChildError, ChildTimeout, Deadline, Fork
from seahorn_py.encode.encoding import Arithmetic
from seahorn_py.errors import Stage
from seahorn_py.evidence import replay
from seahorn_py.evidence.search import search
from seahorn_py.evidence.subject import Subject
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.options import Encodings, EngineName, VerifyOptions
from seahorn_py.refinement import assumptions, refine
from seahorn_py.result import Answer, VerificationResult

SEARCH_TIMES = 7
"""How many times as long as the first native runs others go on beside the solving."""


def executed(subject: Subject) -> VerificationResult | None:
    """The answer that the executions give, once they are over."""
    failed = (run for run in subject.runs if run.ending is Ending.FAILED)
    run = next(filter(subject.follows, failed), None)
    return None if run is None else _refuted(subject, run)


def _refuted(subject: Subject, run: Outcome) -> VerificationResult:
    return VerificationResult(
        Answer.UNSAFE,
        ("an execution on random and boundary inputs reached the error",),
        violation=replay.violation(subject, run),
        ledger=assumptions(subject.program),
        times={"execute": subject.execution().seconds},
    )


def side_by_side(
    subject: Subject, executing: Fork, options: VerifyOptions, deadline: Deadline
) -> VerificationResult:
    """An answer from the executions or from one of the chosen encodings."""
    chosen = _arithmetics(options)
    if set(options.engines) == {EngineName.EXECUTE}:
        return executed(subject) or _searched(subject, deadline) or _no_error(subject)
    if options.every_check:
        return _each_check(subject, chosen, options, deadline)
    if options.jobs == 1:
        return executed(subject) or _one_by_one(subject, chosen, options, deadline)
    unknown = []
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        if not options.engines or EngineName.EXECUTE in options.engines:
            then = partial(_execute_on, stack, selector, subject, options, deadline)
            selector.register(executing, selectors.EVENT_READ, then)
        _start(stack, selector, subject, chosen, options, deadline)
        while ready := _next_ready(selector, deadline):
            result = ready()
            if result is None:
                continue
            match result.answer:
                case Answer.UNSAFE:
                    return result
                case Answer.SAFE:
                    return executed(subject) or result
                case Answer.UNKNOWN:
                    unknown.append(result)
    return _least_unknown(unknown)


def _arithmetics(options: VerifyOptions) -> tuple[Arithmetic, ...]:
    match options.encoding:
        case Encodings.AUTO if set(options.engines) == {EngineName.BMC}:
            return (Arithmetic.BV,)
        case Encodings.AUTO:
            return Arithmetic.INT, Arithmetic.BV
        case Encodings.INT:
            return (Arithmetic.INT,)
        case Encodings.BV:
            return (Arithmetic.BV,)


def _execute_on(
    stack: ExitStack,
    selector: selectors.BaseSelector,
    subject: Subject,
    options: VerifyOptions,
    deadline: Deadline,
) -> VerificationResult | None:
    """The answer of the first executions; where they have none, longer ones begin."""
    found = executed(subject)
    if found is None and options.executions:
        limit = deadline.at_most(SEARCH_TIMES * options.executions)
        fork = stack.enter_context(Fork(partial(_searched, subject, limit), deadline))
        selector.register(fork, selectors.EVENT_READ, partial(_found, fork))
    return found


def _found(fork: Fork) -> VerificationResult | None:
    try:
        result = fork.result()
    except ChildError:
        return None
    assert result is None or isinstance(result, VerificationResult)
    return result


def _searched(subject: Subject, deadline: Deadline) -> VerificationResult | None:
    """What native runs find until the deadline."""
    run = search(subject, deadline)
    return None if run is None else _refuted(subject, run)


def _no_error(subject: Subject) -> VerificationResult:
    reason = subject.execution().refusal or f"no error in {len(subject.runs)} runs"
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason)


def _each_check(
    subject: Subject, chosen: Sequence[Arithmetic], options: VerifyOptions, deadline: Deadline
) -> VerificationResult:
    """For every check the definite answer that some encoding or execution has for it."""
    found = executed(subject)
    results = [] if found is None else [found]
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        _start(stack, selector, subject, chosen, options, deadline)
        while ready := _next_ready(selector, deadline):
            result = ready()
            if result is not None:
                results.append(result)
            if result is not None and result.checks and not _is_open(result):
                break
    return merged(results, subject.source.checks, subject.program)


def _is_open(result: VerificationResult) -> bool:
    return any(check.answer is Answer.UNKNOWN for check in result.checks)


def _start(
    stack: ExitStack,
    selector: selectors.BaseSelector,
    subject: Subject,
    chosen: Sequence[Arithmetic],
    options: VerifyOptions,
    deadline: Deadline,
) -> None:
    for arithmetic in chosen:
        # integers prove more: they get all jobs, bit-vectors one on top
        jobs = options.jobs if arithmetic is Arithmetic.INT or len(chosen) == 1 else 1
        fork = stack.enter_context(_fork(subject, arithmetic, options, jobs, deadline))
        selector.register(fork, selectors.EVENT_READ, partial(_collect, fork, arithmetic))


def _next_ready(
    selector: selectors.BaseSelector, deadline: Deadline
) -> Callable[[], VerificationResult | None] | None:
    """How to collect what ends first; None when nothing is left or the time is over."""
    for key, _ in selector.select(deadline.remaining) if selector.get_map() else ():
        selector.unregister(key.fileobj)
        collect: Callable[[], VerificationResult | None] = key.data
        return collect
    return None


def _one_by_one(
    subject: Subject, chosen: Sequence[Arithmetic], options: VerifyOptions, deadline: Deadline
) -> VerificationResult:
    """With one job the encodings take turns, each with an equal share of the time."""
    unknown = []
    for left, arithmetic in enumerate(reversed(chosen)):
        share = deadline.share(1 / (len(chosen) - left))
        with _fork(subject, arithmetic, options, 1, share) as fork:
            result = _collect(fork, arithmetic)
        if result.answer is not Answer.UNKNOWN:
            return result
        unknown.append(result)
    return _least_unknown(unknown)


def _fork(
    subject: Subject,
    arithmetic: Arithmetic,
    options: VerifyOptions,
    jobs: int,
    deadline: Deadline,
) -> Fork:
    return Fork(lambda: refine(subject, arithmetic, options, jobs, deadline), deadline)


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
    """One unknown for all: the stage of the one that got furthest, all reasons."""
    if not results:
        return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")
    order = list(Stage)
    furthest = max(results, key=lambda r: order.index(r.stage or Stage.FRONT_END))
    return replace(furthest, reason="; ".join(r.reason for r in results))
