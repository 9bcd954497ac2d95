"""The recursion of split transition power abstraction: exactly 2^n steps, and fewer than that.

A step does not stay here, so that a power may say what so many steps must have done; what fewer
steps do is a sequence of its own.  Fewer than 2^(n+1) steps are fewer than 2^n, or 2^n and then
fewer than 2^n.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from seahorn_py.engines.tpa.learning import Invariant
from seahorn_py.engines.tpa.powers import MOST_EXACT, Leaf, Level, Run, Search
from seahorn_py.logic.solvers.cubes import Assignment, Core, Cube, Formula, conjunction, outside
from seahorn_py.logic.solvers.statespace import Question, StateSpace


class Fewer:
    """An abstraction of fewer than 2^n steps, beside that of exactly so many."""

    def __init__(self, space: StateSpace, number: int, exact: Level) -> None:
        self._space, self._exact = space, exact
        self.formulas: list[Formula] = []
        self.longer = space.mark(f"longer!{number}")
        """That the first 2^n steps lead to state 1, and fewer from there."""
        self.question = space.question()
        """Fewer than two times so many steps, from state 0 to state 2."""
        self._told = 0
        if number == 0:
            self._tell_exact(space.step(0))
            self.add(space.same())

    def add(self, formula: Formula) -> None:
        """From now on this holds of fewer steps, too."""
        self.formulas.append(formula)
        self.question.keep(_either(self.longer, self._space.between(formula, 0, 2)))
        self._tell_exact(self._space.between(formula, 1, 2))

    def _tell_exact(self, formula: Formula) -> None:
        self.question.keep(_either(outside((self.longer,)), formula))

    def ask(self, ends: Sequence[Formula]) -> Assignment | Core:
        """Values with which so many steps lead from end to end, or which ends exclude them."""
        for formula in self._exact.formulas[self._told :]:
            self._tell_exact(formula)
        self._told = len(self._exact.formulas)
        return self.question.ask(ends)

    def through(self) -> list[Formula]:
        """The steps by way of state 1, as conjuncts."""
        after = [self._space.between(formula, 1, 2) for formula in self.formulas]
        return [*self._exact.once(), *after]

    def parts(self) -> list[Formula]:
        """Fewer than two times the steps, as conjuncts."""
        before = [self._space.between(formula, 0, 2) for formula in self.formulas]
        return [_either(conjunction(before), conjunction(self.through()))] if before else []


class SplitSearch(Search):
    """Errors of a space within fewer than 2, 4, 8, ... steps, and invariants."""

    def __init__(self, space: StateSpace) -> None:
        super().__init__(space)
        self._fewer_than: list[Fewer] = []
        self._within: dict[int, Question] = {}

    def run(self) -> Run | Invariant:
        """Double the number of steps until there is an answer."""
        space = self._space
        for self.power in count():
            if (found := self._below(self.power, (space.initial,), (space.error,))) is not None:
                return found
            for fewer in self._fewer_than[1:]:
                if (invariant := self._invariant(fewer.formulas)) is not None:
                    return invariant
        raise AssertionError

    def _below(self, number: int, source: Cube, target: Cube) -> Run | None:
        """How fewer than two times 2^number steps lead from the source into the target."""
        fewer, space = self._fewer_at(number), self._space
        ends = [*source, *space.cube_at(target, 2)]
        while isinstance(found := fewer.ask(ends), Assignment):
            if (leaf := self._few(number, source, target)) is not None:
                return (leaf,)
            if not found.fulfils(fewer.longer):
                if (run := self._below(number - 1, source, target)) is not None:
                    return run
                continue
            middle = space.projected(found, [*fewer.through(), *ends], 1, 2)
            if (first := self._reached(number - 1, source, middle)) is None:
                continue
            second = self._below(number - 1, first[-1].reached, target)
            if second is not None:
                return first + second
        for clause in self._clauses(fewer.question, fewer.parts(), ends, found):
            self._fewer_at(number + 1).add(clause)
        return None

    def _few(self, number: int, source: Cube, target: Cube) -> Leaf | None:
        """The same of the steps themselves, where they are few; None: not so, or not known."""
        if number > MOST_EXACT:
            return None
        space, steps = self._space, (2 << number) - 1
        run = [_either(space.step(k), space.between(space.same(), k, k + 1)) for k in range(steps)]
        if number not in self._within:
            self._within[number] = space.question(*run)
        ends = [*source, *space.cube_at(target, steps)]
        found = self._within[number].ask(ends)
        if not isinstance(found, Assignment):
            return None
        return Leaf(source, space.projected(found, [*run, *ends], steps, steps), steps)

    def _fewer_at(self, number: int) -> Fewer:
        while len(self._fewer_than) <= number:
            place = len(self._fewer_than)
            self._fewer_than.append(Fewer(self._space, place, self._level(place)))
        return self._fewer_than[number]


def _either(one: Formula, other: Formula) -> Formula:
    return outside((outside((one,)), outside((other,))))
