"""Programs whose runs are bounded: they are unfolded before they are encoded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import process_time

from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import check
from seahorn_py.options import Step, Track, VerifyOptions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.loosely import loosely
from seahorn_py.passes.promotion.unwritten import read_unwritten
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.unfolding.code.code import Facts
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal

UNFOLDED = "unfolded"
"""The place of attempts on the unfolded program, in the journal."""

LOOSELY_UNFOLDED = "unfolded loosely"
"""The same for the program with summaries of functions of the library."""

WAITING = 2
"""How many times the seconds of the processor that unfolding has it may wait for, beside others."""

POSITIONS = 150
"""The most positions in texts of one place that are followed apart: pairs in a line of 16."""

MOST_APART = 40_000
"""The most statements that are written then; most of them are left out again."""


def wants_unfolding(options: VerifyOptions) -> bool:
    """Whether no option is about the program as it was written."""
    plans = (options.schedule.int, options.schedule.bv)
    is_plain = options.track is Track.MEM and options.step is Step.LARGE
    return is_plain and not options.engines and not any(plans)


def closed(source: Program) -> Program:
    """The program with inputs in the place of functions without a body."""
    return model_environment(simplify(read_unwritten(source)))


def _attempt(
    candidate: Program,
    deadline: Deadline,
    share: float,
    apart: bool,
    joins: dict[str, Facts] | None = None,
) -> Program | str:
    """The unfolded program, or why there is none; `joins` is given what is known at joins.

    Where positions in texts are kept apart intervals tell most branches, so no oracle is asked:
    each of its answers is one more check to prove.
    """
    from seahorn_py.passes.unfolding.bounds import Bounds  # all of it loads slowly
    from seahorn_py.passes.unfolding.code.values import Unfit
    from seahorn_py.passes.unfolding.unfolding import unfold
    from seahorn_py.verification.encodings.feasibility import Feasibility

    until, allowed = deadline.share(WAITING * share), share * deadline.remaining
    end = process_time() + allowed

    def is_late() -> bool:
        return until.remaining == 0 or process_time() > end

    bounds = Bounds(written=MOST_APART, apart=POSITIONS) if apart else Bounds()
    try:
        return unfold(candidate, bounds, is_late, None if apart else Feasibility(), joins)
    except Unfit as reason:
        return str(reason)


def unfolded(subject: Subject, deadline: Deadline, journal: Journal) -> Iterator[Subject]:
    """The subject with its program unfolded, if it can be."""
    from seahorn_py.passes.one_round import one_round  # costs start-up time

    journal.begins(UNFOLDED, "passes")
    program, race = closed(subject.source), policy().race

    opened = one_round(program)
    is_opened = opened is not program
    opened = simplify(opened) if is_opened else program
    attempts = [(program, race.unfolding_share, False)]
    if is_opened:
        attempts.append((opened, race.opened_share, False))
    if subject.execution().texts:
        attempts.insert(0, (opened, race.apart_share, True))
    found: Program | str = ""
    for candidate, share, apart in attempts:
        found = _attempt(candidate, deadline, share, apart)
        if isinstance(found, Program):
            break
    if isinstance(found, str):
        journal.ends(UNFOLDED, "passes", found)
        return
    yield _sliced(subject, found, journal)


def loosely_unfolded(subject: Subject, deadline: Deadline, journal: Journal) -> Iterator[Subject]:
    """The subject with programs of which proofs are looked for one by one, the smallest first.

    Functions of the library have summaries.  It is done only where one round of an endless loop
    stands for all: without such a loop the exact program has an answer.
    """
    from seahorn_py.passes.localised import localised
    from seahorn_py.passes.one_round import one_round  # costs start-up time

    loose = loosely(subject.source)
    if loose is subject.source or not subject.execution().texts:
        return
    journal.begins(LOOSELY_UNFOLDED, "passes")
    program, joins = closed(loose), dict[str, Facts]()
    opened = one_round(program)
    found: Program | str = "no round stands for others"
    if opened is not program:
        share = policy().race.loose_share
        found = _attempt(simplify(opened), deadline, share, True, joins)
    if isinstance(found, str):
        journal.ends(LOOSELY_UNFOLDED, "passes", found)
        return
    part = localised(found, joins)
    if part is not found:
        yield _sliced(subject, part, journal, LOOSELY_UNFOLDED)
    yield _sliced(subject, found, journal, LOOSELY_UNFOLDED)


def _sliced(subject: Subject, found: Program, journal: Journal, place: str = UNFOLDED) -> Subject:
    """The subject with what leads to checks; most of a long program does not."""
    program = slice_program(simplify(slice_program(found)))
    check(program, "unfolding", copies=True)
    journal.ends(place, "passes", "all runs are bounded")
    return replace(subject, program=program)
