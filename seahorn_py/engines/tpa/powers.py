"""The recursion of transition power abstraction: what 2^n steps may do, and what they do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import count

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.cubes import (
    Assignment,
    Core,
    Cube,
    Formula,
    is_literal,
    outside,
    split,
)
from seahorn_py.logic.solvers.spacer.images import image
from seahorn_py.logic.solvers.statespace import Question, StateSpace, Undecided
from seahorn_py.policy.policy import policy

MOST_FAILED = 6
"""So many literals may turn out to be needed until no more are tried."""

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


@dataclass(frozen=True)
class Invariant:
    """A formula that holds of all states that are reached; none of them is an error."""

    formula: Formula


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

    def parts(self) -> list[Formula]:
        """Two times the steps, as conjuncts."""
        if self._number == 0:
            return [self._space.step(0), self._space.step(1)]
        return [*self.formulas, *(self._space.between(f, 1, 2) for f in self.formulas)]


class Search:
    """Errors of a space within 1, 2, 4, ... steps, and invariants.  Its steps may stay."""

    def __init__(self, space: StateSpace) -> None:
        self._space = space
        self._levels = [Level(space, 0)]
        self._exact: dict[int, Question] = {}
        self.power = 0
        self.learned = 0

    def run(self) -> Run | Invariant:
        """Double the number of steps until there is an answer."""
        space = self._space
        for self.power in count():
            if (found := self._reached(self.power, (space.initial,), (space.error,))) is not None:
                return found
            for level in self._levels[1:]:
                if (invariant := self._invariant(level)) is not None:
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

    # ------------------------------------------------------------------------------------ learning

    def _learn(self, number: int, ends: Sequence[Formula], found: Core) -> None:
        """What 2^number steps done twice cannot do is not done by the next power."""
        level, space = self._level(number), self._space
        needed = self._fewer(level.twice, found.of(ends))
        left = min(policy().interpolation.power_seconds, space.until - time.monotonic())
        around = space.shared(0, 2), space.others()
        for part in self._parts(image(level.parts(), needed, *around, int(left * 1000)), needed):
            clause = outside(self._fewer(level.twice, split(outside((part,)))))
            self._level(number + 1).add(space.from_to(clause, 0, 2))
        self.learned += 1

    def _parts(self, image: Sequence[Formula] | None, needed: Cube) -> Sequence[Formula]:
        """An interpolant's parts; without one, the literals of the conflict."""
        if image is not None:
            return image
        if not all(map(is_literal, needed)):
            raise Undecided("Spacer gives no interpolant")
        return [outside(needed)]

    def _fewer(self, question: Question, cube: Cube) -> Cube:
        """Literals that suffice for the conflict."""
        failed = 0
        for part in cube:
            if failed == MOST_FAILED:
                break
            rest = tuple(other for other in cube if other is not part)
            if len(rest) == len(cube):
                continue
            if isinstance(found := question.ask(rest), Core):
                cube = found.of(rest)
            else:
                failed += 1
        return cube

    # ---------------------------------------------------------------------------------- invariants

    def _invariant(self, level: Level) -> Invariant | None:
        """What a power says of states reached from facts, or of those that lead to an error."""
        space, initial, error = self._space, self._space.initial, self._space.error
        after = self._closed(level.formulas, (0, 1), (1, 2), (0, 2), initial)
        if self._excludes_errors(after):
            found = space.without([initial, *after], 0)
            return None if found is None else Invariant(found)
        before = self._closed(level.formulas, (1, 2), (0, 1), (0, 2), space.at(error, 2))
        if self._excludes_errors(before):
            found = space.without([space.at(error, 1), *before], 1)
            return None if found is None else Invariant(outside((found,)))
        return None

    def _closed(
        self,
        formulas: Sequence[Formula],
        power: tuple[int, int],
        step: tuple[int, int],
        whole: tuple[int, int],
        end: Formula,
    ) -> list[Formula]:
        """The largest subset that one step more, between these states, does not leave."""
        space, kept = self._space, list(formulas)
        question = space.question(space.step(step[0]), end)
        while kept:
            goal = outside(tuple(space.between(part, *whole) for part in kept))
            found = question.once([*(space.between(part, *power) for part in kept), goal])
            if found is None:
                break
            kept = [p for p in kept if found.fulfils(space.between(p, *whole))]
        return kept

    def _excludes_errors(self, formulas: Sequence[Formula]) -> bool:
        space = self._space
        question = space.question(space.initial, space.at(space.error, 1), *formulas)
        return isinstance(question.ask([]), Core)
