"""Programs whose runs are bounded: they are refined as what they become when they are unfolded."""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.ir.verifier import check
from seahorn_py.options import Overflow, Step, Track, VerifyOptions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.one_round import one_round
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.passes.unfolding.values import Unfit
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.journal import Journal

UNFOLDED = "unfolded"
"""Where the passes and engines work on the unfolded program, in the journal."""


def wants_unfolding(options: VerifyOptions) -> bool:
    """Nothing is asked for that is about the program as it was written."""
    plans = (options.schedule.int, options.schedule.bv)
    is_plain = options.track is Track.MEM and options.step is Step.LARGE
    wraps = options.overflow is Overflow.WRAP
    return is_plain and wraps and not options.engines and not any(plans)


def unfolded(subject: Subject, deadline: Deadline, journal: Journal) -> Subject | None:
    """The subject with its program unfolded; None if it cannot be."""
    from seahorn_py.verification.feasibility import Feasibility  # its solver loads slowly

    journal.begins(UNFOLDED, "passes")
    try:
        program = subject.source
        for step in (simplify, model_environment):
            program = step(program)
        opened, race = one_round(program), policy().race
        share = race.unfolding_share if opened is program else race.opened_share
        until, program = deadline.share(share), simplify(opened)
        program = unfold(program, is_late=lambda: until.remaining == 0, oracle=Feasibility())
    except Unfit as reason:
        journal.ends(UNFOLDED, "passes", str(reason))
        return None
    for step in (simplify, slice_program):
        program = step(program)
    check(program, "unfolding", copies=True)
    journal.ends(UNFOLDED, "passes", "all runs are bounded")
    return replace(subject, program=program)
