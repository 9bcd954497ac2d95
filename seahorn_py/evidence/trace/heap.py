"""What a run does to blocks of the heap: allocates, frees, writes them.

Only what is done is known here, statement by statement; who shows a run makes pictures of it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterator

from seahorn_py.base.errors import Span
from seahorn_py.evidence.trace.notation import shown
from seahorn_py.ir.memory import layout_of
from seahorn_py.ir.program import (
    Address,
    Call,
    MemoryCopy,
    MemorySet,
    Operand,
    Program,
    Statement,
    Store,
)
from seahorn_py.ir.types import FloatKind, FloatType, IntType, PointerType, Type
from seahorn_py.result import HeapDeed, HeapEvent

MOST_EVENTS = 10_000
"""What is kept of a run; later contents of blocks are not known."""

_ALLOCATE = frozenset({"malloc", "calloc", "realloc", "aligned_alloc"})
_FLOATS = {FloatKind.SINGLE: 4, FloatKind.DOUBLE: 8, FloatKind.X87: 16}
_Value = Callable[[Operand], int | None]


def is_on_heap(statement: Statement | None) -> bool:
    """Whether a statement may be about the heap."""
    match statement:
        case Call(callee=str(name)):
            return name in _ALLOCATE or name == "free"
        case Store(address=Address()):
            return False
        case Store() | MemoryCopy() | MemorySet():
            return True
        case _:
            return False


class Heap:
    """The blocks that a run has allocated so far."""

    def __init__(self, program: Program) -> None:
        layout = layout_of(program)
        self._start, self._end = layout.heap, layout.end
        self._word = layout.word
        self._bases: list[int] = []
        self._sizes: dict[int, int] = {}
        self._left = MOST_EVENTS

    def events(self, statement: Statement, value: _Value) -> tuple[HeapEvent, ...]:
        """What a statement that was just run has done."""
        found = tuple(self._events(statement, value)) if self._left > 0 else ()
        self._left -= len(found)
        return found

    def _events(self, statement: Statement, value: _Value) -> Iterator[HeapEvent]:
        match statement:
            case Call(callee=str(name)):
                yield from self._called(statement, name, value)
            case Store():
                size = _bytes(statement.value.type, self._word)
                found = self._within(value(statement.address), size)
                number = value(statement.value)
                if found is not None and number is not None:
                    text = shown(number, statement.value.type)
                    place = statement.origin.span
                    yield HeapEvent(HeapDeed.WRITTEN, *found, size, text, place=place)
            case MemorySet():
                size, byte = value(statement.length) or 0, value(statement.byte)
                found = self._within(value(statement.target), size)
                if found is not None:
                    yield HeapEvent(HeapDeed.FILLED, *found, size, str(byte))
            case MemoryCopy():
                size, source = value(statement.length) or 0, value(statement.source) or 0
                found = self._within(value(statement.target), size)
                if found is not None:
                    yield HeapEvent(HeapDeed.COPIED, *found, size, source=source)

    def _called(self, call: Call, name: str, value: _Value) -> Iterator[HeapEvent]:
        numbers = [value(argument) or 0 for argument in call.arguments]
        place = call.origin.span
        if name == "free":
            if numbers and numbers[0] in self._sizes:
                yield HeapEvent(HeapDeed.FREED, numbers[0], place=place)
            return
        base = value(call.results[0]) if call.results else None
        if not base or not numbers:
            return
        size = numbers[0] * numbers[1] if name == "calloc" else numbers[-1]
        yield self._allocated(base, size, place)
        if name == "calloc":
            yield HeapEvent(HeapDeed.FILLED, base, 0, size, "0")
        if name == "realloc" and numbers[0] in self._sizes:
            kept = min(size, self._sizes[numbers[0]])
            yield HeapEvent(HeapDeed.COPIED, base, 0, kept, source=numbers[0])
            yield HeapEvent(HeapDeed.FREED, numbers[0], place=place)

    def _allocated(self, base: int, size: int, place: Span | None) -> HeapEvent:
        if base not in self._sizes:
            insort(self._bases, base)
        self._sizes[base] = size
        return HeapEvent(HeapDeed.ALLOCATED, base, 0, size, place=place)

    def _within(self, address: int | None, size: int) -> tuple[int, int] | None:
        """The block in which so many bytes lie, and where in it."""
        if address is None or not self._start <= address < self._end or not size:
            return None
        before = bisect_right(self._bases, address)
        if not before:
            return None
        base = self._bases[before - 1]
        return (base, address - base) if address - base < self._sizes[base] else None


def _bytes(type_: Type, word: int) -> int:
    match type_:
        case IntType(width):
            return (width + 7) // 8
        case FloatType(kind):
            return _FLOATS[kind]
        case PointerType():
            return word
        case _:
            return 0
