"""Large programs: runs, or the unfolded program, may decide them while passes still work.

The passes that make a program ready for its encodings take seconds if it is large, and unfolding
needs none of them.  If they take long it begins beside them, in a process of its own; between two
passes we look whether there is an answer.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from time import process_time

from seahorn_py.base.errors import Stage
from seahorn_py.ir.program import Program
from seahorn_py.options import Encodings, Property, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import Fork
from seahorn_py.processes.internal_errors import working
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.encodings.bounded import closed, wants_unfolding
from seahorn_py.verification.encodings.side_by_side import Race, executed, found_by

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
    early = _Early(race, stack)
    program = passes(early.look)
    early.look()
    if early.unfolding is None:
        return replace(race, subject=replace(race.subject, program=program))
    unfolding = early.unfolding if early.unfolding in early.waiting else None
    subject = replace(race.subject, program=program, is_unfolded_elsewhere=True)
    return replace(race, subject=subject, unfolding=unfolding)


class _Early:
    """Who may have an answer before the passes are done."""

    def __init__(self, race: Race, stack: ExitStack) -> None:
        self._race = race
        self._stack = stack
        self._since = process_time()
        self.unfolding: Fork | None = None
        self.waiting: dict[Fork, Callable[[], VerificationResult | None]] = {
            race.executing: lambda: executed(self._closed.subject)
        }

    def look(self) -> None:
        """Between two passes: begin to unfold if they take long; raise Decided by an answer."""
        if self.unfolding is None and process_time() - self._since > policy().race.large_seconds:
            self.unfolding = self._stack.enter_context(_unfolding(self._closed))
            self.waiting[self.unfolding] = partial(found_by, self.unfolding)
        for fork in select.select(list(self.waiting), [], [], 0)[0]:
            result = self.waiting.pop(fork)()
            if result is None or result.answer is Answer.UNKNOWN:
                continue
            is_safe = result.answer is Answer.SAFE
            raise Decided((executed(self._closed.subject) if is_safe else None) or result)

    @cached_property
    def _closed(self) -> Race:
        subject = self._race.subject
        return replace(self._race, subject=replace(subject, program=closed(subject.source)))


def _unfolding(race: Race) -> Fork:
    """The process that looks for an answer by the unfolded program."""
    from seahorn_py.logic.solvers.solvers import warm_up
    from seahorn_py.verification.encodings.check_by_check import refine_unfolded

    warm_up()
    work = partial(refine_unfolded, race.subject, race.options, race.deadline, race.journal)
    with working(Stage.ENCODE.value, "bv"):
        return Fork(work, race.deadline)
