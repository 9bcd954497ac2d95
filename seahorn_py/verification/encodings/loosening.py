"""Rules of use are proved for a loosened program first: most of a program does not touch its rule.

What the automaton of a rule asks is followed; of what the program asks less is followed at first
than later (`passes.slicing.loosening`).  Only proofs count, since the loosened program has more
runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.base.errors import Span, Stage
from seahorn_py.frontend.compiling.support import RULE_FOLDER
from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import check
from seahorn_py.options import Property
from seahorn_py.passes.slicing.loosening import loosened
from seahorn_py.passes.slicing.loosening_marks import Following
from seahorn_py.policy.policy import policy
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.encodings.one_encoding import Task, answer_by_one

LOOSENED = "loosened"
"""The place of attempts on the loosened program, in the journal."""

SCHEDULES = "int_loosened", "bv_loosened"


def proved(task: Task) -> VerificationResult | None:
    """A proof by a loosened program; None if there is none, or the checks are of no rule."""
    if not _is_of_rule(task.subject.program):
        return None
    for following, program in _programs(task):
        share = task.deadline.share(policy().race.loosened_share)
        subject = replace(task.subject, program=program)
        loose = replace(task, subject=subject, loose=True, replays=False, unreplayed=SCHEDULES)
        task.journal.begins(LOOSENED, following.value)
        found = answer_by_one(replace(loose, deadline=share, jobs=1))
        task.journal.ends(LOOSENED, following.value, found.reason or found.answer.value)
        if found.answer is Answer.SAFE:
            return found
    return None


def _is_of_rule(program: Program) -> bool:
    return any(one.property == Property.RULE.value for one in program.checks)


def _programs(task: Task) -> Iterator[tuple[Following, Program]]:
    """The loosened programs, each with what is followed in it; each only once.

    Of a small program the first alone: the others cost as much as the whole program.
    """
    last = task.subject.program
    size = sum(len(b.statements) for f in last.functions.values() for b in f.blocks)
    is_small = size < policy().race.large_statements
    for following in (Following.EVENTS,) if is_small else Following:
        with task.clock.phase("loosen", Stage.ENCODE):
            program = loosened(task.subject.program, _is_of_a_rule, following)
            if program is None:
                return
            check(program, "loosening")
        if program.functions != last.functions:
            yield following, program
        last = program


def _is_of_a_rule(place: Span | None) -> bool:
    return place is not None and place.file.startswith(RULE_FOLDER)
