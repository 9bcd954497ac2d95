"""What an analysis looks at in each relation: features, linear terms, thresholds, cells.

The *features* of a relation are integer terms over its parameters, by themselves the parameters of
sort integer.  Linear terms over the features get bounds and congruences.  *Predicates* over the
parameters partition its states into cells, each with an abstract value of its own (Bourdoncle 1992;
Rival, Mauborgne: The trace partitioning abstract domain, TOPLAS 2007): they are comparisons of the
program, where it tells phases of a loop apart.  *Selectors* are parameters with few values, each of
which is a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import gcd

from seahorn_py.horn.system import Atom, HornSystem, Obligation, Relation, Rule, atoms
from seahorn_py.invariants.decided import undecided
from seahorn_py.logic import terms
from seahorn_py.logic.binding import nodes
from seahorn_py.logic.linear import Linear, linear
from seahorn_py.logic.terms import Term

MOST_PREDICATES = 4
MOST_VALUES = 16
MOST_PAIRED = 8
"""Relations with more features get no octagonal terms."""

MOST_THRESHOLDS = 60


@dataclass(frozen=True)
class Level:
    """How much an analysis looks at."""

    predicates: int = 0
    values: int = 0
    paired: int = 0
    products: bool = False


def levels(system: HornSystem) -> tuple[Level, ...]:
    """From the cheapest on; each is done under the invariants that the ones before it have found.

    Products of parameters are looked at where the program has products.
    """
    cells = Level(predicates=MOST_PREDICATES, values=MOST_VALUES)
    products = Level(predicates=2, products=True)
    pairs = Level(predicates=MOST_PREDICATES, values=MOST_VALUES, paired=MOST_PAIRED)
    return (Level(), cells, *([products] if _multiplies(system) else []), pairs)


def _multiplies(system: HornSystem) -> bool:
    return any(
        node.is_times() and sum(not a.is_constant() for a in node.args()) > 1
        for rule in system.rules
        for part in _parts(rule)
        for node in nodes(part)
    )


@dataclass(frozen=True)
class Space:
    """What is looked at in one relation."""

    relation: Relation
    features: tuple[Term, ...]
    bounded: tuple[tuple[int, ...], ...] = ()
    thresholds: tuple[int, ...] = ()
    predicates: tuple[Term, ...] = ()
    selectors: tuple[Term, ...] = ()
    candidates: tuple[Term, ...] = ()


def spaces(system: HornSystem, level: Level, given: Mapping[str, Term]) -> Mapping[str, Space]:
    """The space of each relation of a system; `given` are invariants that are known."""
    comparisons = _comparisons(system)
    inherited = _inherited(system, comparisons)
    thresholds = _thresholds(system)
    return {
        name: _space(
            system,
            relation,
            comparisons[name],
            inherited[name],
            thresholds,
            level,
            given.get(name, terms.TRUE),
        )
        for name, relation in system.relations.items()
    }


def _space(
    system: HornSystem,
    relation: Relation,
    comparisons: Sequence[Term],
    inherited: Sequence[Term],
    thresholds: Sequence[int],
    level: Level,
    given: Term,
) -> Space:
    integers = tuple(s for s in relation.symbols if terms.sort_of(s) is terms.INT)
    booleans = tuple(s for s in relation.symbols if terms.sort_of(s) is terms.BOOL)
    features = integers
    if level.products and len(integers) <= MOST_PAIRED:
        pairs = [*combinations(integers, 2), *((s, s) for s in integers)]
        features = (*integers, *(terms.times(a, b) for a, b in pairs))
    units = [tuple(int(k == at) for k, _ in enumerate(features)) for at, _ in enumerate(integers)]
    compared = [_difference(c) for c in comparisons if not c.is_iff()]
    vectors = [v for d in compared if (v := _vector(d, features)) is not None]
    shifts = [sign * d.constant for d in compared for sign in (1, -1)]
    bounded = dict.fromkeys([*units, *map(_oriented, vectors)])
    if len(integers) <= level.paired:
        bounded |= dict.fromkeys(_octagonal(units))
    varying = _varying(system, relation.name, comparisons)
    varying = undecided([*varying, *inherited], given)
    return Space(
        relation,
        features,
        tuple(bounded),
        tuple(sorted({*thresholds, *(s + d for s in shifts for d in (-1, 0, 1))})),
        (*booleans, *varying)[: level.predicates],
        tuple(_selectors(integers, level, given)),
        (*booleans, *map(terms.not_, booleans)),
    )


def _selectors(integers: Sequence[Term], level: Level, given: Term) -> Iterator[Term]:
    """The first parameter that has few values, if there is one."""
    bounds = {part for part in (given.args() if given.is_and() else (given,)) if part.is_le()}
    for symbol in integers:
        least = [p.arg(0) for p in bounds if p.arg(1) is symbol and p.arg(0).is_int_constant()]
        most = [p.arg(1) for p in bounds if p.arg(0) is symbol and p.arg(1).is_int_constant()]
        for low, high in zip(least, most, strict=False):
            if 0 < high.constant_value() - low.constant_value() < level.values:
                yield symbol
                return


def _octagonal(units: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    for one, other in combinations(units, 2):
        for sign in (1, -1):
            yield tuple(a + sign * b for a, b in zip(one, other, strict=True))


def _oriented(vector: tuple[int, ...]) -> tuple[int, ...]:
    """Of a term and its negation the one whose first coefficient is positive."""
    first = next((v for v in vector if v), 1)
    return vector if first > 0 else tuple(-v for v in vector)


def _difference(comparison: Term) -> Linear:
    left, right = (linear(a) for a in comparison.args())
    return left.plus(right, -1)


def _is_linear(comparison: Term) -> bool:
    return all(unit.is_symbol() for unit in _difference(comparison).coefficients)


def _vector(form: Linear, features: Sequence[Term]) -> tuple[int, ...] | None:
    """The coefficients over the features; None for a form that has others, or none."""
    if not form.coefficients or not set(form.coefficients) <= set(features):
        return None
    common = gcd(*form.coefficients.values())
    return tuple(form.coefficients.get(f, 0) // common for f in features)


# ---------------------------------------------------------------------------- what rules mention


def _comparisons(system: HornSystem) -> Mapping[str, list[Term]]:
    """For each relation the comparisons of its parameters in the rules that leave it, in order."""
    found: dict[str, dict[Term, None]] = {name: {} for name in system.relations}
    for rule in sorted(system.rules, key=_interest):
        for atom in rule.body:
            back = _back(atom, system.relations[atom.relation])
            for node in _compared(rule):
                if terms.free_symbols(node) and terms.free_symbols(node) <= set(back):
                    found[atom.relation][terms.substitute(node, back)] = None
    return {name: list(of) for name, of in found.items()}


def _inherited(
    system: HornSystem, comparisons: Mapping[str, Sequence[Term]]
) -> Mapping[str, list[Term]]:
    """What the comparisons of another relation say before the rule that leads there."""
    found: dict[str, dict[Term, None]] = {name: {} for name in system.relations}
    for rule in system.rules:
        if not isinstance(rule.head, Atom) or len(rule.body) != 1:
            continue
        (atom,), head = rule.body, rule.head
        if atom.relation == head.relation:
            continue
        back = _back(atom, system.relations[atom.relation])
        values = dict(zip(system.relations[head.relation].symbols, head.arguments, strict=True))
        for comparison in _varying(system, head.relation, comparisons[head.relation]):
            before = terms.substitute(comparison, values)
            if terms.free_symbols(before) and terms.free_symbols(before) <= set(back):
                found[atom.relation][terms.substitute(before, back)] = None
    return {name: [c for c in of if _is_linear(c)] for name, of in found.items()}


WRAPPING = 2


def _interest(rule: Rule) -> int:
    """Where the program branches comes first, where an operation might wrap last."""
    if isinstance(rule.head, Atom):
        return 0
    return WRAPPING if isinstance(rule.head.kind, Obligation) else 1


def _back(atom: Atom, relation: Relation) -> Mapping[Term, Term]:
    pairs = zip(atom.arguments, relation.symbols, strict=True)
    return {argument: symbol for argument, symbol in pairs if argument.is_symbol()}


def _parts(rule: Rule) -> tuple[Term, ...]:
    return (rule.constraint, *(a for atom in atoms(rule) for a in atom.arguments))


def _compared(rule: Rule) -> Iterator[Term]:
    for part in _parts(rule):
        for node in nodes(part):
            compares = node.is_le() or node.is_lt() or node.is_equals()
            if compares and terms.sort_of(node.arg(0)) is terms.INT:
                yield node


def _varying(system: HornSystem, name: str, comparisons: Sequence[Term]) -> list[Term]:
    """Those linear comparisons that do not hold whenever a rule leaves the relation.

    What is required by every rule, as known ranges are, tells nothing apart.  What is asked about
    wrapping only is left out.
    """
    required: set[Term] | None = None
    mentioned: set[Term] = set()
    for rule in system.rules:
        for atom in rule.body:
            if atom.relation == name and _interest(rule) < WRAPPING:
                back = _back(atom, system.relations[name])
                parts = rule.constraint.args() if rule.constraint.is_and() else (rule.constraint,)
                here = {terms.substitute(p, back) for p in parts}
                required = here if required is None else required & here
                mentioned.update(terms.substitute(c, back) for c in _compared(rule))
    left = mentioned - (required or set())
    return [c for c in comparisons if c in left and _is_linear(c)]


def _thresholds(system: HornSystem) -> list[int]:
    """The integers of the program and their neighbours, those nearest to 0 where they are many."""
    found = {0}
    for rule in system.rules:
        for part in _parts(rule):
            for node in nodes(part):
                if node.is_int_constant():
                    found.add(int(node.constant_value()))
    near = sorted(found, key=abs)[:MOST_THRESHOLDS]
    return sorted({sign * n + d for n in near for sign in (1, -1) for d in (-1, 0, 1)})
