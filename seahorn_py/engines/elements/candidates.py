"""The candidates for a relation: predicates, the ranges in which each may hold, and their values.

A fact is a predicate in a range: all cells of the range are as the predicate says.  Sets of ranges
are numbers whose bits are set, since there are many facts and few of either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.engines.elements.cellnumbers import Cells, RuleCells
from seahorn_py.engines.elements.predicates import CELL, OTHER, Predicate, predicates, reads
from seahorn_py.engines.elements.ranges import Ranges, ranges
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.transform.cells.numbering import Position
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.evaluate import Value, compile_term
from seahorn_py.logic.terms.linear import Linear, unit_form
from seahorn_py.logic.terms.terms import Term

Fact = tuple[int, int]
"""The number of a predicate and that of a range."""

Alive = Mapping[str, list[int]]
"""For each predicate of a relation the ranges in which it may hold, as bits."""

Evaluated = Callable[[Sequence[Value]], Value]


@dataclass(frozen=True)
class Candidates:
    """For one relation; `start` has the ranges of each predicate as bits.

    `accesses` are the arrays and numbers of cells that each predicate reads.
    """

    symbols: tuple[Term, ...]
    predicates: tuple[Predicate, ...]
    accesses: tuple[tuple[tuple[Position, Linear], ...], ...]
    ranges: tuple[Term, ...]
    start: tuple[int, ...]

    @cached_property
    def scalars(self) -> tuple[Term, ...]:
        """The parameters that are no arrays."""
        return tuple(s for s in self.symbols if not terms.sort_of(s).is_array_type())

    @cached_property
    def inside(self) -> list[Evaluated]:
        """For each range, from the scalars and the cells: whether these are in it."""
        return [compile_term(one, [*self.scalars, CELL, OTHER]) for one in self.ranges]

    @cached_property
    def holds(self) -> list[Evaluated]:
        """For each predicate, from the scalars, the cells, and what it reads: whether it holds."""
        return [_evaluated(p, self.scalars) for p in self.predicates]

    def formula(self, fact: Fact) -> Term:
        """A fact as a formula over the parameters."""
        predicate = self.predicates[fact[0]]
        body = terms.implies(self.ranges[fact[1]], predicate.body)
        return terms.forall(predicate.variables, body) if predicate.variables else body


def candidates(
    system: HornSystem, cells: Cells, rules: Sequence[RuleCells]
) -> Mapping[str, Candidates]:
    """The candidates for each relation."""
    known, places = predicates(system, cells, rules), ranges(system, rules)
    return {
        relation.name: _of(relation.symbols, relation.name, known, places, system, cells)
        for relation in system.relations.values()
    }


def _of(
    symbols: tuple[Term, ...],
    name: str,
    known: Mapping[str, Sequence[Predicate]],
    places: Mapping[str, Ranges],
    system: HornSystem,
    cells: Cells,
) -> Candidates:
    own = tuple(known.get(name, ()))
    accesses = tuple(tuple(reads(p, system, cells, name)) for p in own)
    numbers: dict[Term, int] = {}
    start = []
    for predicate, read in zip(own, accesses, strict=True):
        bits = 0
        for one in _where(predicate, [n for _, n in read], places[name]):
            bits |= 1 << numbers.setdefault(one, len(numbers))
        start.append(bits)
    return Candidates(symbols, own, accesses, tuple(numbers), tuple(start))


def _where(predicate: Predicate, numbers: Sequence[Linear], places: Ranges) -> Iterator[Term]:
    """The ranges of a predicate: of its cell, and of the other cells that it reads."""
    if len(predicate.variables) != 1:
        yield from places.pairs if predicate.variables else [terms.TRUE]
        return
    cell = unit_form(CELL)
    for number in {n.key: n for n in (cell, *numbers) if CELL in n.coefficients}.values():
        for one in places.single:
            yield terms.substitute(one, {CELL: number.term()})


def bits(number: int) -> Iterator[int]:
    """The positions of the bits that are set."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _evaluated(predicate: Predicate, scalars: Sequence[Term]) -> Evaluated:
    own: list[Term] = []
    done: dict[Term, Term] = {}
    for node in nodes(predicate.body):
        if node.is_select():
            own.append(terms.symbol(f"elements.read.{len(own)}", terms.INT))
            done[node] = own[-1]
        else:
            done[node] = rebuilt(node, tuple(done[a] for a in node.args())) if node.args() else node
    return compile_term(done[predicate.body], [*scalars, CELL, OTHER, *own])
