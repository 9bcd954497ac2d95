"""The candidates for a relation: predicates, the ranges in which each may hold, and their values.

A fact is a predicate in a range: all cells of the range are as the predicate says.  Sets of ranges
are numbers whose bits are set, since there are many facts and few of either.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.engines.elements.cellnumbers import Cells, RuleCells
from seahorn_py.engines.elements.cellpredicates import CELL, OTHER, Predicate, reads
from seahorn_py.engines.elements.ranges import Ranges, ranges
from seahorn_py.engines.elements.templates import predicates
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.transform.cells.numbering import Position
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.evaluate import Value, compile_term
from seahorn_py.logic.terms.linear import Linear, unit_form
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

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
    system: HornSystem, cells: Cells, rules: Sequence[RuleCells], invariants: Model
) -> Mapping[str, Candidates]:
    """The candidates for each relation, in ranges that have cells."""
    known, places = predicates(system, cells, rules), ranges(system, rules)
    found = {}
    for name, relation in system.relations.items():
        own = tuple(known.get(name, ()))
        accesses = tuple(tuple(reads(p, system, cells, name)) for p in own)
        where = [
            list(_where(p, [n for one in read for n in _limited(*one, cells)], places[name]))
            for p, read in zip(own, accesses, strict=True)
        ]
        numbers = {one: k for k, one in enumerate(dict.fromkeys(r for some in where for r in some))}
        possible = _possible(list(numbers), invariants.interpretations.get(name, terms.TRUE))
        start = tuple(sum(1 << numbers[one] for one in set(some)) & possible for some in where)
        found[name] = Candidates(relation.symbols, own, accesses, tuple(numbers), start)
    return found


def _possible(found: Sequence[Term], invariant: Term) -> int:
    """The ranges that have cells in a state of the invariant, as bits; what is not asked stays."""
    free = terms.free_symbols(terms.and_([invariant, *found]))
    names = {s: f"x!{k}" for k, s in enumerate(terms.by_name(free))}
    solver = Solvers(Solver.Z3).backend()
    solver.declare(names)
    solver.add(solver.formula(invariant, names))
    labels = [solver.label(k) for k in range(len(found))]
    for label, one in zip(labels, found, strict=True):
        solver.add(solver.implication(label, solver.formula(one, names)))
    seconds = policy().elements.preparing_seconds
    until = time.monotonic() + seconds
    empty = (solver.check([one], until, seconds) is Status.UNSAT for one in labels)
    return sum(1 << k for k, known in enumerate(empty) if not known)


def _where(predicate: Predicate, numbers: Sequence[Linear], places: Ranges) -> Iterator[Term]:
    """The ranges of a predicate: of its cell, and of the other cells that it reads."""
    if len(predicate.variables) != 1:
        yield from places.pairs if predicate.variables else [terms.TRUE]
        return
    cell = unit_form(CELL)
    for number in {n.key: n for n in (cell, *numbers) if CELL in n.coefficients}.values():
        for one in places.single:
            yield terms.substitute(one, {CELL: number.term()})


def _limited(position: Position, number: Linear, cells: Cells) -> Iterator[Linear]:
    """What may lie between limits: the number, and the index where the array begins at a symbol."""
    yield number
    numbering = cells.numbering[position]
    if numbering.stride == 1 and numbering.base.coefficients:
        yield number.plus(Linear(numbering.base.coefficients))


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
