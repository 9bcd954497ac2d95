"""What an analysis looks at in each relation: features, linear terms, thresholds, cases.

The *features* of a relation are numbers that its parameters hold: integers, or bit-vectors with and
without sign.  Linear terms over the features get bounds and congruences; for bit-vectors equations
modulo powers of two are looked for, too.  *Predicates* over the parameters partition its states
into cases, each with an abstract value of its own (Bourdoncle 1992; Rival, Mauborgne: The trace
partitioning abstract domain, TOPLAS 2007).  The predicates are comparisons by which the program
tells phases of a loop apart.  *Selectors* are parameters with few values, each of which is a case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import gcd

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Parameter, Relation
from seahorn_py.invariants import mentions
from seahorn_py.invariants.domains import MakesDomain
from seahorn_py.invariants.features import Feature, NumberKind
from seahorn_py.invariants.forms import Form, differences, readings
from seahorn_py.logic.solvers.decided import undecided
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

_FLOATS = frozenset({"float", "double", "long double"})
"""Types whose values are bit-vectors but no numbers of these bits."""


@dataclass(frozen=True)
class Level:
    """How much an analysis looks at."""

    predicates: int = 0
    values: int = 0
    paired: int = 0
    products: bool = False


def levels(system: HornSystem) -> tuple[Level, ...]:
    """From the cheapest on; each is done under the invariants that the ones before it have found.

    Products of parameters are looked at where the program has products; last, where it has sums
    of integers that change.
    """
    most = policy().invariants
    cases = Level(predicates=most.most_predicates, values=most.most_values)
    products = Level(predicates=2, products=True)
    pairs = replace(cases, paired=most.most_paired)
    if mentions.multiplies(system):
        return Level(), cases, products, pairs
    return Level(), cases, pairs, *([products] if mentions.accumulates(system) else [])


@dataclass(frozen=True)
class Space:
    """What is looked at in one relation.

    `words` are bit-vectors of one width each, between which equations modulo a power of two are
    looked for; as the program reads them they have congruences modulo divisors of `within`.
    """

    relation: Relation
    features: tuple[Feature, ...]
    bounded: tuple[tuple[int, ...], ...] = ()
    thresholds: tuple[int, ...] = ()
    words: tuple[tuple[Term, ...], ...] = ()
    within: int = 1
    predicates: tuple[Term, ...] = ()
    selectors: tuple[Term, ...] = ()
    candidates: tuple[Term, ...] = ()
    domains: tuple[MakesDomain, ...] = ()

    @property
    def usual(self) -> tuple[tuple[int, ...], ...]:
        """The linear terms that are words as the program reads them."""
        count = sum(map(len, self.words))
        units = (v for v in self.bounded if sum(map(bool, v)) == 1)
        return tuple(v for v in units if any(v[:count]))


@dataclass(frozen=True)
class _Mentioned:
    """What the rules of a system say."""

    system: HornSystem
    compared: Mapping[str, Sequence[Term]]
    inherited: Mapping[str, Sequence[Term]]
    thresholds: Sequence[int]
    divisor: int


def spaces(
    system: HornSystem,
    level: Level,
    given: Mapping[str, Term],
    domains: tuple[MakesDomain, ...] = (),
) -> Mapping[str, Space]:
    """The space of each relation of a system; `given` are invariants that are known."""
    compared = mentions.comparisons(system)
    mentioned = _Mentioned(
        system,
        compared,
        mentions.inherited(system, compared),
        mentions.thresholds(system),
        mentions.odd_divisor(system),
    )
    return {
        name: replace(
            _space(mentioned, relation, level, given.get(name, terms.TRUE)), domains=domains
        )
        for name, relation in system.relations.items()
    }


def _space(mentioned: _Mentioned, relation: Relation, level: Level, given: Term) -> Space:
    compared = mentioned.compared[relation.name]
    booleans = tuple(s for s in relation.symbols if terms.sort_of(s) is terms.BOOL)
    numbers = _numbers(relation)
    features = _features(numbers, level)
    units = [
        tuple(int(k == at) for k, _ in enumerate(features))
        for at, feature in enumerate(features)
        if feature.term.is_symbol()
    ]
    forms = [form for c in compared for form in differences(c)]
    vectors = [v for form in forms if (v := _vector(form, features)) is not None]
    shifts = [sign * form.constant for form in forms for sign in (1, -1)]
    bounded = dict.fromkeys([*units, *map(_oriented, vectors)])
    if len(numbers) <= level.paired:
        bounded |= dict.fromkeys(_octagonal(units[: len(numbers)]))
    varying = mentions.varying(mentioned.system, relation.name, compared)
    varying = undecided([*varying, *mentioned.inherited[relation.name]], given)
    return Space(
        relation,
        features,
        tuple(bounded),
        tuple(sorted({*mentioned.thresholds, *(s + d for s in shifts for d in (-1, 0, 1))})),
        tuple(_words(numbers, level)),
        mentioned.divisor,
        (*booleans, *varying)[: level.predicates],
        tuple(_selectors([p.symbol for p in numbers], level, given)),
        (*booleans, *map(terms.not_, booleans)),
    )


def _numbers(relation: Relation) -> list[Parameter]:
    """The parameters that are integers; those that are words where there are no integers."""
    integers = [p for p in relation.parameters if p.sort is terms.INT]
    words = [p for p in relation.parameters if p.sort.is_bv_type() and p.c_type not in _FLOATS]
    return integers or words


def _features(numbers: Sequence[Parameter], level: Level) -> tuple[Feature, ...]:
    """First each parameter as the program reads it; then products, or the other readings."""
    symbols = [p.symbol for p in numbers]
    if all(p.sort is terms.INT for p in numbers):
        return tuple(Feature(t) for t in (*symbols, *_products(symbols, level)))
    signed, unsigned = NumberKind.SIGNED, NumberKind.UNSIGNED
    usual = [Feature(p.symbol, signed if p.signed else unsigned) for p in numbers]
    other = [Feature(p.symbol, unsigned if p.signed else signed) for p in numbers]
    return (*usual, *other)


def _words(numbers: Sequence[Parameter], level: Level) -> Iterator[tuple[Term, ...]]:
    """The words of each width, and their products."""
    of: dict[int, list[Term]] = {}
    for parameter in numbers:
        if parameter.sort.is_bv_type():
            of.setdefault(terms.bv_width(parameter.symbol), []).append(parameter.symbol)
    for words in of.values():
        yield (*words, *_products(words, level))


def _products(symbols: Sequence[Term], level: Level) -> list[Term]:
    if not level.products or len(symbols) > policy().invariants.most_paired:
        return []
    pairs = [*combinations(symbols, 2), *((s, s) for s in symbols)]
    if symbols and terms.sort_of(symbols[0]).is_bv_type():
        return [terms.bv("bvmul", a, b) for a, b in pairs]
    return [terms.times(a, b) for a, b in pairs]


def _selectors(numbers: Sequence[Term], level: Level, given: Term) -> Iterator[Term]:
    """The first parameter that has few values, if there is one."""
    bounds = {part for part in (given.args() if given.is_and() else (given,)) if _bounds(part)}
    for symbol in numbers:
        least = [p.arg(0) for p in bounds if p.arg(1) is symbol and p.arg(0).is_constant()]
        most = [p.arg(1) for p in bounds if p.arg(0) is symbol and p.arg(1).is_constant()]
        for low, high in zip(least, most, strict=False):
            if 0 < readings(high)[-1] - readings(low)[-1] < level.values:
                yield symbol
                return


def _bounds(part: Term) -> bool:
    return bool(part.is_le() or part.is_bv_sle() or part.is_bv_ule())


def _octagonal(units: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    for one, other in combinations(units, 2):
        for sign in (1, -1):
            yield tuple(a + sign * b for a, b in zip(one, other, strict=True))


def _oriented(vector: tuple[int, ...]) -> tuple[int, ...]:
    """Of a term and its negation the one whose first coefficient is positive."""
    first = next((v for v in vector if v), 1)
    return vector if first > 0 else tuple(-v for v in vector)


def _vector(form: Form, features: Sequence[Feature]) -> tuple[int, ...] | None:
    """The coefficients over the features; None for a form that has others, or none."""
    if not form.coefficients or not set(form.coefficients) <= set(features):
        return None
    common = gcd(*form.coefficients.values())
    return tuple(form.coefficients.get(f, 0) // common for f in features)
