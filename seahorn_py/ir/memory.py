"""The interpreter's memory: byte-accurate, little-endian, with bounds.

The layout is fixed: functions, then globals in the order of the program, then the stack and the
heap, each growing upwards.  Objects are separated by gaps that belong to none, so that an access
near an object but outside it faults; addresses on the stack are used again after a return, those
on the heap never.  An access that does not lie in one live object faults, as does a store to a
constant.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from seahorn_py.base.records import dataclass
from seahorn_py.ir.handed import Handed
from seahorn_py.ir.program import (
    Address,
    Bytes,
    FloatConst,
    Global,
    IntConst,
    Leaf,
    Operand,
    Program,
    Validity,
)
from seahorn_py.ir.run import Ending
from seahorn_py.ir.types import FloatKind, FloatType, IntType, Type

FUNCTIONS = 0x1000
FUNCTION_STEP = 16
GAP = 64
HEAP_ALIGN = 16
OVERHEAD = 128
USER_BITS = 47


class Interruption(Exception):
    """A run ends here: how, why, and for FAILED at which check."""

    def __init__(self, ending: Ending, reason: str, check: int | None = None) -> None:
        super().__init__(reason)
        self.ending = ending
        self.reason = reason
        self.check = check


def bytes_of(type_: Type, pointer_width: int) -> int:
    """How many bytes a load or store of the type touches."""
    match type_:
        case IntType():
            return (type_.width + 7) // 8
        case FloatType():
            return {FloatKind.SINGLE: 4, FloatKind.DOUBLE: 8, FloatKind.X87: 10}[type_.kind]
        case _:
            return pointer_width // 8


def end_of(offset: int, leaf: Leaf, pointer_width: int) -> int:
    """The offset behind an initial leaf at an offset."""
    size = len(leaf.data) if isinstance(leaf, Bytes) else bytes_of(leaf.type, pointer_width)
    return offset + size


class Block:
    """One object: bytes from `base` on; a freed one has none."""

    __slots__ = ("base", "data", "live", "writable")

    def __init__(self, base: int, data: bytearray, writable: bool) -> None:
        self.base = base
        self.data = data
        self.writable = writable
        self.live = True


class Arena:
    """A range of addresses that is handed out upwards."""

    def __init__(self, start: int, end: int) -> None:
        self.end = end
        self.next = start
        self.bases: list[int] = []
        self.blocks: list[Block] = []

    def allocate(self, data: bytearray, align: int, writable: bool) -> Block:
        """Put an object at the next address."""
        base = -(-self.next // align) * align
        if base + len(data) + GAP > self.end:
            raise Interruption(Ending.LIMIT, "out of addresses")
        block = Block(base, data, writable)
        self.next = base + len(data) + GAP
        self.bases.append(base)
        self.blocks.append(block)
        return block

    def find(self, address: int) -> Block | None:
        """The object with the greatest base up to `address`."""
        position = bisect_right(self.bases, address) - 1
        return self.blocks[position] if position >= 0 else None


@dataclass(frozen=True)
class Layout:
    """Where functions and globals lie, where stack and heap begin, the bytes of a pointer."""

    symbols: Mapping[str, int]
    functions: Mapping[int, str]
    stack: int
    heap: int
    end: int
    word: int = 8


def layout_of(program: Program) -> Layout:
    """The fixed layout of a program."""
    symbols = {name: FUNCTIONS + FUNCTION_STEP * k for k, name in enumerate(program.functions)}
    functions = {address: name for name, address in symbols.items()}
    end = 1 << min(program.pointer_width, USER_BITS)
    free = FUNCTIONS + FUNCTION_STEP * (len(symbols) + 1)
    for item in program.globals.values():
        align = max(item.align, 1)
        symbols[item.name] = -(-free // align) * align
        free = symbols[item.name] + item.size + GAP
    quarter = end >> 2
    stack = max(quarter, -(-free // quarter) * quarter)
    heap = stack + (end - stack) // 2
    return Layout(symbols, functions, stack, heap, end, program.pointer_width // 8)


def constant(operand: Operand, symbols: Mapping[str, int], pointer_width: int) -> int | None:
    """The machine value of a constant; None for a register or an unknown symbol."""
    match operand:
        case IntConst():
            return operand.value
        case FloatConst():
            return operand.bits
        case Address():
            base = 0 if operand.symbol is None else symbols.get(operand.symbol)
            return None if base is None else (base + operand.offset) % (1 << pointer_width)
        case _:
            return None


def image(item: Global, symbols: Mapping[str, int], pointer_width: int) -> bytes | None:
    """The initial bytes of a global up to its last leaf; None if a leaf has no known value."""
    data = bytearray()
    for offset, leaf in item.leaves:
        if isinstance(leaf, Bytes):
            data.extend(bytes(max(0, offset - len(data))))
            data[offset:] = leaf.data
            continue
        value = constant(leaf, symbols, pointer_width)
        if value is None:
            return None
        size = bytes_of(leaf.type, pointer_width)
        data.extend(bytes(max(0, offset - len(data))))
        data[offset : offset + size] = value.to_bytes(size, "little")
    return bytes(data)


class Memory:
    """The memory of one run; addresses and sizes are canonical machine integers.

    `limit` bounds the bytes that are allocated at a time, each object counted with an overhead.
    """

    def __init__(self, layout: Layout, limit: int) -> None:
        self._layout = layout
        self._word = layout.word
        self._left = limit
        self._globals = Arena(0, layout.stack)
        self._stack = Arena(layout.stack, layout.heap)
        self._heap = Arena(layout.heap, layout.end)
        self._freed: list[tuple[int, int]] = []
        self._takes_freed = False
        self._nothing = Block(-1, bytearray(), False)
        self._last = self._nothing
        self.handed = Handed(self._led_to, layout.word)

    def place(self, items: Iterable[tuple[Global, bytes]]) -> None:
        """Put the globals with their initial bytes where the layout says."""
        for item, initial in items:
            self.charge(item.size)
            data = bytearray(item.size)
            data[: len(initial)] = initial
            self._globals.next = self._layout.symbols[item.name]
            self._globals.allocate(data, 1, not item.constant)

    def charge(self, size: int) -> None:
        """Count bytes against the limit."""
        self._left -= size
        if self._left < 0:
            raise Interruption(Ending.LIMIT, "out of memory")

    # -------------------------------------------------------------------------------- accesses

    def _block(self, address: int, size: int) -> Block:
        """The live object in which the bytes lie."""
        block = self._last
        if block.base <= address and address + size <= block.base + len(block.data):
            return block
        found = self._holds(address, size)
        if found is None:
            raise Interruption(Ending.ENDED, f"invalid access of {size} bytes at 0x{address:x}")
        self._last = found
        return found

    def _holds(self, address: int, size: int) -> Block | None:
        """The live object in which the bytes lie, if they do."""
        layout = self._layout
        arena = self._heap if address >= layout.heap else self._stack
        found = (arena if address >= layout.stack else self._globals).find(address)
        if found is None or not found.live or address + size > found.base + len(found.data):
            return None
        return found

    def _led_to(self, address: int) -> Block | None:
        """The live object in which an address lies, or at its end."""
        if address in self._layout.functions:
            return self._nothing
        found = self._holds(address, 0)
        return found if found is not None and found.data else None

    def _tracked(self) -> set[int]:
        """The bases of the live heap blocks to which pointers in global objects lead."""
        found: set[int] = set()
        pending = list(self._globals.blocks)
        while pending:
            for address in self._words(pending.pop().data):
                block = self._heap.find(address) if address >= self._layout.heap else None
                if block is None or not block.live or block.base in found:
                    continue
                if address <= block.base + len(block.data):
                    found.add(block.base)
                    pending.append(block)
        return found

    def _words(self, data: bytearray) -> Iterator[int]:
        """What could be pointers: the words at every byte, for pointers may be packed."""
        size = self._word
        for start in range(len(data) - size + 1):
            yield int.from_bytes(data[start : start + size], "little")

    def _writable(self, address: int, size: int) -> Block:
        block = self._block(address, size)
        if not block.writable:
            raise Interruption(Ending.ENDED, f"store to a constant at 0x{address:x}")
        return block

    def valid(self, kind: Validity, address: int, size: int) -> bool:
        """Whether memory is as `kind` asks; no run says no if a silent call may be the reason."""
        holds = self._valid(kind, address, size)
        if not holds and self.handed.may_be_reason(kind, self._heap.blocks):
            raise Interruption(Ending.ENDED, self.handed.reason)
        return holds

    def expect_set(self) -> None:
        """A pointer is null: no run goes on if a silent call may be the reason."""
        if self.handed.is_loose:
            raise Interruption(Ending.ENDED, self.handed.reason)

    def _valid(self, kind: Validity, address: int, size: int) -> bool:
        match kind:
            case Validity.ACCESS:
                return size == 0 or self._holds(address, size) is not None
            case Validity.WRITE:
                found = self._holds(address, size)
                return size == 0 or (found is not None and found.writable)
            case Validity.FREE:
                block = self._heap.find(address)
                return address == 0 or (block is not None and block.live and block.base == address)
            case Validity.CALL:
                return address in self._layout.functions
            case Validity.NO_LEAK:
                return not any(block.live for block in self._heap.blocks)
            case Validity.NO_LOST:
                live = {block.base for block in self._heap.blocks if block.live}
                return live <= self._tracked()
            case _:
                assert_never(kind)

    def load(self, address: int, size: int) -> int:
        """The little-endian integer in `size` bytes."""
        block = self._block(address, size)
        start = address - block.base
        return int.from_bytes(block.data[start : start + size], "little")

    def load_pointer(self, address: int, size: int) -> int:
        """The pointer in `size` bytes."""
        value = self.load(address, size)
        if self.handed.by:
            self.handed.read(self._block(address, size))
        return value

    def store(self, address: int, size: int, value: int) -> None:
        """Write `value < 256**size`."""
        block = self._writable(address, size)
        start = address - block.base
        block.data[start : start + size] = value.to_bytes(size, "little")

    def copy(self, target: int, source: int, size: int) -> None:
        """`memmove`; no access at all for 0 bytes."""
        if size == 0:
            return
        origin = self._block(source, size)
        start = source - origin.base
        self.write(target, origin.data[start : start + size])
        if self.handed.by:
            self.handed.copied(origin, self._block(target, size))

    def fill(self, target: int, byte: int, size: int) -> None:
        """`memset`; no access at all for 0 bytes."""
        if size:
            block = self._writable(target, size)
            start = target - block.base
            block.data[start : start + size] = bytes([byte & 255]) * size

    def write(self, target: int, data: bytes | bytearray) -> None:
        """Write bytes."""
        if data:
            block = self._writable(target, len(data))
            start = target - block.base
            block.data[start : start + len(data)] = data

    # ------------------------------------------------------------------------------ allocation

    def alloca(self, size: int, align: int) -> int:
        """A new object on the stack; its bytes are 0."""
        self.charge(size + OVERHEAD)
        return self._stack.allocate(bytearray(size), max(align, 1), True).base

    def scope(self, address: int, live: bool) -> None:
        """A stack object begins to live, or dies but keeps its place."""
        block = self._stack.find(address)
        if block is not None and block.base == address:
            block.live = live
            self._last = self._nothing

    def mark(self) -> tuple[int, int]:
        """The height of the stack."""
        return len(self._stack.bases), self._stack.next

    def release(self, mark: tuple[int, int]) -> None:
        """Free the objects above a height."""
        count, free = mark
        if len(self._stack.bases) > count:
            self._left += sum(len(block.data) + OVERHEAD for block in self._stack.blocks[count:])
            del self._stack.bases[count:], self._stack.blocks[count:]
            self._stack.next = free
            self._last = self._nothing

    def reuse(self, wanted: bool) -> None:
        """The next `malloc` takes the block of its size that was freed last, if it is `wanted`."""
        self._takes_freed = wanted

    def malloc(self, size: int, align: int = HEAP_ALIGN) -> int:
        """A new object on the heap; its bytes are 0."""
        self.charge(size + OVERHEAD)
        again = self._takes_freed and align == HEAP_ALIGN
        self._takes_freed = self._takes_freed and not again
        found = [k for k, (_, freed) in enumerate(self._freed) if freed == size] if again else []
        if found:
            base, _ = self._freed.pop(found[-1])
            block = self._heap.find(base)
            assert block is not None
            block.data, block.live = bytearray(size), True
            return base
        return self._heap.allocate(bytearray(size), max(align, HEAP_ALIGN), True).base

    def free(self, address: int) -> None:
        """Free a heap object; nothing for null."""
        if address:
            block = self._heap_block(address)
            self._left += len(block.data)
            self._freed.append((address, len(block.data)))
            block.live = False
            block.data = bytearray()

    def realloc(self, address: int, size: int) -> int:
        """Move a heap object to a new one of another size."""
        if address == 0:
            return self.malloc(size)
        old = self._heap_block(address).data
        new = self.malloc(size)
        self.write(new, old[:size])
        self.free(address)
        return new

    def _heap_block(self, address: int) -> Block:
        block = self._heap.find(address)
        if block is None or not block.live or block.base != address:
            raise Interruption(Ending.ENDED, f"free of 0x{address:x}, which is no live block")
        return block
