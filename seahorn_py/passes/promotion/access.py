"""Accesses of promotable objects as straight-line code over cells.

A `Lines` collects the lines of one block.  Parts of an object are in little-endian order: an access
that covers several is `part_0 | part_1 << 8 * size_0 | ...`; one of another type than its part is a
cast of the bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import (
    FALSE,
    Address,
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    Compare,
    FloatConst,
    Input,
    IntConst,
    Load,
    Offset,
    Operand,
    Predicate,
    Register,
    Select,
    Site,
    Store,
)
from seahorn_py.ir.types import BOOL, FloatType, IntType, PointerType, Type
from seahorn_py.passes.promotion.constants import constant
from seahorn_py.passes.promotion.object_parts import Part, byte_size
from seahorn_py.passes.promotion.ssa import Cell, Line, Read, Write


@dataclass(frozen=True)
class Slot:
    """A part of a promotable object and the cell that holds it, or the value it never loses."""

    part: Part
    cell: Cell
    fixed: Operand | None = None


@dataclass(frozen=True)
class Elements:
    """A variable index, and the slots of the element for each of its values inside the array."""

    index: Operand
    slots: Mapping[int, tuple[Slot, ...]]


class Names:
    """Fresh register names of one function."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}

    def fresh(self, stem: str, type_: Type) -> Register:
        """A register whose name begins with `stem` and is new."""
        number = self._counts.get(stem, 0)
        name = stem if number == 0 else f"{stem}.{number}"
        while name in self._taken:
            number += 1
            name = f"{stem}.{number}"
        self._counts[stem] = number + 1
        self._taken.add(name)
        return Register(name, type_)


class Lines:
    """Writes lines; every method returns the operand that holds its result."""

    def __init__(self, names: Names, pointer_width: int) -> None:
        self.lines: list[Line] = []
        self.origin: Origin = NOWHERE
        self._names = names
        self._pointer_width = pointer_width

    def read(self, slots: Sequence[Slot], type_: Type) -> Operand:
        """The value of type `type_` that the consecutive slots hold."""
        return self.combined([(self.read_slot(slot), slot.part.size) for slot in slots], type_)

    def combined(self, pieces: Sequence[tuple[Operand, int]], type_: Type) -> Operand:
        """The value of type `type_` whose consecutive bytes are values of so many bytes each."""
        if len(pieces) == 1:
            return self.converted(pieces[0][0], type_)
        whole = IntType(8 * sum(size for _, size in pieces))
        total: Operand = IntConst(0, whole)
        shift = 0
        for value, size in pieces:
            wide = self.converted(self.converted(value, IntType(8 * size)), whole)
            placed = self._binary(BinaryOp.SHL, wide, shift) if shift else wide
            total = self._combined(total, placed) if shift else placed
            shift += 8 * size
        return self.converted(total, type_)

    def read_slot(self, slot: Slot) -> Operand:
        """The value of a cell."""
        if slot.fixed is not None:
            return slot.fixed
        result = self._names.fresh(f"{slot.cell.name}.read", slot.cell.type)
        self.lines.append(Read(result, slot.cell))
        return result

    def write(self, slots: Sequence[Slot], value: Operand) -> None:
        """Let the consecutive slots hold a value that is as wide as all of them."""
        for slot, piece in zip(
            slots, self.pieces(value, [slot.part.size for slot in slots]), strict=True
        ):
            self.write_slot(slot, piece)

    def pieces(self, value: Operand, sizes: Sequence[int]) -> list[Operand]:
        """The value cut into consecutive pieces of so many bytes: integers, if several."""
        if len(sizes) == 1:
            return [value]
        whole = IntType(8 * sum(sizes))
        rest = self.converted(value, whole)
        shift, found = 0, []
        for size in sizes:
            moved = self._binary(BinaryOp.LSHR, rest, shift) if shift else rest
            found.append(self.converted(moved, IntType(8 * size)))
            shift += 8 * size
        return found

    def write_slot(self, slot: Slot, value: Operand) -> None:
        """Let a cell hold the bits of a value."""
        self.lines.append(Write(slot.cell, self.converted(value, slot.cell.type), self.origin))

    def read_element(self, elements: Elements, type_: Type) -> Operand:
        """The element at the index, by a chain of choices; the last one needs no test."""
        parts = [(k, self.read(slots, type_)) for k, slots in sorted(elements.slots.items())]
        value = parts[-1][1]
        for index, element in reversed(parts[:-1]):
            if element != value:
                chosen = self._names.fresh("element", type_)
                self.lines.append(Select(chosen, self._is(elements, index), element, value))
                value = chosen
        return value

    def write_element(self, elements: Elements, value: Operand) -> None:
        """Every element takes the value if it is the one at the index, and else its own."""
        for index, slots in sorted(elements.slots.items()):
            old = self.read(slots, value.type)
            new = self._names.fresh("element", value.type)
            self.lines.append(Select(new, self._is(elements, index), value, old, self.origin))
            self.write(slots, new)

    def overlaid(self, value: Operand, place: int, slots: Iterable[Slot]) -> Operand:
        """What is read at a place of an object: of `value`, but where slots are of these."""
        size = byte_size(value.type, self._pointer_width)
        for slot in slots:
            held = self.read_slot(slot)
            value = self._overlaid((value, place, size), (held, slot.part.offset, slot.part.size))
        return value

    def overlaid_slot(self, slot: Slot, held: Operand, value: Operand, place: int) -> Operand:
        """What a slot that holds `held` holds when a value has been written at a place."""
        size = byte_size(value.type, self._pointer_width)
        return self._overlaid((held, slot.part.offset, slot.part.size), (value, place, size))

    def _overlaid(
        self, below: tuple[Operand, int, int], above: tuple[Operand, int, int]
    ) -> Operand:
        """`below` with the bytes that it shares with `above`; each a value, its place and size."""
        old, start, size = below
        new, first, length = above
        low, high = max(start, first), min(start + size, first + length)
        inside = self._cut(new, (low - first, high - low, first + length - high))[1]
        before, _, behind = self._cut(old, (low - start, high - low, start + size - high))
        cut = ((before, low - start), (inside, high - low), (behind, start + size - high))
        return self.combined([(piece, n) for piece, n in cut if piece is not None and n], old.type)

    def _cut(self, value: Operand, sizes: tuple[int, int, int]) -> list[Operand | None]:
        """The pieces of a value, None for those without bytes."""
        pieces = iter(self.pieces(value, [size for size in sizes if size]))
        return [next(pieces) if size else None for size in sizes]

    def if_at(self, address: Operand, place: Operand, then: Operand, otherwise: Operand) -> Operand:
        """`then` if an address is that of the place."""
        is_there = self._names.fresh("there", BOOL)
        self.lines.append(Compare(is_there, Predicate.EQ, address, place, self.origin))
        result = self._names.fresh("met", then.type)
        self.lines.append(Select(result, is_there, then, otherwise, self.origin))
        return result

    def _is(self, elements: Elements, index: int) -> Operand:
        type_ = elements.index.type
        assert isinstance(type_, IntType)
        result = self._names.fresh("here", BOOL)
        number = IntConst(index & (1 << type_.width) - 1, type_)
        if not -(1 << type_.width - 1) <= index < 1 << type_.width - 1:
            return FALSE
        self.lines.append(Compare(result, Predicate.EQ, elements.index, number, self.origin))
        return result

    def fill(self, slot: Slot, byte: Operand) -> None:
        """Let every byte of a cell be `byte`."""
        self.write_slot(slot, self.repeated(byte, slot.part.size))

    def repeated(self, byte: Operand, size: int) -> Operand:
        """An integer of `size` bytes that are all `byte`."""
        width = 8 * size
        pattern = int.from_bytes(b"\x01" * size, "little")
        if isinstance(byte, IntConst):
            return IntConst(byte.value % 256 * pattern, IntType(width))
        low = self.converted(self.converted(byte, IntType(8)), IntType(width))
        return self._binary(BinaryOp.MUL, low, pattern) if size > 1 else low

    def arbitrary(self, slots: Sequence[Slot], skip: int, site: Site, size: int) -> None:
        """`size` values of `site`, one a byte, go to the slots, the first of which is at `skip`."""
        values = [self.input(site, IntType(8)) for _ in range(size)]
        at = skip
        for slot in slots:
            at = slot.part.offset - slots[0].part.offset + skip
            pieces = [(value, 1) for value in values[at : at + slot.part.size]]
            self.write_slot(slot, self.combined(pieces, IntType(8 * slot.part.size)))

    def fresh_input(self, slot: Slot, site: Site) -> None:
        """Let a cell hold an arbitrary value of its type."""
        self.write_slot(slot, self.input(site, slot.cell.type))

    def input(self, site: Site, type_: Type) -> Operand:
        """An arbitrary value."""
        result = self._names.fresh(f"input.{site.number}", type_)
        self.lines.append(Input(result, site))
        return result

    def load(self, base: Operand, offset: int, type_: Type) -> Operand:
        """Read memory that stays."""
        result = self._names.fresh("loaded", type_)
        self.lines.append(Load(result, self.moved(base, offset), origin=self.origin))
        return result

    def store(self, value: Operand, base: Operand, offset: int) -> None:
        """Write memory that stays."""
        self.lines.append(Store(value, self.moved(base, offset), origin=self.origin))

    def moved(self, base: Operand, offset: int) -> Operand:
        """The address `offset` bytes behind another."""
        if offset == 0:
            return base
        if isinstance(base, Address) and base.symbol is not None:
            return Address(base.symbol, base.offset + offset)
        result = self._names.fresh("moved", base.type)
        self.lines.append(Offset(result, base, offset, origin=self.origin))
        return result

    def converted(self, value: Operand, type_: Type) -> Operand:
        """The bits of `value` as another type: integers are cut or filled with zeros."""
        if value.type == type_:
            return value
        folded = _folded(value, type_)
        if folded is not None:
            return folded
        match value.type, type_:
            case IntType(old), IntType(new):
                return self._cast(CastOp.ZEXT if new > old else CastOp.TRUNC, value, type_)
            case IntType(), PointerType():
                bits = self.converted(value, IntType(self._pointer_width))
                return self._cast(CastOp.INTTOPTR, bits, type_)
            case IntType(), FloatType():
                bits = self.converted(value, IntType(8 * byte_size(type_, self._pointer_width)))
                return self._cast(CastOp.BITCAST, bits, type_)
            case PointerType(), _:
                bits = self._cast(CastOp.PTRTOINT, value, IntType(self._pointer_width))
                return self.converted(bits, type_)
            case _:
                own = IntType(8 * byte_size(value.type, self._pointer_width))
                return self.converted(self._cast(CastOp.BITCAST, value, own), type_)

    def _cast(self, op: CastOp, value: Operand, type_: Type) -> Operand:
        result = self._names.fresh("bits", type_)
        self.lines.append(Cast(result, op, value, self.origin))
        return result

    def _binary(self, op: BinaryOp, value: Operand, number: int) -> Operand:
        type_ = value.type
        assert isinstance(type_, IntType)
        result = self._names.fresh("bits", type_)
        self.lines.append(Binary(result, op, value, IntConst(number, type_), self.origin))
        return result

    def _combined(self, left: Operand, right: Operand) -> Operand:
        result = self._names.fresh("bits", left.type)
        self.lines.append(Binary(result, BinaryOp.OR, left, right, self.origin))
        return result


def _folded(value: Operand, type_: Type) -> Operand | None:
    """The same bits as a constant of the type, if `value` is a constant number."""
    match value:
        case IntConst(value=number) | FloatConst(bits=number):
            return constant(number, type_)
        case _:
            return None
