"""From files to a checked answer: the order of steps, in one place.

    load      compile, lower, read                     frontend
    prepare   passes into encoding form                passes
    execute   random and boundary inputs, natively     evidence.execution
    race      executions and encodings side by side    race, engines.portfolio
    refine    encode, solve, split what wraps, again   refinement
    confirm   re-proof and agreement, or replay        horn.proofs, evidence

Approximations are data (`Ledger`), and this module alone draws
conclusions from them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from seahorn_py import limits
from seahorn_py.checks import merged, reachable_checks
from seahorn_py.child import ChildError, ChildTimeout, Deadline, Fork
from seahorn_py.clock import Clock, Progress
from seahorn_py.errors import SeaError, Stage, StageFailure
from seahorn_py.evidence.execution import Execution, execute
from seahorn_py.evidence.subject import Subject
from seahorn_py.explanation import in_one_line, obstacles
from seahorn_py.frontend import compiler, events, loading, optimizer, reader
from seahorn_py.frontend.lowered import Lowered
from seahorn_py.horn.system import Approximation, Ledger
from seahorn_py.ir.program import Program
from seahorn_py.journal import Journal
from seahorn_py.logic.solvers import warm_up
from seahorn_py.options import EngineName, VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.properties import unchecked
from seahorn_py.race import NATIVE, Race, executed
from seahorn_py.refinement import assumptions
from seahorn_py.result import Answer, VerificationResult


def verify(
    files: str | Path | Sequence[str | Path],
    options: VerifyOptions | None = None,
    progress: Progress | None = None,
    journal: Journal | None = None,
    lowering: Fork | None = None,
    adapt: Callable[[Program], Program] | None = None,
) -> VerificationResult:
    """Whether any run of the program in `files` reaches an error, with checked evidence.

    Several files are linked into one program.  `progress` is told each phase as it begins.  Engines
    note what they do in the `journal`, which can be read even after this call was interrupted.  A
    caller that compiles the files already hands in the process that does so, `lowering` (see
    `frontend.loading`), and closes it.  `adapt` changes the program as it was read, before anything
    else is done with it.

    Raises SeaError for wrong input; everything else that goes wrong is an UNKNOWN answer that names
    the stage.
    """
    options = options or VerifyOptions()
    paths = [Path(files)] if isinstance(files, str | Path) else [Path(f) for f in files]
    clock = Clock(progress)
    journal = journal or Journal()
    try:
        result = _verify(paths, options, clock, journal, lowering, adapt)
    except StageFailure as failure:
        result = VerificationResult(Answer.UNKNOWN, stage=failure.stage, reason=failure.reason)
    except ChildTimeout:
        result = VerificationResult(Answer.UNKNOWN, stage=clock.stage, reason="time limit")
    except SeaError:
        raise
    except Exception as bug:
        reason = f"internal error, please report: {type(bug).__name__}: {bug}"
        result = VerificationResult(Answer.UNKNOWN, stage=clock.stage, reason=reason)
    times = {**clock.times, **result.times}
    result = replace(result, times=times, attempts=journal.attempts())
    return _strictly(result) if options.strict else result


def load(
    paths: Sequence[Path], options: VerifyOptions, deadline: Deadline
) -> tuple[Lowered, Program]:
    """Compile, lower and read; raises SeaError for wrong input."""
    with loading.begin(paths, options.frontend, deadline) as lowering:
        return _read(lowering, paths)


def _read(lowering: Fork, paths: Sequence[Path]) -> tuple[Lowered, Program]:
    """Wait for the lowered program and read it; errors name one of the files at least."""
    warm_up()  # while it is lowered
    try:
        lowered = optimizer.lowered(lowering)
        return lowered, reader.read(lowered)
    except SeaError as error:
        if any(str(path) in str(error) for path in paths):
            raise
        raise type(error)(f"{', '.join(map(str, paths))}: {error}") from None


def _verify(
    paths: Sequence[Path],
    options: VerifyOptions,
    clock: Clock,
    journal: Journal,
    lowering: Fork | None,
    adapt: Callable[[Program], Program] | None,
) -> VerificationResult:
    deadline = Deadline.after(options.timeout)
    with clock.phase("front end", Stage.FRONT_END):
        if lowering is None:
            lowered, source = load(paths, options, deadline)
        else:
            lowered, source = _read(lowering, paths)
        source = source if adapt is None else adapt(source)
        program = prepare(source, track=options.track)
    result = _decide(paths, lowered, source, program, options, clock, deadline, journal)
    if result.answer is Answer.UNKNOWN:
        result = replace(result, obstacles=obstacles(program))
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
    journal: Journal,
) -> VerificationResult:
    ledger = assumptions(program)
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
        work = partial(execute, lowered, source, bits, Path(place), seconds, deadline)
        journal.begins(NATIVE, EngineName.EXECUTE.value)
        with Fork(work, deadline) as executing:
            ran = cache(partial(_execution, executing, journal))
            subject = Subject(source, program, ran, options.minimise, deadline)
            if not reachable_checks(program):
                with clock.phase("execute", Stage.REPLAY):
                    found = executed(subject) or _unfailing(subject, ledger)
                if options.every_check:
                    checks = merged([found], source.checks, program).checks
                    found = replace(found, checks=checks)
                return found
            with clock.phase("solve", Stage.SOLVE):
                watch = partial(_watch, journal, clock, options.memory_mib)
                return Race(subject, executing, options, deadline, journal, watch).run()


def _watch(journal: Journal, clock: Clock, memory_mib: int) -> None:
    """Tell what goes on, and hold the limit on memory for all processes together."""
    if limits.end_largest_above(memory_mib):
        journal.remarks("limits", "memory: the largest process was ended")
    if clock.progress is not None:
        clock.progress.phase(in_one_line(journal.attempts()))


def _execution(executing: Fork, journal: Journal) -> Execution:
    """What the copy that executes the program found, once it has ended."""
    try:
        execution = executing.result()
    except ChildError as error:
        execution = Execution(None, f"executing: {error}")
    assert isinstance(execution, Execution)
    outcome = execution.refusal or f"{len(execution.runs)} runs"
    journal.ends(NATIVE, EngineName.EXECUTE.value, outcome)
    return execution


def _unfailing(subject: Subject, ledger: Ledger) -> VerificationResult:
    """The passes alone decided this: only the executions could have objected."""
    why = f"no check is reachable in the control-flow graph, nor in {len(subject.runs)} runs"
    return _trivially_safe(why, (*ledger, *subject.unwatched), ())


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


def _strictly(result: VerificationResult) -> VerificationResult:
    """Under `strict` an answer with any ledger entry is unknown."""
    if result.answer is Answer.UNKNOWN or not result.ledger:
        return result
    reason = f"strict: the answer {result.answer.value} rests on: {result.ledger[0].text}"
    return replace(result, answer=Answer.UNKNOWN, stage=Stage.ENCODE, reason=reason, violation=None)
