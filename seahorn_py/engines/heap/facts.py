"""What may hold of the blocks of a heap: candidates, of which an inductive subset is looked for.

A block is known by the address at which it begins.  A *column* is an array together with the
distance at which it is written in each block: a field of all blocks.  A *guard* is a column of
zeros into which a number is written when a block is made: that it has the number says that there is
a block, or that it is live.

The forms of facts are those that proofs about lists need (Lahiri, Bryant: Indexed predicate
discovery for unbounded system verification, CAV 2004, for quantified ones; Flanagan, Leino, FME
2001, for choosing among them): what a field holds, that a pointer is null or leads to a block that
is live, that pointers go up or down, that two fields lead back to each other, that no two fields
lead to the same block, and up to which block all are live.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations

from seahorn_py.base.records import dataclass
from seahorn_py.engines.heap.block_places import Flow, Value, flow_of
from seahorn_py.horn.system import HornSystem, Relation
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

BLOCK = terms.symbol("heap.block", terms.INT)
OTHER = terms.symbol("heap.other", terms.INT)
"""The blocks that a fact speaks of: any."""


@dataclass(frozen=True)
class Fact:
    """A formula over the parameters of a relation, true for all values of `blocks`."""

    blocks: tuple[Term, ...]
    body: Term


def together(found: Iterable[Fact]) -> Term:
    """Facts as a formula of the relation, one quantifier for all that speak of as many blocks."""
    parts: dict[tuple[Term, ...], list[Term]] = {}
    for fact in found:
        parts.setdefault(fact.blocks, []).append(fact.body)
    return terms.and_(
        terms.forall(blocks, terms.and_(bodies)) if blocks else terms.and_(bodies)
        for blocks, bodies in parts.items()
    )


@dataclass(frozen=True)
class Held:
    """What a place may hold: `numbers`, or the address `offset` bytes into a block."""

    numbers: tuple[int, ...]
    offset: int | None

    @property
    def is_pointer(self) -> bool:
        """It leads into blocks."""
        return self.offset is not None

    @property
    def leads(self) -> bool:
        """It is a pointer of the program: null where it leads nowhere; no companion of one."""
        return self.is_pointer and set(self.numbers) <= {0}

    @property
    def start(self) -> int:
        """How far behind the start of its block it leads."""
        return self.offset or 0

    def among(self, term: Term) -> Term:
        """The term is one of the numbers."""
        return terms.or_(terms.eq(term, terms.int_const(n)) for n in self.numbers)


@dataclass(frozen=True)
class Scalar:
    """An integer parameter."""

    term: Term
    held: Held


@dataclass(frozen=True)
class Column:
    """A field of all blocks."""

    array: Term
    distance: int
    held: Held

    def of(self, block: Term) -> Term:
        """What it holds in a block."""
        return terms.select(self.array, moved(block, self.distance))


@dataclass(frozen=True)
class Guard:
    """The blocks in which a column has a number."""

    column: Column
    number: int

    def of(self, block: Term) -> Term:
        """Whether a block is one of them."""
        return terms.eq(self.column.of(block), terms.int_const(self.number))


@dataclass(frozen=True)
class Vocabulary:
    """What facts about a relation speak of; `end` is where the next block begins, if known."""

    scalars: tuple[Scalar, ...]
    columns: tuple[Column, ...]
    guards: tuple[Guard, ...]
    end: Term | None
    lowest: int

    @property
    def has_pointers(self) -> bool:
        """Whether a field leads to blocks of which it is known which are live."""
        return bool(self.guards) and any(c.held.is_pointer for c in self.columns)


def moved(term: Term, by: int) -> Term:
    """A sum with a number."""
    return terms.plus(term, terms.int_const(by)) if by else term


def held(values: frozenset[Value] | None) -> Held | None:
    """The values as those of a place of one kind; None if there are several kinds, or none."""
    if not values:
        return None
    offsets = {v.number for v in values if v.counted}
    numbers = tuple(sorted(v.number for v in values if not v.counted))
    return None if len(offsets) > 1 else Held(numbers, next(iter(offsets), None))


def vocabulary(relation: Relation, flow: Flow, lowest: int) -> Vocabulary:
    """What facts about a relation may speak of."""
    scalars, columns, end = [], [], None
    for k, parameter in enumerate(relation.parameters):
        if (relation.name, k) in flow.counters:
            end = parameter.symbol
        elif parameter.sort.is_array_type() and parameter.sort.elem_type is terms.INT:
            node = flow.classes[relation.name, k]
            kind = held(flow.values.get(node))
            if kind is not None:
                distances = flow.columns.get(node, ())
                columns += [Column(parameter.symbol, d, kind) for d in distances]
        elif parameter.sort is terms.INT:
            kind = held(flow.values.get(("parameter", relation.name, k)))
            if kind is not None:
                scalars.append(Scalar(parameter.symbol, kind))
    guards = [
        Guard(column, number)
        for column in columns
        if not column.held.is_pointer and 0 in column.held.numbers
        for number in column.held.numbers
        if number
    ]
    return Vocabulary(tuple(scalars), tuple(columns), tuple(guards), end, lowest)


def has_lists(system: HornSystem) -> bool:
    """Whether blocks that are made in a loop lead to each other."""
    return not isinstance(vocabularies(system), str)


def vocabularies(system: HornSystem) -> Mapping[str, Vocabulary] | str:
    """What facts about each relation speak of, or why there are none."""
    flow = flow_of(system)
    if not flow.counters:
        return "no blocks are made in a loop"
    if solver_for(system.formulas()) is not Solver.Z3:
        return "facts about blocks are for integers"
    lowest = _lowest(flow)
    known = {name: vocabulary(r, flow, lowest) for name, r in system.relations.items()}
    if not any(own.has_pointers for own in known.values()):
        return "no fields of blocks hold pointers"
    return known


def _lowest(flow: Flow) -> int:
    """Below it no block begins."""
    values = (flow.values.get(("parameter", *place), frozenset()) for place in flow.counters)
    return min((v.number for found in values for v in found if not v.counted), default=1)


def facts(known: Vocabulary) -> Iterator[Fact]:
    """The candidates for a relation."""
    if known.end is not None:
        yield Fact((), terms.le(terms.int_const(known.lowest), known.end))
    for scalar in known.scalars:
        yield from (Fact((), body) for body in _of_scalar(scalar, known))
    for guard in known.guards:
        if known.end is not None:
            yield _each(guard, terms.lt(BLOCK, known.end))
        yield _each(guard, terms.le(terms.int_const(known.lowest), BLOCK))
        yield from (_each(guard, g.of(BLOCK)) for g in known.guards if g != guard)
        for column in known.columns:
            if column != guard.column:
                yield from (_each(guard, body) for body in _of_column(column, known))
                yield from _of_two(guard, column, known)
    yield from _up_to(known)


def _each(guard: Guard, body: Term) -> Fact:
    return Fact((BLOCK,), terms.implies(guard.of(BLOCK), body))


def _of_scalar(scalar: Scalar, known: Vocabulary) -> Iterator[Term]:
    """Of a parameter: its number, or where it leads."""
    none = scalar.held.among(scalar.term)
    if not scalar.held.is_pointer:
        yield none
        return
    yield terms.not_(none)
    start = moved(scalar.term, -scalar.held.start)
    yield from _leads(none, start, known)
    for other in known.scalars:
        if other != scalar and other.held.is_pointer:
            gap = other.held.start - scalar.held.start
            same = terms.eq(other.term, moved(scalar.term, gap))
            yield terms.or_([none, same])
            if scalar.held.leads and other.held.leads:
                yield terms.or_([none, terms.not_(same)])
    for column in known.columns:
        if column.held.leads:
            yield terms.or_([none, column.held.among(column.of(start))])
            for other in known.scalars:
                if other.held.is_pointer and other != scalar:
                    gap = column.held.start - other.held.start
                    same = terms.eq(column.of(start), moved(other.term, gap))
                    yield terms.or_([none, same])


def _of_column(column: Column, known: Vocabulary) -> Iterator[Term]:
    """Of a field of a block: its numbers, or where it leads."""
    value = column.of(BLOCK)
    none = column.held.among(value)
    if not column.held.is_pointer:
        yield from (terms.eq(value, terms.int_const(n)) for n in column.held.numbers)
        return
    start = moved(value, -column.held.start)
    yield from _leads(none, start, known)
    for other in known.columns:
        if not other.held.is_pointer:
            continue
        if other != column:
            gap = other.held.start - column.held.start
            yield terms.or_([none, terms.eq(other.of(BLOCK), moved(value, gap))])
        if column.held.leads and other.held.leads:
            back = terms.eq(other.of(start), moved(BLOCK, other.held.start))
            yield terms.or_([none, back])
    if column.held.leads:
        yield terms.or_([none, terms.lt(start, BLOCK)])
        yield terms.or_([none, terms.lt(BLOCK, start)])
        for scalar in known.scalars:
            if scalar.held.leads:
                gap = column.held.start - scalar.held.start
                there = terms.eq(value, moved(scalar.term, gap))
                yield terms.or_([scalar.held.among(scalar.term), terms.not_(there)])


def _leads(none: Term, start: Term, known: Vocabulary) -> Iterator[Term]:
    """An address is none, or that of a block in the heap which is what a guard says."""
    yield from (terms.or_([none, guard.of(start)]) for guard in known.guards)
    yield terms.or_([none, terms.le(terms.int_const(known.lowest), start)])
    if known.end is not None:
        yield terms.or_([none, terms.lt(start, known.end)])


def _of_two(guard: Guard, column: Column, known: Vocabulary) -> Iterator[Fact]:
    """No two blocks lead to the same place."""
    if not column.held.leads:
        return
    value = column.of(BLOCK)
    differ = terms.not_(terms.eq(value, column.of(OTHER)))
    both = terms.and_([guard.of(BLOCK), guard.of(OTHER), terms.lt(BLOCK, OTHER)])
    yield Fact((BLOCK, OTHER), terms.implies(both, terms.or_([column.held.among(value), differ])))


Comparison = Callable[[Term, Term], Term]


def _up_to(known: Vocabulary) -> Iterator[Fact]:
    """What is a block is also live, as far as a pointer says."""
    comparisons: tuple[Comparison, ...] = (
        terms.lt,
        terms.le,
        lambda one, other: terms.lt(other, one),
        lambda one, other: terms.le(other, one),
    )
    for scalar in known.scalars:
        if not scalar.held.leads:
            continue
        start = moved(scalar.term, -scalar.held.start)
        for one, other in permutations(known.guards, 2):
            for compare in comparisons:
                there = terms.and_([one.of(BLOCK), compare(BLOCK, start)])
                yield Fact((BLOCK,), terms.implies(there, other.of(BLOCK)))
