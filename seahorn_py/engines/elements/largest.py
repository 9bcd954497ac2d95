"""The largest inductive set of facts about elements, and the part of it that excludes the queries.

Flanagan, Leino: Houdini, an annotation assistant for ESC/Java, FME 2001.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.engines.conclusion import Limit, Proved, verdict
from seahorn_py.engines.elements.cellnumbers import Cells, cells_of, rule_cells
from seahorn_py.engines.elements.predicates import CELL, Predicate, predicates, reads
from seahorn_py.engines.elements.questions import Fact, Question
from seahorn_py.engines.elements.ranges import Ranges, ranges
from seahorn_py.horn.system import Atom, HornSystem, Model
from seahorn_py.horn.text.wire import model_from_text
from seahorn_py.horn.transform.rules.strengthening import Strengthening, conjoined
from seahorn_py.invariants.worker import work
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import unit_form
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


LEVELS = 3
"""How many levels of invariants are looked for, as far as they come at once."""


def solve(system: HornSystem, deadline: Deadline) -> Verdict:
    """What facts about elements say of the queries."""
    invariants = known(system, deadline)
    largest = Largest(system, invariants, deadline.at)
    largest.run()
    needed = largest.needed()
    if isinstance(needed, str):
        return verdict(Limit(f"no facts about elements exclude {needed}"))
    facts = Model({n: together(own) for n, own in needed.items()})
    return verdict(Proved(conjoined(system, [facts, invariants]), Solver.Z3))


def known(system: HornSystem, deadline: Deadline) -> Model:
    """Invariants of the integers, inductive by themselves."""
    return model_from_text(work(system, Model({}), 0, LEVELS, deadline).model)


class Largest:
    """`alive`: the ranges in which each predicate holds, as far as no rule violates it."""

    def __init__(self, system: HornSystem, invariants: Model, until: float) -> None:
        self._system = system
        self._until = until
        cells = cells_of(system)
        strengthened = Strengthening(invariants).apply(system)[0].rules
        pairs = zip(system.rules, strengthened, strict=True)
        rules = [rule_cells(rule, strong.constraint, system, cells) for rule, strong in pairs]
        known = predicates(system, cells, rules)
        places = ranges(system, rules)
        self.alive: dict[str, dict[Predicate, dict[Term, None]]] = {
            name: {p: dict.fromkeys(_where(p, places[name], name, system, cells)) for p in known.get(name, ())}
            for name in system.relations
        }
        solvers = Solvers(Solver.Z3)
        self._questions = {
            rule.rule.name: Question(rule, system, cells, known, solvers) for rule in rules
        }

    def run(self) -> None:
        """Drop facts until every rule keeps those that are left."""
        waiting = dict.fromkeys(r.name for r in self._system.rules if isinstance(r.head, Atom))
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            head = self._questions[name].rule.head
            assert isinstance(head, Atom)
            gone = self._questions[name].violated(self.alive, self._until)
            for fact in gone:
                self.alive[head.relation][fact.predicate].pop(fact.range, None)
            if gone:
                waiting |= dict.fromkeys(self._using(head.relation))

    def needed(self) -> dict[str, list[Fact]] | str:
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
            for rule in self._system.rules:
                if isinstance(rule.head, Atom) and rule.head.relation == relation:
                    below = self._questions[rule.name].rests_on(fact, self.alive, self._until)
                    if below is None:
                        return rule.name
                    todo += below
        return {name: list(own) for name, own in found.items()}

    def _using(self, relation: str) -> list[str]:
        return [
            rule.name
            for rule in self._system.rules
            if isinstance(rule.head, Atom) and any(a.relation == relation for a in rule.body)
        ]


def together(facts: list[Fact]) -> Term:
    """Facts as a formula of the relation."""
    return terms.and_(
        terms.forall(f.predicate.variables, f.body) if f.predicate.variables else f.body
        for f in facts
    )


def _where(
    predicate: Predicate, places: Ranges, relation: str, system: HornSystem, cells: Cells
) -> Iterator[Term]:
    """The ranges of a predicate: of its cell, and of the other cells that it reads."""
    if len(predicate.variables) != 1:
        yield from places.pairs if predicate.variables else [terms.TRUE]
        return
    cell = unit_form(CELL)
    numbers = {cell.key: cell}
    numbers |= {number.key: number for _, number in reads(predicate, system, cells, relation)}
    for number in numbers.values():
        if CELL in number.coefficients:
            for one in places.single:
                yield terms.substitute(one, {CELL: number.term()})
