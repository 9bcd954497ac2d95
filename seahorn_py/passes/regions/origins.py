"""Which pointers of a function point into one object whenever they are valid.

They do if they were moved from one pointer.  Registers are computed anew in each round of a loop,
and a phi may have what a register was in an earlier round.  It has not if the register dominates
the phi, or is computed once in each call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import DominatorTree, dominator_tree, predecessors
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
_EQUALITY = (Predicate.EQ, Predicate.NE)


@dataclass(frozen=True)
class _Walk:
    """What a pointer was made from: `roots`, by the `phis` and `bases` of offsets on the way."""

    roots: frozenset[Operand]
    phis: tuple[Phi, ...]
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
        roots = self._roots(left)
        if len(roots) == 1 and roots == self._roots(right):
            return True
        sides = self._uncast(left), self._uncast(right)
        return self._comes_from(*sides) or self._comes_from(*reversed(sides))

    def in_order(self, s: Compare | Binary) -> bool:
        """Whether both sides point into the same object, also where one may have been null.

        A branch before the statement tells then that it is not.
        """
        sides = self._uncast(s.left), self._uncast(s.right)
        if self.same_object(s.left, s.right):
            return True
        if not self._in_one_node(s.left, s.right):
            return False
        walks = [self._walk(side) for side in sides]
        roots = walks[0].roots.union(walks[1].roots) - {NULL}
        return (
            len(roots) == 1
            and all(map(self._is_of_entry, roots))
            and all(
                NULL not in walk.roots or self._is_not_null(side, walk, self._home[s.result.name])
                for side, walk in zip(sides, walks, strict=True)
            )
        )

    def _in_one_node(self, left: Operand, right: Operand) -> bool:
        name, found = self._function.name, self._plan.found
        one, other = found.node(name, left), found.node(name, right)
        return one is not None and other is not None and one.number == other.number

    def _comes_from(self, moved: Operand, root: Operand) -> bool:
        """Whether a value is this root, as it was computed last, and moved."""
        if not isinstance(root, Register) or root.name not in self._home:
            return False
        walk, home = self._walk(moved, root), self._home[root.name]
        labels = {self._home[phi.result.name] for phi in walk.phis}
        return (
            walk.roots == {root}
            and home not in labels
            and all(self._tree.dominates(home, label) for label in labels)
        )

    def _is_of_entry(self, root: Operand) -> bool:
        """Whether the value is computed once in each call."""
        first = self._function.entry.label
        return not isinstance(root, Register) or self._home.get(root.name, first) == first

    def _is_not_null(self, pointer: Operand, walk: _Walk, label: str) -> bool:
        """Whether a pointer is not null in a block, and no null was moved."""
        moved = any(NULL in self._roots(base) for base in walk.bases)
        return not moved and any(
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

    def _roots(self, operand: Operand) -> frozenset[Operand]:
        """The pointers that a pointer was moved from."""
        return self._walk(operand).roots

    def _walk(self, operand: Operand, stop: Operand | None = None) -> _Walk:
        """From a pointer back to those that it was moved from, or to `stop`."""
        seen: set[Operand] = set()
        roots: set[Operand] = set()
        phis: list[Phi] = []
        bases: list[Operand] = []
        pending = [operand]
        while pending and len(seen) < MAX_ROOTS:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            match None if value == stop else self._maker(value):
                case Offset(base=base):
                    pending.append(base)
                    bases.append(base)
                case Cast(op=op, value=inner) if op in MOVES:
                    pending.append(inner)
                case Phi(incoming=incoming) as phi:
                    pending.extend(v for _, v in incoming)
                    phis.append(phi)
                case Select(then=then, otherwise=otherwise):
                    pending.extend((then, otherwise))
                case _:
                    roots.add(_object(value))
        found = frozenset(roots) if not pending else frozenset((operand, NULL))
        return _Walk(found, tuple(phis), tuple(bases))


def _object(operand: Operand) -> Operand:
    """The object of an address in it; other operands as they are."""
    if isinstance(operand, Address) and operand.symbol is not None:
        return Address(operand.symbol)
    return operand
