"""Programs whose runs are bounded: they are unfolded before they are encoded."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import check
from seahorn_py.options import Step, Track, VerifyOptions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.promotion.unwritten import read_unwritten
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal

UNFOLDED = "unfolded"
"""The place of attempts on the unfolded program, in the journal."""

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


def _attempt(candidate: Program, deadline: Deadline, share: float, apart: bool) -> Program | str:
    """The unfolded program, or why there is none.

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
        return unfold(candidate, bounds, is_late, None if apart else Feasibility())
    except Unfit as reason:
        return str(reason)


def unfolded(subject: Subject, deadline: Deadline, journal: Journal) -> Subject | None:
    """The subject with its program unfolded; None if it cannot be."""
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
        return None
    program = slice_program(simplify(slice_program(found)))  # most of a long one leads to no check
    check(program, "unfolding", copies=True)
    journal.ends(UNFOLDED, "passes", "all runs are bounded")
    return replace(subject, program=program)
