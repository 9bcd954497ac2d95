"""Some proofs at once, each in a process of its own; outcomes as they come.

Each process looks first whether the answer is kept.  In the end, also at an interrupt, nothing is
left of any of them: a worker dies with its supervisor, which is the process that ends here.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from seahorn_py.base.errors import SeaError
from seahorn_py.base.records import dataclass
from seahorn_py.cli.project import kept_answers
from seahorn_py.cli.project.kept_answers import KeptAnswer
from seahorn_py.cli.project.outcomes import Outcome, Status, judged
from seahorn_py.cli.project.project import Proof, Suppression
from seahorn_py.cli.project.running import answered, chosen_of, refusal
from seahorn_py.processes.child import ChildError, Fork, wait_any
from seahorn_py.processes.deadline import Deadline

TICK_S = 0.2
"""How long to wait before progress is shown again."""
SLACK_S = kept_answers.PREPROCESSING_S + 30.0
"""Seconds that a process may take beside the limits of its proof."""


@dataclass(frozen=True)
class Question:
    """All that is needed to run a proof in a process of its own.

    `kept` is the answer that it has if its key is still the same; `tool` is "" where no answers are
    kept.
    """

    proof: Proof
    live: tuple[Suppression, ...] = ()
    kept: KeptAnswer | None = None
    tool: str = ""


@dataclass(frozen=True)
class Running:
    """A question whose process runs, since when."""

    question: Question
    child: Fork
    since: float


Idle = Callable[[Sequence[Running]], None]
"""Is told what runs, from time to time."""


def outcome(question: Question) -> Outcome:
    """Answer a question here."""
    proof = question.proof
    key = kept_answers.key_of(proof, question.tool) if question.tool else ""
    kept = question.kept
    if kept is not None and key and kept.key == key and kept.answer is proof.expected:
        row = Outcome(proof, Status.AS_EXPECTED, kept.answer, kept.headline, is_kept=True, key=key)
        return replace(row, seconds=kept.seconds)
    try:
        found = answered(proof, question.live)
    except SeaError as error:
        lines = refusal(error)
        return Outcome(proof, Status.REFUSED, None, str(error).splitlines()[0], lines)
    return replace(judged(proof, found, question.live), key=key)


def outcomes(questions: Sequence[Question], at_once: int, idle: Idle) -> Iterator[Outcome]:
    """Answer all questions, so many at once."""
    waiting = iter(questions)
    running: list[Running] = []
    try:
        while True:
            running += map(_begin, islice(waiting, at_once - len(running)))
            if not running:
                return
            idle(running)
            ended = wait_any([one.child for one in running], TICK_S)
            for one in [one for one in running if one.child in ended]:
                running.remove(one)
                yield _end(one)
    finally:
        for one in running:
            one.child.kill()


def _begin(question: Question) -> Running:
    limit = float(chosen_of(question.proof)["timeout"])
    work = functools.partial(outcome, question)
    child = Fork(work, Deadline.after(limit + SLACK_S))
    return Running(question, child, time.monotonic())


def _end(running: Running) -> Outcome:
    proof = running.question.proof
    with running.child as child:
        try:
            found = child.result()
        except ChildError as error:
            return Outcome(proof, Status.BROKEN, None, f"its process did not answer: {error}")
    assert isinstance(found, Outcome)
    return found
