"""Runs that are said not to end: followed natively and in the interpreter, and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from seahorn_py.base.errors import Origin, Stage, StageFailure
from seahorn_py.encode.signedness import signedness, wrapping_sums
from seahorn_py.evidence.replay.showing import input_value
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.evidence.trace.lasso import lasso
from seahorn_py.evidence.trace.trace import trace
from seahorn_py.frontend.compiling.support import OUR_FOLDERS
from seahorn_py.ir.program import Program, SiteKind
from seahorn_py.ir.run import Ending, Feed, RunLimits
from seahorn_py.passes.termination.overflow import overflow_ends
from seahorn_py.passes.termination.unsigned import unsigned_operation
from seahorn_py.policy.policy import policy
from seahorn_py.result import Violation

STEPS = 3_000_000
SHOWN = RunLimits(seconds=0.3, steps=5_000)
NOTED = RunLimits(seconds=1.0, steps=200_000)
"""Of a run of which the inputs are noted in their order."""


def went_on(subject: Subject, feed: Feed, reads: bool, recurses: bool = False) -> Iterator[str]:
    """What runs on the inputs say, which must not end; StageFailure where one does.

    Where calls have no end a native run may: its stack has one, which is no end of the program's.
    The interpreter has no such stack.
    """
    given = sum(map(len, feed.values()))
    execution = subject.execution()
    longer = RunLimits(seconds=policy().termination.followed_seconds, steps=STEPS)
    outcomes = []
    if execution.executable is not None:
        outcomes.append(("native run", native.run(execution.executable, feed, longer)))
    outcomes.append(("interpreter", subject.interpreter.run(feed, longer)))
    for how, outcome in outcomes:
        is_out_of_stack = recurses and how == "native run" and outcome.ending is Ending.ENDED
        if outcome.ending is Ending.REFUSED or is_out_of_stack:
            continue
        if outcome.ending is Ending.LIMIT:
            yield f"the run goes on for as long as it was followed ({how})"
        elif reads and len(outcome.reads) > given:
            yield f"the run goes on until it reads what is not known ({how})"
        else:
            raise StageFailure(Stage.REPLAY, f"the run found ends ({how})")


def endless(
    subject: Subject, feed: Feed, place: Origin, earlier: int = 0, longer: Feed | None = None
) -> Violation:
    """What is shown of a run: its inputs, its steps into the loop, and those of a round there.

    The head of the loop is visited so often `earlier`, before that round; `longer` has inputs for
    more.
    """
    outcome = subject.interpreter.run(feed, SHOWN)
    sites = {site.number: site for site in subject.source.sites}
    inputs = tuple(
        input_value(sites[number], value)
        for number, value in _known(outcome.reads, feed)
        if sites[number].kind is SiteKind.NONDET
    )
    steps = trace(subject.source, outcome, SHOWN)
    shown, cycle = lasso(steps, place.span, earlier)
    own = (span for span in place.chain if not span.file.startswith(OUR_FOLDERS))
    head = next(own, shown[-1].place if shown else place.span)
    text = f"the loop at {head or '?'} need not end"
    noted = subject.interpreter.run(longer or feed, NOTED)
    run = replace(noted, reads=_known(noted.reads, longer or feed))
    return Violation("termination", text, head, inputs, shown, run, cycle=cycle)


def _known(reads: Sequence[tuple[int, int]], feed: Feed) -> tuple[tuple[int, int], ...]:
    """The reads until a site has no more values; sites that have none read 0."""
    left = {site: len(values) for site, values in feed.items()}
    for number, (site, _) in enumerate(reads):
        if left.get(site, 1) == 0:
            return tuple(reads[:number])
        if site in left:
            left[site] -= 1
    return tuple(reads)


def without_overflow(program: Program) -> Program:
    """A program that fails where signed arithmetic overflows."""
    return overflow_ends(program, _signs(program))


def meaningless(program: Program) -> str:
    """What means nothing of the integers of mathematics; empty where all does."""
    signs, wrapping = _signs(program), wrapping_sums(program)

    def is_signed(function: str, name: str) -> bool:
        return signs(function, name) and (function, name) not in wrapping

    found = unsigned_operation(program, is_signed)
    return found and f"integers without bounds: {found}"


def _signs(program: Program) -> Callable[[str, str], bool]:
    signs = signedness(program)
    return lambda function, name: signs.get((function, name), True)
