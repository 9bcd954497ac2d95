"""Reads of constant tables at unknown offsets.

Most tables have few pieces in each of which all values are equal, or each is one more than the one
before.  One that maps letters to small letters has three.  Then a read takes a comparison a piece,
not one an entry.
"""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import BinaryOp, IntConst, Operand, Predicate
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Pointer, Value
from seahorn_py.passes.unfolding.memory.locations import Places
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import offset_of

LEAST = 4
"""The least number of entries that a piece must have on average."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Entries from number `first` on: `value`, `value + growth`, `value + 2 * growth`, ..."""

    first: int
    value: int
    growth: int


def listed_at(code: Code, run: Run, places: Places, pointer: Value, size: int) -> Operand | None:
    """What `size` bytes at a pointer hold, for which `places.is_anywhere` is false.

    None if it does not lead to several entries of a table of constants with few pieces.
    """
    if not isinstance(pointer, Pointer) or not pointer.terms:
        return None
    contents, starts = run.contents(pointer.object), places.starts(pointer, size)
    found = [contents.constant(start, size) for start in starts]
    values = [value for value in found if value is not None]
    if len(starts) < LEAST or len(values) < len(starts):
        return None
    return _looked_up(code, offset_of(code, pointer), starts, values, IntType(8 * size))


def _looked_up(
    code: Code, offset: Operand, starts: Sequence[int], values: Sequence[int], kind: IntType
) -> Operand | None:
    """The value at an offset, which is one of `starts`; these are in order."""
    step = starts[1] - starts[0]
    if step & step - 1 or list(starts) != list(range(starts[0], starts[-1] + 1, step)):
        return None
    found = pieces(values, 1 << kind.width)
    if LEAST * len(found) > len(values):
        return None
    word = code.word
    distance = code.difference(offset, IntConst(starts[0], word))
    number = code.shifted(distance, step.bit_length() - 1) if step > 1 else distance
    *others, last = found
    value, end = _value(code, last, number, kind), last.first
    for piece in reversed(others):
        before = code.compare(Predicate.ULT, number, IntConst(end, word))
        value, end = code.select(before, _value(code, piece, number, kind), value), piece.first
    return value


def pieces(values: Sequence[int], modulus: int) -> list[Stretch]:
    """The values as few runs in which they are constant or grow by one, modulo a number."""
    found: list[Stretch] = []
    at = 0
    while at < len(values):
        growth = (values[at + 1] - values[at]) % modulus if at + 1 < len(values) else 0
        growth = growth if growth in (0, 1) else 0
        end = at + 1
        while end < len(values) and (values[end] - values[end - 1]) % modulus == growth:
            end += 1
        found.append(Stretch(at, values[at], growth))
        at = end
    return found


def _value(code: Code, piece: Stretch, number: Operand, kind: IntType) -> Operand:
    if not piece.growth:
        return IntConst(piece.value, kind)
    moved = IntConst((piece.value - piece.first) % (1 << kind.width), kind)
    return code.binary(BinaryOp.ADD, code.resized(number, kind), moved)
