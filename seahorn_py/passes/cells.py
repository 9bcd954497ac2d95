"""Memory to registers: the parts of modelled objects (`passes.objects`) become SSA values.

Accesses are lowered to reads and writes of cells (`_Lowering`), then `passes.ssa` places the phis.
A function takes the cells of globals that it or its callees read or write as further parameters and
returns those they write as further results; the entry function begins with the initial values.
Cells of stack slots never leave their function, so recursion is no obstacle: each activation has
registers of its own.

What is left of an object that is modelled (its `Alloca`, its `Offset`s) has no effect any more;
`simplify` drops it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from seahorn_py.errors import NOWHERE
from seahorn_py.ir.graph import call_graph
from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Alloca,
    Block,
    Call,
    Compare,
    Function,
    Havoc,
    IntConst,
    Load,
    MemoryCopy,
    MemorySet,
    Operand,
    Predicate,
    Program,
    Register,
    Return,
    Site,
    SiteKind,
    Statement,
    Store,
    Terminator,
)
from seahorn_py.ir.traverse import definitions, operands
from seahorn_py.passes.access import Lines, Names, Slot
from seahorn_py.passes.blocks import drop_unreachable
from seahorn_py.passes.constants import initial_value
from seahorn_py.passes.objects import Layout, Place, Pointer, byte_size, is_null_test, layout
from seahorn_py.passes.ssa import Cell, Draft, Let, Line, Write, construct

MAX_BYTEWISE = 64


def promote_memory(program: Program) -> Program:
    """Turn what can be modelled of the program's memory into registers."""
    reachable = {name: drop_unreachable(f) for name, f in program.functions.items()}
    program = replace(program, functions=reachable)
    found = layout(program)
    if not found.parts:
        return program
    memory = _Memory(program, found)
    functions = {
        name: _Lowering(memory, function).run() for name, function in program.functions.items()
    }
    return replace(program, functions=functions, sites=(*program.sites, *memory.new_sites))


@dataclass(frozen=True)
class _Traffic:
    """The cells of globals a function or its callees access, and those among them it writes."""

    accessed: tuple[Slot, ...]
    written: tuple[Slot, ...]


class _Memory:
    """The cells of the whole program, and which functions exchange them."""

    def __init__(self, program: Program, found: Layout) -> None:
        self.program = program
        self.layout = found
        self.new_sites: list[Site] = []
        self._next_site = 1 + max((site.number for site in program.sites), default=0)
        self.slots = _slots(program, found)
        self.traffic = self._traffic()

    def fresh_site(self, slot: Slot, statement: Alloca) -> Site:
        """The content of a new stack object before anything is written to it."""
        site = Site(
            self._next_site,
            SiteKind.HAVOC,
            slot.cell.type,
            slot.cell.name,
            str(slot.cell.type),
            statement.origin,
            native=False,
        )
        self._next_site += 1
        self.new_sites.append(site)
        return site

    def slots_at(self, pointer: Pointer, size: int) -> tuple[Slot, ...]:
        """The slots of an object that lie in `size` bytes from a constant address."""
        end = pointer.offset + size
        return tuple(s for s in self.slots[pointer.place] if pointer.offset <= s.part.offset < end)

    def initial(self, slot: Slot, place: Place) -> Operand:
        """The value a cell of a global has at the start."""
        part = slot.part
        value = initial_value(
            self.program.globals[place.name], part.offset, part.size, slot.cell.type
        )
        assert value is not None, "layout models no global without initial values"
        return value

    def _traffic(self) -> dict[str, _Traffic]:
        globals_ = [
            s for place, slots in self.slots.items() if place.function is None for s in slots
        ]
        accessed, written = {}, {}
        for name, function in self.program.functions.items():
            accessed[name], written[name] = self._direct(function)
        graph = call_graph(self.program)
        for sets in (accessed, written):
            _close(sets, graph)
        return {
            name: _Traffic(
                tuple(s for s in globals_ if accessed[name] >> s.cell.number & 1),
                tuple(s for s in globals_ if written[name] >> s.cell.number & 1),
            )
            for name in graph
        }

    def _direct(self, function: Function) -> tuple[int, int]:
        """The cells of globals that the statements of a function access, and write, as bits."""
        accessed = written = 0
        for block in function.blocks:
            for statement in block.statements:
                for address, size, writes in _accesses(statement, self.program.pointer_width):
                    pointer = self.layout.pointer(function.name, address)
                    if pointer is None or pointer.place.function is not None:
                        continue
                    for slot in self.slots_at(pointer, size):
                        accessed |= 1 << slot.cell.number
                        written |= (1 << slot.cell.number) if writes else 0
        return accessed, written


def _slots(program: Program, found: Layout) -> dict[Place, tuple[Slot, ...]]:
    number = 0
    slots: dict[Place, tuple[Slot, ...]] = {}
    for place, parts in found.parts.items():
        names = program.globals[place.name].variables if place.function is None else {}
        made = []
        for part in parts:
            suffix = f".{part.offset}" if len(parts) > 1 else ""
            cell = Cell(number, place.name + suffix, part.type, names.get(part.offset))
            made.append(Slot(part, cell))
            number += 1
        slots[place] = tuple(made)
    return slots


def _close(sets: dict[str, int], graph: Mapping[str, Sequence[str]]) -> None:
    """Add to each function's set those of its callees."""
    callers: dict[str, list[str]] = {name: [] for name in graph}
    for caller, callees in graph.items():
        for callee in callees:
            callers[callee].append(caller)
    pending = list(graph)
    while pending:
        callee = pending.pop()
        for caller in callers[callee]:
            if sets[callee] & ~sets[caller]:
                sets[caller] |= sets[callee]
                pending.append(caller)


def _accesses(statement: Statement, pointer_width: int) -> tuple[tuple[Operand, int, bool], ...]:
    """The addresses a statement accesses, how many bytes there, and whether it writes them."""
    match statement:
        case Load(result=result, address=address):
            return ((address, byte_size(result.type, pointer_width), False),)
        case Store(value=value, address=address):
            return ((address, byte_size(value.type, pointer_width), True),)
        case MemoryCopy(target=target, source=source, length=IntConst(value=length)):
            return ((target, length, True), (source, length, False))
        case MemorySet(target=target, length=IntConst(value=length)):
            return ((target, length, True),)
        case Havoc(address=target, size=IntConst(value=length)):
            return ((target, length, True),)
        case _:
            return ()


class _Lowering:
    """Rewrites one function into drafts."""

    def __init__(self, memory: _Memory, function: Function) -> None:
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
            slot.cell.number: place for place, slots in self._memory.slots.items() for slot in slots
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

    def _statement(self, statement: Statement) -> None:
        lines = self._lines
        lines.origin = getattr(statement, "origin", NOWHERE)
        match statement:
            case Load(result=result, address=address) if slots := self._at(address, result.type):
                lines.lines.append(Let(result, lines.read(slots, result.type)))
            case Store(value=value, address=address) if slots := self._at(address, value.type):
                lines.write(slots, value)
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

    def _at(self, address: Operand, type_: object) -> tuple[Slot, ...]:
        pointer = self._pointer(address)
        if pointer is None:
            return ()
        return self._memory.slots_at(pointer, byte_size(type_, self._width))  # type: ignore[arg-type]

    def _pointer(self, address: Operand) -> Pointer | None:
        return self._memory.layout.pointer(self._function.name, address)

    def _is_modelled(self, statement: Statement) -> bool:
        return any(self._pointer(operand) is not None for operand in operands(statement))

    def _range(self, address: Operand, length: Operand) -> tuple[Slot, ...] | None:
        """The slots in a range of bytes; None if the object is not modelled."""
        pointer = self._pointer(address)
        if pointer is None or not isinstance(length, IntConst):
            return None
        return self._memory.slots_at(pointer, length.value)

    def _copy(self, copy: MemoryCopy) -> None:
        lines = self._lines
        targets = self._range(copy.target, copy.length)
        sources = self._range(copy.source, copy.length)
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

    def _set(self, statement: MemorySet) -> None:
        slots = self._range(statement.target, statement.length)
        if slots is None:
            self._lines.lines.append(statement)
            return
        for slot in slots:
            self._lines.fill(slot, statement.byte)

    def _havoc(self, statement: Havoc) -> None:
        """Few bytes become inputs one by one, so that a replay knows them; many are loaded."""
        lines = self._lines
        slots = self._range(statement.address, statement.size)
        pointer = self._pointer(statement.address)
        if slots is None or pointer is None or not isinstance(statement.size, IntConst):
            lines.lines.append(statement)
        elif slots and statement.size.value <= MAX_BYTEWISE:
            skip = slots[0].part.offset - pointer.offset
            lines.arbitrary(slots, skip, statement.site, statement.size.value)
        else:
            lines.lines.append(statement)
            for slot in slots:
                offset = slot.part.offset - pointer.offset
                lines.write_slot(slot, lines.load(statement.address, offset, slot.cell.type))

    def _alloca(self, statement: Alloca) -> None:
        self._lines.lines.append(statement)
        for slot in self._memory.slots.get(Place(self._function.name, statement.result.name), ()):
            self._lines.fresh_input(slot, self._memory.fresh_site(slot, statement))

    def _call(self, call: Call, traffic: _Traffic) -> None:
        lines = self._lines
        given = [lines.read_slot(slot) for slot in traffic.accessed]
        taken = [self._names.fresh(s.cell.name, s.cell.type) for s in traffic.written]
        results, arguments = (*call.results, *taken), (*call.arguments, *given)
        lines.lines.append(replace(call, results=results, arguments=arguments))
        for slot, result in zip(traffic.written, taken, strict=True):
            lines.lines.append(Write(slot.cell, result, call.origin))
