"""The largest inductive set of facts about elements, and the part of it that excludes the queries.

Flanagan, Leino: Houdini, an annotation assistant for ESC/Java, FME 2001.
"""

from __future__ import annotations

from seahorn_py.engines.conclusion import Limit, Proved, verdict
from seahorn_py.engines.elements.candidates import Fact, candidates
from seahorn_py.engines.elements.cellnumbers import cells_of, rule_cells
from seahorn_py.engines.elements.questions import Question
from seahorn_py.horn.system import Atom, HornSystem, Model
from seahorn_py.horn.text.wire import model_from_text
from seahorn_py.horn.transform.rules.strengthening import Strengthening, conjoined
from seahorn_py.invariants.worker import work
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict

LEVELS = 3
"""How many levels of invariants are looked for, as far as they come at once."""


def solve(system: HornSystem, deadline: Deadline) -> Verdict:
    """What facts about elements say of the queries."""
    if solver_for(system.formulas()) is not Solver.Z3:
        return verdict(Limit("facts about elements are for integers"))
    if not cells_of(system).classes:
        return verdict(Limit("there are no arrays of integers"))
    invariants = known(system, deadline)
    largest = Largest(system, invariants, deadline.at)
    largest.run()
    counted = {"facts": largest.kept, "candidates": largest.started}
    needed = largest.needed()
    if isinstance(needed, str):
        return verdict(Limit(f"no facts about elements exclude {needed}"), counted)
    return verdict(Proved(conjoined(system, [needed, invariants]), Solver.Z3), counted)


def known(system: HornSystem, deadline: Deadline) -> Model:
    """Invariants of the integers, inductive by themselves."""
    return model_from_text(work(system, Model({}), 0, LEVELS, deadline).model)


class Largest:
    """`alive`: the ranges in which each predicate holds, as far as no rule violates it."""

    def __init__(self, system: HornSystem, invariants: Model, until: float) -> None:
        self._system, self._until = system, until
        cells = cells_of(system)
        strengthened = Strengthening(invariants).apply(system)[0].rules
        pairs = zip(system.rules, strengthened, strict=True)
        rules = [rule_cells(rule, strong.constraint, system, cells) for rule, strong in pairs]
        self.candidates = candidates(system, cells, rules, invariants)
        self.alive = {name: list(known.start) for name, known in self.candidates.items()}
        self.started = self.kept
        solvers = Solvers(Solver.Z3)
        self._questions = {
            rule.rule.name: Question(rule, system, cells, self.candidates, solvers)
            for rule in rules
        }

    @property
    def kept(self) -> int:
        """How many facts are alive."""
        return sum(where.bit_count() for own in self.alive.values() for where in own)

    def run(self) -> None:
        """Drop facts until every rule keeps those that are left."""
        waiting = dict.fromkeys(r.name for r in self._system.rules if isinstance(r.head, Atom))
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            head = self._questions[name].rule.head
            assert isinstance(head, Atom)
            if self._questions[name].drop(self.alive, self._until):
                waiting |= dict.fromkeys(self._using(head.relation))

    def needed(self) -> Model | str:
        """Facts that exclude the queries, and those on which they rest; or a query that is left."""
        found: dict[str, dict[Fact, None]] = {name: {} for name in self._system.relations}
        todo: list[tuple[str, Fact]] = []
        for rule in self._system.queries:
            below = self._questions[rule.name].rests_on(None, self.alive, self._until)
            if below is None:
                return rule.name
            todo += below
        while todo:
            relation, fact = todo.pop()
            if fact in found[relation]:
                continue
            found[relation][fact] = None
            for name in self._deriving(relation):
                below = self._questions[name].rests_on(fact, self.alive, self._until)
                if below is None:
                    return name
                todo += below
        formulas = {
            name: terms.and_(self.candidates[name].formula(fact) for fact in own)
            for name, own in found.items()
        }
        return Model(formulas)

    def _using(self, relation: str) -> list[str]:
        return [
            rule.name
            for rule in self._system.rules
            if isinstance(rule.head, Atom) and any(a.relation == relation for a in rule.body)
        ]

    def _deriving(self, relation: str) -> list[str]:
        return [
            rule.name
            for rule in self._system.rules
            if isinstance(rule.head, Atom) and rule.head.relation == relation
        ]
