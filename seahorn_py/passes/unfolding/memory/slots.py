"""Reads and writes of bytes of one object at a constant offset.

Bytes that were never written are arbitrary, but each reading of them gives the same value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Address,
    BinaryOp,
    FloatConst,
    IntConst,
    Operand,
    Site,
)
from seahorn_py.ir.types import POINTER, IntType, PointerType, Type
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Choice, Piece, Pointer, Unfit, Value, is_number
from seahorn_py.passes.unfolding.memory.layout import number_of
from seahorn_py.passes.unfolding.memory.logs import Logs
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import byte_of
from seahorn_py.passes.unfolding.state.storage import Asked, Contents, Slot

BYTE = IntType(8)


class Slots:
    """Reads and writes slots of the objects of the run that is followed."""

    def __init__(self, code: Code, run: Run, unwritten: Callable[[Type, bool], Site]) -> None:
        self._code = code
        self._run = run
        self._unwritten = unwritten
        self.logs = Logs(code, run, self.arbitrary)

    def slots(self, number: int, start: int, size: int) -> Iterator[tuple[int, int, Value]]:
        """The parts of a range of bytes: (distance from its start, size, value)."""
        if self._run.contents(number).log is not None:
            yield from self.logs.read(number, IntConst(start, self._code.word), size)
            return
        end, at = start + size, start
        for offset, slot in list(self._run.contents(number).overlapping(start, size)):
            yield from self._beginning(number, start, at, offset)
            at = max(at, offset)
            last = min(offset + slot.size, end)
            if at == offset and last == offset + slot.size:
                yield at - start, slot.size, slot.value
            else:
                for byte in range(at, last):
                    yield byte - start, 1, _piece(slot, byte - offset)
            at = last
        yield from self._beginning(number, start, at, end)

    def _beginning(
        self, number: int, start: int, at: int, end: int
    ) -> Iterator[tuple[int, int, Value]]:
        """Bytes that were never written, up to eight at a time; arbitrary ones get slots."""
        while at < end:
            count = min(8, end - at)
            bits = self._run.contents(number).beginning(at, count)
            kind = IntType(8 * count)
            if bits is None:
                value = self.arbitrary(kind, self._run.contents(number).base)
                self._run.state.changed(number).slots[at] = Slot(count, value)
                yield at - start, count, value
            else:
                yield at - start, count, IntConst(int.from_bytes(bits, "little"), kind)
            at += count

    def read(self, number: int, start: int, size: int) -> Value:
        """What `size` bytes of an object from the offset `start` on hold."""
        if self._run.contents(number).log is not None:
            return self.read_at(number, IntConst(start, self._code.word), size)
        slot = self._run.contents(number).slots.get(start)
        if slot is not None and slot.size == size:
            return slot.value
        return self._whole(list(self.slots(number, start, size)), size)

    def read_at(self, number: int, at: Operand, size: int) -> Value:
        """What `size` bytes of an object from an unknown offset `at : iP` on hold."""
        stored, is_gone = self.logs.stored(number, at, size) or (None, TRUE)
        if stored is not None and is_gone == FALSE:
            return stored
        pieces = self._whole(self.logs.read(number, at, size), size)
        if stored is None:
            return pieces
        return self._mixed(is_gone, pieces, stored, size)

    def _whole(self, pieces: Sequence[tuple[int, int, Value]], size: int) -> Value:
        return pieces[0][2] if len(pieces) == 1 else self._combined(pieces, size)

    def _combined(self, pieces: Sequence[tuple[int, int, Value]], size: int) -> Value:
        first = pieces[0][2]
        if isinstance(first, Piece) and first.size == size == len(pieces):
            wanted = [Piece(first.value, k, size) for k in range(size)]
            if [value for _, _, value in pieces] == wanted:
                return first.value
        if isinstance(first, Choice) and all(_is_like(value, first) for _, _, value in pieces):
            return self._by_option(first, pieces, size)
        whole = IntType(8 * size)
        total: Operand = IntConst(0, whole)
        for distance, count, value in pieces:
            part = self._code.resized(self._bits(value, count), whole)
            placed = self._placed(part, 8 * distance, whole)
            total = self._code.binary(BinaryOp.OR, total, placed)
        return total

    def _by_option(
        self, first: Choice, pieces: Sequence[tuple[int, int, Value]], size: int
    ) -> Value:
        """The value of pieces that are choices by one selector."""
        found = []
        for k in range(len(first.options)):
            meant = [(at, n, v.options[k]) for at, n, v in pieces if isinstance(v, Choice)]
            found.append(self._combined(meant, size))
        return Choice(first.selector, tuple(found))

    def _placed(self, part: Operand, shift: int, whole: IntType) -> Operand:
        if not shift:
            return part
        return self._code.binary(BinaryOp.SHL, part, IntConst(shift, whole))

    def _bits(self, value: Value, size: int) -> Operand:
        """A number of `size` bytes as an integer."""
        if isinstance(value, Piece):
            return byte_of(self._code, value)
        if isinstance(value, Choice):
            value = choices.each(self._code, [value], lambda one: self._bits(one, size))
        if not is_number(value):
            assert isinstance(value, Pointer | Address)
            value = number_of(self._code, self._run, value)
        return self._code.converted(value, IntType(8 * size))

    def typed(self, value: Value, wanted: Type) -> Value:
        """A value that was read, as a value of type `wanted`."""

        def one(part: Value) -> Value:
            if isinstance(part, Piece) and is_number(part.value):
                part = byte_of(self._code, part)
            if isinstance(part, Address) and isinstance(wanted, PointerType):
                return part
            return self._code.converted(part, wanted) if is_number(part) else part

        return choices.each(self._code, [value], one)

    def write(self, number: int, start: int, size: int, value: Value, condition: Operand) -> None:
        """Write a value to `size` bytes from the offset `start` on, if the condition holds."""
        if condition == FALSE:
            return
        if self._run.contents(number).log is not None:
            self.logs.write(number, IntConst(start, self._code.word), size, value, condition)
            return
        if condition != TRUE:
            old = self.read(number, start, size)
            value = self._mixed(condition, value, old, size)
        contents = self._run.state.changed(number)
        slot = contents.slots.get(start)
        if slot is None or slot.size != size:
            self._clear(contents, start, size)
        contents.slots[start] = Slot(size, value)

    def _mixed(self, condition: Operand, value: Value, old: Value, size: int) -> Value:
        if is_number(value) and is_number(old) and value.type != old.type:
            kind = POINTER if POINTER in (value.type, old.type) else IntType(8 * size)
            value, old = self._code.converted(value, kind), self._code.converted(old, kind)
        if isinstance(old, Piece) and is_number(old.value) and is_number(value):
            old = byte_of(self._code, old)
        return choices.one_of(self._code, condition, value, old)

    def _clear(self, contents: Contents, start: int, size: int) -> None:
        """Cut the slots that overlap a range: their bytes outside of it get slots of their own."""
        for offset, slot in list(contents.overlapping(start, size)):
            del contents.slots[offset]
            for byte in range(offset, offset + slot.size):
                if not start <= byte < start + size:
                    contents.slots[byte] = Slot(1, _piece(slot, byte - offset))

    def arbitrary(self, kind: Type, base: object = None) -> Operand:
        """An arbitrary value, as of memory that was never written or is from outside."""
        return self._code.read(kind, self._unwritten(kind, isinstance(base, Asked)))


def _is_like(value: Value, other: Choice) -> bool:
    """Whether it is a choice by the selector of the other one."""
    return (
        isinstance(value, Choice)
        and value.selector == other.selector
        and len(value.options) == len(other.options)
    )


def _piece(slot: Slot, index: int) -> Value:
    """Byte number `index` of what a slot holds."""
    value = slot.value
    if slot.size == 1:
        return value
    if isinstance(value, Piece):
        raise Unfit("a byte of a byte")
    if isinstance(value, IntConst):
        return IntConst(value.value >> 8 * index & 255, BYTE)
    if isinstance(value, FloatConst):
        return IntConst(value.bits >> 8 * index & 255, BYTE)
    return Piece(value, index, slot.size)
