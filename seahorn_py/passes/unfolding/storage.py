"""Objects in memory while a program is unfolded, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from seahorn_py.ir.program import IntConst, Operand
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.values import Value, mapped, zero

WIDEST = 16
"""The bytes of the widest value that is stored at once."""


class Kind(Enum):
    """Where an object lives."""

    GLOBAL = "global"
    STACK = "stack"
    HEAP = "heap"


@dataclass(frozen=True, slots=True)
class Object:
    """An object of `size : iP` bytes; `align` is that of its address, in bytes."""

    number: int
    kind: Kind
    size: Operand
    align: int
    writable: bool = True

    @property
    def known_size(self) -> int | None:
        """The size, if it is a constant."""
        return self.size.value if isinstance(self.size, IntConst) else None


@dataclass(frozen=True, slots=True)
class Slot:
    """`size` consecutive bytes that were written at once."""

    size: int
    value: Value


@dataclass(slots=True)
class Contents:
    """Slots by offset, none over another; other bytes are `initial`, or unwritten if None.

    Bytes behind the end of `initial` are 0.
    """

    initial: bytes | None
    slots: dict[int, Slot] = field(default_factory=dict)

    def copy(self) -> Contents:
        """The same, to be changed."""
        return Contents(self.initial, dict(self.slots))

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
        return Contents(None, slots)

    def grounded(self) -> Contents:
        """The same with constants for registers."""
        slots = {
            start: Slot(slot.size, mapped(slot.value, lambda register: zero(register.type)))
            for start, slot in self.slots.items()
        }
        return Contents(self.initial, slots)
