"""The least fixpoint of abstract values over the rules of a Horn system.

Cousot, Cousot: Abstract interpretation, POPL 1977, with best transformers found as models
(`images`).  With candidates alone it is Houdini (Flanagan, Leino, FME 2001): the largest inductive
subset.

Step of the papers -> place: the rules to look at -> `Fixpoint.run`; image and join -> `_saturate`.
What comes out is inductive as far as z3 says: a claim like every other answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from seahorn_py.horn.system import Atom, HornSystem, Model
from seahorn_py.invariants.cells import Region
from seahorn_py.invariants.images import Image, Undecided
from seahorn_py.invariants.spaces import Space
from seahorn_py.logic import terms
from seahorn_py.logic.terms import Term


class OutOfTime(Exception):
    """No fixpoint in time: what was found is no invariant."""


class Fixpoint:
    """`given` are invariants, under which the new ones are inductive."""

    def __init__(
        self,
        system: HornSystem,
        spaces: Mapping[str, Space],
        given: Mapping[str, Term],
        until: float,
    ) -> None:
        self._until = until
        self._regions = {name: Region(space) for name, space in spaces.items()}
        self._images = [
            Image(rule, system.relations, given)
            for rule in system.rules
            if isinstance(rule.head, Atom)
        ]
        self.joins = 0

    def run(self) -> Model:
        """Invariants of all relations; OutOfTime."""
        waiting = dict.fromkeys(self._images)
        while waiting:
            image = next(iter(waiting))
            del waiting[image]
            if self._saturate(image):
                changed = image.rule.head
                assert isinstance(changed, Atom)
                for other in self._images:
                    if any(a.relation == changed.relation for a in other.rule.body):
                        waiting[other] = None
        return Model({name: region.formula() for name, region in self._regions.items()})

    def _saturate(self, image: Image) -> bool:
        """Join what the rule derives to its head until there is nothing new; whether it grew."""
        assert isinstance(image.rule.head, Atom)
        head = self._regions[image.rule.head.relation]
        if head.everything or any(self._regions[a.relation].empty for a in image.rule.body):
            return False
        grew = False
        while not head.everything:
            if time.monotonic() >= self._until:
                raise OutOfTime
            try:
                point = image.outside(self._regions, self._until)
            except Undecided:
                head.give_up()
                return True
            if point is None:
                return grew
            self.joins += 1
            if not head.join(point):  # z3 and our evaluation differ: trust neither
                head.give_up()
            grew = True
        return grew


def conjoined(system: HornSystem, parts: list[Model]) -> Model:
    """The conjunction of models."""
    return Model(
        {
            name: terms.and_(
                conjunct
                for model in parts
                for conjunct in _conjuncts(model.interpretations.get(name, terms.TRUE))
            )
            for name in system.relations
        }
    )


def _conjuncts(formula: Term) -> tuple[Term, ...]:
    return formula.args() if formula.is_and() else (formula,)
