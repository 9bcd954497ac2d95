"""What is told apart of a relation's parameters, and the tables of what occurs together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations, product

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Rule, atoms
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.evaluate import Value
from seahorn_py.logic.terms.terms import Term

MOST_CONSTANTS = 48
"""A parameter with more is not told apart."""

MOST_FEATURES = 12
"""Of one relation; of three out of 12 there are 220 tables."""

Key = tuple[int, ...]
Position = tuple[str, int]


@dataclass(frozen=True)
class Feature:
    """The parameter at a place and the constants that are told apart, by their numbers.

    One number more is that of all other values.
    """

    place: int
    symbol: Term
    constants: tuple[Term, ...]

    def condition(self, number: int) -> Term:
        """That the parameter has the value of this number."""
        if number < len(self.constants):
            return self._is(self.constants[number])
        return terms.and_(terms.not_(self._is(constant)) for constant in self.constants)

    def _is(self, constant: Term) -> Term:
        return self.symbol if constant is terms.TRUE else terms.eq(self.symbol, constant)

    def number(self, value: Value) -> int:
        """The number of a value."""
        known = (k for k, c in enumerate(self.constants) if c.constant_value() == value)
        return next(known, len(self.constants))


Features = Mapping[str, tuple[Feature, ...]]
"""What is told apart of each relation."""


@dataclass(frozen=True)
class Table:
    """Tuples of values of some features, by their numbers, in the order in which they came."""

    features: tuple[Feature, ...]
    places: tuple[int, ...]
    seen: dict[Key, None] = field(default_factory=dict)

    def join(self, numbers: Sequence[int]) -> bool:
        """Add what a state has, by the numbers of all features; whether that is new."""
        key = tuple(numbers[place] for place in self.places)
        known = len(self.seen)
        self.seen[key] = None
        return len(self.seen) > known

    def formula(self) -> Term:
        """That a state has one of the tuples: a case for each value of the first feature."""
        if not self.features:
            return terms.bool_const(bool(self.seen))
        first, *others = self.features
        counts = [len(f.constants) + 1 for f in others]
        cases = []
        for number in range(len(first.constants) + 1):
            rest = [key[1:] for key in self.seen if key[0] == number]
            if len(rest) < len(list(product(*map(range, counts)))):
                held = terms.or_(terms.and_(self._others(key)) for key in rest)
                cases.append(terms.implies(first.condition(number), held))
        return terms.and_(cases)

    def _others(self, rest: Key) -> Iterator[Term]:
        pairs = zip(self.features[1:], rest, strict=True)
        return (feature.condition(number) for feature, number in pairs)


def tables_of(features: Sequence[Feature], size: int) -> tuple[Table, ...]:
    """A table for each choice of so many features, or one of all where there are fewer."""
    chosen = combinations(range(len(features)), min(size, len(features)))
    return tuple(Table(tuple(features[k] for k in places), places) for places in chosen)


# --------------------------------------------------------------------------- what is told apart


def features_of(system: HornSystem) -> Features:
    """For each relation the parameters with constants; those with the most where they are many."""
    found = _constants(system)
    features: dict[str, tuple[Feature, ...]] = {}
    for name, relation in system.relations.items():
        own = [
            Feature(k, symbol, tuple(sorted(found[name, k], key=str)))
            for k, symbol in enumerate(relation.symbols)
            if 0 < len(found[name, k]) <= MOST_CONSTANTS
        ]
        most = sorted(own, key=lambda one: -len(one.constants))[:MOST_FEATURES]
        features[name] = tuple(one for one in own if one in most)
    return features


def _constants(system: HornSystem) -> Mapping[Position, set[Term]]:
    """The constants that rules derive for parameters or compare them with."""
    found: dict[Position, set[Term]] = {
        (name, k): {terms.TRUE} if terms.sort_of(symbol) is terms.BOOL else set()
        for name, relation in system.relations.items()
        for k, symbol in enumerate(relation.symbols)
    }
    links: list[tuple[Position, Position]] = []
    for rule in system.rules:
        links += _mentioned(rule, found)
    changed = True
    while changed:
        before = sum(map(len, found.values()))
        for one, other in links:
            found[one] |= found[other]
            found[other] |= found[one]
        changed = sum(map(len, found.values())) > before
    return found


def _mentioned(
    rule: Rule, found: Mapping[Position, set[Term]]
) -> Iterator[tuple[Position, Position]]:
    """Add the constants of a rule, and yield pairs of parameters that share a symbol."""
    compared = _compared(rule.constraint)
    first: dict[Term, Position] = {}
    for atom in atoms(rule):
        for k, argument in enumerate(atom.arguments):
            place = atom.relation, k
            if argument.is_constant() and not argument.is_bool_constant():
                found[place].add(argument)
            elif argument.is_symbol() and terms.sort_of(argument) in (terms.INT, terms.BOOL):
                found[place].update(compared.get(argument, ()))
                yield first.setdefault(argument, place), place
    for node in nodes(rule.constraint):
        if node.is_equals() and all(part in first for part in node.args()):
            yield first[node.arg(0)], first[node.arg(1)]


def _compared(constraint: Term) -> Mapping[Term, set[Term]]:
    """The integers that symbols are compared with by equations, comparisons and copies."""
    found: dict[Term, set[Term]] = {}
    for node in nodes(constraint):
        if not (node.is_equals() or node.is_le() or node.is_lt()):
            continue
        for one, other in (node.args(), reversed(node.args())):
            if one.is_symbol() and other.is_int_constant():
                found.setdefault(one, set()).add(other)
    return found
