"""Engines side by side: turns in the order of a schedule, as many at a time as there are jobs.

Every engine works in a forked copy of this process.  A turn that ends without an answer, or whose
time is over, makes room for the next.  Verdicts come one after the other (`verdicts`) and are
confirmed by the caller while the other engines go on; the first that is confirmed ends them.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from math import inf

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.conclusion import Packed, packed, unpacked
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.horn.system import HornSystem
from seahorn_py.invariants.pool import Pool
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import BEHIND, Child, ChildError, Fork, wait_any
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import working
from seahorn_py.processes.journal import Journal
from seahorn_py.processes.patience import Patience
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict


@dataclass(frozen=True)
class Turn:
    """An engine under a name, the share of the time left when its turn comes, the most seconds."""

    name: str
    engine: Engine
    share: float = 1.0
    most: float = inf


@dataclass(frozen=True)
class Portfolio:
    """Turns in their order.  What happens is noted in the journal under `place`."""

    turns: tuple[Turn, ...]
    journal: Journal | None = None
    place: str = ""

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """The first verdict that is not unknown, or else the last."""
        with closing(self.verdicts(system, budget)) as verdicts:
            return next(verdicts)

    def verdicts(self, system: HornSystem, budget: Budget) -> Generator[Verdict, None, None]:
        """The verdicts of the engines as they come; the last is unknown, with all reasons.

        The engines end when the iterator is closed.
        """
        waiting = list(self.turns)
        reasons = []
        with ExitStack() as stack:
            pool = Pool.new()
            stack.callback(pool.close)
            budget = replace(budget, pool=pool)
            running: dict[Child, Turn] = {}
            while waiting or running:
                while waiting and len(running) < max(1, budget.jobs):
                    is_second = len(self.turns) == len(waiting) + 1
                    if is_second and _first_ends(list(running), budget.deadline):
                        break
                    turn = waiting.pop(0)
                    fork = self._start(turn, system, budget, bool(waiting))
                    running[stack.enter_context(fork)] = turn
                for ended in wait_any(list(running)):
                    assert isinstance(ended, Fork)
                    verdict = self._ended(running.pop(ended), ended)
                    if not isinstance(verdict, Unknown):
                        yield verdict
                    else:
                        reasons.append(verdict.reason)
        yield Unknown(Stage.SOLVE, "; ".join(dict.fromkeys(reasons)))

    def _start(self, turn: Turn, system: HornSystem, budget: Budget, others: bool) -> Fork:
        """Begin a turn; the last one gets all the time that is left."""
        share = budget.deadline.share(turn.share if others else 1.0).at_most(turn.most)
        work = partial(
            _solved, turn.engine, system, replace(budget, deadline=share, disposable=True)
        )
        if self.journal is not None:
            self.journal.begins(self.place, turn.name)
        grace = _grace(share.remaining)
        with working(Stage.SOLVE.value, f"{self.place} {turn.name}".strip()):
            return Fork(work, Deadline(share.at + grace), niceness=BEHIND)

    def _ended(self, turn: Turn, fork: Fork) -> Verdict:
        try:
            answer = fork.result()
        except ChildError as failure:
            verdict: Verdict = Unknown(Stage.SOLVE, f"{turn.name}: {failure}")
        else:
            assert isinstance(answer, Packed)
            verdict = unpacked(answer)
        if self.journal is not None:
            self.journal.ends(self.place, turn.name, _in_words(verdict))
        return verdict


def _first_ends(running: list[Child], deadline: Deadline) -> bool:
    """Whether the first turn ends while it is alone; if it has ended already, nobody waits."""
    race, seconds = policy().race, policy().solving.alone_seconds
    patience = Patience.of(seconds, deadline, race.patience, race.patience_share)
    while running and (left := patience.remaining):
        if wait_any(running, left):
            return True
    return bool(wait_any(running, 0.0))


def _grace(seconds: float) -> float:
    """What an engine that worked for these seconds has to come back with its reasons."""
    return min(policy().solving.grace_seconds, policy().solving.grace_share * seconds)


def _in_words(verdict: Verdict) -> str:
    match verdict:
        case Safe():
            return "claims safe"
        case Unsafe():
            return "claims unsafe"
        case Unknown(reason=reason):
            return reason


def _solved(engine: Engine, system: HornSystem, budget: Budget) -> Packed:
    return packed(engine.solve(system, budget))
