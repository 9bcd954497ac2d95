"""Objects in memory while a program is unfolded, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from seahorn_py.ir.program import TRUE, IntConst, Operand
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.values import Unfit, Value, mapped, zero

WIDEST = 16
"""The bytes of the widest value that is stored at once."""


class Kind(Enum):
    """Where an object lives."""

    GLOBAL = "global"
    STACK = "stack"
    HEAP = "heap"


@dataclass(frozen=True, slots=True)
class Object:
    """An object of `size : iP` bytes; `align` is that of its address, in bytes.

    `ends_unseen`: it lies on the stack, and the program does not say where its life ends.
    """

    number: int
    kind: Kind
    size: Operand
    align: int
    writable: bool = True
    ends_unseen: bool = False

    @property
    def known_size(self) -> int | None:
        """The size, if it is a constant."""
        return self.size.value if isinstance(self.size, IntConst) else None


@dataclass(frozen=True, slots=True)
class Slot:
    """`size` consecutive bytes that were written at once."""

    size: int
    value: Value


@dataclass(frozen=True, slots=True)
class Written:
    """`size` bytes at the offset `at` hold `value` from then on, if the condition holds."""

    at: Operand
    size: int
    value: Value
    condition: Operand


@dataclass(frozen=True, slots=True)
class Filled:
    """So do `length` bytes, each of which is `byte`."""

    at: Operand
    length: Operand
    byte: Value
    condition: Operand


@dataclass(frozen=True, slots=True)
class Copied:
    """So do `length` bytes, those that `source` has from the offset `start` on."""

    at: Operand
    length: Operand
    source: Contents
    start: Operand
    condition: Operand


Entry = Written | Filled | Copied

MOST_ENTRIES = 200
"""A log is followed up to so many entries, with those of the copies in it."""


def checked(log: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The log; Unfit if it is too long."""
    if sum(map(_weight, log)) > MOST_ENTRIES:
        raise Unfit("an object is written to so often at offsets that are not known")
    return log


def _weight(entry: Entry) -> int:
    return 1 + sum(map(_weight, entry.source.log or ())) if isinstance(entry, Copied) else 1


@dataclass(slots=True)
class Contents:
    """Slots by offset, none over another; other bytes are `initial`, or unwritten if None.

    Bytes behind the end of `initial` are 0.  Where there is a `log`, it holds what was written, the
    last entry last, and there are no slots.  Unwritten bytes are those of `base`.
    """

    initial: bytes | None
    slots: dict[int, Slot] = field(default_factory=dict)
    log: tuple[Entry, ...] | None = None
    base: object = field(default_factory=object)

    def copy(self) -> Contents:
        """The same, to be changed."""
        return Contents(self.initial, dict(self.slots), self.log, self.base)

    def logged(self, word: IntType) -> Contents:
        """The same with a log in the place of slots."""
        if self.log is not None:
            return self
        found = [
            Written(IntConst(start, word), slot.size, slot.value, TRUE)
            for start, slot in sorted(self.slots.items())
        ]
        return Contents(self.initial, {}, tuple(found), self.base)

    def overlapping(self, start: int, size: int) -> Iterator[tuple[int, Slot]]:
        """The slots that have a byte in the range, in order."""
        if size > 4 * len(self.slots):
            for offset in sorted(self.slots):
                slot = self.slots[offset]
                if offset < start + size and offset + slot.size > start:
                    yield offset, slot
            return
        for offset in range(start - WIDEST + 1, start + size):
            found = self.slots.get(offset)
            if found is not None and offset + found.size > start:
                yield offset, found

    def beginning(self, start: int, size: int) -> bytes | None:
        """Bytes that nothing was written to; None if they are unwritten."""
        if self.initial is None:
            return None
        return self.initial[start : start + size].ljust(size, b"\0")

    def filled(self, size: int) -> Contents:
        """The same in an object of that size, with slots for all bytes that are `initial`."""
        if self.initial is None:
            return self
        slots = dict(self.slots)
        taken = [(offset, offset + slot.size) for offset, slot in sorted(self.slots.items())]
        at = 0
        for start, end in (*taken, (size, size)):
            while at < start:
                count = min(8, start - at)
                bits = self.beginning(at, count) or b""
                value = IntConst(int.from_bytes(bits, "little"), IntType(8 * count))
                slots[at] = Slot(count, value)
                at += count
            at = max(at, end)
        return Contents(None, slots, None, self.base)

    def grounded(self) -> Contents:
        """The same with constants for registers."""
        slots = {
            start: Slot(slot.size, mapped(slot.value, lambda register: zero(register.type)))
            for start, slot in self.slots.items()
        }
        return Contents(self.initial, slots, self.log, self.base)
