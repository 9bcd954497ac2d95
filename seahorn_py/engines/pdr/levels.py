"""The frames of property-directed reachability: lemmas about relations, each with its level.

A fact of height 0 is derived without a premise.  A lemma of level k excludes a cube from all facts
of its relation whose height is at most k; what has no lemma may hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.cubes import (
    Assignment,
    Core,
    Cube,
    Formula,
    implied,
    mark,
    outside,
)
from seahorn_py.logic.solvers.rulespace import Clause, Place
from seahorn_py.logic.solvers.statespace import Question

MOST_FAILED = 12
"""So many literals may turn out to be needed until no more are tried."""


@dataclass(frozen=True)
class Leading:
    """A rule leads into a cube with these values."""

    clause: Clause
    found: Assignment


class Levels:
    """Lemmas by relation and level, and a solver for each rule that knows those of its premise."""

    def __init__(self, clauses: Sequence[Clause], places: Sequence[Place], until: float) -> None:
        self._places = places
        self._questions = {c: Question(until, [c.fact]) for c in clauses}
        self._into = {p: sorted(_leading(clauses, p), key=_has_premise) for p in places}
        self._from = {p: [c for c in clauses if c.premise is p] for p in places}
        self._lemmas: dict[Place, list[list[Cube]]] = {place: [[]] for place in places}
        self._marks: list[Formula] = []
        self.learned = 0

    def ask(
        self, clause: Clause, cube: Cube, level: int, *beside: Formula
    ) -> Assignment | Core | None:
        """Whether the rule leads into a cube from a fact of this height; None if there is none."""
        if clause.premise is None:
            return self._questions[clause].ask(clause.goal(cube), *beside)
        if level < 0:
            return None
        active = (self._mark(k) for k in range(level, self._top(clause.premise) + 1))
        return self._questions[clause].ask(clause.goal(cube), *active, *beside)

    def leads_into(self, place: Place, cube: Cube, level: int) -> Leading | Core:
        """A rule that leads into a cube by a fact of this height; or literals that exclude that.

        The premise may be outside of the cube: whatever is inside has a height that is less.
        """
        places: frozenset[int] = frozenset()
        for clause in self._into[place]:
            beside = [outside(cube)] if clause.premise is place else []
            found = self.ask(clause, cube, level - 1, *beside)
            if isinstance(found, Assignment):
                return Leading(clause, found)
            if found is not None:
                places |= found.places
        return Core(places)

    def weaker(self, place: Place, cube: Cube, level: int) -> Cube:
        """Fewer of the literals, which no fact of this height fulfils either."""
        number = failed = 0
        while number < len(cube) and failed < MOST_FAILED:
            tried = (*cube[:number], *cube[number + 1 :])
            found = self.leads_into(place, tried, level)
            if isinstance(found, Leading):
                number, failed = number + 1, failed + 1
            else:
                cube = found.of(tried)
                number = sum(one < number for one in found.places)
        return cube

    def blocked(self, place: Place, cube: Cube, level: int) -> bool:
        """Whether a lemma excludes the cube, as far as its literals tell."""
        literals = {part.get_id() for part in cube}
        return any(
            all(part.get_id() in literals for part in known) for known in self.above(place, level)
        )

    def above(self, place: Place, level: int) -> Iterator[Cube]:
        """The cubes that are excluded at a level."""
        return (cube for cubes in self._lemmas[place][level:] for cube in cubes)

    def learn(self, place: Place, cube: Cube, level: int) -> None:
        """Exclude the cube up to a level; lemmas that say less go."""
        known = self._lemmas[place]
        known += [[] for _ in range(level + 1 - len(known))]
        literals = {part.get_id() for part in cube}
        for lower in known[: level + 1]:
            lower[:] = [c for c in lower if not literals <= {part.get_id() for part in c}]
        known[level].append(cube)
        self.learned += 1
        for clause in self._from[place]:
            self._questions[clause].keep(implied(self._mark(level), outside(cube)))

    def push(self, top: int) -> int | None:
        """Lemmas go up to the level after `top` where they hold; a level that adds nothing."""
        for level in range(top + 1):
            for place in self._places:
                for cube in tuple(self._at(place, level)):
                    found = self.leads_into(place, cube, level + 1)
                    if isinstance(found, Core):
                        self.learn(place, found.of(cube), level + 1)
            if not any(self._at(place, level) for place in self._places):
                return level
        return None

    def _at(self, place: Place, level: int) -> Sequence[Cube]:
        known = self._lemmas[place]
        return known[level] if level < len(known) else ()

    def _top(self, place: Place) -> int:
        return len(self._lemmas[place]) - 1

    def _mark(self, level: int) -> Formula:
        """True where lemmas of this level are assumed."""
        self._marks += [mark(f"level!{k}") for k in range(len(self._marks), level + 1)]
        return self._marks[level]


def _leading(clauses: Sequence[Clause], place: Place) -> Iterator[Clause]:
    return (clause for clause in clauses if clause.head is place)


def _has_premise(clause: Clause) -> bool:
    return clause.premise is not None
