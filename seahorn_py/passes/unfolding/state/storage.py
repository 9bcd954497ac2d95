"""Objects in memory while a program is unfolded, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from enum import Enum

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import TRUE, IntConst, Operand
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.code.values import Unfit, Value, mapped, zero

WIDEST = 16
"""The size in bytes of the widest value that is stored at once."""


class Kind(Enum):
    """Where an object lives."""

    GLOBAL = "global"
    STACK = "stack"
    HEAP = "heap"


@dataclass(frozen=True, slots=True)
class Object:
    """An object of `size : iP` bytes, whose address is a multiple of `align`.

    `ends_unseen`: it lies on the stack, and the program does not show where its life ends.
    `may_meet`: it is a constant that may lie where others lie; or a compound literal, which may lie
    where other locals lie, also a later one of its own place.
    """

    number: int
    kind: Kind
    size: Operand
    align: int
    writable: bool = True
    ends_unseen: bool = False
    may_meet: bool = False

    @property
    def known_size(self) -> int | None:
        """The size, if it is a constant."""
        return self.size.value if isinstance(self.size, IntConst) else None


@dataclass(frozen=True, slots=True)
class Slot:
    """`size` consecutive bytes that were written as one value."""

    size: int
    value: Value


@dataclass(frozen=True, slots=True)
class Written:
    """An entry of a log: `value` is written to `size` bytes from the offset `at : iP` on.

    All entries count only if their `condition : i1` holds.
    """

    at: Operand
    size: int
    value: Value
    condition: Operand


@dataclass(frozen=True, slots=True)
class Filled:
    """An entry of a log: `length : iP` bytes from `at` on become `byte`."""

    at: Operand
    length: Operand
    byte: Value
    condition: Operand


@dataclass(frozen=True, slots=True)
class Copied:
    """An entry of a log: `length` bytes from `at` on become those of `source` from `start` on."""

    at: Operand
    length: Operand
    source: Contents
    start: Operand
    condition: Operand


Entry = Written | Filled | Copied

MOST_ENTRIES = 200
"""The most entries of a log, together with those of the logs that it copies from."""


def checked(log: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The log; Unfit if it is too long."""
    if sum(map(_weight, log)) > MOST_ENTRIES:
        raise Unfit("too many writes to an object at unknown offsets")
    return log


def _weight(entry: Entry) -> int:
    return 1 + sum(map(_weight, entry.source.log or ())) if isinstance(entry, Copied) else 1


class Asked:
    """The `base` of bytes that are arbitrary since the program asked for that."""


@dataclass(slots=True)
class Contents:
    """What an object holds: slots by offset, which do not overlap, or a log.

    Bytes outside of slots are those of `initial`, or 0 behind its end; if `initial` is None, they
    are unwritten.  The `log` has all writes, the last one last; with a log there are no slots.
    `base` identifies the unwritten bytes: contents with one base agree on them.  It is an `Asked`
    if they come from outside.
    """

    initial: bytes | None
    slots: dict[int, Slot] = field(default_factory=dict)
    log: tuple[Entry, ...] | None = None
    base: object = field(default_factory=object)

    def values(self) -> Iterator[Value]:
        """All values that were written."""
        yield from (slot.value for slot in self.slots.values())
        for entry in self.log or ():
            match entry:
                case Written(value=value) | Filled(byte=value):
                    yield value
                case Copied(source=source):
                    yield from source.values()

    def copy(self) -> Contents:
        """A copy, which may be changed in place."""
        return Contents(self.initial, dict(self.slots), self.log, self.base)

    def logged(self, word: IntType) -> Contents:
        """The same contents with a log in the place of slots."""
        if self.log is not None:
            return self
        found = [
            Written(IntConst(start, word), slot.size, slot.value, TRUE)
            for start, slot in sorted(self.slots.items())
        ]
        return Contents(self.initial, {}, tuple(found), self.base)

    def overlapping(self, start: int, size: int) -> Iterator[tuple[int, Slot]]:
        """The slots that have a byte in the range, by offset."""
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
        """The initial bytes of a range; None if they are unwritten."""
        if self.initial is None:
            return None
        return self.initial[start : start + size].ljust(size, b"\0")

    def constant(self, start: int, size: int) -> int | None:
        """The number in a range of bytes, if they were written as one constant or never."""
        slot = self.slots.get(start)
        if slot is not None:
            value = slot.value
            return value.value if slot.size == size and isinstance(value, IntConst) else None
        bits = self.beginning(start, size)
        if bits is None or any(self.overlapping(start, size)):
            return None
        return int.from_bytes(bits, "little")

    def filled(self, size: int) -> Contents:
        """The same contents of an object of `size` bytes, with slots for all its initial bytes."""
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
        """The same contents with constants in the place of registers."""
        slots = {
            start: Slot(slot.size, mapped(slot.value, lambda register: zero(register.type)))
            for start, slot in self.slots.items()
        }
        return Contents(self.initial, slots, self.log, self.base)
