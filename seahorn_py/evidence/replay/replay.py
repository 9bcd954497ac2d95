"""From a refutation to inputs, and from inputs to a run that reaches the error.

The run (`evidence.replay.sequence`) becomes one formula: every rule instance with symbols of its
own, each body atom equal to the head it was derived by, cut-point values left open.  Its satisfying
assignment gives the inputs, which are fed **by site and visit** to the unsliced program: natively,
or in the interpreter where no native run is possible.  Only a run that violates a check confirms
the answer, and it must do so with 0 for the results of undefined shifts: real machines do not give
every value.  Library models mark as such what they do not follow
(`frontend.lowering.library.claims`).  The interpreter must not deny what a native run shows
(`evidence.replay.confirmation`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.encode.encoding import Encoding
from seahorn_py.evidence.replay.confirmation import Denied
from seahorn_py.evidence.replay.runformula import RunFormula
from seahorn_py.evidence.replay.sequence import sequence
from seahorn_py.evidence.replay.showing import WITHOUT_ERROR, Shown, show
from seahorn_py.evidence.runs.inputs import undefined_shifts
from seahorn_py.evidence.runs.subject import Replay, Subject
from seahorn_py.horn.system import Refutation
from seahorn_py.ir.program import IntConst, Site, SiteKind
from seahorn_py.ir.run import NOWHERE, Ending, Feed, feed_of
from seahorn_py.ir.types import IntType, PointerType
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.processes.deadline import Deadline

SMALL = (1 << 8, 1 << 16)
"""How far from 0 inputs may be, where a run is too long or needs too much memory."""

SMALL_SHARE = 0.25
"""Of the time, for the inputs of one such bound."""

UNTRUSTED = "an undefined shift, or on what a model of the library does not follow"


def confirm(
    subject: Subject, encoding: Encoding, refutation: Refutation, deadline: Deadline
) -> Shown:
    """The violation that a refutation leads to; StageFailure(REPLAY) when no run reaches it."""
    feed, replay = _replayed(subject, encoding, refutation, deadline)
    outcome = replay.outcome
    if outcome.ending is Ending.FAILED:
        shown = show(subject, replay, deadline)
        if isinstance(shown, Denied):
            raise StageFailure(Stage.REPLAY, f"the error depends on {shown.cause}: {shown.reason}")
        words = f"the inputs reach the error in a replay ({replay.how})"
        return replace(shown, evidence=(words, *shown.evidence))
    untrusted = subject.run(feed).outcome
    if untrusted.ending is Ending.FAILED:
        check = next(c for c in subject.source.checks if c.number == untrusted.check)
        raise StageFailure(Stage.REPLAY, f"the error depends on {UNTRUSTED}: {check.text}")
    ended = WITHOUT_ERROR[outcome.ending] + (f": {outcome.reason}" if outcome.reason else "")
    raise StageFailure(Stage.REPLAY, f"the run with the inputs found {ended} ({replay.how})")


def _replayed(
    subject: Subject, encoding: Encoding, refutation: Refutation, deadline: Deadline
) -> tuple[Feed, Replay]:
    """The inputs of the run of `refutation`, and their run without those of undefined shifts.

    Where a run is too long or needs too much memory, as with blocks of any size, inputs near 0 are
    looked for on the same way through the program.
    """
    shifts = undefined_shifts(subject.source.sites)
    first: tuple[Feed, Replay] | None = None
    for most in (None, *SMALL):
        share = deadline if first is None else deadline.share(SMALL_SHARE)
        try:
            feed = feed_from(encoding, refutation, share, most)
        except StageFailure:
            if first is None:
                raise
            continue
        replay = subject.run({site: v for site, v in feed.items() if site not in shifts})
        first = first or (feed, replay)
        if replay.outcome.ending is not Ending.LIMIT:
            return feed, replay
    assert first is not None
    return first


def feed_from(
    encoding: Encoding, refutation: Refutation, deadline: Deadline, most: int | None = None
) -> Feed:
    """The inputs of the run of `refutation`, within `most` of 0 if that is said.

    Raises StageFailure when its formula cannot be satisfied.
    """
    run = sequence(encoding.system, refutation, encoding.cuts)
    sites = {site.number: site for site in encoding.program.sites}
    formula = RunFormula(run, {}, most)
    sizes = formula.open_sizes()
    if sizes:
        formula = formula.with_sizes(_solution(formula, sizes, deadline))
    values = _solution(formula, formula.wanted(), deadline)
    reads = (
        (site, _canonical(sites[site], value))
        for site, value in formula.reads(values)
        if site in sites and sites[site].native
    )
    return feed_of(tuple(reads))


def _solution(
    formula: RunFormula, wanted: tuple[str, ...], deadline: Deadline
) -> Mapping[str, Term]:
    """Values of the terms that satisfy the formula."""
    (found,) = check_scripts(
        [formula.script()], Solver.Z3, deadline, seconds_each=deadline.remaining, wanted=wanted
    )
    if found.status is not Status.SAT:
        reason = f"the run of the refutation is {found.status.value}: {found.reason}"
        raise StageFailure(Stage.REPLAY, reason.rstrip(": "))
    parsed = (parse_term(value, {}, "a value of the run") for value in found.values)
    return dict(zip(wanted, parsed, strict=True))


def _canonical(site: Site, value: int) -> int:
    """The value as a machine word; a pointer that is never set holds no error code."""
    if isinstance(site.type, PointerType) and site.kind is SiteKind.UNINIT:
        return value if 0 <= value < NOWHERE else 0
    width = site.type.width if isinstance(site.type, IntType) else 64
    return IntConst(value % (1 << width), IntType(width)).value
