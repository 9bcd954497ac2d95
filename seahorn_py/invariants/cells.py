"""The abstract value of a relation: a product of domains in each cell of its space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from seahorn_py.invariants.domains import (
    AffineHull,
    AtMost,
    Bounds,
    Congruences,
    Congruent,
    Constraint,
    Equation,
)
from seahorn_py.invariants.spaces import Space
from seahorn_py.logic import terms
from seahorn_py.logic.evaluate import NotEvaluable, Value, compile_term
from seahorn_py.logic.linear import Linear
from seahorn_py.logic.terms import Term

Point = tuple[Value, ...]
Key = tuple[Value | str, ...]

EVERYWHERE: Key = ("everywhere",)
"""The cell of a relation of which nothing is known."""

MOST_CELLS = 48
"""A relation whose states lie in more cells is not partitioned."""


@dataclass
class _Cell:
    """The least product of domain values that contains the points of a cell."""

    domains: tuple[AffineHull | Congruences | Bounds, ...]
    holding: list[int] | None = None
    """The candidates that hold at all points."""

    def join(self, vector: Sequence[int], holding: list[int]) -> bool:
        grew = [domain.join(vector) for domain in self.domains]
        before = self.holding
        now = holding if before is None else [k for k in before if k in holding]
        self.holding = now
        return any(grew) or now != before


@dataclass(frozen=True, slots=True)
class Part:
    """What is known of the states that satisfy a condition."""

    condition: Term
    conjuncts: tuple[Term, ...]


class Region:
    """A set of states of one relation; empty at first.

    It is the conjunction of `condition -> product` over the cells that have points, and no state
    lies in another cell.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.everything = False
        symbols = space.relation.symbols
        self._features = [_compiled(f, symbols) for f in space.features]
        self._key = [_compiled(k, symbols) for k in (*space.selectors, *space.predicates)]
        self._candidates = [_compiled(c, symbols) for c in space.candidates]
        self._cells: dict[Key, _Cell] = {}
        self._parts: dict[Key, Part] = {}

    def keys(self) -> tuple[Key, ...]:
        """The cells that have states; one when nothing is known."""
        return (EVERYWHERE,) if self.everything else tuple(self._cells)

    def give_up(self) -> None:
        """Become the set of all states."""
        self.everything = True

    def join(self, point: Point) -> Key | None:
        """Add a state; the cell that grew, if one did."""
        if self.everything:
            return None
        key = tuple(value(point) for value in self._key)
        new = key not in self._cells
        if new and len(self._cells) >= MOST_CELLS:
            self.give_up()
            return EVERYWHERE
        if new:
            self._cells[key] = self._new_cell()
        vector = [int(value(point)) for value in self._features]
        holding = [k for k, value in enumerate(self._candidates) if value(point)]
        if not self._cells[key].join(vector, holding):
            return None
        self._parts.pop(key, None)
        return key

    def _new_cell(self) -> _Cell:
        linear = self.space.bounded
        return _Cell(
            (
                AffineHull(len(self.space.features)),
                Congruences(linear),
                Bounds(linear, self.space.thresholds),
            )
        )

    def part(self, key: Key) -> Part:
        """A cell."""
        if self.everything:
            return Part(terms.TRUE, ())
        if key not in self._parts:
            self._parts[key] = Part(self._condition(key), tuple(self._conjuncts(self._cells[key])))
        return self._parts[key]

    def parts(self) -> list[Part]:
        """All cells, and that there are no others; together they are the set."""
        cells = [self.part(key) for key in self.keys()]
        somewhere = terms.or_(cell.condition for cell in cells)
        return cells if somewhere is terms.TRUE else [*cells, Part(terms.TRUE, (somewhere,))]

    def formula(self) -> Term:
        """The set as a formula over the parameters."""
        return terms.and_(
            terms.implies(part.condition, terms.and_(part.conjuncts)) for part in self.parts()
        )

    def _condition(self, key: Key) -> Term:
        count = len(self.space.selectors)
        chosen = [
            terms.eq(s, terms.int_const(int(str(value))))
            for s, value in zip(self.space.selectors, key[:count], strict=True)
        ]
        signed = [
            predicate if value else terms.not_(predicate)
            for predicate, value in zip(self.space.predicates, key[count:], strict=True)
        ]
        return terms.and_([*chosen, *signed])

    def _conjuncts(self, cell: _Cell) -> Iterator[Term]:
        for domain in cell.domains:
            for constraint in domain.constraints():
                yield _formula(constraint, self.space.features)
        for k in cell.holding or ():
            yield self.space.candidates[k]


def _formula(constraint: Constraint, features: Sequence[Term]) -> Term:
    """A constraint as a formula, positive terms to the left of the relation."""
    units = {f: c for f, c in zip(features, constraint.coefficients, strict=True) if c}
    match constraint:
        case Congruent(_, modulus, remainder):
            value = terms.mod(Linear(units).term(), terms.int_const(modulus))
            return terms.eq(value, terms.int_const(remainder))
        case Equation(_, constant):
            return terms.eq(*_sides(units, constant))
        case AtMost(_, constant):
            return terms.le(*_sides(units, constant))
    assert_never(constraint)


def _sides(units: dict[Term, int], constant: int) -> tuple[Term, Term]:
    left = Linear({u: c for u, c in units.items() if c > 0}, max(-constant, 0))
    right = Linear({u: -c for u, c in units.items() if c < 0}, max(constant, 0))
    return left.term(), right.term()


def _compiled(term: Term, symbols: Sequence[Term]) -> Callable[[Point], Any]:
    try:
        return compile_term(term, symbols)
    except NotEvaluable as error:
        raise ValueError(f"{term} has no value: {error}") from None
