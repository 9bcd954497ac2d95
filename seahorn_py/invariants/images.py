"""Images of abstract values under a rule, point by point.

Reps, Sagiv, Yorsh: Symbolic implementation of the best transformer, VMCAI 2004.  Thakur, Reps:
Bilateral algorithms for symbolic abstraction, SAS 2012.  An assignment for `body and constraint and
not head` is a state that the image of the body has and the head has not yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seahorn_py.horn.system import Atom, Relation, Rule
from seahorn_py.invariants.features import Point
from seahorn_py.invariants.partition import Key, Part, Partition
from seahorn_py.invariants.rules import NativeRule
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy


class Undecided(Exception):
    """The solver does not know whether there is another state."""


class Image:
    """One rule under invariants that are known."""

    def __init__(
        self,
        rule: Rule,
        relations: Mapping[str, Relation],
        given: Mapping[str, Term],
        solvers: Solvers,
    ) -> None:
        self.rule = rule
        self._rule = NativeRule(rule, relations, solvers)
        self._parts: dict[tuple[int, int], tuple[Part, Native]] = {}
        for position, atom in enumerate(rule.body):
            if atom.relation in given:
                self._rule.solver.add(self._rule.native(position, given[atom.relation]))

    def outside(self, key: Key, partitions: Mapping[str, Partition], until: float) -> Point | None:
        """A state that the rule derives and its head has not yet; None if there is none.

        The state of the first body atom is in one case only.
        """
        head = self.rule.head
        assert isinstance(head, Atom)
        solver = self._rule.solver
        solver.push()
        try:
            for position, atom in enumerate(self.rule.body):
                partition = partitions[atom.relation]
                solver.add(*self._state(position, partition, None if position else key))
            parts = partitions[head.relation].parts()
            position = len(self.rule.body)
            try:
                return self._missing(self._state(position, partitions[head.relation]), until)
            except Undecided:
                return self._missing_one(position, parts, until)
        finally:
            solver.pop()

    def _missing_one(self, position: int, parts: Sequence[Part], until: float) -> Point | None:
        """The conjuncts of the head one by one, where all together are too hard."""
        native, solver = self._rule.native, self._rule.solver
        for part in parts:
            condition = native(position, part.condition)
            for conjunct in part.conjuncts:
                one = solver.implication(condition, native(position, conjunct))
                point = self._missing([one], until)
                if point is not None:
                    return point
        return None

    def _missing(self, formulas: Sequence[Native], until: float) -> Point | None:
        """A state of the head that is not in the formulas; None if there is none."""
        solver = self._rule.solver
        solver.push()
        try:
            solver.add(solver.negation(solver.conjunction(formulas)))
            match self._rule.check(until, policy().invariants.image_question_seconds):
                case Status.UNSAT:
                    return None
                case Status.UNKNOWN:
                    raise Undecided
            return self._rule.point(len(self.rule.body))
        finally:
            solver.pop()

    def _state(self, position: int, partition: Partition, key: Key | None = None) -> list[Native]:
        """Formulas that hold of an atom whose state is in a partition, or in one case of it."""
        if key is None:
            return [self._part(position, part) for part in partition.parts()]
        part = partition.part(key)
        return [self._rule.native(position, f) for f in (part.condition, *part.conjuncts)]

    def _part(self, position: int, part: Part) -> Native:
        key = (position, id(part))
        if key not in self._parts:
            native, solver = self._rule.native, self._rule.solver
            held = solver.conjunction([native(position, c) for c in part.conjuncts])
            self._parts[key] = part, solver.implication(native(position, part.condition), held)
        return self._parts[key][1]
