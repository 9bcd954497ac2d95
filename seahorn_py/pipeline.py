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
from typing import Unpack

from seahorn_py import limits, unasked
from seahorn_py.checks import merged, reachable_checks
from seahorn_py.child import ChildError, ChildTimeout, Deadline, Fork
from seahorn_py.clock import Clock, Progress, Told
from seahorn_py.errors import SeaError, Stage, StageFailure
from seahorn_py.evidence.execution import Execution, execute
from seahorn_py.evidence.subject import Subject
from seahorn_py.explanation import in_one_line, obstacles
from seahorn_py.frontend import loading, optimizer, reader
from seahorn_py.frontend.lowered import Lowered
from seahorn_py.horn.system import Ledger
from seahorn_py.internal_errors import noted, working
from seahorn_py.ir.program import Program
from seahorn_py.journal import Journal
from seahorn_py.logic.solvers import warm_up
from seahorn_py.options import EngineName, VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.race import NATIVE, Race, executed
from seahorn_py.refinement import assumptions, check_engines
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.shortcuts import Shortcuts, applied


def verify(
    files: str | Path | Sequence[str | Path],
    options: VerifyOptions | None = None,
    progress: Progress | Callable[[str], object] | None = None,
    journal: Journal | None = None,
    lowering: Fork | None = None,
    adapt: Callable[[Program], Program] | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> VerificationResult:
    """Whether any run of the program in `files` reaches an error, with checked evidence.

        verify("a.c", property="valid-memsafety", timeout=20, progress=print)

    Several files are linked into one program.  The keywords of `shortcuts` override `options`.
    `progress` is called with what goes on, a phase a line, or has a method `phase` for it.
    What the engines do is noted in the journal, which tells it even when this call is interrupted.
    `lowering` is where `frontend.loading` works on the files already; the caller closes it.
    The program as it was read is changed by `adapt` before anything else is done with it.
    Raises SeaError for wrong input, ValueError for a wrong option, TypeError for one that there is
    not; everything else that goes wrong is an UNKNOWN answer that names the stage.
    """
    options = applied(options or VerifyOptions(), shortcuts)
    check_engines(options)
    paths = [Path(files)] if isinstance(files, str | Path) else [Path(f) for f in files]
    if not paths:
        raise ValueError("files=(): expected at least one file")
    clock = Clock(Told(progress) if callable(progress) else progress)
    journal = journal or Journal()
    with journal.reports.collecting():
        result = _answered(paths, options, clock, journal, lowering, adapt)
    times = {**clock.times, **result.times}
    result = replace(
        result,
        times=times,
        attempts=journal.attempts(),
        internal_errors=journal.reports.found(),
    )
    return _strictly(result) if options.strict else result


def _answered(
    paths: Sequence[Path],
    options: VerifyOptions,
    clock: Clock,
    journal: Journal,
    lowering: Fork | None,
    adapt: Callable[[Program], Program] | None,
) -> VerificationResult:
    """The answer, which is unknown when something goes wrong; SeaError for wrong input."""
    try:
        return _verify(paths, options, clock, journal, lowering, adapt)
    except StageFailure as failure:
        return VerificationResult(Answer.UNKNOWN, stage=failure.stage, reason=failure.reason)
    except ChildTimeout:
        return VerificationResult(Answer.UNKNOWN, stage=clock.stage, reason="time limit")
    except SeaError:
        raise
    except Exception as bug:  # whatever it is, the answer is not that there is no error
        with working(clock.stage.value, clock.name):
            reason = noted(bug)
        return VerificationResult(Answer.UNKNOWN, stage=clock.stage, reason=reason)


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
    warnings = unasked.warnings(paths, lowered, options.frontend)
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
    if not source.checks:
        return unasked.without_checks(paths, lowered, options.frontend, ledger)
    with tempfile.TemporaryDirectory(prefix="sea-py-") as place:
        seconds = min(options.executions, options.timeout / 10)
        bits = options.frontend.bits
        work = partial(execute, lowered, source, bits, Path(place), seconds, deadline)
        journal.begins(NATIVE, EngineName.EXECUTE.value)
        with working(Stage.REPLAY.value, NATIVE):
            fork = Fork(work, deadline)
        with fork as executing:
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
    return unasked.trivially_safe((why,), (*ledger, *subject.unwatched))


def _strictly(result: VerificationResult) -> VerificationResult:
    """Under `strict` an answer with any ledger entry is unknown."""
    if result.answer is Answer.UNKNOWN or not result.ledger:
        return result
    reason = f"strict: the answer {result.answer.value} rests on: {result.ledger[0].text}"
    return replace(result, answer=Answer.UNKNOWN, stage=Stage.ENCODE, reason=reason, violation=None)
