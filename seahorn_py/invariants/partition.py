"""The abstract value of a relation: a product of domains in each case of its space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.invariants.domains import AffineHull, Bounds, Congruences, Domain
from seahorn_py.invariants.features import (
    Feature,
    NumberKind,
    Point,
    compiled,
    constant,
    formula,
    number,
)
from seahorn_py.invariants.modular import ModularHull
from seahorn_py.invariants.spaces import Space
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import Value
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

Key = tuple[Value | str, ...]

EVERYWHERE: Key = ("everywhere",)
"""The case of a relation of which nothing is known."""


@dataclass
class _Case:
    """The least product of domain values that contains the points of a case.

    Each domain has the number of the features that it is over.
    """

    domains: tuple[tuple[int, Domain], ...]
    holding: list[int] | None = None
    """The candidates that hold at all points."""

    def join(self, vectors: Sequence[Sequence[int]], holding: list[int]) -> bool:
        grew = [domain.join(vectors[over]) for over, domain in self.domains]
        before = self.holding
        now = holding if before is None else [k for k in before if k in holding]
        self.holding = now
        return any(grew) or now != before


@dataclass(frozen=True, slots=True)
class Part:
    """What is known of the states that satisfy a condition."""

    condition: Term
    conjuncts: tuple[Term, ...]


class Partition:
    """A set of states of one relation; empty at first.

    It is the conjunction of `condition -> product` over the cases that have points, and no state
    lies in another case.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.everything = False
        symbols = space.relation.symbols
        words = [tuple(Feature(w, NumberKind.UNSIGNED) for w in group) for group in space.words]
        self._features = (space.features, *words)
        self._numbers = [[number(f, symbols) for f in over] for over in self._features]
        self._key = [compiled(k, symbols) for k in (*space.selectors, *space.predicates)]
        self._candidates = [compiled(c, symbols) for c in space.candidates]
        self._cases: dict[Key, _Case] = {}
        self._parts: dict[Key, Part] = {}

    def keys(self) -> tuple[Key, ...]:
        """The cases that have states; one when nothing is known."""
        return (EVERYWHERE,) if self.everything else tuple(self._cases)

    def give_up(self) -> None:
        """Become the set of all states."""
        self.everything = True

    def join(self, point: Point) -> Key | None:
        """Add a state; the case that grew, if one did."""
        if self.everything:
            return None
        key = tuple(value(point) for value in self._key)
        new = key not in self._cases
        if new and len(self._cases) >= policy().invariants.most_cases:
            self.give_up()
            return EVERYWHERE
        if new:
            self._cases[key] = self._new_case()
        vectors = [[value(point) for value in over] for over in self._numbers]
        holding = [k for k, value in enumerate(self._candidates) if value(point)]
        if not self._cases[key].join(vectors, holding):
            return None
        self._parts.pop(key, None)
        return key

    def _new_case(self) -> _Case:
        space = self.space
        domains: list[tuple[int, Domain]] = [(0, Bounds(space.bounded, space.thresholds))]
        if not space.words:
            domains += [(0, AffineHull(len(space.features))), (0, Congruences(space.bounded))]
        elif space.within > 1:
            domains.append((0, Congruences(space.usual, space.within)))
        for at, words in enumerate(space.words, 1):
            domains.append((at, ModularHull(len(words), terms.bv_width(words[0]))))
        domains += [(0, make(space.bounded, space.thresholds)) for make in space.domains]
        return _Case(tuple(domains))

    def part(self, key: Key) -> Part:
        """A case."""
        if self.everything:
            return Part(terms.TRUE, ())
        if key not in self._parts:
            self._parts[key] = Part(self._condition(key), tuple(self._conjuncts(self._cases[key])))
        return self._parts[key]

    def parts(self) -> list[Part]:
        """All cases, and that there are no others; together they are the set."""
        cases = [self.part(key) for key in self.keys()]
        somewhere = terms.or_(case.condition for case in cases)
        return cases if somewhere is terms.TRUE else [*cases, Part(terms.TRUE, (somewhere,))]

    def formula(self) -> Term:
        """The set as a formula over the parameters."""
        return terms.and_(
            terms.implies(part.condition, terms.and_(part.conjuncts)) for part in self.parts()
        )

    def _condition(self, key: Key) -> Term:
        count = len(self.space.selectors)
        chosen = [
            terms.eq(s, constant(int(str(value)), terms.sort_of(s)))
            for s, value in zip(self.space.selectors, key[:count], strict=True)
        ]
        signed = [
            predicate if value else terms.not_(predicate)
            for predicate, value in zip(self.space.predicates, key[count:], strict=True)
        ]
        return terms.and_([*chosen, *signed])

    def _conjuncts(self, case: _Case) -> Iterator[Term]:
        for over, domain in case.domains:
            for constraint in domain.constraints():
                yield formula(constraint, self._features[over])
        for k in case.holding or ():
            yield self.space.candidates[k]
