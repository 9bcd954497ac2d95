"""Values during unwinding: constants computed at once, everything else as terms of the solver.

This is the constant propagation of CBMC (Clarke, Kroening, Lerda 2004, section 3), online: an
operation on constants is computed at once.  An operation on terms looks only at their outermost
operators, so its cost does not depend on how deep they are.

A value is a Python constant (`bool` for Booleans, `int` for integers and, unsigned, bit-vectors,
`Fraction` for reals), a `Symbolic`, or, for arrays, a `Memory` that knows the elements at constant
indices.  Equal terms are one `Symbolic`.

Where paths meet, their conditions are joined by `or`.  To simplify that, a Boolean remembers which
conjunction of literals it is, up to CUBE of them: `c and d or c and not d` becomes `c`.  The same
is done for bounds of one term (`bmc.bounds`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from fractions import Fraction

from pysmt import operators as op

from seahorn_py.base.records import dataclass
from seahorn_py.engines.bmc.bounds import Bound, Comparison, reduced, united
from seahorn_py.engines.bmc.operations import folding
from seahorn_py.logic.solvers.construction.protocol import Constant, Terms
from seahorn_py.logic.solvers.natives import Native
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term

CUBE = 12
"""Conjunctions of more literals are literals themselves."""

MERGED = 1024
"""Arrays that differ in more elements are merged as a whole."""


@dataclass(eq=False, slots=True)
class Symbolic:
    """A term that is no constant; `cube` are the literals whose conjunction it is.

    `options` are values whose disjunction it is, if there are any.
    """

    term: Native
    cube: frozenset[Symbolic] = frozenset()
    options: tuple[Symbolic, ...] = ()
    negation: Symbolic | None = None
    bound: Bound | None = None


@dataclass(eq=False, slots=True)
class Memory:
    """An array: `base` (a term, or the value of all elements) but for `elements`."""

    sort: Sort
    base: Value
    elements: dict[Constant, Value] = field(default_factory=dict)
    term: Native | None = None
    everywhere: bool = False

    def alike(self, other: Memory) -> bool:
        """Differs from another in elements at most."""
        return self.everywhere is other.everywhere and _same(self.base, other.base)


Value = bool | int | Fraction | Symbolic | Memory
Operation = Callable[..., Value]


class Values:
    """The operations on values, over the terms of one solver."""

    def __init__(self, solver: Terms) -> None:
        self.solver = solver
        self._known: dict[Hashable, Symbolic] = {}
        self._cubes: dict[frozenset[Symbolic], Symbolic] = {}
        self._and = solver.connective(op.AND)
        self._or = solver.connective(op.OR)
        self._not = solver.connective(op.NOT)
        self._ite = solver.connective(op.ITE)
        self._select = solver.connective(op.ARRAY_SELECT)
        self._store = solver.connective(op.ARRAY_STORE)
        self._iff = solver.connective(op.IFF)
        self._equals = solver.connective(op.EQUALS)

    # ------------------------------------------------------------------------------------- terms

    def variable(self, name: str, sort: Sort) -> Value:
        """An arbitrary value."""
        symbolic = self.symbolic(self.solver.variable(name, sort))
        return Memory(sort, symbolic, term=symbolic.term) if sort.is_array_type() else symbolic

    def symbolic(self, term: Native) -> Symbolic:
        """The one value of a term."""
        ident = self.solver.ident(term)
        found = self._known.get(ident)
        if found is None:
            found = self._known[ident] = Symbolic(term)
        return found

    def native(self, value: Value, sort: Sort) -> Native:
        """A value as a term."""
        if isinstance(value, Symbolic):
            return value.term
        if isinstance(value, Memory):
            return self._array(value)
        return self.solver.constant(value, sort)

    def _array(self, memory: Memory) -> Native:
        if memory.term is None:
            index, element = memory.sort.index_type, memory.sort.elem_type
            term = self.native(memory.base, element)
            if memory.everywhere:
                term = self.solver.constant_array(memory.sort, term)
            for position, value in memory.elements.items():
                at = self.solver.constant(position, index)
                term = self._store([term, at, self.native(value, element)])
            memory.term = term
        return memory.term

    # ---------------------------------------------------------------------------------- Booleans

    def not_(self, value: Value) -> Value:
        """Negation."""
        if not isinstance(value, Symbolic):
            return not value
        if value.negation is None:
            value.negation = self.symbolic(self._not([value.term]))
            value.negation.negation = value
            if value.bound is not None:
                value.negation.bound = value.bound.negated
        return value.negation

    def and_(self, left: Value, right: Value) -> Value:
        """Conjunction."""
        if not isinstance(left, Symbolic):
            return right if left else False
        if not isinstance(right, Symbolic):
            return left if right else False
        one, other = _literals(left), _literals(right)
        if one <= other:
            return right
        if other <= one:
            return left
        if any(literal.negation in other for literal in one):
            return False
        both = reduced(one | other)
        if both is None:
            return False
        if both in (one, other):
            return left if both == one else right
        if len(both) > CUBE:
            both = frozenset([left, right])
        parts = [left, right] if len(both) == len(one) + len(other) else list(both)
        return self._cube(both, lambda: self._and([part.term for part in parts]))

    def _cube(self, literals: frozenset[Symbolic], make: Callable[[], Native]) -> Symbolic:
        if len(literals) == 1:
            (literal,) = literals
            return literal
        found = self._cubes.get(literals)
        if found is None:
            found = self._cubes[literals] = self.symbolic(make())
            found.cube = literals
        return found

    def or_(self, parts: Sequence[Value]) -> Value:
        """Disjunction; parts that complete each other become one."""
        done: list[Symbolic] = []
        todo = list(reversed(parts))
        while todo:
            part = todo.pop()
            if not isinstance(part, Symbolic):
                if part:
                    return True
                continue
            for position, other in enumerate(done):
                joined = self._joined(other, part)
                if joined is not None:
                    del done[position]
                    todo.append(joined)
                    break
            else:
                done.append(part)
        if len(done) < 2:
            return done[0] if done else False
        found = self.symbolic(self._or([p.term for p in done]))
        found.options = tuple(done)
        return found

    def cases(self, value: Value) -> Sequence[Value]:
        """Values of which one holds exactly if `value` does: those of its disjunction, if any."""
        if not isinstance(value, Symbolic):
            return [value]
        several = max(value.cube, key=lambda literal: len(literal.options), default=value)
        others = value.cube - {several}
        rest = self._conjunction(others)
        return [self.and_(rest, option) for option in several.options] or [value]

    def _joined(self, left: Symbolic, right: Symbolic) -> Value | None:
        """The disjunction of two conjunctions where that is a conjunction; None elsewhere."""
        one, other = _literals(left), _literals(right)
        if one <= other:
            return left
        if other <= one:
            return right
        interval = united(one, other)
        if interval is not None:
            return self._conjunction(interval)
        common = one & other
        if len(one) != len(common) + 1 or len(other) != len(common) + 1:
            return None
        (first,), (second,) = one - common, other - common
        if first.negation is not second:
            return None
        return self._conjunction(common)

    def _conjunction(self, literals: frozenset[Symbolic]) -> Value:
        if not literals:
            return True
        return self._cube(literals, lambda: self._and([literal.term for literal in literals]))

    def ite(self, condition: Value, then: Value, otherwise: Value, sort: Sort) -> Value:
        """If-then-else on any sort."""
        if not isinstance(condition, Symbolic):
            return then if condition else otherwise
        if then is otherwise or (_constant(then) and _constant(otherwise) and then == otherwise):
            return then
        if sort is terms.BOOL:
            return self.or_(
                [self.and_(condition, then), self.and_(self.not_(condition), otherwise)]
            )
        if isinstance(then, Memory) and isinstance(otherwise, Memory):
            return self._merged(condition, then, otherwise)
        parts = [condition.term, self.native(then, sort), self.native(otherwise, sort)]
        return self.symbolic(self._ite(parts))

    def equal(self, left: Value, right: Value, sort: Sort) -> Value:
        """Equality on any sort."""
        if left is right:
            return True
        if _constant(left) and _constant(right):
            return left == right
        if sort is terms.BOOL:
            return self._equivalent(left, right)
        native = [self.native(left, sort), self.native(right, sort)]
        return self.symbolic(self._equals(native))

    def _equivalent(self, left: Value, right: Value) -> Value:
        for one, other in ((left, right), (right, left)):
            if not isinstance(one, Symbolic):
                return other if one else self.not_(other)
            if one.negation is other:
                return False
        return self.symbolic(self._iff([self.native(v, terms.BOOL) for v in (left, right)]))

    # ------------------------------------------------------------------------------------ arrays

    def constant_array(self, sort: Sort, default: Value) -> Memory:
        """The array that holds `default` everywhere."""
        return Memory(sort, default, everywhere=True)

    def select(self, array: Value, index: Value) -> Value:
        """An element; at a constant index from what is known."""
        assert isinstance(array, Memory)
        if _constant(index):
            found = array.elements.get(index)  # type: ignore[arg-type]
            if found is not None:
                return found
        if array.everywhere and (_constant(index) or not array.elements):
            return array.base
        term = self.native(array.base, array.sort) if _constant(index) else self._array(array)
        element = self._select([term, self.native(index, array.sort.index_type)])
        return self._lifted(element, array.sort.elem_type)

    def _lifted(self, term: Native, sort: Sort) -> Value:
        """A term as a value of its sort."""
        symbolic = self.symbolic(term)
        return Memory(sort, symbolic, term=term) if sort.is_array_type() else symbolic

    def store(self, array: Value, index: Value, value: Value) -> Value:
        """The array with one element changed."""
        assert isinstance(array, Memory)
        if _constant(index) and array.term is None:
            return self._changed(array, index, value)
        position = self.native(index, array.sort.index_type)
        element = self.native(value, array.sort.elem_type)
        term = self._store([self._array(array), position, element])
        if _constant(index):
            changed = self._changed(array, index, value)
            changed.term = term
            return changed
        return Memory(array.sort, self.symbolic(term), term=term)

    def _changed(self, array: Memory, index: Value, value: Value) -> Memory:
        elements = array.elements | {index: value}
        return Memory(array.sort, array.base, elements, everywhere=array.everywhere)  # type: ignore[arg-type]

    def _merged(self, condition: Symbolic, then: Memory, otherwise: Memory) -> Value:
        if then.alike(otherwise):
            one, other = then.elements, otherwise.elements
            positions = [
                p for p in one.keys() | other.keys() if not _same(one.get(p), other.get(p))
            ]
            if len(positions) <= MERGED:
                element = then.sort.elem_type
                elements = dict(otherwise.elements)
                for p in positions:
                    a, b = self.select(then, p), self.select(otherwise, p)
                    elements[p] = self.ite(condition, a, b, element)
                return Memory(then.sort, then.base, elements, everywhere=then.everywhere)
        term = self._ite([condition.term, self._array(then), self._array(otherwise)])
        return Memory(then.sort, self.symbolic(term), term=term)

    # ---------------------------------------------------------------------------- all operations

    def operation(self, node: Term) -> Operation:
        """The operation at the top of `node`, on values of its arguments' sorts."""
        kind = node.node_type()
        sort = terms.sort_of(node.args()[0])
        result = terms.sort_of(node)
        structural: dict[int, Callable[[], Operation]] = {
            op.AND: lambda: self._all,
            op.OR: lambda: lambda *parts: self.or_(parts),
            op.NOT: lambda: self.not_,
            op.IMPLIES: lambda: lambda a, b: self.or_([self.not_(a), b]),
            op.IFF: lambda: self._equivalent_or_same,
            op.EQUALS: lambda: lambda a, b: self.equal(a, b, sort),
            op.ITE: lambda: lambda c, a, b: self.ite(c, a, b, result),
            op.ARRAY_SELECT: lambda: self.select,
            op.ARRAY_STORE: lambda: self.store,
            op.ARRAY_VALUE: lambda: lambda default: self.constant_array(result, default),
        }
        if kind in structural:
            return structural[kind]()
        return self._arithmetic(node)

    def _all(self, *parts: Value) -> Value:
        result: Value = True
        for part in parts:
            result = self.and_(result, part)
        return result

    def _equivalent_or_same(self, left: Value, right: Value) -> Value:
        return self.equal(left, right, terms.BOOL)

    def _arithmetic(self, node: Term) -> Operation:
        """Computed on constants, where it has a value; one node of the solver elsewhere."""
        fold = folding(node)
        apply = self.solver.operation(node)
        sorts = [terms.sort_of(a) for a in node.args()]
        native = self.native
        comparison = Comparison.of(node)

        def operate(*arguments: Value) -> Value:
            if not any(isinstance(a, Symbolic) for a in arguments):
                value: Value | None = fold(*arguments)
                if value is not None:
                    return value
            bound = comparison and _bound(comparison, *arguments)
            if isinstance(bound, bool):
                return bound
            pairs = zip(arguments, sorts, strict=True)
            result = self.symbolic(apply([native(a, s) for a, s in pairs]))
            result.bound = bound or result.bound
            return result

        return operate


def _bound(comparison: Comparison, left: Value, right: Value) -> Bound | bool | None:
    """What a comparison with a constant says; None where both sides are terms."""
    if isinstance(left, int):
        return comparison.bound(right, left, constant_first=True)
    if isinstance(right, int):
        return comparison.bound(left, right, constant_first=False)
    return None


def _literals(value: Symbolic) -> frozenset[Symbolic]:
    return value.cube or frozenset((value,))


def _constant(value: Value) -> bool:
    return not isinstance(value, Symbolic | Memory)


def _same(left: Value | None, right: Value | None) -> bool:
    if left is right:
        return True
    if left is None or right is None:
        return False
    return _constant(left) and _constant(right) and bool(left == right)
