"""Rules over bit-vectors, and what congruences between polynomials say in them.

Seidl, Flexeder, Petter: Analysing all polynomial equations in Z_2^w, SAS 2008.  Questions are those
of the checker (`horn.checking.modular`): bits are added and multiplied as integers are, modulo a
power of two.
"""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.horn.checking.instances import interpretation_at
from seahorn_py.horn.checking.modular import modular_cases
from seahorn_py.horn.system import Atom, HornSystem, Model, Rule
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline


@dataclass(frozen=True)
class BitWay:
    """A linear rule over bit-vectors."""

    system: HornSystem
    rule: Rule
    solvers: Solvers

    @property
    def premise(self) -> str:
        """The relation of the body."""
        return self.rule.body[0].relation if self.rule.body else ""

    @property
    def head(self) -> str:
        """The relation of the head."""
        return self.rule.head.relation if isinstance(self.rule.head, Atom) else ""

    def under(self, facts: Sequence[Term], deadline: Deadline) -> UnderCongruences:
        """The rule under facts about its premise."""
        model = Model({self.premise: terms.and_(facts)})
        given = [interpretation_at(self.system, model, atom) for atom in self.rule.body]
        return UnderCongruences(self, [*given, self.rule.constraint], deadline)


class UnderCongruences:
    """What follows in a rule from facts about the premise."""

    def __init__(self, way: BitWay, known: Sequence[Term], deadline: Deadline) -> None:
        self._way = way
        self._known = known
        self._deadline = deadline

    def violated(self, goals: Sequence[Term], seconds: float) -> set[int]:
        """The places of those facts about the head that are not seen to be kept."""
        return {k for k, goal in enumerate(goals) if not self.holds(goal, seconds)}

    def holds(self, goal: Term | None, seconds: float) -> bool:
        """Whether a fact about the head follows, or without one, whether nothing is possible."""
        head = self._way.rule.head
        known = [*self._known]
        if goal is not None and isinstance(head, Atom):
            at_head = interpretation_at(self._way.system, Model({head.relation: goal}), head)
            known.append(terms.not_(at_head))
        found = modular_cases(known) if seconds else None
        return found is not None and all(self._unsatisfiable(one, seconds) for one in found)

    def _unsatisfiable(self, parts: Sequence[Term], seconds: float) -> bool:
        seconds = min(seconds, self._deadline.remaining)
        if not seconds:
            return False
        symbols = terms.by_name({s for part in parts for s in terms.free_symbols(part)})
        names = {symbol: f"c!{k}" for k, symbol in enumerate(symbols)}
        backend = self._way.solvers.backend()
        backend.declare(names)
        backend.add(*(backend.formula(part, names) for part in parts))
        return backend.check((), self._deadline.at, seconds) is Status.UNSAT
