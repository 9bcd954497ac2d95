"""Large programs: runs, or the unfolded program, may decide them while passes still work.

The passes that make a program ready for its encodings take seconds if it is large, and unfolding
needs none of them.  So it begins before them, in a process of its own, and has the machine for
itself for a moment; between two passes we look whether there is an answer.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from seahorn_py.base.errors import Stage
from seahorn_py.ir.program import Program
from seahorn_py.options import Encodings, Property, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import Fork
from seahorn_py.processes.internal_errors import working
from seahorn_py.processes.patience import Patience
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.bounded import closed, wants_unfolding
from seahorn_py.verification.side_by_side import Race, executed, found_by

Passes = Callable[[Callable[[], None]], Program]
"""Makes a program ready for its encodings, and calls the function between two passes."""


class Decided(Exception):
    """There is an answer, so that what is being done is not needed any more."""

    def __init__(self, result: VerificationResult) -> None:
        super().__init__(result.answer.value)
        self.result = result


def is_large(source: Program, options: VerifyOptions) -> bool:
    """Whether a program is so large that it is unfolded first, and the options allow that."""
    ends = options.frontend.wants(Property.TERMINATION)
    chosen = options.encoding is not Encodings.INT and wants_unfolding(options) and not ends
    if not chosen or options.jobs == 1 or options.every_check or not source.checks:
        return False
    blocks = (block for function in source.functions.values() for block in function.blocks)
    return sum(len(block.statements) for block in blocks) >= policy().race.large_statements


def made_ready(race: Race, stack: ExitStack, passes: Passes) -> Race:
    """The race with its program in encoding form.

    Raises Decided if there is an answer before that, by the source and what is assumed of functions
    without a body.
    """
    race = replace(race, subject=replace(race.subject, program=closed(race.subject.source)))
    unfolding = stack.enter_context(_unfolding(race))
    waiting: dict[Fork, Callable[[], VerificationResult | None]] = {
        race.executing: partial(executed, race.subject),
        unfolding: partial(found_by, unfolding),
    }

    def look() -> None:
        for fork in select.select(list(waiting), [], [], 0)[0]:
            result = waiting.pop(fork)()
            if result is None or result.answer is Answer.UNKNOWN:
                continue
            is_safe = result.answer is Answer.SAFE
            raise Decided((executed(race.subject) if is_safe else None) or result)

    choice = policy().race
    seconds = choice.large_alone_seconds
    alone = Patience.of(seconds, race.deadline, choice.patience, choice.patience_share)
    while unfolding in waiting and alone.remaining:
        select.select(list(waiting), [], [], alone.remaining)
        look()
    program = passes(look)
    look()
    subject = replace(race.subject, program=program, is_unfolded_elsewhere=True)
    return replace(race, subject=subject, unfolding=unfolding if unfolding in waiting else None)


def _unfolding(race: Race) -> Fork:
    """The process that looks for an answer by the unfolded program."""
    from seahorn_py.logic.solvers.solvers import warm_up
    from seahorn_py.verification.check_by_check import refine_unfolded

    warm_up()
    work = partial(refine_unfolded, race.subject, race.options, race.deadline, race.journal)
    with working(Stage.ENCODE.value, "bv"):
        return Fork(work, race.deadline)
