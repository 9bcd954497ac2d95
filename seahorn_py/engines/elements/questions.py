"""One rule in a solver, with facts of its body at the cells that it accesses, as they are needed.

The solver begins without the facts of the body; where its model violates one at a cell that
matters, that instance is added.  Cells matter where a predicate reads what the rule, or a predicate
of its head, accesses.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice, product

from seahorn_py.base.records import dataclass
from seahorn_py.engines.elements.candidates import Alive, Candidates, Fact, bits
from seahorn_py.engines.elements.cellnumbers import Cells, RuleCells, values_of
from seahorn_py.engines.elements.cellpredicates import CELL, OTHER
from seahorn_py.horn.system import Atom, HornSystem, symbols_of
from seahorn_py.horn.transform.cells.numbering import Position
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import Linear, number_form, unit_form
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

AT_ONCE = 40
"""Facts that are asked about, and instances that are added, at once."""

MOST_OF_ONE = 4
"""Instances of one predicate at one place that are added at once."""

MOST_PLACES = 24
"""Cells, or pairs of cells, at which a predicate is looked at."""

ARRAY = terms.symbol("elements.array", terms.array_sort(terms.INT, terms.INT))
"""Stands for the array that an atom holds: its parameter may have the name of a rule's symbol."""

Addresses = Mapping[Position, dict[object, Linear]]
"""Where cells are accessed, by the class of the array."""


@dataclass(frozen=True)
class _At:
    """A predicate at cells, in an atom: names of the cells, and of what it reads there."""

    predicate: int
    cells: tuple[str, ...]
    read: tuple[str, ...]


@dataclass(frozen=True)
class _Side:
    """An atom in the solver: names of what it holds, and its predicates at cells."""

    relation: str
    known: Candidates
    ports: Mapping[Term, str]
    places: Sequence[_At]


Basis = list[tuple[str, Fact]]
"""Facts of relations on which something rests."""


class Question:
    """A rule, and what its solver was told so far."""

    def __init__(
        self,
        rule: RuleCells,
        system: HornSystem,
        cells: Cells,
        known: Mapping[str, Candidates],
        solvers: Solvers,
    ) -> None:
        self.rule = rule.rule
        self._reading, self._system, self._cells, self._known = rule, system, cells, known
        self._solver = solvers.backend()
        self._names = {s: f"v!{k}" for k, s in enumerate(symbols_of(rule.rule))}
        self._names |= {CELL: "any", OTHER: "other"}
        self._solver.declare(self._names)
        self._solver.add(self._solver.formula(rule.known, self._names))
        self._numbers = count()
        self._placed: dict[object, str] = {unit_form(v).key: self._names[v] for v in (CELL, OTHER)}
        self._labels: dict[tuple[int, Fact], Native] = {}
        self._told: set[tuple[int, Fact, tuple[str, ...]]] = set()
        self._values: dict[str, int | bool] = {}
        self._shown: dict[tuple[Fact, ...], Basis] = {}
        head = rule.rule.head if isinstance(rule.rule.head, Atom) else None
        accessed = self._accessed(head)
        self._body = [self._side(atom, accessed) for atom in rule.rule.body]
        self._head = None if head is None else self._side(head, accessed)

    # ------------------------------------------------------------------------------------ asking

    def drop(self, alive: Alive, until: float) -> bool:
        """Drop facts of the head that the rule does not keep, if all that are alive hold before.

        Whether there were any.  A fact of which the solver does not know is one of them.
        """
        assert self._head is not None
        own = alive[self._head.relation]
        before, size = list(own), AT_ONCE
        shown = self._still_shown(alive)
        todo = [(p, r) for p, where in enumerate(own) for r in bits(where & ~shown.get(p, 0))]
        while todo:
            asked, todo = todo[:size], todo[size:]
            match self._search(asked, alive, until):
                case list() as basis:
                    self._shown[tuple(asked)] = basis
                    size = AT_ONCE
                case None if len(asked) > 1 and time.monotonic() < until:
                    size, todo = max(1, len(asked) // 2), asked + todo
                case None:
                    self._dropped(own, asked)
                case _ as false:
                    self._dropped(own, false)
                    todo = [(p, r) for p, r in asked + todo if own[p] >> r & 1]
        return own != before

    def _still_shown(self, alive: Alive) -> dict[int, int]:
        """Facts of the head that rest on facts which are alive: ranges as bits, by predicate."""
        found: dict[int, int] = {}
        for facts, basis in list(self._shown.items()):
            if all(alive[name][p] >> r & 1 for name, (p, r) in basis):
                for p, r in facts:
                    found[p] = found.get(p, 0) | 1 << r
            else:
                del self._shown[facts]
        return found

    def _dropped(self, own: list[int], facts: Sequence[Fact]) -> None:
        for predicate, place in facts:
            own[predicate] &= ~(1 << place)

    def rests_on(self, fact: Fact | None, alive: Alive, until: float) -> Basis | None:
        """Facts of the body from which one of the head follows, None if it does not.

        Without a fact: those that contradict the rule.
        """
        answer = self._search([] if fact is None else [fact], alive, until)
        return answer if isinstance(answer, list) else None

    def _search(
        self, asked: Sequence[Fact], alive: Alive, until: float
    ) -> Basis | tuple[Fact, ...] | None:
        """The facts on which all that are asked rest, or some that the rule violates.

        None if nobody knows.
        """
        goal = self._solver.label(next(self._numbers))
        if asked:
            whole = self._solver.conjunction([self._at_any(fact) for fact in asked])
            self._solver.add(self._solver.implication(goal, self._solver.negation(whole)))
        seconds = policy().elements.question_seconds
        while True:
            given = [key for key in self._labels if self._is_alive(key, alive)]
            labels = [goal, *(self._labels[key] for key in given)]
            match self._solver.check(labels, until, seconds):
                case Status.UNKNOWN:
                    return None
                case Status.UNSAT:
                    core = (given[k - 1] for k in self._solver.core(labels) if k)
                    return [(self._body[number].relation, fact) for number, fact in core]
            self._values = {}
            if not self._tell(alive):
                return self._false(alive) or None

    def _is_alive(self, key: tuple[int, Fact], alive: Alive) -> bool:
        number, (predicate, place) = key
        return bool(alive[self._body[number].relation][predicate] >> place & 1)

    def _at_any(self, fact: Fact) -> Native:
        assert self._head is not None
        variables = self._head.known.predicates[fact[0]].variables
        return self._instance(self._head, fact, [self._names[v] for v in variables])

    def _instance(self, side: _Side, fact: Fact, cells: Sequence[str]) -> Native:
        predicate = side.known.predicates[fact[0]]
        names = {**side.ports, **dict(zip(predicate.variables, cells, strict=True))}
        inside = self._solver.formula(side.known.ranges[fact[1]], names)
        return self._solver.implication(inside, self._solver.formula(predicate.body, names))

    # ------------------------------------------------------------------------------------ models

    def _tell(self, alive: Alive) -> bool:
        """Add instances of the body's facts that the model violates, if there are any."""
        new = []
        for number, side in enumerate(self._body):
            for at, violated in self._violated(side, alive):
                facts = ((at.predicate, r) for r in islice(bits(violated), MOST_OF_ONE))
                new += [(number, fact, at.cells) for fact in facts]
        new = [key for key in new if key not in self._told][:AT_ONCE]
        for number, fact, cells in new:
            self._told.add((number, fact, cells))
            if (number, fact) not in self._labels:
                self._labels[number, fact] = self._solver.label(next(self._numbers))
            instance = self._instance(self._body[number], fact, cells)
            self._solver.add(self._solver.implication(self._labels[number, fact], instance))
        return bool(new)

    def _false(self, alive: Alive) -> tuple[Fact, ...]:
        """Facts of the head that the model violates."""
        found = [] if self._head is None else self._violated(self._head, alive)
        return tuple((at.predicate, r) for at, violated in found for r in bits(violated))

    def _violated(self, side: _Side, alive: Alive) -> Iterator[tuple[_At, int]]:
        """The predicates that are false in the model, and the ranges in which they should hold."""
        own, holds = alive[side.relation], side.known.holds
        scalars = [self._value(side.ports[s], s) for s in side.known.scalars]
        looked: dict[tuple[str, ...], tuple[int, int]] = {}
        for at in side.places:
            if not own[at.predicate]:
                continue
            cells = [self._value(name, CELL) for name in at.cells] + [0] * (2 - len(at.cells))
            read = [self._value(name, CELL) for name in at.read]
            if holds[at.predicate]([*scalars, *cells, *read]):
                continue
            seen, true = looked.get(at.cells, (0, 0))
            for k in bits(own[at.predicate] & ~seen):
                true |= bool(side.known.inside[k]([*scalars, *cells])) << k
            looked[at.cells] = seen | own[at.predicate], true
            if true & own[at.predicate]:
                yield at, true & own[at.predicate]

    def _value(self, name: str, symbol: Term) -> int | bool:
        if name not in self._values:
            self._values[name] = self._solver.value(name, symbol)
        return self._values[name]

    # ------------------------------------------------------------------------------------ places

    def _side(self, atom: Atom, accessed: Addresses) -> _Side:
        known, number = self._known[atom.relation], next(self._numbers)
        ports = {}
        for k, (symbol, argument) in enumerate(zip(known.symbols, atom.arguments, strict=True)):
            ports[symbol] = f"a!{number}!{k}"
            self._define(ports[symbol], terms.sort_of(symbol), argument, self._names)
        values = values_of(atom, self._system, self._reading.forms)
        names: dict[object, str] = {}
        found = []
        for predicate in range(len(known.predicates)):
            for forms in self._places(predicate, known, values, accessed):
                read = self._read(predicate, known, values, forms, ports, names)
                found.append(_At(predicate, tuple(map(self._place, forms)), read))
        return _Side(atom.relation, known, ports, found)

    def _places(
        self, predicate: int, known: Candidates, values: Mapping[Term, Linear], accessed: Addresses
    ) -> list[tuple[Linear, ...]]:
        """Cells at which a read of the predicate reads what is accessed."""
        choices = []
        for variable in known.predicates[predicate].variables:
            any_cell = unit_form(variable)
            own: dict[object, Linear] = {any_cell.key: any_cell}
            for position, number in known.accesses[predicate]:
                coefficient = number.coefficients.get(variable, 0)
                rest = number.plus(any_cell, -coefficient)
                if not coefficient or {CELL, OTHER} & set(rest.coefficients):
                    continue
                sign = 1 if coefficient > 0 else -1
                numbering = self._cells.numbering[position].at(values)
                start, step = (
                    numbering.address(rest.at(values)),
                    numbering.stride * abs(coefficient),
                )
                for address in accessed.get(self._cells.classes[position], {}).values():
                    value = address.plus(start, -1).times(sign).over(step)
                    if value is not None:
                        own.setdefault(value.key, value)
            choices.append(list(own.values()))
        return list(islice(product(*choices), MOST_PLACES))

    def _read(
        self,
        predicate: int,
        known: Candidates,
        values: Mapping[Term, Linear],
        forms: Sequence[Linear],
        ports: Mapping[Term, str],
        names: dict[object, str],
    ) -> tuple[str, ...]:
        """Names for what a predicate reads at cells."""
        at = {**values, **dict(zip(known.predicates[predicate].variables, forms, strict=True))}
        found = []
        for position, number in known.accesses[predicate]:
            form = number.at(at)
            key = position, form.key
            if key not in names:
                names[key] = f"r!{next(self._numbers)}"
                numbering = self._cells.numbering[position].at(values)
                read = terms.select(ARRAY, numbering.address(form).term())
                own = {**self._names, ARRAY: ports[known.symbols[position[1]]]}
                self._define(names[key], terms.INT, read, own)
            found.append(names[key])
        return tuple(found)

    def _place(self, form: Linear) -> str:
        if form.key not in self._placed:
            self._placed[form.key] = f"at!{next(self._numbers)}"
            self._define(self._placed[form.key], terms.INT, form.term(), self._names)
        return self._placed[form.key]

    def _define(self, name: str, sort: terms.Sort, value: Term, names: Mapping[Term, str]) -> None:
        self._solver.define(name, terms.symbol(f"elements.like.{sort}", sort), value, names)

    def _accessed(self, head: Atom | None) -> Addresses:
        """Where the rule and predicates of its head access arrays, and neighbours."""
        found: dict[Position, dict[object, Linear]] = {}
        for root, number, node in self._reading.accesses():
            _, numbering = self._reading.arrays[node.arg(0)]
            _add(found, root, numbering.address(number))
        if head is not None:
            values = values_of(head, self._system, self._reading.forms)
            for read in self._known[head.relation].accesses:
                for position, number in read:
                    numbering = self._cells.numbering[position].at(values)
                    _add(found, self._cells.classes[position], numbering.address(number.at(values)))
        for root, step in sorted(self._steps()):
            for form in list(found.get(root, {}).values()):
                if not {CELL, OTHER} & set(form.coefficients):
                    _add(found, root, form.plus(number_form(step)))
                    _add(found, root, form.plus(number_form(-step)))
        return found

    def _steps(self) -> set[tuple[Position, int]]:
        """How far from a cell predicates of the body read, by the class of the array."""
        return {
            (
                self._cells.classes[position],
                number.constant * self._cells.numbering[position].stride,
            )
            for atom in self.rule.body
            for read in self._known[atom.relation].accesses
            for position, number in read
            if number.constant and number.coefficients == {CELL: 1}
        }


def _add(found: dict[Position, dict[object, Linear]], root: Position, address: Linear) -> None:
    found.setdefault(root, {}).setdefault(address.key, address)
