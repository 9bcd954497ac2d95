"""From files to a checked answer: the order of steps, in one place.

    load      compile, lower, read                     frontend
    prepare   passes into encoding form                passes
    execute   random and boundary inputs, natively     evidence.execution
    refine    encode, solve, split what wraps, again   refinement
    confirm   re-proof and agreement, or replay        horn.proofs, evidence

The program is executed and the two encodings are refined side by side, each in a forked copy of the
process; the first *checked* answer wins and the others are ended, but no program is called safe
before the executions are over.  Approximations are data (`Ledger`), and this module alone draws
conclusions from them.
"""

from __future__ import annotations

import selectors
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from seahorn_py.child import ChildError, ChildTimeout, Deadline, Fork
from seahorn_py.clock import Clock, Progress
from seahorn_py.encode.encoding import Arithmetic
from seahorn_py.errors import SeaError, Stage, StageFailure
from seahorn_py.evidence import replay
from seahorn_py.evidence.execution import Execution, execute
from seahorn_py.evidence.subject import Subject
from seahorn_py.frontend import compiler, events, optimizer, reader
from seahorn_py.frontend.lowered import Lowered
from seahorn_py.horn.system import Approximation, Ledger, LedgerEntry
from seahorn_py.ir.program import Fail, Program
from seahorn_py.ir.run import Ending
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.properties import unchecked
from seahorn_py.refinement import refine
from seahorn_py.result import Answer, VerificationResult


def verify(
    files: str | Path | Sequence[str | Path],
    options: VerifyOptions | None = None,
    progress: Progress | None = None,
) -> VerificationResult:
    """Whether any run of the program in `files` reaches an error, with checked evidence.

    Raises SeaError for wrong input; everything else that goes wrong is an UNKNOWN answer that names
    the stage.
    """
    options = options or VerifyOptions()
    paths = [Path(files)] if isinstance(files, str | Path) else [Path(f) for f in files]
    clock = Clock(progress)
    try:
        result = _verify(paths, options, clock)
    except StageFailure as failure:
        result = VerificationResult(Answer.UNKNOWN, stage=failure.stage, reason=failure.reason)
    except ChildTimeout:
        result = VerificationResult(Answer.UNKNOWN, stage=clock.stage, reason="time limit")
    except SeaError:
        raise
    except Exception as bug:
        reason = f"internal error, please report: {type(bug).__name__}: {bug}"
        result = VerificationResult(Answer.UNKNOWN, stage=clock.stage, reason=reason)
    result = replace(result, times={**clock.times, **result.times})
    return _strictly(result) if options.strict else result


def load(
    paths: Sequence[Path], options: VerifyOptions, deadline: Deadline
) -> tuple[Lowered, Program]:
    """Compile, lower and read; raises SeaError for wrong input."""
    modules = compiler.compile_files(paths, options.frontend, deadline)
    try:
        lowered = optimizer.lower(modules, options.frontend, deadline)
        return lowered, reader.read(lowered)
    except SeaError as error:
        if any(str(path) in str(error) for path in paths):
            raise
        raise type(error)(f"{', '.join(map(str, paths))}: {error}") from None


def _verify(paths: Sequence[Path], options: VerifyOptions, clock: Clock) -> VerificationResult:
    deadline = Deadline.after(options.timeout)
    with clock.phase("front end", Stage.FRONT_END):
        lowered, source = load(paths, options, deadline)
        program = prepare(source, track=options.track)
    result = _decide(paths, lowered, source, program, options, clock, deadline)
    missing = unchecked(options.frontend, source.checks)
    warnings = tuple(f"nothing to check for {name}: no operation needs it" for name in missing)
    return replace(result, warnings=(*result.warnings, *warnings))


def _decide(
    paths: Sequence[Path],
    lowered: Lowered,
    source: Program,
    program: Program,
    options: VerifyOptions,
    clock: Clock,
    deadline: Deadline,
) -> VerificationResult:
    ledger = _assumptions(program)
    names = events.error_names(options.frontend)
    if not lowered.mentions_errors and not compiler.mentions(paths, names):
        return VerificationResult(
            Answer.UNKNOWN,
            stage=Stage.FRONT_END,
            reason="nothing to check",
            ledger=ledger,
            warnings=("nothing to check: no error function and no assertion in the program",),
        )
    if not source.checks:
        warning = "nothing to check: no call of an error function or assertion is left to reach"
        warnings = (warning,) if options.frontend.wants_error_calls else ()
        return _trivially_safe("no check is left in the program", ledger, warnings)
    with tempfile.TemporaryDirectory(prefix="sea-py-") as place:
        seconds = min(options.executions, options.timeout / 10)
        bits = options.frontend.bits
        work = partial(execute, lowered, bits, Path(place), seconds, deadline)
        with Fork(work, deadline) as executing:
            subject = Subject(source, program, cache(partial(_execution, executing)))
            if not _can_fail(program):
                with clock.phase("execute", Stage.REPLAY):
                    return _executed(subject) or _unfailing(subject, ledger)
            with clock.phase("solve", Stage.SOLVE):
                return _side_by_side(subject, executing, options, deadline)


def _execution(executing: Fork) -> Execution:
    """What the copy that executes the program found, once it has ended."""
    try:
        execution = executing.result()
    except ChildError as error:
        return Execution(None, f"executing: {error}")
    assert isinstance(execution, Execution)
    return execution


def _executed(subject: Subject) -> VerificationResult | None:
    """The answer that the executions give, once they are over."""
    failed = (run for run in subject.runs if run.ending is Ending.FAILED)
    run = next(filter(subject.follows, failed), None)
    if run is None:
        return None
    evidence = ("a native run on random and boundary inputs reached the error",)
    return VerificationResult(
        Answer.UNSAFE,
        evidence,
        violation=replay.violation(subject, run),
        ledger=_assumptions(subject.program),
        times={"execute": subject.execution().seconds},
    )


def _unfailing(subject: Subject, ledger: Ledger) -> VerificationResult:
    """The passes alone decided this: only the executions could have objected."""
    why = f"no check is reachable in the control-flow graph, nor in {len(subject.runs)} runs"
    return _trivially_safe(why, (*ledger, *subject.unwatched), ())


def _can_fail(program: Program) -> bool:
    return any(
        isinstance(block.terminator, Fail)
        for function in program.functions.values()
        for block in function.blocks
    )


def _assumptions(program: Program) -> Ledger:
    gaps = tuple(LedgerEntry(Approximation.UNDER, text) for text in program.gaps)
    return (*gaps, *(LedgerEntry(Approximation.ASSUMED, text) for text in program.assumptions))


def _trivially_safe(why: str, ledger: Ledger, warnings: tuple[str, ...]) -> VerificationResult:
    under = next((e for e in ledger if e.kind is Approximation.UNDER), None)
    if under is not None:
        return VerificationResult(
            Answer.UNKNOWN,
            stage=Stage.FRONT_END,
            reason=f"not everything was checked: {under.text}",
            ledger=ledger,
            warnings=warnings,
        )
    return VerificationResult(Answer.SAFE, (why,), ledger=ledger, warnings=warnings)


def _arithmetics(encoding: Encodings) -> tuple[Arithmetic, ...]:
    match encoding:
        case Encodings.AUTO:
            return Arithmetic.INT, Arithmetic.BV
        case Encodings.INT:
            return (Arithmetic.INT,)
        case Encodings.BV:
            return (Arithmetic.BV,)


def _side_by_side(
    subject: Subject, executing: Fork, options: VerifyOptions, deadline: Deadline
) -> VerificationResult:
    """Refine every chosen encoding in a copy of this process; the first checked answer wins."""
    chosen = _arithmetics(options.encoding)
    if options.jobs == 1:
        return _executed(subject) or _one_by_one(subject, chosen, options, deadline)
    unknown = []
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        selector.register(executing, selectors.EVENT_READ, partial(_executed, subject))
        for arithmetic in chosen:
            # integers prove more: they get all jobs, bit-vectors one on top
            jobs = options.jobs if arithmetic is Arithmetic.INT or len(chosen) == 1 else 1
            fork = stack.enter_context(_fork(subject, arithmetic, options, jobs, deadline))
            selector.register(fork, selectors.EVENT_READ, partial(_collect, fork, arithmetic))
        while ready := _next_ready(selector, deadline):
            result = ready()
            if result is None:
                continue
            match result.answer:
                case Answer.UNSAFE:
                    return result
                case Answer.SAFE:
                    return _executed(subject) or result
                case Answer.UNKNOWN:
                    unknown.append(result)
    return _least_unknown(unknown)


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


def _strictly(result: VerificationResult) -> VerificationResult:
    """Under `strict` an answer with any ledger entry is unknown."""
    if result.answer is Answer.UNKNOWN or not result.ledger:
        return result
    reason = f"strict: the answer {result.answer.value} rests on: {result.ledger[0].text}"
    return replace(result, answer=Answer.UNKNOWN, stage=Stage.ENCODE, reason=reason, violation=None)
