"""The loops of PD-KIND: a frame of lemmas is pushed to be inductive, until all of it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.engines.pdkind.reaching import Reaching
from seahorn_py.logic.solvers.cubes import Assignment, Core, Cube, outside
from seahorn_py.logic.solvers.statespace import StateSpace


@dataclass(frozen=True)
class Obligation:
    """All states reached are to lie outside of the cubes in `blocked`; the reason is `threat`.

    From a state of the threat an error is met after at most `distance` steps.
    """

    blocked: tuple[Cube, ...]
    threat: Cube
    distance: int


@dataclass(frozen=True)
class Reached:
    """An error is met within so many steps."""

    steps: int


@dataclass(frozen=True)
class Inductive:
    """No state reached lies in one of the cubes, and that is inductive in `depth` steps."""

    blocked: tuple[Cube, ...]
    depth: int


class Search:
    """PD-KIND for the errors of a space, with induction over at most `deepest` steps."""

    def __init__(self, space: StateSpace, error: Cube, deepest: int) -> None:
        self._space = space
        self._deepest = deepest
        self.reaching = Reaching(space)
        self._frame = [Obligation((error,), error, 0)]
        self.valid = 0

    def run(self) -> Reached | Inductive:
        """Push the frame, which holds of what is reached within `valid` steps, until it stays."""
        if self.reaching.unreached(self._frame[0].threat, 0) is None:
            return Reached(0)
        while True:
            depth = min(self.valid + 1, self._deepest)
            push = Push(self._space, self.reaching, self._frame, self.valid, depth)
            if (met := push.run()) is not None:
                return met
            if set(map(_named, push.frame)) <= set(map(_named, push.pushed)):
                cubes = {_key(c): c for one in push.pushed for c in one.blocked}
                return Inductive(tuple(cubes.values()), depth)
            self._frame = list({_named(one): one for one in push.pushed}.values())
            self.valid = push.next


class Push:
    """One round: which obligations are inductive in `depth` steps, relative to the frame.

    `pushed` hold of what is reached within `next` steps.
    """

    def __init__(
        self,
        space: StateSpace,
        reaching: Reaching,
        frame: Iterable[Obligation],
        valid: int,
        depth: int,
    ) -> None:
        self.frame = list(frame)
        self.pushed: list[Obligation] = []
        self.next = valid + depth
        self._space, self._reaching = space, reaching
        self._valid, self._depth = valid, depth
        self._question = space.question(*map(space.step, range(depth)))
        self._queue = list(self.frame)
        for one in self.frame:
            for cube in one.blocked:
                self._assume(cube)

    def run(self) -> Reached | None:
        """An error that is met, or None when all obligations were looked at."""
        while self._queue:
            one = self._queue.pop()
            failing = self._failing(one)
            if failing is None:
                self.pushed.append(one)
            elif isinstance(threat := self._leads_into(one.threat), Assignment):
                met = self._threatened(one, threat)
                if met is not None:
                    return met
            else:
                self._strengthened(one, *failing)
        return None

    def _threatened(self, one: Obligation, found: Assignment) -> Reached | None:
        """States from which the threat is met are a threat themselves, unless they are reached."""
        before = self._space.before(found, one.threat, self._depth)
        weaker = self._reaching.unreached(before, self._valid)
        distance = one.distance + self._depth
        if weaker is None:
            return Reached(self._valid + distance)
        self._queue.append(one)
        self._add(Obligation((weaker,), before, distance))
        return None

    def _strengthened(self, one: Obligation, failing: Cube, found: Assignment) -> None:
        """Exclude states from which the obligation fails; if they are reached, weaken it."""
        before = self._space.before(found, failing, self._depth)
        found_at = self._reaching.nearest(before, self._valid)
        if isinstance(found_at, int):
            self.next = min(self.next, found_at + self._depth)
            weak = replace(one, blocked=(one.threat,))
            self._assume(one.threat)
            self.frame.append(weak)
            self.pushed.append(weak)
            return
        self.frame.remove(one)
        self._add(replace(one, blocked=(*one.blocked, found_at)))

    def _add(self, one: Obligation) -> None:
        self._assume(one.blocked[-1])
        self.frame.append(one)
        self._queue.append(one)

    def _assume(self, cube: Cube) -> None:
        """All states but the last lie outside."""
        for number in range(self._depth):
            self._question.keep(self._space.at(outside(cube), number))

    def _failing(self, one: Obligation) -> tuple[Cube, Assignment] | None:
        """A cube that is to be blocked, and values with which the steps lead into it."""
        for cube in one.blocked:
            if isinstance(found := self._leads_into(cube), Assignment):
                return cube, found
        return None

    def _leads_into(self, cube: Cube) -> Assignment | Core:
        return self._question.ask(self._space.cube_at(cube, self._depth))


def _key(cube: Cube) -> frozenset[int]:
    return frozenset(part.get_id() for part in cube)


def _named(one: Obligation) -> tuple[frozenset[frozenset[int]], frozenset[int]]:
    """What tells obligations apart; whoever asks keeps their cubes."""
    return frozenset(map(_key, one.blocked)), _key(one.threat)
