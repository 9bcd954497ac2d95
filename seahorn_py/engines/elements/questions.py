"""One rule in a solver, with facts of its body at the cells that it accesses, as they are needed.

A fact is a predicate in a range.  The solver begins without the facts of the body; where its model
violates one at a cell that matters, that instance is added.  Cells matter where a predicate reads
what the rule, or a fact of its head, accesses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import count, product

from seahorn_py.base.records import dataclass
from seahorn_py.engines.elements.cellnumbers import Cells, RuleCells, values_of
from seahorn_py.engines.elements.predicates import CELL, OTHER, Predicate, reads
from seahorn_py.horn.system import Atom, HornSystem, symbols_of
from seahorn_py.horn.transform.cells.numbering import Position
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import Value, compile_term
from seahorn_py.logic.terms.linear import Linear, number_form, unit_form
from seahorn_py.logic.terms.terms import Term

AT_ONCE = 40
"""Facts that are asked about, and instances that are added, at once."""

MOST_PLACES = 12
"""Cells, or pairs of cells, at which a predicate is looked at."""


@dataclass(frozen=True)
class Fact:
    """`predicate` holds of the cells of `range`."""

    predicate: Predicate
    range: Term

    @property
    def body(self) -> Term:
        """Without its quantifier."""
        return terms.implies(self.range, self.predicate.body)


Alive = Mapping[str, Mapping[Predicate, Mapping[Term, None]]]
"""The ranges in which each predicate may hold, by relation."""


@dataclass(frozen=True)
class _At:
    """A predicate at cells, in an atom: the names of the cells, and of the truth value."""

    predicate: Predicate
    cells: tuple[str, ...]
    truth: str


@dataclass(frozen=True)
class _Side:
    """An atom in the solver: names of what it holds, and its predicates at cells."""

    relation: str
    ports: Mapping[Term, str]
    known: Sequence[_At]


TRUTH = terms.symbol("elements.truth", terms.BOOL)


class Question:
    """A rule, and what its solver was told so far."""

    def __init__(
        self,
        rule: RuleCells,
        system: HornSystem,
        cells: Cells,
        known: Mapping[str, Sequence[Predicate]],
        solvers: Solvers,
    ) -> None:
        self.rule = rule.rule
        self._cells = cells
        self._system = system
        self._reading = rule
        self._solver = solvers.backend()
        self._names = {s: f"v!{k}" for k, s in enumerate(symbols_of(rule.rule))}
        self._names |= {CELL: "any", OTHER: "other"}
        self._solver.declare(self._names)
        self._solver.add(self._solver.formula(rule.known, self._names))
        self._numbers = count()
        self._placed: dict[object, str] = {unit_form(v).key: self._names[v] for v in (CELL, OTHER)}
        self._labels: dict[tuple[int, Fact], Native] = {}
        self._told: set[tuple[int, Fact, tuple[str, ...]]] = set()
        head = rule.rule.head if isinstance(rule.rule.head, Atom) else None
        accessed = self._accessed(head, known)
        self._led_to(accessed, known)
        self._body = [self._side(atom, known, accessed) for atom in rule.rule.body]
        self._head = None if head is None else self._side(head, known, accessed)

    # ------------------------------------------------------------------------------------ asking

    def violated(self, alive: Alive, until: float) -> frozenset[Fact]:
        """Facts of the head that the rule does not keep, if all that are alive hold before."""
        assert self._head is not None
        own = alive[self._head.relation]
        todo = [Fact(p, r) for p, places in own.items() for r in places]
        gone: set[Fact] = set()
        size = AT_ONCE
        while todo:
            asked, todo = todo[:size], todo[size:]
            answer = self._search(asked, alive, until, gone)
            if answer is None and len(asked) > 1 and time.monotonic() < until:
                size = max(1, len(asked) // 2)
                todo = asked + todo
            elif answer is None:
                gone |= set(asked)
            elif isinstance(answer, frozenset):
                gone |= answer
                todo = [f for f in (asked + todo) if f not in gone]
            else:
                size = AT_ONCE
        return frozenset(gone)

    def rests_on(self, fact: Fact | None, alive: Alive, until: float) -> list[tuple[str, Fact]] | None:
        """Facts of the body from which one of the head follows, None if it does not.

        Without a fact: those that contradict the rule.
        """
        answer = self._search([] if fact is None else [fact], alive, until, set())
        return answer if isinstance(answer, list) else None

    def _search(
        self, asked: Sequence[Fact], alive: Alive, until: float, gone: set[Fact]
    ) -> list[tuple[str, Fact]] | frozenset[Fact] | None:
        """The facts of the body on which all that are asked rest, or facts that do not hold after
        the rule; None if nobody knows."""
        goal = self._solver.label(next(self._numbers))
        if asked:
            whole = self._solver.conjunction([self._at_any(fact) for fact in asked])
            self._solver.add(self._solver.implication(goal, self._solver.negation(whole)))
        while True:
            labels = {
                key: label
                for key, label in self._labels.items()
                if key[1].range in alive[self._body[key[0]].relation].get(key[1].predicate, ())
                and not (self._body[key[0]].relation == self._relation and key[1] in gone)
            }
            given = list(labels)
            status = self._solver.check([goal, *labels.values()], until, 2.0)
            if status is Status.UNKNOWN:
                return None
            if status is Status.UNSAT:
                core = self._solver.core([goal, *labels.values()])
                return [(self._body[given[k - 1][0]].relation, given[k - 1][1]) for k in core if k]
            if not self._tell(alive, gone):
                return self._false(alive) or None

    @property
    def _relation(self) -> str:
        return "" if self._head is None else self._head.relation

    def _at_any(self, fact: Fact) -> Native:
        assert self._head is not None
        own = (self._names[v] for v in fact.predicate.variables)
        return self._instance(self._head, fact, tuple(own))

    def _instance(self, side: _Side, fact: Fact, cells: tuple[str, ...]) -> Native:
        names = {**side.ports, **dict(zip(fact.predicate.variables, cells, strict=True))}
        return self._solver.formula(fact.body, names)

    # ------------------------------------------------------------------------------------ models

    def _tell(self, alive: Alive, gone: set[Fact]) -> bool:
        """Add instances of the body's facts that the model violates, if there are any."""
        new = []
        for number, side in enumerate(self._body):
            for at, violated in self._violated(side, alive):
                facts = [Fact(at.predicate, r) for r in violated]
                if side.relation == self._relation:
                    facts = [f for f in facts if f not in gone]
                new += [(number, f, at.cells) for f in facts[:4]]
        new = [key for key in new if key not in self._told][:AT_ONCE]
        for number, fact, cells in new:
            self._told.add((number, fact, cells))
            if (number, fact) not in self._labels:
                self._labels[number, fact] = self._solver.label(next(self._numbers))
            instance = self._instance(self._body[number], fact, cells)
            label = self._labels[number, fact]
            self._solver.add(self._solver.implication(label, instance))
        return bool(new)

    def _false(self, alive: Alive) -> frozenset[Fact]:
        """Facts of the head that the model violates."""
        if self._head is None:
            return frozenset()
        found = self._violated(self._head, alive)
        return frozenset(Fact(at.predicate, r) for at, violated in found for r in violated)

    def _violated(self, side: _Side, alive: Alive) -> list[tuple[_At, list[Term]]]:
        """The predicates that are false in the model, and the ranges in which they should hold."""
        own = alive[side.relation]
        values: list[Value] = [self._solver.value(name, s) for s, name in side.ports.items()
                  if not terms.sort_of(s).is_array_type()]
        symbols = tuple(s for s in side.ports if not terms.sort_of(s).is_array_type())
        inside: dict[tuple[str, ...], dict[Term, bool]] = {}
        found = []
        for at in side.known:
            if at.predicate in own and own[at.predicate] and not self._solver.value(at.truth, TRUTH):
                cells = [self._solver.value(c, CELL) for c in at.cells]
                given = [*values, *cells, *([0] if len(cells) == 1 else [])]
                holds = inside.setdefault(at.cells, {})
                for one in own[at.predicate]:
                    if one not in holds:
                        holds[one] = bool(_compiled(one, symbols)(given))
                violated = [one for one in own[at.predicate] if holds[one]]
                if violated:
                    found.append((at, violated))
        return found

    # ------------------------------------------------------------------------------------ places

    def _side(
        self,
        atom: Atom,
        known: Mapping[str, Sequence[Predicate]],
        accessed: Mapping[Position, Mapping[object, Linear]],
    ) -> _Side:
        number = next(self._numbers)
        symbols = self._system.relations[atom.relation].symbols
        ports = {}
        for k, (symbol, argument) in enumerate(zip(symbols, atom.arguments, strict=True)):
            ports[symbol] = f"a!{number}!{k}"
            self._define(ports[symbol], symbol, argument, self._names)
        values = values_of(atom, self._system, self._reading.forms)
        found = []
        for predicate in known.get(atom.relation, ()):
            for cells in self._places(predicate, atom, values, accessed):
                names = {**ports, **dict(zip(predicate.variables, cells, strict=True))}
                truth = f"q!{next(self._numbers)}"
                self._define(truth, TRUTH, predicate.body, names)
                found.append(_At(predicate, cells, truth))
        return _Side(atom.relation, ports, found)

    def _places(
        self,
        predicate: Predicate,
        atom: Atom,
        values: Mapping[Term, Linear],
        accessed: Mapping[Position, Mapping[object, Linear]],
    ) -> list[tuple[str, ...]]:
        """Cells at which a read of the predicate reads what is accessed."""
        choices = []
        for variable in predicate.variables:
            any_cell = unit_form(variable)
            own: dict[object, Linear] = {any_cell.key: any_cell}
            for position, number in self._reads(predicate, atom.relation):
                coefficient = number.coefficients.get(variable, 0)
                rest = number.plus(unit_form(variable), -coefficient)
                if not coefficient or {CELL, OTHER} & set(rest.coefficients):
                    continue
                sign = 1 if coefficient > 0 else -1
                for cell in accessed.get(self._cells.classes[position], {}).values():
                    value = cell.plus(rest.at(values), -1).times(sign).over(abs(coefficient))
                    if value is not None:
                        own.setdefault(value.key, value)
            choices.append([self._place(form) for form in own.values()])
        if len(choices) == 1:
            return [(one,) for one in choices[0]][:MOST_PLACES]
        return list(product(*choices))[: MOST_PLACES * 2]

    def _place(self, form: Linear) -> str:
        if form.key not in self._placed:
            name = f"at!{next(self._numbers)}"
            self._define(name, CELL, form.term(), self._names)
            self._placed[form.key] = name
        return self._placed[form.key]

    def _define(self, name: str, like: Term, value: Term, names: Mapping[Term, str]) -> None:
        self._solver.define(name, _like(terms.sort_of(like)), value, names)

    def _accessed(
        self, head: Atom | None, known: Mapping[str, Sequence[Predicate]]
    ) -> dict[Position, dict[object, Linear]]:
        """The numbers of cells that the rule reads and changes, and those that the predicates of
        the head read at any cell."""
        found: dict[Position, dict[object, Linear]] = {}
        for root, number, _ in self._reading.accesses():
            found.setdefault(root, {}).setdefault(number.key, number)
        if head is not None:
            values = values_of(head, self._system, self._reading.forms)
            for predicate in known.get(head.relation, ()):
                for position, number in self._reads(predicate, head.relation):
                    form = number.at(values)
                    found.setdefault(self._cells.classes[position], {}).setdefault(form.key, form)
        return found

    def _led_to(
        self,
        accessed: Mapping[Position, dict[object, Linear]],
        known: Mapping[str, Sequence[Predicate]],
    ) -> None:
        """Add the neighbours of accessed cells that predicates of the body read beside these."""
        for atom in self.rule.body:
            steps = {
                (self._cells.classes[position], number.constant)
                for predicate in known.get(atom.relation, ())
                for position, number in self._reads(predicate, atom.relation)
                if len(predicate.variables) == 1 and number.coefficients == {CELL: 1} and number.constant
            }
            for root, step in sorted(steps):
                own = accessed.get(root, {})
                for form in [f for f in own.values() if not {CELL, OTHER} & set(f.coefficients)]:
                    for moved in (form.plus(number_form(step)), form.plus(number_form(-step))):
                        own.setdefault(moved.key, moved)

    def _reads(self, predicate: Predicate, relation: str) -> list[tuple[Position, Linear]]:
        return reads(predicate, self._system, self._cells, relation)


@cache
def _like(sort: terms.Sort) -> Term:
    return terms.symbol(f"elements.like.{sort}", sort)


@cache
def _compiled(formula: Term, symbols: tuple[Term, ...]) -> Callable[[Sequence[Value]], Value]:
    return compile_term(formula, [*symbols, CELL, OTHER])
