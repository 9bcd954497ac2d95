"""What transition power abstraction learns from a conflict, and when a power is an invariant."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.cubes import Core, Cube, Formula, is_literal, outside, split
from seahorn_py.logic.solvers.spacer.images import image
from seahorn_py.logic.solvers.statespace import Question, StateSpace, Undecided
from seahorn_py.policy.policy import policy

MOST_FAILED = 6
"""So many literals may turn out to be needed until no more are tried."""


@dataclass(frozen=True)
class Invariant:
    """A formula that holds of all states that are reached; none of them is an error."""

    formula: Formula


class Learning:
    """What both searches do with a space.  `learned` counts the conflicts."""

    def __init__(self, space: StateSpace) -> None:
        self._space = space
        self.power = 0
        self.learned = 0

    def _clauses(
        self, question: Question, parts: Sequence[Formula], ends: Sequence[Formula], found: Core
    ) -> Iterator[Formula]:
        """What the parts, about the states 0 to 2, say of the ends that they conflict with.

        The formulas are about the states 0 and 1.  The question is whether the parts hold.
        """
        space = self._space
        needed = self._fewer(question, found.of(ends))
        left = min(policy().interpolation.power_seconds, space.until - time.monotonic())
        around = space.shared(0, 2), space.others()
        self.learned += 1
        for part in self._parts(image(parts, needed, *around, int(left * 1000)), needed):
            clause = outside(self._fewer(question, split(outside((part,)))))
            yield space.from_to(clause, 0, 2)

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

    def _invariant(self, formulas: Sequence[Formula]) -> Invariant | None:
        """What a power says of states reached from facts, or of those that lead to an error."""
        space, initial, error = self._space, self._space.initial, self._space.error
        after = self._closed(formulas, (0, 1), (1, 2), (0, 2), initial)
        if self._excludes_errors(after):
            found = space.without([initial, *after], 0)
            return None if found is None else Invariant(found)
        before = self._closed(formulas, (1, 2), (0, 1), (0, 2), space.at(error, 2))
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
