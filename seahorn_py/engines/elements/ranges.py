"""Ranges of cells for facts: from one limit up to another, as loops leave them.

Limits are parameters that occur in the numbers of accessed cells, those with which they are
compared, the numbers themselves, and constants that any of these are given or compared with.  A
range may hang on a parameter that only ever has few values (a flag).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

from seahorn_py.base.records import dataclass
from seahorn_py.engines.elements.cellnumbers import RuleCells, values_of
from seahorn_py.engines.elements.cellpredicates import CELL, LARGE, OTHER
from seahorn_py.horn.system import Atom, HornSystem, Relation, Rule, atoms
from seahorn_py.horn.transform.cells.arrayflow import Classes
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.linear import Linear, number_form, unit_form
from seahorn_py.logic.terms.terms import Term

MOST_CONSTANTS = 4
MOST_RANGES = 240
MOST_FLAG_VALUES = 2

Place = tuple[str, object]
"""A relation and the number of a parameter, or a rule and one of its symbols."""


@dataclass(frozen=True)
class Ranges:
    """Formulas over the parameters of a relation and CELL, and CELL and OTHER."""

    single: tuple[Term, ...]
    pairs: tuple[Term, ...]


def ranges(system: HornSystem, rules: Iterable[RuleCells]) -> Mapping[str, Ranges]:
    """The ranges for each relation."""
    own = list(rules)
    limits = _Limits(system, own)
    flags = _flags(system)
    return {
        relation.name: _ranges(relation, limits, flags[relation.name])
        for relation in system.relations.values()
    }


def _ranges(relation: Relation, limits: _Limits, flags: list[Term]) -> Ranges:
    forms = limits.of(relation)
    constants = [number_form(c) for c in limits.constants]
    ends = [*constants, *forms, *(f.plus(number_form(1)) for f in forms)]
    pairs = [
        (low, high)
        for low, high in product(ends, ends)
        if (high.plus(low, -1)).coefficients or high.constant > low.constant
    ]
    within = [_within(CELL, low, high) for low, high in pairs]
    guarded = [terms.and_([flag, one]) for flag in flags for one in within]
    return Ranges(
        tuple(islice([*within, *guarded], MOST_RANGES)),
        tuple(islice(_of_two(pairs), MOST_RANGES)),
    )


def _of_two(pairs: list[tuple[Linear, Linear]]) -> Iterator[Term]:
    """Two cells of one range, the first before the second; or one of each of two that touch."""
    for low, high in pairs:
        yield terms.and_(
            [_within(CELL, low, high), _within(OTHER, low, high), terms.lt(CELL, OTHER)]
        )
    for (low, middle), (again, high) in product(pairs, pairs):
        if middle.key == again.key:
            yield terms.and_([_within(CELL, low, middle), _within(OTHER, middle, high)])


def _within(variable: Term, low: Linear, high: Linear) -> Term:
    return terms.and_([terms.le(low.term(), variable), terms.lt(variable, high.term())])


class _Limits:
    """Which integers are compared with numbers of cells, over the whole system."""

    def __init__(self, system: HornSystem, rules: list[RuleCells]) -> None:
        self._classes: Classes[Place] = Classes()
        self._numbers: dict[str, list[Linear]] = defaultdict(list)
        self._seeds: set[Place] = set()
        self._counted: Counter[tuple[Place, int]] = Counter()
        for rule in rules:
            self._read(rule, system)
        self._spread(system, rules)
        roots = {self._classes.find(seed) for seed in self._seeds}
        self._roots = roots
        counted: Counter[int] = Counter()
        for (place, constant), times in self._counted.items():
            if self._classes.find(place) in roots and abs(constant) < LARGE:
                counted[constant] += times
        self.constants = sorted(c for c, _ in counted.most_common(MOST_CONSTANTS))

    def of(self, relation: Relation) -> list[Linear]:
        """The limits that are no constants."""
        found = {}
        for k, symbol in enumerate(relation.symbols):
            place = self._classes.find((relation.name, k))
            if terms.sort_of(symbol) is terms.INT and place in self._roots:
                form = unit_form(symbol)
                found[form.key] = form
        for form in self._numbers[relation.name]:
            found.setdefault(form.key, form)
        return list(found.values())

    def _spread(self, system: HornSystem, rules: Sequence[RuleCells]) -> None:
        """Numbers of several parameters as the relations before say them."""
        for rule in rules:
            head = rule.rule.head
            if isinstance(head, Atom):
                values = values_of(head, system, rule.forms)
                for number in list(self._numbers[head.relation]):
                    for atom in rule.rule.body:
                        if atom.relation != head.relation:
                            self._composed(number.at(values), atom, rule, system)

    def _read(self, rule: RuleCells, system: HornSystem) -> None:
        name = rule.rule.name
        for atom in atoms(rule.rule):
            for k, argument in enumerate(atom.arguments):
                if terms.sort_of(argument) is terms.INT:
                    self._equal((atom.relation, k), rule.forms.of(argument), name)
        for node in (n for part in (rule.rule.constraint,) for n in nodes(part)):
            if node.is_le() or node.is_lt() or node.is_equals():
                self._compared(node, rule)
        for _, number, _ in rule.accesses():
            self._seeds |= {(name, unit) for unit in number.coefficients}
            for atom in rule.rule.body:
                self._composed(number, atom, rule, system)

    def _equal(self, place: Place, form: Linear, rule: str) -> None:
        units = form.coefficients
        if not units:
            self._counted[place, form.constant] += 1
        elif len(units) == 1:
            self._classes.join(place, (rule, next(iter(units))))

    def _compared(self, node: Term, rule: RuleCells) -> None:
        left, right = node.args()
        if terms.sort_of(left) is not terms.INT:
            return
        difference = rule.forms.of(left).plus(rule.forms.of(right), -1)
        units = list(difference.coefficients.items())
        name = rule.rule.name
        if any(not unit.is_symbol() for unit, _ in units):
            return
        if len(units) == 1 and abs(units[0][1]) == 1:
            value = -difference.constant * units[0][1]
            self._counted[(name, units[0][0]), value] += 1
        if len(units) == 2 and units[0][1] == -units[1][1]:
            self._classes.join((name, units[0][0]), (name, units[1][0]))

    def _composed(self, number: Linear, atom: Atom, rule: RuleCells, system: HornSystem) -> None:
        """A number of several symbols that the atom has: a limit as it is."""
        units = list(number.coefficients.values())
        if not units or units == [1]:
            return
        symbols = system.relations[atom.relation].symbols
        given = {a: s for s, a in zip(symbols, atom.arguments, strict=True) if a.is_symbol()}
        if all(unit in given for unit in number.coefficients):
            values = {unit: unit_form(given[unit]) for unit in number.coefficients}
            self._numbers[atom.relation].append(number.at(values))


def _flags(system: HornSystem) -> Mapping[str, list[Term]]:
    """That a parameter has a value, for parameters that only ever are given few."""
    given: dict[tuple[str, int], set[int | tuple[str, int]] | None] = {}
    for rule in system.rules:
        if isinstance(rule.head, Atom):
            known = {
                a: (atom.relation, k) for atom in rule.body for k, a in enumerate(atom.arguments)
            }
            equal = _equalities(rule)
            for k, argument in enumerate(rule.head.arguments):
                place, old = (rule.head.relation, k), given.get((rule.head.relation, k), set())
                values = _values(argument, known, equal)
                given[place] = None if old is None or values is None else old | values
    found: dict[str, list[Term]] = defaultdict(list)
    for name, k in given:
        numbers = _closed((name, k), given)
        if numbers is not None and 1 < len(numbers) <= MOST_FLAG_VALUES:
            symbol = system.relations[name].symbols[k]
            found[name] += [terms.eq(symbol, terms.int_const(n)) for n in sorted(numbers)]
    return found


def _closed(
    place: tuple[str, int], given: Mapping[tuple[str, int], set[int | tuple[str, int]] | None]
) -> set[int] | None:
    """The numbers that a parameter may be, by way of others; None if that is not seen."""
    todo, seen, found = [place], {place}, set()
    while todo:
        values = given.get(todo.pop())
        if values is None:
            return None
        for value in values:
            if isinstance(value, int):
                found.add(value)
            elif value not in seen:
                seen.add(value)
                todo.append(value)
    return found


def _equalities(rule: Rule) -> Mapping[Term, list[Term]]:
    """What the constraint of a rule equates each symbol with, wherever it says so."""
    found: dict[Term, list[Term]] = defaultdict(list)
    for node in nodes(rule.constraint):
        if node.is_equals():
            for one, other in (node.args(), node.args()[::-1]):
                if one.is_symbol():
                    found[one].append(other)
    return found


def _values(
    value: Term, known: Mapping[Term, tuple[str, int]], equal: Mapping[Term, Sequence[Term]]
) -> set[int | tuple[str, int]] | None:
    """The numbers that a term may be, and the parameters; None if that is not seen."""
    todo, seen = [value], {value}
    found: set[int | tuple[str, int]] = set()
    while todo:
        one = todo.pop()
        if terms.sort_of(one) is not terms.INT:
            return None
        if one in known:
            found.add(known[one])
        elif one.is_int_constant():
            found.add(terms.number(one))
        else:
            parts = one.args()[1:] if one.is_ite() else equal.get(one, ())
            if not parts:
                return None
            todo += [p for p in parts if p not in seen]
            seen |= set(parts)
    return found
