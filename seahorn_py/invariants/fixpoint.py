"""The least fixpoint of abstract values over the rules of a Horn system.

Cousot, Cousot: Abstract interpretation, POPL 1977, with best transformers found as assignments
(`images`).  With candidates alone it is Houdini (Flanagan, Leino, FME 2001): the largest inductive
subset.

Step of the papers -> code: the rules to look at -> `Fixpoint.run`; image and join -> `_saturate`.
What comes out is inductive as far as one solver says; whoever uses it has it proved once more.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from seahorn_py.horn.system import Atom, HornSystem, Model
from seahorn_py.invariants.images import Image, Undecided
from seahorn_py.invariants.partition import EVERYWHERE, Key, Partition
from seahorn_py.invariants.spaces import Space
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import OutOfTime


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
        self._partitions = {name: Partition(space) for name, space in spaces.items()}
        solvers = Solvers(solver_for(system.formulas()))
        self._images = [
            Image(rule, system.relations, given, solvers)
            for rule in system.rules
            if isinstance(rule.head, Atom)
        ]
        self._waiting: dict[tuple[Image, Key], None] = {}
        self.joins = 0

    def run(self) -> Model:
        """Invariants of all relations; OutOfTime."""
        self._wait(image for image in self._images if not image.rule.body)
        while self._waiting:
            image, key = next(iter(self._waiting))
            del self._waiting[image, key]
            self._saturate(image, key)
        return Model({name: partition.formula() for name, partition in self._partitions.items()})

    def _saturate(self, image: Image, key: Key) -> None:
        """Join what the rule derives from a case to its head until there is nothing new."""
        assert isinstance(image.rule.head, Atom)
        name = image.rule.head.relation
        head = self._partitions[name]
        while not head.everything:
            if time.monotonic() >= self._until:
                raise OutOfTime
            try:
                point = image.outside(key, self._partitions, self._until)
            except Undecided:
                head.give_up()
                return self._grown(name, EVERYWHERE)
            if point is None:
                return None
            self.joins += 1
            grown = head.join(point)
            if grown is None:  # the solver and our evaluation differ: trust neither
                head.give_up()
                grown = EVERYWHERE
            self._grown(name, grown)
            if any(atom.relation == name for atom in image.rule.body):
                self._waiting[image, key] = None  # with what has changed of the body
                return None
        return None

    def _grown(self, relation: str, case: Key) -> None:
        """The rules that use a relation have to be looked at again."""
        for image in self._images:
            first, *others = (
                (atom.relation for atom in image.rule.body) if image.rule.body else [""]
            )
            if relation in others:
                self._wait([image])
            elif relation == first:
                self._waiting[image, case] = None

    def _wait(self, images: Iterable[Image]) -> None:
        """Look at a rule for all cases of its first body atom."""
        for image in images:
            body = image.rule.body
            for key in self._partitions[body[0].relation].keys() if body else ((),):
                self._waiting[image, key] = None
