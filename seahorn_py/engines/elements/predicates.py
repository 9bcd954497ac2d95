"""What may hold of an element of an array: read off the comparisons and stores of the rules.

A comparison of `a[i]` in a rule becomes one of `a[k]` for any `k`, where `i` stands for `k` in all
of it; a store of `e` into `a[i]` becomes `a[k] = e`.  So a check that is asked of one element gives
what has to hold of all of them, and a loop that fills an array says what it filled it with
(Srivastava, Gulwani: Program verification using templates over predicate abstraction, PLDI 2009,
take such templates from the user).  Predicates go from relation to relation along the rules, both
ways.  Whether they hold anywhere is not asked here.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations, permutations, product

from seahorn_py.base.records import dataclass
from seahorn_py.engines.elements.cellnumbers import Cells, RuleCells
from seahorn_py.horn.system import Atom, HornSystem, Relation
from seahorn_py.horn.transform.cells.numbering import Position
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.linear import Linear, linear, unit_form
from seahorn_py.logic.terms.terms import Term

CELL = terms.symbol("elements.cell", terms.INT)
OTHER = terms.symbol("elements.other", terms.INT)
"""The numbers of the cells that a predicate speaks of: any."""

MOST_PREDICATES = 60
"""For one relation; what comes later is left out."""

CLAUSE_SECONDS = 0.5
"""For the comparisons with which one query ends."""

LARGE = 2**31 - 1
"""Numbers as large are limits of types, which say nothing of a program."""


@dataclass(frozen=True)
class Predicate:
    """A comparison over the parameters of a relation and the cells `variables`."""

    variables: tuple[Term, ...]
    body: Term


Found = Mapping[str, list[Predicate]]
"""Predicates by relation."""


def predicates(system: HornSystem, cells: Cells, rules: Iterable[RuleCells]) -> Found:
    """The candidates for each relation that has arrays."""
    own = list(rules)
    holding = _holding(own)
    found: dict[str, dict[Predicate, None]] = defaultdict(dict)
    for relation in system.relations.values():
        found[relation.name] |= dict.fromkeys(_usual(relation, cells))
    for rule in own:
        for atom in rule.rule.body:
            speaking = _Speaking(rule, system.relations[atom.relation], atom, cells, holding)
            found[atom.relation] |= dict.fromkeys(speaking.predicates())
    todo = [(name, p) for name, known in found.items() for p in known if p.variables]
    while todo:
        name, predicate = todo.pop(0)
        for other, moved in _moves(name, predicate, system, cells, own):
            if moved not in found[other] and len(found[other]) < MOST_PREDICATES:
                found[other][moved] = None
                todo.append((other, moved))
    return {name: list(known) for name, known in found.items()}


def _holding(rules: Iterable[RuleCells]) -> Mapping[Position, Collection[Position]]:
    """The integer parameters that are given elements, with the classes of their arrays."""
    found: dict[Position, set[Position]] = defaultdict(set)
    for rule in rules:
        head = rule.rule.head
        for k, argument in enumerate(head.arguments if isinstance(head, Atom) else ()):
            if argument.is_select() and argument.arg(0) in rule.arrays:
                assert isinstance(head, Atom)
                found[head.relation, k].add(rule.arrays[argument.arg(0)][0])
    return found


def reads(
    predicate: Predicate, system: HornSystem, cells: Cells, relation: str
) -> list[tuple[Position, Linear]]:
    """The arrays and numbers of cells that a predicate reads."""
    symbols = system.relations[relation].symbols
    found = []
    for node in selects(predicate.body):
        position = relation, symbols.index(node.arg(0))
        numbering = cells.numbering[position]
        number = linear(node.arg(1)).plus(numbering.base, -1).over(numbering.stride)
        assert number is not None
        found.append((position, number))
    return found


def selects(formula: Term) -> list[Term]:
    """The reads of arrays in a formula, in term order."""
    return [node for node in nodes(formula) if node.is_select()]


# ------------------------------------------------------------------------------- without a rule


def _usual(relation: Relation, cells: Cells) -> Iterator[Predicate]:
    """Neighbours in order, and arrays that are equal element by element."""
    positions = cells.positions(relation.name)
    this, following = unit_form(CELL), unit_form(CELL).plus(Linear({}, 1))

    def at(position: Position, number: Linear) -> Term:
        symbol = relation.symbols[position[1]]
        return terms.select(symbol, cells.numbering[position].address(number).term())

    for position in positions:
        one, other = at(position, this), at(position, following)
        yield Predicate((CELL,), terms.le(one, other))
        yield Predicate((CELL,), terms.le(other, one))
    for left, right in combinations(positions, 2):
        yield Predicate((CELL,), terms.eq(at(left, this), at(right, this)))


# ------------------------------------------------------------------------------------ of a rule


class _Inexpressible(Exception):
    """A term of a rule that the parameters of an atom do not give."""


class _Speaking:
    """Terms of a rule, said in the parameters of one of its atoms."""

    def __init__(
        self,
        rule: RuleCells,
        relation: Relation,
        atom: Atom,
        cells: Cells,
        holding: Mapping[Position, Collection[Position]],
    ) -> None:
        self._rule = rule
        self._relation = relation
        self._cells = cells
        self._given: dict[Term, Linear] = {}
        self._holding: dict[Term, list[Position]] = {}
        self._flags: dict[Term, Term] = {}
        for k, (symbol, argument) in enumerate(zip(relation.symbols, atom.arguments, strict=True)):
            if terms.sort_of(symbol) is terms.INT:
                self._learn(symbol, rule.forms.of(argument))
                for root in holding.get((relation.name, k), ()):
                    self._holding.setdefault(argument, []).extend(self._of_class(root))
            elif argument.is_symbol():
                self._flags.setdefault(argument, symbol)

    def _learn(self, symbol: Term, form: Linear) -> None:
        """The parameter is the form: a symbol, whose value it tells."""
        if len(form.coefficients) == 1:
            ((unit, coefficient),) = form.coefficients.items()
            if abs(coefficient) == 1 and unit.is_symbol():
                value = unit_form(symbol).plus(Linear({}, form.constant), -1).times(coefficient)
                self._given.setdefault(unit, value)

    def predicates(self) -> Iterator[Predicate]:
        """From the comparisons, and the stores, of the rule."""
        accesses = list(self._rule.accesses())
        for _, number, node in accesses:
            if node.is_store():
                own = terms.select(node.arg(0), node.arg(1))
                yield from self._anchored(terms.eq(own, node.arg(2)), {CELL: number})
        numbers = {node: number for _, number, node in accesses if node.is_select()}
        stored = {
            node.arg(2): terms.select(node.arg(0), node.arg(1))
            for _, _, node in accesses
            if node.is_store() and node.arg(2).is_symbol()
        }
        numbers |= {stored[n.arg(2)]: k for _, k, n in accesses if n.is_store() and n.arg(2) in stored}
        clause = _clause(self._rule, numbers)
        for read in {CELL: numbers[n] for n in nodes(clause) if n in numbers}.items():
            yield from self._anchored(clause, dict([read]))
        for found in _comparisons(self._rule):
            comparison = terms.substitute(found, stored)
            yield from self._as_elements(found)
            for said in (found, terms.not_(found)):
                yield from (Predicate((), body) for body in self._of_integers(said))
            reads = [n for n in nodes(comparison) if n in numbers]
            for said in (comparison, terms.not_(comparison)):
                for read in reads:
                    yield from self._anchored(said, {CELL: numbers[read]})
                for one, other in permutations(reads, 2):
                    pair = {CELL: numbers[one], OTHER: numbers[other]}
                    yield from self._anchored(said, pair)

    def _as_elements(self, comparison: Term) -> Iterator[Predicate]:
        """With elements in place of parameters that hold elements."""
        for symbol in terms.by_name(terms.free_symbols(comparison)):
            for position in self._holding.get(symbol, ()):
                array = self._relation.symbols[position[1]]
                address = self._cells.numbering[position].address(unit_form(CELL))
                element = terms.select(array, address.term())
                for said in (comparison, terms.not_(comparison)):
                    for body in self.said(said, self._given | {symbol: unit_form(element)}):
                        yield Predicate((CELL,), body)

    def _of_integers(self, comparison: Term) -> list[Term]:
        """A comparison of parameters alone."""
        found = self.said(comparison)
        return [body for body in found if terms.free_symbols(body) and not _reads_arrays(body)]

    def _anchored(self, said: Term, numbers: Mapping[Term, Linear]) -> Iterator[Predicate]:
        """With the cells in place of symbols of their numbers."""
        for symbols in product(*(_solvable(n) for n in numbers.values())):
            given = dict(self._given)
            for variable, symbol, number in zip(numbers, symbols, numbers.values(), strict=True):
                given[symbol] = _solved(number.at(given | {symbol: unit_form(symbol)}), symbol, variable)
            if len(set(symbols)) < len(symbols):
                continue
            for body in self.said(said, given):
                free = terms.free_symbols(body)
                if all(v in free for v in numbers):
                    yield Predicate(tuple(numbers), body)

    def said(self, formula: Term, given: Mapping[Term, Linear] | None = None) -> list[Term]:
        """The formula in the parameters, for each array that may be meant; none if there is none.

        `given` are the values of symbols; those that the atom tells by default.
        """
        values = self._given if given is None else given
        arrays = [n.arg(0) for n in nodes(formula) if n.is_select()]
        if any(array not in self._rule.arrays for array in arrays):
            return []
        classes = sorted({self._rule.arrays[array][0] for array in arrays})
        own = [self._of_class(c) for c in classes]
        found = []
        for positions in product(*own):
            chosen = dict(zip(classes, positions, strict=True))
            try:
                found.append(self._said(formula, values, chosen))
            except _Inexpressible:
                continue
        return found

    def _of_class(self, root: Position) -> list[Position]:
        own = self._cells.positions(self._relation.name)
        return [p for p in own if self._cells.classes[p] == root]

    def _said(
        self, formula: Term, given: Mapping[Term, Linear], chosen: Mapping[Position, Position]
    ) -> Term:
        done: dict[Term, Term] = {}
        for node in nodes(formula):
            done[node] = self._node(node, given, chosen, done)
        allowed = {CELL, OTHER, *self._relation.symbols}
        if not terms.free_symbols(done[formula]) <= allowed:
            raise _Inexpressible
        return done[formula]

    def _node(
        self,
        node: Term,
        given: Mapping[Term, Linear],
        chosen: Mapping[Position, Position],
        done: Mapping[Term, Term],
    ) -> Term:
        if terms.sort_of(node).is_array_type():
            return node
        if node.is_symbol():
            if terms.sort_of(node) is terms.INT:
                form = self._rule.forms.of(node).at(given)
                return form.term()
            return self._flags.get(node, node)
        if not node.is_select():
            return rebuilt(node, tuple(done[a] for a in node.args()))
        number = self._rule.number(node.arg(0), node.arg(1))
        if number is None or self._rule.arrays[node.arg(0)][0] not in chosen:
            raise _Inexpressible
        position = chosen[self._rule.arrays[node.arg(0)][0]]
        array = self._relation.symbols[position[1]]
        address = self._cells.numbering[position].address(number.at(given))
        return terms.select(array, address.term())


def _clause(rule: RuleCells, numbers: Mapping[Term, Linear]) -> Term:
    """That one of the comparisons of elements with which a query always ends is otherwise."""
    if isinstance(rule.rule.head, Atom):
        return terms.FALSE
    solver = Solvers(Solver.Z3).backend()
    names = {s: f"v!{k}" for k, s in enumerate(terms.by_name(terms.free_symbols(rule.known)))}
    solver.declare(names)
    solver.add(solver.formula(rule.known, names))
    until = time.monotonic() + CLAUSE_SECONDS
    found = []
    for comparison in _comparisons(rule):
        if any(n in numbers for n in nodes(comparison)):
            for said in (comparison, terms.not_(comparison)):
                solver.push()
                solver.add(solver.formula(said, names))
                if solver.check([], until, CLAUSE_SECONDS) is Status.UNSAT:
                    found.append(said)
                solver.pop()
    return terms.or_(found) if len(found) > 1 else terms.FALSE


def _reads_arrays(formula: Term) -> bool:
    return bool(selects(formula))


def _solvable(number: Linear) -> list[Term]:
    """The symbols of a number that may be said by the cell."""
    return [unit for unit in number.coefficients if unit.is_symbol()]


def _solved(number: Linear, symbol: Term, variable: Term) -> Linear:
    """The symbol where the cell is `number`; where that is a multiple of it the symbol itself."""
    coefficient = number.coefficients[symbol]
    if abs(coefficient) != 1:
        return unit_form(variable)
    rest = number.plus(unit_form(symbol), -coefficient)
    return unit_form(variable).plus(rest, -1).times(coefficient)


def _comparisons(rule: RuleCells) -> Iterator[Term]:
    """The comparisons of integers in a rule, without those with limits of types."""
    found: dict[Term, None] = {}
    for formula in _formulas(rule):
        for node in nodes(formula):
            if node.is_le() or node.is_lt() or node.is_equals():
                if terms.sort_of(node.arg(0)) is terms.INT and not _is_limit(node):
                    found.setdefault(node)
    yield from found


def _formulas(rule: RuleCells) -> Iterator[Term]:
    yield rule.rule.constraint
    if isinstance(rule.rule.head, Atom):
        yield from rule.rule.head.arguments


def _is_limit(comparison: Term) -> bool:
    numbers = (a for a in comparison.args() if a.is_int_constant())
    return any(abs(terms.number(n)) >= LARGE for n in numbers)


# ------------------------------------------------------------------------- between relations


def _moves(
    name: str, predicate: Predicate, system: HornSystem, cells: Cells, rules: Iterable[RuleCells]
) -> Iterator[tuple[str, Predicate]]:
    """The predicate as other relations may say it, along the rules."""
    for rule in rules:
        known = [*rule.rule.body, *([rule.rule.head] if isinstance(rule.rule.head, Atom) else ())]
        for one, other in permutations(known, 2):
            if one.relation == name and other.relation != name:
                said = _at(predicate.body, one, rule, system)
                speaking = _Speaking(rule, system.relations[other.relation], other, cells, {})
                for body in speaking.said(said):
                    if all(v in terms.free_symbols(body) for v in predicate.variables):
                        yield other.relation, Predicate(predicate.variables, body)


def _at(body: Term, atom: Atom, rule: RuleCells, system: HornSystem) -> Term:
    """The predicate at the arguments of an atom; of arrays that are changed, before that."""
    symbols = system.relations[atom.relation].symbols
    given = dict(zip(symbols, atom.arguments, strict=True))
    return terms.substitute(body, given)
