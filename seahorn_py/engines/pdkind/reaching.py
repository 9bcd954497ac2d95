"""Whether a cube of states is reached within n steps; if not, a weaker cube that is not either."""

from __future__ import annotations

from seahorn_py.logic.solvers.cubes import Assignment, Core, Cube, outside, united
from seahorn_py.logic.solvers.statespace import Question, StateSpace

MOST_FAILED = 8
"""So many literals may turn out to be needed until no more are tried."""


class Reaching:
    """The sets R_0, R_1, ...: all that is reached within so many steps lies in them."""

    def __init__(self, space: StateSpace) -> None:
        self._space = space
        self._initial = space.question(space.initial)
        self._sets: list[Question] = []
        self.learned = 0

    def unreached(self, cube: Cube, steps: int) -> Cube | None:
        """Some of the literals, which exclude all states within the steps; None if one is met."""
        start = self._excluded_at_start(cube)
        if start is None or steps == 0:
            return start
        while isinstance(found := self._step_into(cube, steps), Assignment):
            if self.unreached(self._space.before(found, cube, 1), steps - 1) is None:
                return None
        weaker = self._weaker(united(found.of(cube), start), steps)
        self._learn(weaker, steps)
        return weaker

    def nearest(self, cube: Cube, most: int) -> int | Cube:
        """After how many steps a cube is met; if they are more than `most`, what excludes it."""
        for steps in range(most + 1):
            weaker = self.unreached(cube, steps)
            if weaker is None:
                return steps
        assert weaker is not None
        return weaker

    def _excluded_at_start(self, cube: Cube) -> Cube | None:
        found = self._initial.ask(cube)
        return found.of(cube) if isinstance(found, Core) else None

    def _step_into(self, cube: Cube, steps: int) -> Assignment | Core:
        return self._set(steps - 1).ask(self._space.cube_at(cube, 1))

    def _weaker(self, cube: Cube, steps: int) -> Cube:
        """Without literals that a step from R and outside of the cube does not need."""
        place = failed = 0
        while place < len(cube) and failed < MOST_FAILED and len(cube) > 1:
            tried = (*cube[:place], *cube[place + 1 :])
            start = self._excluded_at_start(tried)
            if start is None:
                place += 1
                continue
            goal = self._space.cube_at(tried, 1)
            found = self._set(steps - 1).ask(goal, outside(tried))
            if isinstance(found, Core):
                needed = {part.get_id() for part in (*found.of(tried), *start)}
                cube = tuple(part for part in tried if part.get_id() in needed)
            else:
                place, failed = place + 1, failed + 1
        return cube

    def _learn(self, cube: Cube, steps: int) -> None:
        self.learned += 1
        for number in range(1, steps + 1):
            self._set(number).keep(outside(cube))

    def _set(self, number: int) -> Question:
        """A step from R of this number."""
        while len(self._sets) <= number:
            first = () if self._sets else (self._space.initial,)
            self._sets.append(self._space.question(*first, self._space.step(0)))
        return self._sets[number]
