"""States that are followed apart although they stand at one place: value partitioning.

Rival, Mauborgne: "The trace partitioning abstract domain" (TOPLAS 2007).  A program that walks
through a short text is at one of few positions in it.  Where states meet whose registers have
different constants, those with equal constants are joined, and each group is followed on its own:
then accesses are at constant offsets, and nothing is left to be proved of most of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from seahorn_py.ir.algebra import signed
from seahorn_py.ir.program import NULL, TRUE, IntConst, Operand, Predicate, Register
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Choice, Pointer, Value
from seahorn_py.passes.unfolding.joining.joining import Edge
from seahorn_py.passes.unfolding.memory.accessing import Memory
from seahorn_py.passes.unfolding.state.state import State
from seahorn_py.passes.unfolding.state.ways import learned

Part = Callable[[Value], Hashable]


def groups(edges: Sequence[Edge], most: int) -> list[list[Edge]]:
    """The edges in groups that are joined, in each of which all have the same caller.

    They are told apart by constants and positions in registers, if that gives no more than `most`
    groups for a caller; otherwise by positions alone, or not at all.
    """
    found: list[list[Edge]] = []
    for same in _by(edges, lambda edge: id(edge[1].frame.caller)):
        several = (_by(same, _key(same, part)) for part in (_constant, _position))
        found += next((parts for parts in several if len(parts) <= most), [list(same)])
    return found


def positions(
    code: Code, memory: Memory, state: State, name: str, most: int
) -> list[tuple[Operand, Value]] | None:
    """The positions to which a register leads, each with the condition under which it does.

    None if it has one alone or more than `most`, or is no pointer into an object or null.
    """
    value = choices.narrowed(code, state.frame.registers[name])
    if not isinstance(value, Choice) and not (isinstance(value, Pointer) and value.terms):
        return None
    found: dict[Value, Operand] = {}
    for condition, option in memory.alternatives(value):
        places = _places(code, option, most)
        if not places:
            return None
        for here, place in places:
            both = code.both(condition, here)
            found[place] = code.either(found[place], both) if place in found else both
    several = [(condition, place) for place, condition in found.items()]
    several = [one for one in several if learned(code, one[0], True) is not None]
    return several if 1 < len(several) <= most else None


def _places(code: Code, value: Value, most: int) -> list[tuple[Operand, Value]]:
    """The same for one option; empty if these are too many."""
    if value == NULL or (isinstance(value, Pointer) and not value.terms):
        return [(TRUE, value)]
    if not isinstance(value, Pointer) or len(value.terms) != 1:
        return []
    ((index, scale),) = value.terms
    assert isinstance(index.type, IntType)
    found: list[tuple[Operand, Value]] = []
    for number in _values(code, index, most):
        moved = value.constant + scale * signed(index.type.width, number)
        is_here = code.compare(Predicate.EQ, index, IntConst(number, index.type))
        found.append((is_here, Pointer(value.object, moved)))
    return found


def _values(code: Code, index: Register, most: int) -> list[int]:
    """The values of an index; empty if these are more than `most`."""
    range_ = code.range(index)
    assert range_ is not None
    low, high = range_.unsigned
    _, incoming = code.phis.get(index, (None, ()))
    constants = {c.value for c in incoming if isinstance(c, IntConst)}
    if incoming and all(isinstance(value, IntConst) for value in incoming):
        found = sorted(value for value in constants if low <= value <= high)
        return found if len(found) <= most else []
    return list(range(low, high + 1)) if high - low < most else []


def _by(edges: Sequence[Edge], key: Callable[[Edge], Hashable]) -> list[list[Edge]]:
    found: dict[Hashable, list[Edge]] = {}
    for edge in edges:
        found.setdefault(key(edge), []).append(edge)
    return list(found.values())


def _key(edges: Sequence[Edge], part: Part) -> Callable[[Edge], Hashable]:
    """What tells edges apart: a part of each register that all of them have."""
    first, *others = (state.frame.registers for _, state in edges)
    names = [
        name
        for name, value in first.items()
        if any(other.get(name) != value for other in others) and all(name in o for o in others)
    ]
    return lambda edge: tuple(part(edge[1].frame.registers[name]) for name in names)


def _constant(value: Value) -> Hashable:
    return value.value if isinstance(value, IntConst) else _position(value)


def _position(value: Value) -> Hashable:
    return value if isinstance(value, Pointer) and not value.terms else None
