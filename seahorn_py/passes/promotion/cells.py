"""Memory to registers: the parts of objects that `promotion.promotable` finds become SSA values.

Accesses are lowered to reads and writes of cells (`_Lowering`), then `passes.promotion.ssa` places
the phis.  A function takes the cells of globals that it or its callees read or write as further
parameters and returns those they write as further results; the entry function begins with the
initial values.  Cells of stack slots never leave their function, so recursion is no obstacle: each
activation has registers of its own.

A load from a small array by a variable index is a chain of choices, a store by one an update of
every element under the condition that it is the one meant.

Of an object with a larger array (`promotion.partial`) the memory stays, and its bytes at the parts
are out of date.  A load by a variable index chooses between memory and the parts it can meet, a
store writes both; what a copy reads is put in memory before it, what it writes is read behind it.

What is left of an object that was promoted (its `Alloca`, its `Offset`s) has no effect any more;
`simplify` drops it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seahorn_py.base.errors import NOWHERE
from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Address,
    Alloca,
    Block,
    Call,
    Compare,
    Function,
    Havoc,
    Input,
    IntConst,
    Load,
    MemoryCopy,
    MemorySet,
    Operand,
    Predicate,
    Program,
    Register,
    Return,
    SiteKind,
    Statement,
    Store,
    Terminator,
)
from seahorn_py.ir.traverse import definitions, operands
from seahorn_py.ir.types import POINTER, IntType, PointerType, Type
from seahorn_py.passes.promotion.access import Elements, Lines, Names, Slot
from seahorn_py.passes.promotion.exchanged_globals import MemoryCells, Traffic, accesses_of
from seahorn_py.passes.promotion.object_parts import ObjectName, Pointer, byte_size
from seahorn_py.passes.promotion.promotable import is_null_test, layout
from seahorn_py.passes.promotion.ssa import Draft, Let, Line, Write, construct
from seahorn_py.passes.simplify.blocks import drop_unreachable

MAX_BYTEWISE = 64
INSIDE = "accesses of small arrays by an index are inside the array"
VALID = "accesses of memory are valid: inside a live object"
FOREIGN = "pointers from outside lead to no object whose address the program did not give away"


def promote_memory(program: Program) -> Program:
    """Turn what memory of the program is promotable into registers."""
    reachable = {name: drop_unreachable(f) for name, f in program.functions.items()}
    program = replace(program, functions=reachable)
    found = layout(program)
    if not found.parts:
        return _assuming_valid(program)
    memory = MemoryCells(program, found)
    functions = {
        name: _Lowering(memory, function).run() for name, function in program.functions.items()
    }
    promoted = replace(
        program,
        functions=functions,
        sites=(*program.sites, *memory.new_sites),
        assumptions=(*program.assumptions, *((INSIDE,) if memory.uses_index else ())),
    )
    return _assuming_valid(promoted)


def _assuming_valid(program: Program) -> Program:
    """What accesses are left could, if invalid, change anything: record that they are not."""
    statements = [s for f in program.functions.values() for b in f.blocks for s in b.statements]
    if not any(isinstance(s, Load | Store | MemoryCopy | MemorySet) for s in statements):
        return program
    assumptions = [*program.assumptions, VALID]
    if any(isinstance(s, Input) and _is_foreign(s) for s in statements):
        assumptions.append(FOREIGN)
    return replace(program, assumptions=tuple(assumptions))


def _is_foreign(read: Input) -> bool:
    """A pointer that the program did not make, other than `argv`."""
    is_outside = read.site.kind in (SiteKind.EXTERN, SiteKind.NONDET)
    return is_outside and isinstance(read.result.type, PointerType) and read.site.name != "argv"


class _Lowering:
    """Rewrites one function into drafts."""

    def __init__(self, memory: MemoryCells, function: Function) -> None:
        self._memory = memory
        self._function = function
        self._width = memory.program.pointer_width
        self._traffic = memory.traffic[function.name]
        taken = [r.name for b in function.blocks for r in definitions(b)]
        self._names = Names([*taken, *(p.name for p in function.parameters)])
        self._lines = Lines(self._names, self._width)

    def run(self) -> Function:
        """The function with cells for registers, its signature extended by those of globals."""
        is_entry = self._function.name == self._memory.program.entry
        first = self._initial() if is_entry else self._receive()
        drafts = [
            self._block(block, first if block is self._function.entry else [])
            for block in self._function.blocks
        ]
        return construct(self._extended(first, is_entry), drafts)

    def _initial(self) -> list[Write]:
        place_of = {
            slot.cell.number: owner for owner, slots in self._memory.slots.items() for slot in slots
        }
        return [
            Write(slot.cell, self._memory.initial(slot, place_of[slot.cell.number]))
            for slot in self._traffic.accessed
        ]

    def _receive(self) -> list[Write]:
        return [
            Write(slot.cell, self._names.fresh(slot.cell.name, slot.cell.type))
            for slot in self._traffic.accessed
        ]

    def _extended(self, first: Sequence[Write], is_entry: bool) -> Function:
        if is_entry:
            return self._function
        added = [w.value for w in first if isinstance(w.value, Register)]
        results = [slot.cell.type for slot in self._traffic.written]
        return replace(
            self._function,
            parameters=(*self._function.parameters, *added),
            results=(*self._function.results, *results),
        )

    def _block(self, block: Block, first: Sequence[Line]) -> Draft:
        self._lines = Lines(self._names, self._width)
        self._lines.lines.extend(first)
        for statement in block.statements:
            self._statement(statement)
        terminator = self._terminator(block.terminator)
        return Draft(block.label, block.phis, tuple(self._lines.lines), terminator)

    def _terminator(self, terminator: Terminator) -> Terminator:
        is_entry = self._function.name == self._memory.program.entry
        if not isinstance(terminator, Return) or is_entry:
            return terminator
        added = [self._lines.read_slot(slot) for slot in self._traffic.written]
        return replace(terminator, values=(*terminator.values, *added))

    def _statement(self, statement: Statement) -> None:  # noqa: C901 - a flat match
        lines = self._lines
        lines.origin = getattr(statement, "origin", NOWHERE)
        match statement:
            case Load(result=result, address=address) if slots := self._at(address, result.type):
                lines.lines.append(Let(result, lines.read(slots, result.type)))
            case Store() | MemoryCopy() | MemorySet() | Havoc() if self._ends_run(statement):
                lines.lines.append(statement)
            case Store(value=value, address=address) if slots := self._at(address, value.type):
                lines.write(slots, value)
            case Load(result=result, address=address) if found := self._elements(
                address, result.type
            ):
                lines.lines.append(Let(result, lines.read_element(found, result.type)))
            case Store(value=value, address=address) if found := self._elements(
                address, value.type
            ):
                lines.write_element(found, value)
            case Load(address=address) if pointer := self._subscript(address):
                self._load_met(statement, pointer)
            case Store(address=address) if pointer := self._subscript(address):
                self._store_met(statement, pointer)
            case MemoryCopy():
                self._copy(statement)
            case MemorySet():
                self._set(statement)
            case Havoc():
                self._havoc(statement)
            case Alloca():
                self._alloca(statement)
            case Compare() if is_null_test(statement) and self._is_modelled(statement):
                answer = FALSE if statement.predicate is Predicate.EQ else TRUE
                lines.lines.append(Let(statement.result, answer))
            case Call(callee=str() as callee) if callee in self._memory.traffic:
                self._call(statement, self._memory.traffic[callee])
            case _:
                lines.lines.append(statement)

    def _at(self, address: Operand, type_: Type) -> tuple[Slot, ...]:
        pointer = self._pointer(address)
        if pointer is None:
            return ()
        return self._covering(pointer, byte_size(type_, self._width))

    def _elements(self, address: Operand, type_: Type) -> Elements | None:
        """The elements of a small array that an access by a variable index may be to."""
        pointer = self._memory.layout.element(self._function.name, address)
        if pointer is None:
            return None
        size = byte_size(type_, self._width)
        found = self._memory.elements_at(pointer, size)
        index = pointer.terms[0][0]
        if not found or not isinstance(index.type, IntType):
            return None
        self._memory.uses_index = True
        return Elements(index, found)

    def _subscript(self, address: Operand) -> Pointer | None:
        return self._memory.layout.subscript(self._function.name, address)

    def _load_met(self, load: Load, pointer: Pointer) -> None:
        """What memory gives, or at the places of parts what these hold."""
        lines, type_ = self._lines, load.result.type
        size = byte_size(type_, self._width)
        met = self._memory.met(pointer, size)
        loaded = self._names.fresh("loaded", type_) if met else load.result
        lines.lines.append(replace(load, result=loaded))
        value: Operand = loaded
        for place in sorted({place for _, places in met for place in places}):
            slots = [slot for slot, places in met if place in places]
            at_place = lines.overlaid(loaded, place, slots)
            value = lines.if_at(load.address, self._place(pointer, place), at_place, value)
        if met:
            lines.lines.append(Let(load.result, value))

    def _store_met(self, store: Store, pointer: Pointer) -> None:
        """Memory takes the value, and each part at whose place it is written."""
        lines = self._lines
        lines.lines.append(store)
        for slot, places in self._memory.met(pointer, byte_size(store.value.type, self._width)):
            held = lines.read_slot(slot)
            for place in places:
                new = lines.overlaid_slot(slot, held, store.value, place)
                held = lines.if_at(store.address, self._place(pointer, place), new, held)
            lines.write_slot(slot, held)

    def _place(self, pointer: Pointer, offset: int) -> Operand:
        """The address of a byte of the object."""
        return self._lines.moved(self._start(pointer.owner), offset)

    def _start(self, owner: ObjectName) -> Operand:
        return Address(owner.name) if owner.function is None else Register(owner.name, POINTER)

    def _covering(self, pointer: Pointer, size: int) -> tuple[Slot, ...]:
        """The slots that make up a range of bytes; none if it is not all inside the object."""
        slots = self._memory.slots_at(pointer, size)
        return slots if sum(slot.part.size for slot in slots) == size else ()

    def _pointer(self, address: Operand) -> Pointer | None:
        return self._memory.layout.pointer(self._function.name, address)

    def _is_modelled(self, statement: Statement) -> bool:
        return any(self._pointer(operand) is not None for operand in operands(statement))

    def _ends_run(self, statement: Store | MemoryCopy | MemorySet | Havoc) -> bool:
        """It writes to a constant object."""
        written = [a for a, _, writes in accesses_of(statement, self._width) if writes]
        pointers = [self._pointer(address) for address in written]
        return any(p is not None and self._memory.is_constant(p.owner) for p in pointers)

    def _range(self, address: Operand, length: Operand) -> tuple[Slot, ...] | None:
        """The slots in a range of bytes; None if the object is not promotable."""
        pointer = self._pointer(address)
        if pointer is None or not isinstance(length, IntConst):
            return None
        return self._memory.slots_at(pointer, length.value)

    def _side(self, address: Operand, copy: MemoryCopy) -> tuple[Slot, ...] | None:
        """The slots that a copy reads or writes; None if it has to be done in memory."""
        slots = self._range(address, copy.length)
        if slots is None or not isinstance(copy.length, IntConst):
            return None
        return slots if sum(slot.part.size for slot in slots) == copy.length.value else None

    def _copy(self, copy: MemoryCopy) -> None:
        targets, sources = self._side(copy.target, copy), self._side(copy.source, copy)
        if sources is None:
            self._spill(copy.source, copy.length)
        self._copy_sides(copy, targets, sources)
        if targets is None:
            self._fetch(copy.target, copy.length)

    def _copy_sides(
        self,
        copy: MemoryCopy,
        targets: tuple[Slot, ...] | None,
        sources: tuple[Slot, ...] | None,
    ) -> None:
        lines = self._lines
        if sources is not None:
            values = [lines.read_slot(slot) for slot in sources]
            if targets is not None:
                for slot, value in zip(targets, values, strict=True):
                    lines.write_slot(slot, value)
                return
            start = sources[0].part.offset if sources else 0
            for slot, value in zip(sources, values, strict=True):
                lines.store(value, copy.target, slot.part.offset - start)
        elif targets is not None:
            start = targets[0].part.offset if targets else 0
            for slot in targets:
                value = lines.load(copy.source, slot.part.offset - start, slot.cell.type)
                lines.write_slot(slot, value)
        else:
            lines.lines.append(copy)

    def _stays(self, pointer: Pointer) -> bool:
        """The object is in memory too."""
        return pointer.owner in self._memory.layout.partial

    def _beside(self, address: Operand, length: Operand) -> list[tuple[Slot, Operand]]:
        """The slots in a range of memory that stays, each with its address."""
        if not isinstance(length, IntConst):
            return []
        pointer = self._pointer(address)
        slots = self._memory.beside(pointer, length.value)
        return [
            (slot, self._lines.moved(address, slot.part.offset - pointer.offset))
            for slot in slots
            if pointer is not None
        ]

    def _spill(self, address: Operand, length: Operand) -> None:
        """Put what the slots hold in memory."""
        for slot, place in self._beside(address, length):
            self._lines.store(self._lines.read_slot(slot), place, 0)

    def _fetch(self, address: Operand, length: Operand) -> None:
        """Let the slots hold what is in memory."""
        for slot, place in self._beside(address, length):
            self._lines.write_slot(slot, self._lines.load(place, 0, slot.cell.type))

    def _set(self, statement: MemorySet) -> None:
        slots = self._range(statement.target, statement.length)
        pointer = self._pointer(statement.target)
        if slots is None or pointer is None or self._stays(pointer):
            self._lines.lines.append(statement)
        for slot in slots or ():
            self._lines.fill(slot, statement.byte)

    def _havoc(self, statement: Havoc) -> None:
        """Few bytes become inputs one by one, so that a replay knows them; many are loaded."""
        lines = self._lines
        slots = self._range(statement.address, statement.size)
        pointer = self._pointer(statement.address)
        if slots is None or pointer is None or not isinstance(statement.size, IntConst):
            lines.lines.append(statement)
        elif slots and statement.size.value <= MAX_BYTEWISE and not self._stays(pointer):
            skip = slots[0].part.offset - pointer.offset
            lines.arbitrary(slots, skip, statement.site, statement.size.value)
        else:
            lines.lines.append(statement)
            for slot in slots:
                offset = slot.part.offset - pointer.offset
                lines.write_slot(slot, lines.load(statement.address, offset, slot.cell.type))

    def _alloca(self, statement: Alloca) -> None:
        self._lines.lines.append(statement)
        for slot in self._memory.slots.get(
            ObjectName(self._function.name, statement.result.name), ()
        ):
            self._lines.fresh_input(slot, self._memory.fresh_site(slot, statement))

    def _call(self, call: Call, traffic: Traffic) -> None:
        lines = self._lines
        given = [lines.read_slot(slot) for slot in traffic.accessed]
        taken = [self._names.fresh(s.cell.name, s.cell.type) for s in traffic.written]
        results, arguments = (*call.results, *taken), (*call.arguments, *given)
        lines.lines.append(replace(call, results=results, arguments=arguments))
        for slot, result in zip(traffic.written, taken, strict=True):
            lines.lines.append(Write(slot.cell, result, call.origin))
