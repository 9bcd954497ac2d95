"""Random small Horn systems over integers and arrays, and what they derive, by enumeration.

Whatever a rule derives lies between 0 and `top`, but for the last parameter, which may be anything
and is compared with numbers only.  Rules count, copy, choose, store and read; some have two
premises.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from horn_examples import atom, number, query, relation, variables

from seahorn_py.horn.system import Atom, HornSystem, Query, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.maps import Everywhere, Map, Stored
from seahorn_py.logic.terms.terms import INT, Term, array_sort

ARRAY = array_sort(INT, INT)
(A,), (B,) = variables("a", ARRAY), variables("b", ARRAY)
X, Y, U, V, W, Z, INPUT = variables("x y u v w z input")
OUTPUTS = variables("x' y' w'")
Fact = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Kind:
    """`arrays`: a parameter is an array.  `free`: one is compared with numbers only.

    `products`: conditions may multiply.  `large`: a number that loops count up to.  `pairs`: some
    rules have two premises.  `named`: what a rule derives are symbols that equations define.
    `alternatives`: conditions are disjunctions, and values depend on conditions.  `remainders`:
    conditions may divide by constants.  `joint`: queries may have two premises.
    """

    top: int = 3
    arrays: bool = False
    free: bool = False
    products: bool = False
    large: int | None = None
    pairs: bool = True
    named: bool = False
    alternatives: bool = False
    remainders: bool = False
    joint: bool = False


class SmallSystems:
    """Draws systems of a kind."""

    def __init__(self, kind: Kind, seed: int) -> None:
        self._kind = kind
        self._random = random.Random(seed)

    def system(self) -> HornSystem:
        names = [f"s{k}" for k in range(self._random.randint(1, 3))]
        known = self._kind.free and self._random.random() < 0.5
        start = self._of_free(Z) if known else terms.TRUE
        rules = [((), start, self._head(names[0], number(0), self._small()))]
        for name in names:
            rules.append(self._loop(name))
            rules.extend(self._step(name, names) for _ in range(self._random.randint(0, 2)))
        if self._kind.pairs and self._random.random() < 0.4:
            rules.append(self._pair(names))
        rules.extend(self._query(names) for _ in range(2))
        sorts = [INT, INT, *([ARRAY] if self._kind.arrays else [])]
        sorts += [INT] if self._kind.free else []
        return HornSystem(
            {name: relation(name, *sorts) for name in names},
            tuple(
                Rule(f"rule {k}", tuple(body), *self._named(constraint, head))
                for k, (body, constraint, head) in enumerate(rules)
            ),
        )

    def _named(self, constraint: Term, head: Atom | Query) -> tuple[Term, Atom | Query]:
        if not self._kind.named or not isinstance(head, Atom):
            return constraint, head
        equal = [terms.eq(s, t) for s, t in zip(OUTPUTS, head.arguments, strict=False)]
        named = atom(head.relation, *OUTPUTS[: len(equal)])
        return terms.and_([*equal, constraint]), named

    # --------------------------------------------------------------------------------------- rules

    def _body(self, name: str, x: Term = X, y: Term = Y, array: Term = A, w: Term = W) -> Atom:
        rest = [*([array] if self._kind.arrays else []), *([w] if self._kind.free else [])]
        return atom(name, x, y, *rest)

    def _head(self, name: str, x: Term, y: Term, *, first: bool = True) -> Atom:
        rest = []
        if self._kind.arrays:
            start = terms.const_array(INT, number(0))
            stored = terms.store(A, self._pick([X, Y]), self._pick([Y, self._small()]))
            rest.append(start if first else self._pick([A, stored, stored]))
        if self._kind.free:
            rest.append(Z if first else self._pick([W, W, Z]))
        return atom(name, x, y, *rest)

    def _loop(self, name: str) -> tuple[list[Atom], Term, Atom]:
        """Counts one of the two up to a number."""
        limit = number(self._kind.large or self._random.randint(1, self._kind.top))
        step = number(self._pick([1, 1, 2]))
        value = terms.plus(X, step)
        within = terms.and_([terms.lt(X, limit), self._within(value), self._maybe()])
        return [self._body(name)], within, self._head(name, value, Y, first=False)

    def _step(self, name: str, names: list[str]) -> tuple[list[Atom], Term, Atom]:
        values = [self._value() for _ in range(2)]
        guard = terms.and_([self._condition(), *map(self._within, values)])
        return [self._body(name)], guard, self._head(self._pick(names), *values, first=False)

    def _pair(self, names: list[str]) -> tuple[list[Atom], Term, Atom]:
        body = [self._body(self._pick(names)), self._body(self._pick(names), U, V, B, Z)]
        values = self._pick([X, U]), self._pick([Y, V])
        guard = terms.and_([terms.eq(Y, U), self._condition()])
        return body, guard, self._head(self._pick(names), *values, first=False)

    def _query(self, names: list[str]) -> tuple[list[Atom], Term, Query]:
        exact = terms.eq(X, number(self._kind.large or self._random.randint(0, self._kind.top)))
        parts = [self._condition(), exact]
        body = [self._body(self._pick(names))]
        if self._kind.joint and self._random.random() < 0.7:
            body.append(self._body(self._pick(names), U, V, B, Z))
            parts.append(terms.eq(self._pick([U, V]), self._pick([X, Y])))
        return body, terms.and_(parts), query(f"error {self._random.random()}")

    # --------------------------------------------------------------------------------------- terms

    def _within(self, value: Term) -> Term:
        top = number(self._kind.large or self._kind.top)
        return terms.and_([terms.le(number(0), value), terms.le(value, top)])

    def _small(self) -> Term:
        return number(self._random.randint(0, self._kind.top - 1))

    def _value(self) -> Term:
        choices = [X, Y, self._small(), terms.plus(Y, number(1)), terms.minus(X, number(1))]
        if not self._kind.large:
            choices.append(INPUT)
        if self._kind.arrays:
            choices.append(terms.select(A, X))
        value = self._pick(choices)
        if self._kind.alternatives and self._random.random() < 0.5:
            return terms.ite(self._compared(), value, self._pick(choices))
        return value

    def _maybe(self) -> Term:
        return self._condition() if self._random.random() < 0.3 else terms.TRUE

    def _condition(self) -> Term:
        if self._kind.free and self._random.random() < 0.3:
            return self._of_free(self._pick([W, Z]))
        found = self._compared()
        if self._kind.alternatives and self._random.random() < 0.5:
            return terms.or_([found, self._compared()])
        return found

    def _compared(self) -> Term:
        left = self._pick([X, Y])
        if self._kind.arrays and self._random.random() < 0.6:
            left = terms.select(A, self._pick([X, Y, self._small()]))
        if self._kind.products and self._random.random() < 0.5:
            left = terms.times(X, Y)
        if self._kind.remainders and self._random.random() < 0.6:
            divide = self._pick([terms.div, terms.mod])
            left = divide(left, number(self._pick([2, 3, -2])))
        compare = self._pick([terms.eq, terms.le, terms.lt])
        found = compare(left, self._pick([X, Y, self._small()]))
        return self._pick([found, terms.not_(found)])

    def _of_free(self, symbol: Term) -> Term:
        found = self._pick([terms.le, terms.eq])(symbol, self._small())
        return self._pick([found, terms.not_(found)])

    def _pick(self, choices: Any) -> Any:
        return self._random.choice(list(choices))


# ------------------------------------------------------------------------------------- enumeration


def facts_of(system: HornSystem, kind: Kind) -> tuple[set[Fact], bool]:
    """All facts whose free parts lie between 0 and the top, and whether a query is met.

    The arguments of bodies are distinct symbols, so facts give them their values.
    """
    found: set[Fact] = set()
    reached, changed = False, True
    rules = [_Rule(rule, range(kind.top + 1)) for rule in system.rules]
    while changed:
        changed = False
        for rule in rules:
            for fact in list(rule.derives(found)):
                if not fact[0]:
                    reached = True
                elif fact not in found:
                    found.add(fact)
                    changed = True
    return found, reached


class _Rule:
    def __init__(self, rule: Rule, domain: range) -> None:
        self.rule = rule
        own = [s for a in rule.body for s in a.arguments]
        head = rule.head.arguments if isinstance(rule.head, Atom) else ()
        parts = [rule.constraint, *head]
        free = {s for part in parts for s in terms.free_symbols(part)}
        inputs = terms.by_name(free - set(own))
        self._choices = list(itertools.product(domain, repeat=len(inputs)))
        symbols = [*own, *inputs]
        self._holds = compile_term(rule.constraint, symbols)
        self._head = [compile_term(value, symbols) for value in head]

    def derives(self, facts: set[Fact]) -> Iterator[Fact]:
        ready = [[f for f in facts if f[0] == a.relation] for a in self.rule.body]
        name = self.rule.head.relation if isinstance(self.rule.head, Atom) else ""
        for premises in itertools.product(*ready):
            own = [_opened(value) for _, values in premises for value in values]
            for chosen in self._choices:
                if self._holds([*own, *chosen]):
                    yield name, tuple(_closed(value([*own, *chosen])) for value in self._head)


def _closed(value: Any) -> Any:
    """An array as what it holds beside 0, so that equal ones are equal."""
    if isinstance(value, Everywhere | Stored):
        held = {place: value.read(place) for place in value.places()}
        return tuple(sorted((p, v) for p, v in held.items() if v != 0))
    return value


def _opened(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    array: Map = Everywhere(0)
    for place, held in value:
        array = Stored(array, place, held)
    return array


def exactly(system: HornSystem, facts: set[Fact]) -> Mapping[str, Term]:
    """The formulas that hold of these facts alone; there are no arrays."""
    return {
        name: terms.or_(
            terms.and_(
                terms.eq(symbol, number(value))
                for symbol, value in zip(relation.symbols, values, strict=True)
            )
            for of, values in sorted(facts)
            if of == name
        )
        for name, relation in system.relations.items()
    }
