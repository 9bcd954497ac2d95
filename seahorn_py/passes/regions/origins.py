"""Which pointers of a function point into one object whenever they are valid.

They do if they were moved from one pointer.  Registers are computed anew in each round of a loop,
and a phi may have what a register was in an earlier round.  A pointer that may be null has two
origins; where a branch says that it is not, and the other one is computed at most once in each
call, that one is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    DominatorTree,
    dominator_tree,
    predecessors,
    strong_components,
    successors,
)
from seahorn_py.ir.program import (
    NULL,
    Address,
    Binary,
    Branch,
    Cast,
    CastOp,
    Compare,
    Function,
    Offset,
    Operand,
    Phi,
    Predicate,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.traverse import results
from seahorn_py.passes.regions.plan import Plan

MOVES = frozenset({CastOp.ZEXT, CastOp.SEXT, CastOp.PTRTOINT, CastOp.INTTOPTR, CastOp.BITCAST})
MAX_ROOTS = 64
SIGNED = (Predicate.SGT, Predicate.SGE, Predicate.SLT, Predicate.SLE)
_EQUALITY = (Predicate.EQ, Predicate.NE)


@dataclass(frozen=True)
class _Walk:
    """What a pointer was made from: `roots`, by `sources` and by `bases` of offsets among them."""

    roots: frozenset[Operand]
    sources: tuple[Operand, ...]
    bases: tuple[Operand, ...]


class Origins:
    """Answers for one function; `made` has what computes each register, by its name."""

    def __init__(self, plan: Plan, function: Function, made: Mapping[str, Statement | Phi]) -> None:
        self._plan = plan
        self._function = function
        self._made = made

    def same_object(self, left: Operand, right: Operand) -> bool:
        """Whether both point into the same object whenever they are valid."""
        one = self._plan.found.node(self._function.name, left)
        if one is None or not self._in_one_node(left, right):
            return False
        data = one.data
        if len(data) == 1 and self._plan.placement.symbol(data[0][0]) is not None:
            return True
        roots = self._walk(left).roots
        if len(roots) == 1 and roots == self._walk(right).roots:
            return True
        return self._has_one_source(left, right)

    def _has_one_source(self, left: Operand, right: Operand) -> bool:
        """Whether both were moved from one value of one register.

        What is made from a register alone cannot go round a loop that contains its definition, for
        a phi there has a value from before the loop too.  So both have what it was last.
        """
        sources = self._walk(right).sources
        return any(
            self._walk(left, source).roots == {source} == self._walk(right, source).roots
            for source in self._walk(left).sources
            if source in sources
        )

    def in_order(self, s: Compare | Binary) -> bool:
        """Whether an order or a difference of addresses is one within an object.

        Null lies below all objects.  A difference of null and an address is the address, so that a
        branch before it must say that there is none.
        """
        sides = self._uncast(s.left), self._uncast(s.right)
        if self.same_object(s.left, s.right):
            return True
        if not self._in_one_node(s.left, s.right):
            return False
        walks = [self._walk(side) for side in sides]
        roots = walks[0].roots.union(walks[1].roots) - {NULL}
        if len(roots) != 1 or not all(map(self._is_made_once, roots)):
            return False
        nulls = [walk for walk in walks if NULL in walk.roots]
        if any(NULL in self._walk(base).roots for walk in nulls for base in walk.bases):
            return False  # null may have been moved
        is_unsigned = isinstance(s, Compare) and s.predicate not in SIGNED
        return is_unsigned or all(
            NULL not in walk.roots or self._is_not_null(side, self._home[s.result.name])
            for side, walk in zip(sides, walks, strict=True)
        )

    def _in_one_node(self, left: Operand, right: Operand) -> bool:
        name, found = self._function.name, self._plan.found
        one, other = found.node(name, left), found.node(name, right)
        return one is not None and other is not None and one.number == other.number

    def _is_made_once(self, root: Operand) -> bool:
        """Whether the value is computed at most once in each call."""
        first = self._function.entry.label
        return not isinstance(root, Register) or self._home.get(root.name, first) in self._once

    @cached_property
    def _once(self) -> frozenset[str]:
        """The blocks that lie in no loop."""
        follow = successors(self._function)
        components = strong_components(follow, lambda label: follow[label])
        alone = [c[0] for c in components if len(c) == 1]
        return frozenset(label for label in alone if label not in follow[label])

    def _is_not_null(self, pointer: Operand, label: str) -> bool:
        """Whether a branch before a block says that a pointer is not null."""
        return any(
            self._before[target] == (source,) and self._tree.dominates(target, label)
            for source, target in self._without_null(pointer)
        )

    def _without_null(self, pointer: Operand) -> Iterator[tuple[str, str]]:
        """The edges, from block to block, that are taken only where the pointer is not null."""
        for block in self._function.blocks:
            end = block.terminator
            if not isinstance(end, Branch) or not isinstance(end.condition, Register):
                continue
            made = self._made.get(end.condition.name)
            if not isinstance(made, Compare) or made.predicate not in _EQUALITY:
                continue
            if {made.left, made.right} == {pointer, NULL}:
                is_equal = made.predicate is Predicate.EQ
                yield block.label, end.otherwise if is_equal else end.then

    @cached_property
    def _home(self) -> Mapping[str, str]:
        """Register -> the block that computes it."""
        found: dict[str, str] = {}
        for block in self._function.blocks:
            found.update((phi.result.name, block.label) for phi in block.phis)
            for statement in block.statements:
                found.update((r.name, block.label) for r in results(statement))
        return found

    @cached_property
    def _tree(self) -> DominatorTree:
        return dominator_tree(self._function)

    @cached_property
    def _before(self) -> Mapping[str, Sequence[str]]:
        return predecessors(self._function)

    def _uncast(self, operand: Operand) -> Operand:
        made = self._maker(operand)
        while isinstance(made, Cast) and made.op in MOVES:
            operand = made.value
            made = self._maker(operand)
        return operand

    def _maker(self, operand: Operand) -> Statement | Phi | None:
        return self._made.get(operand.name) if isinstance(operand, Register) else None

    def _walk(self, operand: Operand, stop: Operand | None = None) -> _Walk:
        """From a pointer back to those that it was moved from, or to `stop`."""
        seen: dict[Operand, None] = {}
        roots: set[Operand] = set()
        bases: list[Operand] = []
        pending = [operand]
        while pending and len(seen) < MAX_ROOTS:
            value = pending.pop()
            if value in seen:
                continue
            seen[value] = None
            match None if value == stop else self._maker(value):
                case Offset(base=base):
                    pending.append(base)
                    bases.append(base)
                case Cast(op=op, value=inner) if op in MOVES:
                    pending.append(inner)
                case Phi(incoming=incoming):
                    pending.extend(v for _, v in incoming)
                case Select(then=then, otherwise=otherwise):
                    pending.extend((then, otherwise))
                case _:
                    roots.add(_object(value))
        found = frozenset(roots) if not pending else frozenset((operand, NULL))
        return _Walk(found, tuple(seen), tuple(bases))


def _object(operand: Operand) -> Operand:
    """The object of an address in it; other operands as they are."""
    if isinstance(operand, Address) and operand.symbol is not None:
        return Address(operand.symbol)
    return operand
