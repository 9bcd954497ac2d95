"""From files to a checked answer: the order of steps, in one place.

    load      compile, lower, read                     frontend
    prepare   passes into encoding form                passes
    execute   random and boundary inputs, natively     evidence.runs.execution
    race      executions and encodings side by side    side_by_side, engines.portfolio
    solve     encode, solve, split what wraps, again   one_encoding
    confirm   re-proof and agreement, or replay        horn.checking.proofs, evidence

Approximations are data (`Ledger`); this room alone draws conclusions from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Unpack

from seahorn_py.base.errors import SeaError, Stage, StageFailure
from seahorn_py.evidence.runs.subject import Subject, assumptions
from seahorn_py.frontend import loading
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.frontend.sources import of_objects
from seahorn_py.ir.program import Program
from seahorn_py.options import Property, VerifyOptions
from seahorn_py.passes.pipeline import nothing, prepare
from seahorn_py.passes.regions.exposed import ONE_LAYOUT
from seahorn_py.policy.policy import policy
from seahorn_py.processes import scratch, supervision
from seahorn_py.processes.cancellation import Cancellation
from seahorn_py.processes.child import ChildTimeout, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import noted, working
from seahorn_py.processes.journal import Journal
from seahorn_py.properties import BY_DEFAULT
from seahorn_py.result import Answer, VerificationResult, unanswered
from seahorn_py.verification.answers import no_checks, resting, vacuity
from seahorn_py.verification.answers.explanation import explained, in_one_line
from seahorn_py.verification.answers.library_sources import with_sources
from seahorn_py.verification.answers.thread_runs import with_threads
from seahorn_py.verification.clock import Clock, Moment, Progress, Watch, observer
from seahorn_py.verification.encodings import large
from seahorn_py.verification.encodings.executing import begun, execution
from seahorn_py.verification.encodings.merging import reachable_checks
from seahorn_py.verification.encodings.side_by_side import Race, unreached
from seahorn_py.verification.shortcuts import (
    Shortcuts,
    applied,
    check_choices,
    paths_of,
    plugged_in,
)
from seahorn_py.verification.supervised import Supervisor

Ask = Callable[[Callable[[Program], Program]], VerificationResult]
"""Gives the answer for a changed program."""


def verify(
    files: str | Path | Sequence[str | Path],
    options: VerifyOptions | None = None,
    progress: Progress | Callable[[str], object] | None = None,
    journal: Journal | None = None,
    lowering: Fork | None = None,
    adapt: Callable[[Program], Program] | None = None,
    on_progress: Callable[[Moment], object] | None = None,
    cancel: Cancellation | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> VerificationResult:
    """Whether any run of the program in `files` reaches an error, with checked evidence.

        verify("a.c", property="valid-memsafety", timeout=20, progress=print)

    Several files are linked into one program.  The keywords of `shortcuts` override `options`.
    `progress` is called with the name of each phase, or has a method `phase` for that.
    `on_progress` is called with a `Moment` when a phase, an engine or an outcome is new.  `cancel`
    ends the work: the answer is UNKNOWN then, and nothing is left of it.  The `journal` notes what
    engines do, and has it even if this call is interrupted.  `lowering` is a process in which
    `frontend.loading` works on the files already; the caller closes it.  `adapt` changes the
    program as it was read, before anything else is done with it.

    Raises SeaError for wrong input, ValueError for a wrong option, TypeError for an unknown one,
    and what an observer raises.  Everything else that goes wrong is an UNKNOWN answer that names
    the stage.

    The work is done in a process of its own, within limits (`supervision`).  It is done in this
    process if that is such a process already, or with `adapt`, which may change the caller's data;
    then it cannot be cancelled.
    """
    options = applied(options or VerifyOptions(), shortcuts)
    check_choices(options)
    chosen = paths_of(files)
    journal = journal or Journal()
    watch = None if on_progress is None else Watch(journal, on_progress)
    told = observer(progress, watch)
    if adapt is None and lowering is None and not supervision.at_work():
        limits = options.timeout, options.memory_mib
        return _supervised(chosen, options, Supervisor(*limits, journal, told, watch, cancel))
    if cancel is not None:
        raise ValueError("cancel: work in this process itself cannot be cancelled")
    return _here(chosen, options, told, journal, lowering, adapt)


def _here(
    paths: Sequence[Path],
    options: VerifyOptions,
    progress: Progress | None,
    journal: Journal,
    lowering: Fork | None = None,
    adapt: Callable[[Program], Program] | None = None,
) -> VerificationResult:
    """The answer, found in this process, with times and attempts."""
    paths, frontend = of_objects(paths, options.frontend)
    options = replace(options, frontend=frontend)
    others = plugged_in(options)
    clock = Clock(progress)
    with journal.reports.collecting():
        result = _answered(paths, options, clock, journal, lowering, adapt)
    times = {**clock.times, **result.times}
    result = replace(
        result,
        times=times,
        attempts=journal.attempts(),
        internal_errors=journal.reports.found(),
    )
    return resting.resting_on(result, others, options.strict)


def _supervised(
    paths: Sequence[Path], options: VerifyOptions, supervisor: Supervisor
) -> VerificationResult:
    """The answer of a worker process, or what is known where it gives none."""
    journal = supervisor.journal
    found = supervisor.run(partial(_in_worker, paths, options, journal), VerificationResult)
    if isinstance(found, VerificationResult):
        return found
    return unanswered(Stage(found.stage), found.reason, journal, found.report)


def _in_worker(
    paths: Sequence[Path],
    options: VerifyOptions,
    journal: Journal,
    seconds: float,
    progress: Progress | None,
) -> VerificationResult:
    return _here(paths, replace(options, timeout=seconds), progress, journal)


def _answered(
    paths: Sequence[Path],
    options: VerifyOptions,
    clock: Clock,
    journal: Journal,
    lowering: Fork | None,
    adapt: Callable[[Program], Program] | None,
) -> VerificationResult:
    """The answer, which is unknown if something goes wrong.  Raises SeaError for wrong input."""
    try:
        return _verify(paths, options, clock, journal, lowering, adapt)
    except StageFailure as failure:
        return VerificationResult(Answer.UNKNOWN, stage=failure.stage, reason=failure.reason)
    except ChildTimeout:
        return VerificationResult(Answer.UNKNOWN, stage=clock.stage, reason="time limit")
    except SeaError:
        raise
    except MemoryError:
        if supervision.at_work():  # the supervisor reports this, since it has memory left
            raise
        return VerificationResult(Answer.UNKNOWN, stage=clock.stage, reason="memory limit")
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
    """Wait for the lowered program and read it; errors name at least one of the files."""
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
    again = partial(_each, paths, clock=clock, journal=journal, adapt=adapt)
    if options.frontend.is_of_automata:
        return _by_automata(paths, options, clock, journal, adapt)
    if options.each_property:
        return again(options, options.frontend.properties)
    with clock.phase("front end", Stage.FRONT_END):
        if lowering is None:
            lowered, source = load(paths, options, deadline)
        else:
            lowered, source = _read(lowering, paths)
        if options.ask_default and no_checks.is_unasked(paths, lowered, options.frontend):
            return again(replace(options, timeout=deadline.remaining), BY_DEFAULT)
        source = source if adapt is None else adapt(source)
        is_own = adapt is None
        is_later = is_own and large.is_large(source, options)
        program = None if is_later else prepared(source, options)
    result = _decide(paths, lowered, source, program, options, clock, deadline, journal, is_own)
    if program is not None:
        result = explained(result, program)
    if options.frontend.wants(Property.TERMINATION):
        return result
    warnings = no_checks.warnings(paths, lowered, options.frontend)
    return replace(result, warnings=(*result.warnings, *warnings))


def prepared(
    source: Program, options: VerifyOptions, between: Callable[[], None] = nothing
) -> Program:
    """The program in encoding form, after passes of plug-ins and ours; `between` comes before each
    of ours.
    """
    if options.passes:
        from seahorn_py.verification.plugged import passed  # costs start-up time

        source = passed(source, options)
    return prepare(source, track=options.track, between=between)


def _each(
    paths: Sequence[Path],
    options: VerifyOptions,
    properties: frozenset[Property],
    *,
    clock: Clock,
    journal: Journal,
    adapt: Callable[[Program], Program] | None,
) -> VerificationResult:
    """An answer for each of the properties."""
    from seahorn_py.verification.questions import each_property  # costs start-up time

    return each_property.answered(_asking(paths, clock, journal, adapt), options, properties)


def _by_automata(
    paths: Sequence[Path],
    options: VerifyOptions,
    clock: Clock,
    journal: Journal,
    adapt: Callable[[Program], Program] | None,
) -> VerificationResult:
    """An answer for each of the rules of use, or for a temporal formula."""
    from seahorn_py.verification.questions import each_rule, temporal  # costs start-up time

    ask = _asking(paths, clock, journal, adapt)
    if options.frontend.formula:
        return temporal.answered(ask, options, paths)
    return each_rule.answered(ask, options)


def _asking(
    paths: Sequence[Path],
    clock: Clock,
    journal: Journal,
    adapt: Callable[[Program], Program] | None,
) -> Callable[[VerifyOptions], VerificationResult]:
    """What answers a question by all steps."""

    def ask(one: VerifyOptions) -> VerificationResult:
        result = _answered(paths, one, Clock(clock.progress), journal, None, adapt)
        return resting.strictly(result) if one.strict else result

    return ask


def _decide(
    paths: Sequence[Path],
    lowered: Lowered,
    source: Program,
    program: Program | None,
    options: VerifyOptions,
    clock: Clock,
    deadline: Deadline,
    journal: Journal,
    is_own: bool,
) -> VerificationResult:
    """The answer for a program; it `is_own` if nobody has changed it.

    Without `program`, the source is large and not ready for its encodings yet.
    """
    ends = options.frontend.wants(Property.TERMINATION)
    if program is not None and not source.checks and not ends:
        return no_checks.without_checks(paths, lowered, options.frontend, assumptions(program))
    with ExitStack() as stack:
        place = stack.enter_context(scratch.folder())
        executing = begun(lowered, source, options, place, deadline, journal)
        ran = cache(partial(execution, stack.enter_context(executing), journal))
        other = cache(partial(with_sources, paths, lowered, options.frontend, place, deadline))
        threaded = cache(partial(with_threads, lowered, options.frontend.bits, place, deadline))
        form = program or source
        subject = Subject(source, form, ran, options.minimise, deadline, other, threaded)
        if ends:
            return _ending(subject, lowered, options, clock, deadline, journal)
        race = Race(subject, executing, options, deadline, journal, partial(_watch, journal, clock))
        ask = partial(_reaching, paths, options, deadline) if is_own else None
        if program is not None:
            return _raced(race, clock, ask)
        return _made_ready(race, clock, ask, stack)


def _made_ready(race: Race, clock: Clock, ask: Ask | None, stack: ExitStack) -> VerificationResult:
    """The answer for a large program, perhaps before it is in encoding form."""
    try:
        with clock.phase("front end", Stage.FRONT_END):
            passes = partial(prepared, race.subject.source, race.options)
            ready = large.made_ready(race, stack, passes)
    except large.Decided as decided:
        return _examined(decided.result, race.subject, ask)
    return explained(_raced(ready, clock, ask), ready.subject.program)


def _raced(race: Race, clock: Clock, ask: Ask | None) -> VerificationResult:
    """The answer for a program in encoding form."""
    program = race.subject.program
    # an unfolded program does without the layout of memory that the passes chose
    in_one_layout = any(ONE_LAYOUT in gap for gap in program.gaps)
    if not reachable_checks(program) and not in_one_layout:
        return unreached(race.subject, race.options, clock)
    with clock.phase("solve", Stage.SOLVE):
        return _examined(race.run(), race.subject, ask)


def _examined(found: VerificationResult, subject: Subject, ask: Ask | None) -> VerificationResult:
    """The answer, with a line about whether any run comes to a check if that is in doubt."""
    if (
        ask is None
        or found.answer is not Answer.SAFE
        or not vacuity.is_suspect(subject.execution())
    ):
        return found
    return vacuity.examined(found, subject.source, len(subject.runs), ask)


def _ending(
    subject: Subject,
    lowered: Lowered,
    options: VerifyOptions,
    clock: Clock,
    deadline: Deadline,
    journal: Journal,
) -> VerificationResult:
    """Whether all runs end."""
    from seahorn_py.verification.termination import termination  # loads slowly

    with clock.phase("solve", Stage.SOLVE):
        return termination.decide(subject, lowered.native, options, clock, deadline, journal)


def _reaching(
    paths: Sequence[Path],
    options: VerifyOptions,
    deadline: Deadline,
    change: Callable[[Program], Program],
) -> VerificationResult:
    """The answer for a changed program, in a little of the time that is left."""
    seconds = min(policy().properties.vacuity_seconds, deadline.remaining / 2)
    brief = replace(
        options,
        timeout=max(seconds, 0.01),
        native=False,
        every_check=False,
        ask_default=False,
        certificate=False,
        witness=False,
    )
    return _answered(paths, brief, Clock(), Journal(), None, change)


def _watch(journal: Journal, clock: Clock) -> None:
    """Report in one line what the engines do now."""
    if clock.progress is not None:
        clock.progress.phase(in_one_line(journal.attempts()))
