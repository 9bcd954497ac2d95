"""Whether all runs of a program end: a proof by ranks, or a loop that is never left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.encode.encoding import Arithmetic, Wrapping
from seahorn_py.encode.signedness import wrapping_sums
from seahorn_py.evidence.runs.subject import Subject, assumptions
from seahorn_py.frontend.llvmtext.stored import stored_once
from seahorn_py.frontend.lowering.checks.scopes import confined
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Program
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.options import Overflow, Property, VerifyOptions
from seahorn_py.passes.termination.loops import Irreducible
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import Child, ChildError, ChildTimeout, Fork, wait_any
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal
from seahorn_py.result import Answer, CheckResult, LoopResult, VerificationResult
from seahorn_py.verification.clock import Clock
from seahorn_py.verification.encodings.one_encoding import Task
from seahorn_py.verification.termination import diverging, proving, repeating
from seahorn_py.verification.termination.each_loop import told
from seahorn_py.verification.termination.endless import meaningless, without_overflow
from seahorn_py.verification.termination.whole import is_as_run, is_closed, whole

ONLY = RunLimits(seconds=2.0, steps=5_000_000)
ENDINGS = frozenset({Ending.ENDED, Ending.FAILED, Ending.BLOCKED})

MEANING = "all runs end"


def decide(
    subject: Subject,
    native: str,
    options: VerifyOptions,
    clock: Clock,
    deadline: Deadline,
    journal: Journal,
) -> VerificationResult:
    """Whether all runs end: safe, unsafe if one does not, or unknown.

    `native` is the native text, which tells what variables are sure to have one value.
    """
    program = whole(subject.source)
    found = _only_run(subject, program)
    is_each = options.every_check or options.bounds
    if found is not None and not is_each:
        return found
    reason = meaningless(program) if options.frontend.overflow is Overflow.ASSUME else ""
    if reason:
        return VerificationResult(Answer.UNKNOWN, stage=Stage.ENCODE, reason=reason)
    whole_subject = replace(subject, program=program, confined=confined(native))
    until = Deadline(deadline.at - min(0.5, deadline.remaining / 10))
    task = Task(whole_subject, Arithmetic.INT, options, options.jobs, until, clock, journal)
    if not is_each:
        return _together(task)
    share = task.deadline.share(policy().termination.loops_share)
    return _loop_by_loop(task, found or _together(replace(task, deadline=share)), native)


def _loop_by_loop(task: Task, result: VerificationResult, native: str) -> VerificationResult:
    """The answer with results for each loop; an unknown one becomes safe if all loops end."""
    inside = replace(task, deadline=task.deadline.share(0.9))
    try:
        work = partial(told, inside, _readings(task), result, partial(stored_once, native))
        with Fork(work, task.deadline) as fork:
            loops = fork.result()
    except ChildError:
        return result
    assert isinstance(loops, tuple)
    is_safe = bool(loops) and all(loop.answer is Answer.SAFE for loop in loops)
    if result.answer is Answer.UNKNOWN and is_safe:
        lines = tuple(f"{loop.text}: ends, rank {loop.rank or '?'}" for loop in loops)
        ledger = assumptions(task.subject.program)
        result = VerificationResult(Answer.SAFE, lines, ledger=ledger, meaning=MEANING)
    checks = tuple(_as_check(loop, result) for loop in loops) if task.options.every_check else ()
    return replace(result, loops=loops, checks=checks)


def _as_check(loop: LoopResult, result: VerificationResult) -> CheckResult:
    """The result for a loop as the result for a check."""
    is_open = loop.answer is Answer.UNKNOWN
    shown = result.violation if loop.answer is Answer.UNSAFE else None
    rank = (f"rank {loop.rank}",) if loop.rank else ()
    stage = Stage.SOLVE if is_open else None
    name = Property.TERMINATION.value, loop.text.partition(" at ")[0], loop.place
    return CheckResult(*name, loop.answer, rank, stage, loop.reason, shown)


def _together(task: Task) -> VerificationResult:
    """The answer for all loops together."""
    reasons = {}
    for name, result in _side_by_side(task):
        if result.answer is not Answer.UNKNOWN:
            return replace(result, meaning=MEANING)
        # reasons of many parts are shortened, and each way has one part here
        reasons[name] = f"{name}: {result.reason.replace('; ', ', ')}"
    told = [reasons[name] for name in WAYS if name in reasons]
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="; ".join(told))


def _side_by_side(task: Task) -> Iterator[tuple[str, VerificationResult]]:
    """The result of each way, as soon as it ends; the last way begins a little later."""
    *first, last = WAYS
    if task.options.frontend.choices:  # a run without end would say nothing
        first = [next(iter(WAYS))]
    is_waiting = not task.options.frontend.choices
    with ExitStack() as stack:

        def begin(name: str) -> Fork:
            return stack.enter_context(Fork(partial(_tried, WAYS[name], task), task.deadline))

        running: dict[Child, str] = {begin(name): name for name in first}
        ended = wait_any(list(running), policy().termination.head_start_seconds)
        while running:
            for one in ended:
                assert isinstance(one, Fork)
                yield running.pop(one), _collected(one)
            if is_waiting:
                is_waiting = False
                running[begin(last)] = last
            ended = wait_any(list(running))


def _only_run(subject: Subject, program: Program) -> VerificationResult | None:
    """Safe if the program has in effect one run, which ends natively and in the interpreter.

    No signed arithmetic may overflow in it.  None if the program has more runs.
    """
    execution = subject.execution()
    if execution.executable is None or not execution.runs:
        return None
    runs = (*execution.runs, subject.interpreter.run({}, ONLY))
    reads_nothing = len(execution.runs) == 1 and not any(run.reads for run in runs)
    is_sole = is_closed(program) or (reads_nothing and is_as_run(subject.source))
    if program.gaps or not is_sole:
        return None
    if any(run.ending not in ENDINGS for run in runs):
        return None
    if Interpreter(without_overflow(program)).run({}, ONLY).ending is not Ending.ENDED:
        return None
    why = "nothing that is read matters, and the run ends, natively and in the interpreter"
    ledger = assumptions(subject.program)
    return VerificationResult(Answer.SAFE, (why,), ledger=ledger, meaning=MEANING)


def _ends(task: Task) -> VerificationResult:
    """Safe by a proof under each reading of overflow; soon enough to say what was tried if not."""
    soon = replace(task, deadline=task.deadline.share(0.97))
    return proving.proved(soon, _readings(task))


def _readings(task: Task) -> tuple[Wrapping, ...]:
    """The meanings of overflow that a proof needs; integers without bounds too where it wraps."""
    match task.options.frontend.overflow:
        case Overflow.WRAP:
            return (Wrapping.IDEAL, Wrapping.WRAP)
        case Overflow.ASSUME:
            return (Wrapping.IDEAL,)
        case Overflow.CHECK:
            wraps = wrapping_sums(task.subject.program)
            return (Wrapping.WRAP if wraps else Wrapping.ASSUME,)


def _recurs(task: Task) -> VerificationResult:
    """Unsafe by a recurrent set: for runs without overflow, or one for each meaning of it."""
    match task.options.frontend.overflow:
        case Overflow.ASSUME:
            return diverging.diverging(replace(task, reading=Wrapping.IDEAL))
        case Overflow.CHECK:
            return diverging.diverging(replace(task, reading=Wrapping.ASSUME))
        case Overflow.WRAP:
            share = task.deadline.share(policy().termination.exact_share)
            exact = replace(task, reading=Wrapping.ASSUME, deadline=share)
            found = diverging.diverging(exact)
    for reading in (Wrapping.IDEAL, Wrapping.WRAP):
        if found.answer is Answer.UNSAFE and reading is Wrapping.IDEAL:
            return found
        found = diverging.diverging(replace(task, reading=reading))
        if found.answer is Answer.UNKNOWN:
            return found
    said = "the same holds where signed integers have no bounds"
    return replace(found, evidence=(*found.evidence, said))


def _comes_back(task: Task) -> VerificationResult:
    """Unsafe by a state that comes back, in a run without overflow; so it is one of any meaning."""
    return repeating.repeating(replace(task, reading=Wrapping.WRAP))


Way = Callable[[Task], VerificationResult]

WAYS: Mapping[str, Way] = {
    "ranks": _ends,
    "states": _comes_back,
    "recurrent sets": _recurs,
}
"""Ways to an answer: the first to safe, the others to unsafe.

C does not define what a run does after a signed overflow.  So no answer rests on wrapping alone.
"""


def _tried(way: Way, task: Task) -> VerificationResult:
    try:
        return way(task)
    except Irreducible as head:
        reason = f"a cycle of the program can be entered beside {head}"
        return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason)
    except StageFailure as failure:
        return VerificationResult(Answer.UNKNOWN, stage=failure.stage, reason=failure.reason)


def _collected(fork: Fork) -> VerificationResult:
    try:
        result = fork.result()
    except ChildTimeout:
        reason = "time limit"
    except ChildError as error:
        reason = str(error)
    else:
        assert isinstance(result, VerificationResult)
        return result
    return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason=reason)
