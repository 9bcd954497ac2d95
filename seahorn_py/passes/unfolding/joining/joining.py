"""States that meet at one copy of a block become one state."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from seahorn_py.ir.program import (
    FALSE,
    NULL,
    IntConst,
    Operand,
    Register,
)
from seahorn_py.ir.types import POINTER, FloatType, IntType
from seahorn_py.passes.ranges.intervals import Range, join
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.drafts import Draft
from seahorn_py.passes.unfolding.code.values import (
    SELECTOR,
    Choice,
    Piece,
    Pointer,
    Unfit,
    Value,
    Whole,
    is_number,
    is_operand,
    mapped,
    zero,
)
from seahorn_py.passes.unfolding.joining.joinedlogs import JoinedLogs
from seahorn_py.passes.unfolding.memory.logs import Unwritten
from seahorn_py.passes.unfolding.state.state import State, byte_of, offset_of
from seahorn_py.passes.unfolding.state.storage import Contents, Entry, Object, Slot

MOST_FILLED = 4_096
"""The most bytes of an object that may be filled on one edge and not on another."""

WIDE = 16
"""From so many states on that meet, it is kept what is known there of numbers (`Code.joins`)."""

Edge = tuple[Draft, State]


class Joining:
    """Joins the states of several edges into a new block, which has phis for what differs."""

    def __init__(
        self, code: Code, objects: Mapping[int, Object], edges: Sequence[Edge], unwritten: Unwritten
    ) -> None:
        self._code = code
        self._objects = objects
        self._edges = edges
        self._unwritten = unwritten
        self._taken: dict[tuple[Register, frozenset[int]], Operand] = {}
        self._selectors: dict[tuple[int, ...], Operand] = {}
        self._logs = JoinedLogs(len(edges), self._carried, self._phi_of)

    def run(self) -> State:
        """The joined state; the code stands in the new block."""
        code, states = self._code, [state for _, state in self._edges]
        first = states[0]
        if any(state.frame.caller is not first.frame.caller for state in states):
            raise Unfit("paths meet in a function that several activations called")
        code.facts = facts = self._facts(states)
        if len(states) >= WIDE:
            code.joins[code.draft.label] = ChainMap(dict(facts), code.ranges)
        registers = self._registers([state.frame.registers for state in states])
        objects = tuple(dict.fromkeys(n for state in states for n in state.frame.objects))
        frame = replace(first.frame, registers=registers, objects=objects)
        live = self._live([state.live for state in states])
        memory = self._memory([state.memory for state in states])
        return State(frame, memory, live, facts, self._sizes(states), self._reads(states))

    def _reads(self, states: Sequence[State]) -> dict[object, tuple[Entry, ...]]:
        """What runs have read of unwritten bytes; it holds for runs by the edge of the read."""
        bases = dict.fromkeys(base for state in states for base in state.reads)
        several = {base: [state.reads.get(base, ()) for state in states] for base in bases}
        return {base: self._logs.joined(parts) for base, parts in several.items()}

    def _sizes(self, states: Sequence[State]) -> dict[int, Operand]:
        """The sizes of objects that are no constants; 0 where an object does not exist."""
        found: dict[int, Operand] = {}
        for number in dict.fromkeys(n for state in states for n in state.memory):
            size = self._objects[number].size
            if not isinstance(size, Register):
                continue
            parts = [
                state.sizes.get(number, size) if number in state.memory else zero(size.type)
                for state in states
            ]
            merged = self.value(parts)
            assert is_operand(merged)
            found[number] = merged
        return found

    def _facts(self, states: Sequence[State]) -> dict[Register, Range]:
        """Ranges that hold in all states."""
        facts = dict(states[0].facts)
        for state in states[1:]:
            for register, known in list(facts.items()):
                other = state.facts.get(register)
                joined = join(known, other) if other is not None else None
                if joined is None:
                    del facts[register]
                else:
                    facts[register] = joined
        return facts

    def _registers(self, several: Sequence[dict[str, Value]]) -> dict[str, Value]:
        """The registers that have a value on all edges; no other one is read later."""
        first, *others = several
        return {
            name: self.value([value, *(other[name] for other in others)])
            for name, value in first.items()
            if all(name in other for other in others)
        }

    def _live(self, several: Sequence[dict[int, Operand]]) -> dict[int, Operand]:
        found: dict[int, Operand] = {}
        for number in dict.fromkeys(n for live in several for n in live):
            merged = self.value([live.get(number, FALSE) for live in several])
            assert is_operand(merged)
            found[number] = merged
        return found

    # ----------------------------------------------------------------------------------- memory

    def _memory(self, several: Sequence[dict[int, Contents]]) -> dict[int, Contents]:
        found: dict[int, Contents] = {}
        for number in dict.fromkeys(n for memory in several for n in memory):
            parts = [memory.get(number) for memory in several]
            made = frozenset(edge for edge, part in enumerate(parts) if part is not None)
            known = next(part for part in parts if part is not None)
            if all(part is None or part is known for part in parts):
                found[number] = known if len(made) == len(parts) else self._made(known, made)
            else:
                size = self._objects[number].known_size
                if any(part is not None and part.log is not None for part in parts):
                    found[number] = self._logs.contents(parts, self._code.word)
                    continue
                whole = [known.grounded() if part is None else part for part in parts]
                found[number] = self._contents(whole, size)
        return found

    def _made(self, contents: Contents, made: frozenset[int]) -> Contents:
        """The contents of an object that exists on some of the edges alone."""
        slots = {
            start: Slot(slot.size, self._carried(slot.value, made))
            for start, slot in contents.slots.items()
        }
        log = contents.log and tuple(self._logs.carried(entry, made) for entry in contents.log)
        return Contents(contents.initial, slots, log, contents.base)

    def _contents(self, parts: Sequence[Contents], size: int | None) -> Contents:
        initial = parts[0].initial
        if any(part.initial is not initial for part in parts):
            if size is None or size > MOST_FILLED:
                raise Unfit("a large object is filled on one path and not on another")
            parts = [part.filled(size) for part in parts]
            initial = None
        bases = {part.base for part in parts}
        merged = Contents(initial, base=bases.pop() if len(bases) == 1 else object())
        for start, size in _pieces(parts):
            values = [self._part(part, start, size, edge) for edge, part in enumerate(parts)]
            merged.slots[start] = Slot(size, self.value(values))
        return merged

    def _part(self, part: Contents, start: int, size: int, edge: int) -> Value:
        """What `size` bytes from an offset on hold at the source of an edge."""
        slot = part.slots.get(start)
        if slot is not None and slot.size == size:
            return slot.value
        for offset, other in part.overlapping(start, size):
            return Piece(_whole(other.value), start - offset, other.size)
        bits = part.beginning(start, size)
        if bits is not None:
            return IntConst(int.from_bytes(bits, "little"), IntType(8 * size))
        return self._at(edge, partial(self._unwritten, IntType(8 * size), part.base))

    # ----------------------------------------------------------------------------------- values

    def value(self, values: Sequence[Value]) -> Value:
        """One value for the values of all edges: that of the edge taken."""
        first = values[0]
        if all(value is first or value == first for value in values):
            return first
        if all(is_number(value) for value in values):
            return self._number(values)
        if all(isinstance(v, Pointer) and _object(v) == _object(first) for v in values):
            return self._pointer(values)
        if all(isinstance(v, Piece) and _place(v) == _place(first) for v in values):
            whole = self.value([v.value for v in values if isinstance(v, Piece)])
            assert isinstance(first, Piece)
            return Piece(_whole(whole), first.index, first.size)
        settled = [self._settled(edge, value) for edge, value in enumerate(values)]
        return self._choice(settled) if settled == list(values) else self.value(settled)

    def _number(self, values: Sequence[Value]) -> Value:
        """A phi of values; a phi of their bytes if the values have several types."""
        operands = [value for value in values if is_operand(value)]
        kinds = {operand.type for operand in operands}
        wanted = operands[0].type
        if len(kinds) > 1 and POINTER in kinds:
            wanted = POINTER
        sizes = {_bits(kind, self._code.word.width) for kind in kinds}
        if len(sizes) > 1:
            raise Unfit("values of different sizes meet")
        if len(kinds) > 1 and wanted != POINTER:
            wanted = IntType(8 * sizes.pop())
        incoming = [
            (draft, self._at(edge, partial(self._code.converted, v, wanted)))
            for edge, ((draft, _), v) in enumerate(zip(self._edges, operands, strict=True))
        ]
        return self._phi(incoming)

    def _phi_of(self, values: Sequence[Operand]) -> Operand:
        """One operand for the operands of all edges: that of the edge taken."""
        return self._phi([(d, v) for (d, _), v in zip(self._edges, values, strict=True)])

    def _phi(self, incoming: Sequence[tuple[Draft, Operand]]) -> Operand:
        result = self._code.phi(incoming)
        if isinstance(result, Register) and isinstance(result.type, IntType):
            facts = [state.facts for _, state in self._edges]
            values = [value for _, value in incoming]
            self._code.note(result, self._code.joined(list(zip(values, facts, strict=True))))
        return result

    def _pointer(self, values: Sequence[Value]) -> Value:
        """A pointer into one object, at an offset that depends on the edge."""
        pointers = [value for value in values if isinstance(value, Pointer)]
        terms = {pointer.terms for pointer in pointers}
        word = self._code.word
        same = terms.pop() if len(terms) == 1 else None
        offsets: list[Operand] = []
        for edge, pointer in enumerate(pointers):
            constant = IntConst(pointer.constant % (1 << word.width), word)
            if same is not None:
                offsets.append(constant)
            else:
                offsets.append(self._at(edge, partial(offset_of, self._code, pointer)))
        drafts = [draft for draft, _ in self._edges]
        result = self._phi(list(zip(drafts, offsets, strict=True)))
        if isinstance(result, IntConst):
            return Pointer(pointers[0].object, result.value, same or ())
        assert isinstance(result, Register)
        return Pointer(pointers[0].object, 0, (*(same or ()), (result, 1)))

    def _choice(self, values: Sequence[Value]) -> Value:
        # null comes first, so that the interval of a selector tells that it is none
        options = sorted(dict.fromkeys(values), key=lambda value: value != NULL)
        numbers = tuple(map(options.index, values))
        selector = self._selectors.get(numbers)
        if selector is None:
            drafts = [draft for draft, _ in self._edges]
            constants = [IntConst(number, SELECTOR) for number in numbers]
            selector = self._phi(list(zip(drafts, constants, strict=True)))
            self._selectors[numbers] = selector
        assert isinstance(selector, Register)
        edges = [frozenset(e for e, n in enumerate(numbers) if n == k) for k in range(len(options))]
        carried = (self._carried(v, chosen) for v, chosen in zip(options, edges, strict=True))
        return Choice(selector, tuple(carried))

    def _carried(self, value: Value, chosen: frozenset[int]) -> Value:
        """A value that exists on some edges; its registers are arbitrary on the others."""
        return mapped(value, lambda register: self._on(register, chosen))

    def _on(self, register: Register, chosen: frozenset[int]) -> Operand:
        key = register, chosen
        if key not in self._taken:
            incoming = [
                (draft, register if edge in chosen else zero(register.type))
                for edge, (draft, _) in enumerate(self._edges)
            ]
            self._taken[key] = self._phi(incoming)
        return self._taken[key]

    def _settled(self, edge: int, value: Value) -> Value:
        """The value, computed to a number if it is a byte of a number."""
        if isinstance(value, Piece) and is_number(value.value):
            return self._at(edge, partial(byte_of, self._code, value))
        return value

    def _at(self, edge: int, compute: Callable[[], Operand]) -> Operand:
        """Compute an operand at the end of the source of an edge."""
        code = self._code
        draft, state = self._edges[edge]
        before = code.draft, code.facts
        code.draft, code.facts = draft, state.facts
        try:
            return compute()
        finally:
            code.draft, code.facts = before


def _pieces(parts: Sequence[Contents]) -> Iterable[tuple[int, int]]:
    """Ranges of bytes, as (start, size), that cover all slots and cross the border of none."""
    sizes: dict[int, set[int]] = {}
    for part in parts:
        for start, slot in part.slots.items():
            sizes.setdefault(start, set()).add(slot.size)
    end = 0
    for start in sorted(sizes):
        size = max(sizes[start])
        alone = len(sizes[start]) == 1 and start >= end
        if alone and not any(start < other < start + size for other in _near(sizes, start, size)):
            yield start, size
            end = start + size
            continue
        for byte in range(max(start, end), start + size):
            yield byte, 1
        end = max(end, start + size)


def _near(sizes: Mapping[int, set[int]], start: int, size: int) -> Iterable[int]:
    return (offset for offset in range(start + 1, start + size) if offset in sizes)


def _whole(value: Value) -> Whole:
    if isinstance(value, Piece):
        raise Unfit("a byte of a byte")
    return value


def _object(value: Value) -> int:
    return value.object if isinstance(value, Pointer) else -1


def _place(value: Value) -> tuple[int, int]:
    return (value.index, value.size) if isinstance(value, Piece) else (-1, -1)


def _bits(kind: object, word: int) -> int:
    match kind:
        case IntType(width):
            return -(-width // 8)
        case FloatType():
            return {"float": 4, "double": 8}.get(kind.kind.value, 10)
        case _:
            return word // 8
