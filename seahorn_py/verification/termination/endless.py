"""Runs of which the solvers say that they do not end: followed, natively and not, and shown."""

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
"""Steps of the run that must not end."""
SHOWN = RunLimits(seconds=0.3, steps=5_000)
"""Limits of the run whose trace is shown."""
NOTED = RunLimits(seconds=1.0, steps=200_000)
"""Limits of the run whose inputs are noted in their order, for a witness."""


def went_on(subject: Subject, feed: Feed, reads: bool, recurses: bool = False) -> Iterator[str]:
    """Follows runs on the inputs, which must not end; yields what they show, a line for each.

    Raises StageFailure if a run ends.  A native run may end if the program `recurses`: its stack is
    full then, which is no end of the program.  The interpreter has no such stack.
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
            yield f"the run goes on until it reads an input that is not known ({how})"
        else:
            raise StageFailure(Stage.REPLAY, f"the run found ends ({how})")


def endless(
    subject: Subject,
    feed: Feed,
    place: Origin,
    earlier: int = 0,
    longer: Feed | None = None,
    called: str = "loop",
) -> Violation:
    """The run as a violation: its inputs, its steps into the loop, and those of a round of it.

    `place` is the head of the loop, or the function that calls itself; `called` says which of them
    it is.  The round that is shown comes after `earlier` visits of the head.  `longer` has inputs
    for more rounds, for the witness.
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
    text = f"the {called} at {head or '?'} need not end"
    noted = subject.interpreter.run(longer or feed, NOTED)
    run = replace(noted, reads=_known(noted.reads, longer or feed))
    return Violation("termination", text, head, inputs, shown, run, cycle=cycle)


def _known(reads: Sequence[tuple[int, int]], feed: Feed) -> tuple[tuple[int, int], ...]:
    """The reads of values that the feed has, up to the first site that has no more of them.

    A site without any value reads 0, which counts as known.
    """
    left = {site: len(values) for site, values in feed.items()}
    for number, (site, _) in enumerate(reads):
        if left.get(site, 1) == 0:
            return tuple(reads[:number])
        if site in left:
            left[site] -= 1
    return tuple(reads)


def without_overflow(program: Program) -> Program:
    """The program with a failing check wherever signed arithmetic overflows."""
    return overflow_ends(program, _signs(program))


def meaningless(program: Program) -> str:
    """What of the program has no meaning for integers without bounds; "" if all has."""
    signs, wrapping = _signs(program), wrapping_sums(program)

    def is_signed(function: str, name: str) -> bool:
        return signs(function, name) and (function, name) not in wrapping

    found = unsigned_operation(program, is_signed)
    return found and f"integers without bounds: {found}"


def _signs(program: Program) -> Callable[[str, str], bool]:
    signs = signedness(program)
    return lambda function, name: signs.get((function, name), True)
