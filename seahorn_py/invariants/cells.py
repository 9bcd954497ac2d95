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

MOST_CELLS = 48
"""A relation whose states lie in more cells is not partitioned."""

Point = tuple[Value, ...]
Key = tuple[Value, ...]


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


class Region:
    """A set of states of one relation; empty at first.

    It is the conjunction of `cell -> product` over the cells that have points, and no state lies in
    another cell.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.everything = False
        symbols = space.relation.symbols
        self._features = [_compiled(f, symbols) for f in space.features]
        self._key = [_compiled(k, symbols) for k in (*space.selectors, *space.predicates)]
        self._candidates = [_compiled(c, symbols) for c in space.candidates]
        self._cells: dict[Key, _Cell] = {}

    @property
    def empty(self) -> bool:
        """No state has been joined yet."""
        return not self._cells and not self.everything

    def give_up(self) -> None:
        """Become the set of all states."""
        self.everything = True

    def join(self, point: Point) -> bool:
        """Add a state; whether the set grew."""
        if self.everything:
            return False
        key = tuple(value(point) for value in self._key)
        grew = key not in self._cells
        if grew:
            if len(self._cells) >= MOST_CELLS:
                self.give_up()
                return True
            self._cells[key] = self._new_cell()
        vector = [int(value(point)) for value in self._features]
        holding = [k for k, value in enumerate(self._candidates) if value(point)]
        return self._cells[key].join(vector, holding) or grew

    def _new_cell(self) -> _Cell:
        linear = self.space.bounded
        return _Cell(
            (
                AffineHull(len(self.space.features)),
                Congruences(linear),
                Bounds(linear, self.space.thresholds),
            )
        )

    def parts(self) -> Iterator[tuple[Term, tuple[Term, ...]]]:
        """Conditions and what holds under them; all together are the set."""
        if self.everything:
            return
        keys = []
        for key, cell in self._cells.items():
            condition = self._condition(key)
            keys.append(condition)
            yield condition, tuple(self._conjuncts(cell))
        if terms.TRUE not in keys:
            yield terms.TRUE, (terms.or_(keys),)

    def formula(self) -> Term:
        """The set as a formula over the parameters."""
        return terms.and_(terms.implies(c, terms.and_(held)) for c, held in self.parts())

    def _condition(self, key: Key) -> Term:
        count = len(self.space.selectors)
        chosen = [
            terms.eq(s, terms.int_const(int(value)))  # type: ignore[call-overload]
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
