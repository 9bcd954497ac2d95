"""Images of abstract values under a rule, point by point, by z3.

Reps, Sagiv, Yorsh: Symbolic implementation of the best transformer, VMCAI 2004.  Thakur, Reps:
Bilateral algorithms for symbolic abstraction, SAS 2012.  A model of `body and constraint and not
head` is a state that the image of the body has and the head has not yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from seahorn_py.horn.system import Atom, Relation, Rule
from seahorn_py.invariants.cells import Key, Part, Point, Region
from seahorn_py.invariants.rules import Formulas, NativeRule
from seahorn_py.logic.terms import Term

QUESTION_SECONDS = 1.5
"""Time for one question; what is not answered is given up."""


class Undecided(Exception):
    """z3 does not know whether there is another state."""


class Image:
    """One rule under invariants that are known."""

    def __init__(
        self,
        rule: Rule,
        relations: Mapping[str, Relation],
        given: Mapping[str, Term],
        formulas: Formulas,
    ) -> None:
        self.rule = rule
        self._native = NativeRule(rule, relations, formulas)
        self._parts: dict[tuple[int, int], tuple[Part, Any]] = {}
        for place, atom in enumerate(rule.body):
            if atom.relation in given:
                self._native.solver.add(self._native.native(place, given[atom.relation]))

    def outside(self, key: Key, regions: Mapping[str, Region], until: float) -> Point | None:
        """A state that the rule derives and its head has not yet; None if there is none.

        The state of the first body atom is in one cell only.
        """
        head = self.rule.head
        assert isinstance(head, Atom)
        solver = self._native.solver
        solver.push()
        try:
            for place, atom in enumerate(self.rule.body):
                region = regions[atom.relation]
                solver.add(*self._state(place, region, None if place else key))
            place = len(self.rule.body)
            solver.add(z3.Not(z3.And(*self._state(place, regions[head.relation]))))
            found = self._native.check(until, QUESTION_SECONDS)
            if found == z3.unsat:
                return None
            if found == z3.unknown:
                raise Undecided
            return self._native.point(place)
        finally:
            solver.pop()

    def _state(self, place: int, region: Region, key: Key | None = None) -> list[Any]:
        """Formulas that hold of an atom whose state is in a region, or in one cell of it."""
        if key is None:
            return [self._native.true, *(self._part(place, part) for part in region.parts())]
        part = region.part(key)
        return [self._native.native(place, f) for f in (part.condition, *part.conjuncts)]

    def _part(self, place: int, part: Part) -> Any:
        key = (place, id(part))
        if key not in self._parts:
            native, true = self._native.native, self._native.true
            held = z3.And(true, *(native(place, c) for c in part.conjuncts))
            self._parts[key] = part, z3.Implies(native(place, part.condition), held)
        return self._parts[key][1]
