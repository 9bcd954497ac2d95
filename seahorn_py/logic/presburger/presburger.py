"""The isl seam: formulas of linear integer arithmetic as sets and relations of integer points.

Verdoolaege: "isl: An integer set library for the polyhedral model", ICMS 2010.
Presburger arithmetic has all that is needed here exactly: projection over the integers, inclusion,
complement.  A formula becomes a set of points whose coordinates are its symbols, Booleans being 0
or 1; a set becomes a formula without quantifiers, in which `div` stands for what isl knows as
integer divisions.

Only this module imports islpy.  A question to isl may take any time and memory: engines ask it in
children, and a context ends with `Beyond` after so many operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias, TypeVar

import islpy as isl

from seahorn_py.logic.presburger.formulas import formula_of
from seahorn_py.logic.presburger.sets import Beyond, Writer
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.definitions import without_definitions
from seahorn_py.logic.terms.terms import Term

Set: TypeAlias = isl.Set
Map: TypeAlias = isl.Map
Points = TypeVar("Points", isl.Set, isl.Map)

__all__ = ["Beyond", "Map", "Presburger", "Set"]


class Presburger:
    """A context of isl, in which at most `operations` elementary steps are made (0: any number)."""

    def __init__(self, operations: int = 0) -> None:
        self.context = isl.Context()
        self.context.set_max_operations(operations)

    @contextmanager
    def within(self, operations: int) -> Iterator[None]:
        """A part of the work that may take so many operations of its own."""
        before = self.context.get_max_operations()
        self.context.reset_operations()
        self.context.set_max_operations(operations)
        try:
            with bounded():
                yield
        finally:
            self.context.set_max_operations(before)
            self.context.reset_operations()

    def set(self, formula: Term, symbols: Sequence[Term]) -> Set:
        """The values of the symbols for which those of the others can be chosen.

        Beyond when the formula is none of linear integer arithmetic.
        """
        formula = without_definitions(formula, frozenset(symbols))
        local = terms.by_name(terms.free_symbols(formula) - set(symbols))
        with bounded():
            found = Writer(self.context, (*symbols, *local)).set(formula)
            found = found.project_out(isl.dim_type.set, len(symbols), len(local))
            return found.coalesce()

    def relation(self, formula: Term, before: Sequence[Term], after: Sequence[Term]) -> Map:
        """The pairs of values, of the symbols `before` and of those `after`."""
        found = self.set(formula, [*before, *after])
        with bounded():
            pairs = isl.Map.from_range(found)
            return pairs.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, len(before)).coalesce()

    def formula(self, found: Set, symbols: Sequence[Term]) -> Term:
        """The formula over `symbols`, one a coordinate, that holds in the set and nowhere else."""
        with bounded():
            return formula_of(found, symbols)

    def pairs(self, found: Map, before: Sequence[Term], after: Sequence[Term]) -> Term:
        """The formula that holds of the pairs of a relation."""
        with bounded():
            return formula_of(flat(found), [*before, *after])

    def empty(self, dimensions: int) -> Set:
        """The empty set of points with so many coordinates."""
        return isl.Set.empty(self._space(dimensions))

    def all(self, dimensions: int) -> Set:
        """The set of all points."""
        return isl.Set.universe(self._space(dimensions))

    def point(self, values: Sequence[int]) -> Set:
        """The set of one point."""
        found = self.all(len(values))
        for number, value in enumerate(values):
            found = found.fix_val(isl.dim_type.set, number, self._value(value))
        return found

    def _space(self, dimensions: int) -> isl.Space:
        return isl.Space.set_alloc(self.context, 0, dimensions)

    def _value(self, value: int) -> isl.Val:
        return isl.Val.read_from_str(self.context, str(value))


def flat(found: Map) -> Set:
    """The pairs of a relation as points."""
    return found.wrap().flatten()


def product(first: Set, *others: Set) -> Set:
    """The points whose coordinates are those of a point of each set."""
    for other in others:
        first = first.flat_product(other)
    return first


def dimensions(found: Set) -> int:
    """How many coordinates the points have."""
    return found.dim(isl.dim_type.set)


def sample(found: Set) -> tuple[int, ...] | None:
    """A point of the set; None when it is empty."""
    point = found.sample_point()
    if point.is_void():
        return None
    count = dimensions(found)
    return tuple(int(point.get_coordinate_val(isl.dim_type.set, k).to_str()) for k in range(count))


def pieces(found: Map) -> list[Map]:
    """Convex relations, apart from divisions, whose union is this one."""
    return [Map.from_basic_map(piece) for piece in found.get_basic_maps()]


def identity_like(found: Map) -> Map:
    """The pairs of equal points, in the space of a relation over one kind of points."""
    return isl.Map.identity(found.get_space())


def union(found: Sequence[Points]) -> Points:
    """The union of at least one set, or of relations."""
    result = found[0]
    for other in found[1:]:
        result = result.union(other)
    return result.coalesce()


def unchanged(step: Map) -> frozenset[int]:
    """The coordinates that are the same before and after, in every pair."""
    found = set()
    for number in range(step.dim(isl.dim_type.in_)):
        same = isl.Map.universe(step.get_space()).equate(
            isl.dim_type.in_, number, isl.dim_type.out, number
        )
        if step.is_subset(same):
            found.add(number)
    return frozenset(found)


def sliced(step: Map, most: int) -> list[Map]:
    """The parts of a relation, one for each value of a coordinate that is never changed.

    Of such coordinates it is the one with the fewest values, from 2 to `most`; without any there
    are no parts.
    """
    domain, found = step.domain(), []
    for number in sorted(unchanged(step)):
        low, high = domain.dim_min_val(number), domain.dim_max_val(number)
        if low.is_int() and high.is_int():
            count = int((high - low).to_str()) + 1
            found += [(count, number, low)] if 2 <= count <= most else []
    if not found:
        return []
    count, number, low = min(found, key=lambda one: one[:2])
    fixed = (step.fix_val(isl.dim_type.in_, number, low + k) for k in range(count))
    return [part for part in fixed if not part.is_empty()]


def loosened(found: Set, kept: frozenset[int]) -> Set:
    """The points that agree with one of the set on the coordinates that are kept."""
    for number in range(dimensions(found)):
        if number not in kept:
            found = found.eliminate(isl.dim_type.set, number, 1)
    return found.coalesce()


def loosened_after(found: Map, kept: frozenset[int]) -> Map:
    """The pairs whose second points agree with such a one on the coordinates that are kept."""
    for number in range(found.dim(isl.dim_type.out)):
        if number not in kept:
            found = found.eliminate(isl.dim_type.out, number, 1)
    return found.coalesce()


def seen_from(found: Map, kept: frozenset[int], most: int) -> list[Map]:
    """Convex relations, at most so many, with all pairs; of first points, what is kept matters."""
    for number in range(found.dim(isl.dim_type.in_)):
        if number not in kept:
            found = found.eliminate(isl.dim_type.in_, number, 1)
    found = found.remove_divs().coalesce()
    if found.n_basic_map() > most:
        return [Map.from_basic_map(found.simple_hull())]
    return pieces(found)


def drifting(step: Map) -> Map:
    """A reflexive and transitive relation with all pairs of one over one kind of points.

    The steps of its pairs are sums of steps in the hull: after k of them, each bound is k times it.
    """
    size = step.dim(isl.dim_type.in_)
    counted = isl.Map.universe(step.get_space()).add_dims(isl.dim_type.out, 1)
    space = isl.LocalSpace.from_space(counted.get_space())
    counted = counted.lower_bound_val(isl.dim_type.out, size, isl.Val.zero(step.get_ctx()))
    for one in step.deltas().remove_divs().simple_hull().get_constraints():
        is_equal = one.is_equality()
        alloc = isl.Constraint.alloc_equality if is_equal else isl.Constraint.alloc_inequality
        moved = alloc(space).set_coefficient_val(isl.dim_type.out, size, one.get_constant_val())
        for k in range(size):
            factor = one.get_coefficient_val(isl.dim_type.set, k)
            moved = moved.set_coefficient_val(isl.dim_type.out, k, factor)
            moved = moved.set_coefficient_val(isl.dim_type.in_, k, factor.neg())
        counted = counted.add_constraint(moved)
    return counted.project_out(isl.dim_type.out, size, 1).remove_divs()


def steady(step: Map) -> Map | None:
    """The pairs of a relation over one kind of points that come no nearer to its domain's borders.

    Each part is restricted by itself.  None where the points are of two kinds, or no pair is left.
    """
    if step.dim(isl.dim_type.in_) != step.dim(isl.dim_type.out):
        return step
    parts = [kept for piece in step.get_basic_maps() if not (kept := _away(piece)).is_empty()]
    return union(parts) if parts else None


def _away(piece: isl.BasicMap) -> Map:
    """The pairs for which no constraint on the first point holds less clearly of the second."""
    found = Map.from_basic_map(piece)
    space = found.get_space()
    for constraint in piece.domain().remove_divs().get_constraints():
        moved = isl.Constraint.alloc_inequality(isl.LocalSpace.from_space(space))
        signs = (1, -1) if constraint.is_equality() else (1,)
        for sign in signs:
            for k in range(piece.dim(isl.dim_type.in_)):
                factor = constraint.get_coefficient_val(isl.dim_type.set, k).mul(sign)
                moved = moved.set_coefficient_val(isl.dim_type.out, k, factor)
                moved = moved.set_coefficient_val(isl.dim_type.in_, k, factor.neg())
            found = found.add_constraint(moved)
    return found


def rows(piece: Map) -> Iterator[tuple[list[int], list[int], int, bool]]:
    """The constraints of a convex relation, without divisions.

    Of each the coefficients of both points, the constant, and whether the sum is 0, not only at
    least 0.
    """
    for basic in piece.remove_divs().get_basic_maps():
        for constraint in basic.get_constraints():
            before = _coefficients(constraint, isl.dim_type.in_, piece.dim(isl.dim_type.in_))
            after = _coefficients(constraint, isl.dim_type.out, piece.dim(isl.dim_type.out))
            constant = int(constraint.get_constant_val().to_str())
            yield before, after, constant, constraint.is_equality()


def _coefficients(constraint: isl.Constraint, kind: isl.dim_type, count: int) -> list[int]:
    return [int(constraint.get_coefficient_val(kind, k).to_str()) for k in range(count)]


def least(found: Map, before: Sequence[int], after: Sequence[int]) -> int | None:
    """The least value of a sum over the pairs; None if there is none."""
    pairs = flat(found)
    space = isl.LocalSpace.from_space(pairs.get_space())
    total = isl.Aff.zero_on_domain(space)
    for number, factor in enumerate((*before, *after)):
        total = total.set_coefficient_val(isl.dim_type.in_, number, factor)
    value = pairs.min_val(total)
    return int(value.to_str()) if value.is_int() else None


def fixed_around(step: Map, known: Sequence[Set], position: int) -> Map:
    """A relation from several points, in one row, to one, as one from the point at `position`.

    The others are any points of the sets that are `known` of them.
    """
    start = sum(dimensions(k) for k in known[:position])
    size = dimensions(known[position])
    free = isl.Set.universe(known[position].get_space())
    parts = [*known[:position], free, *known[position + 1 :]]
    found = step.intersect_domain(product(*parts))
    after = start + size
    found = found.project_out(isl.dim_type.in_, after, found.dim(isl.dim_type.in_) - after)
    return found.project_out(isl.dim_type.in_, 0, start).coalesce()


@contextmanager
def bounded() -> Iterator[None]:
    """What isl gives up becomes `Beyond`."""
    try:
        yield
    except isl.Error as error:
        first = str(error).strip().splitlines()
        raise Beyond(f"isl: {first[0] if first else 'gave up'}") from None
