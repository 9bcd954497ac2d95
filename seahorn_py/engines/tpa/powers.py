"""The recursion of transition power abstraction: what 2^n steps may do, and what they do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from seahorn_py.base.records import dataclass
from seahorn_py.engines.tpa.learning import Invariant, Learning
from seahorn_py.logic.solvers.cubes import Assignment, Core, Cube, Formula
from seahorn_py.logic.solvers.statespace import Question, StateSpace

MOST_EXACT = 2
"""Up to this power the steps themselves are asked before halves of them are."""


@dataclass(frozen=True)
class Leaf:
    """From each state of `reached` so many steps lead back to a state of `source`."""

    source: Cube
    reached: Cube
    steps: int


Run = tuple[Leaf, ...]
"""The sources are what the leaf before has reached."""


class Level:
    """An abstraction of at most 2^n steps: formulas about the states 0 and 1."""

    def __init__(self, space: StateSpace, number: int) -> None:
        self._space = space
        self._number = number
        self.formulas: list[Formula] = []
        self.twice = space.question()
        """Two times so many steps, from state 0 to state 2."""
        if number == 0:
            self.twice.keep(space.step(0))
            self.twice.keep(space.step(1))

    def add(self, formula: Formula) -> None:
        """From now on this holds of the steps, too."""
        self.formulas.append(formula)
        self.twice.keep(formula)
        self.twice.keep(self._space.between(formula, 1, 2))

    def once(self) -> list[Formula]:
        """The steps, as conjuncts."""
        return self.formulas if self._number else [self._space.step(0)]

    def parts(self) -> list[Formula]:
        """Two times the steps, as conjuncts."""
        if self._number == 0:
            return [self._space.step(0), self._space.step(1)]
        return [*self.formulas, *(self._space.between(f, 1, 2) for f in self.formulas)]


class Search(Learning):
    """Errors of a space within 1, 2, 4, ... steps, and invariants.  Its steps may stay."""

    def __init__(self, space: StateSpace) -> None:
        super().__init__(space)
        self._levels = [Level(space, 0)]
        self._exact: dict[int, Question] = {}

    def run(self) -> Run | Invariant:
        """Double the number of steps until there is an answer."""
        space = self._space
        for self.power in count():
            if (found := self._reached(self.power, (space.initial,), (space.error,))) is not None:
                return found
            for level in self._levels[1:]:
                if (invariant := self._invariant(level.formulas)) is not None:
                    return invariant
        raise AssertionError

    def _reached(self, number: int, source: Cube, target: Cube) -> Run | None:
        """How two times 2^number steps lead from the source into the target; None: they do not."""
        level, space = self._level(number), self._space
        ends = [*source, *space.cube_at(target, 2)]
        while isinstance(found := level.twice.ask(ends), Assignment):
            if (leaf := self._exactly(number, source, target)) is not None:
                return (leaf,)
            middle = space.projected(found, [*level.parts(), *ends], 1, 2)
            if (first := self._reached(number - 1, source, middle)) is None:
                continue
            second = self._reached(number - 1, first[-1].reached, target)
            if second is not None:
                return first + second
        self._learn(number, ends, found)
        return None

    def _exactly(self, number: int, source: Cube, target: Cube) -> Leaf | None:
        """The same of the steps themselves, where they are few; None: not so, or not known."""
        if number > MOST_EXACT:
            return None
        space, steps = self._space, 2 << number
        if number not in self._exact:
            self._exact[number] = space.question(*map(space.step, range(steps)))
        ends = [*source, *space.cube_at(target, steps)]
        found = self._exact[number].ask(ends)
        if not isinstance(found, Assignment):
            return None
        run = [*map(space.step, range(steps)), *ends]
        return Leaf(source, space.projected(found, run, steps, steps), steps)

    def _level(self, number: int) -> Level:
        while len(self._levels) <= number:
            self._levels.append(Level(self._space, len(self._levels)))
        return self._levels[number]

    def _learn(self, number: int, ends: Sequence[Formula], found: Core) -> None:
        """What 2^number steps done twice cannot do is not done by the next power."""
        level = self._level(number)
        for clause in self._clauses(level.twice, level.parts(), ends, found):
            self._level(number + 1).add(clause)
