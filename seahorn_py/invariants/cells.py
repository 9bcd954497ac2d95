"""The abstract value of a relation: a product of domains in each cell of its space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seahorn_py.invariants.domains import AffineHull, Bounds, Congruences
from seahorn_py.invariants.features import (
    Feature,
    Point,
    Reading,
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

Key = tuple[Value | str, ...]

EVERYWHERE: Key = ("everywhere",)
"""The cell of a relation of which nothing is known."""

MOST_CELLS = 48
"""A relation whose states lie in more cells is not partitioned."""


Domain = AffineHull | Congruences | Bounds | ModularHull


@dataclass
class _Cell:
    """The least product of domain values that contains the points of a cell.

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


class Region:
    """A set of states of one relation; empty at first.

    It is the conjunction of `condition -> product` over the cells that have points, and no state
    lies in another cell.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.everything = False
        symbols = space.relation.symbols
        words = [tuple(Feature(w, Reading.UNSIGNED) for w in group) for group in space.words]
        self._features = (space.features, *words)
        self._numbers = [[number(f, symbols) for f in over] for over in self._features]
        self._key = [compiled(k, symbols) for k in (*space.selectors, *space.predicates)]
        self._candidates = [compiled(c, symbols) for c in space.candidates]
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
        vectors = [[value(point) for value in over] for over in self._numbers]
        holding = [k for k, value in enumerate(self._candidates) if value(point)]
        if not self._cells[key].join(vectors, holding):
            return None
        self._parts.pop(key, None)
        return key

    def _new_cell(self) -> _Cell:
        space = self.space
        domains: list[tuple[int, Domain]] = [(0, Bounds(space.bounded, space.thresholds))]
        if not space.words:
            domains += [(0, AffineHull(len(space.features))), (0, Congruences(space.bounded))]
        elif space.within > 1:
            domains.append((0, Congruences(space.usual, space.within)))
        for at, words in enumerate(space.words, 1):
            domains.append((at, ModularHull(len(words), terms.bv_width(words[0]))))
        return _Cell(tuple(domains))

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
            terms.eq(s, constant(int(str(value)), terms.sort_of(s)))
            for s, value in zip(self.space.selectors, key[:count], strict=True)
        ]
        signed = [
            predicate if value else terms.not_(predicate)
            for predicate, value in zip(self.space.predicates, key[count:], strict=True)
        ]
        return terms.and_([*chosen, *signed])

    def _conjuncts(self, cell: _Cell) -> Iterator[Term]:
        for over, domain in cell.domains:
            for constraint in domain.constraints():
                yield formula(constraint, self._features[over])
        for k in cell.holding or ():
            yield self.space.candidates[k]
