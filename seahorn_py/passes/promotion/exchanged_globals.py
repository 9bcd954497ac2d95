"""Which function exchanges which cells of globals with its callers.

"Functions take and return the regions they read and write": the sets are those of a function's own
statements and of its callees, by a fixpoint on the call graph.  Globals that nobody writes are no
cells but constants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import call_graph
from seahorn_py.ir.program import (
    Alloca,
    Function,
    Havoc,
    IntConst,
    Load,
    MemoryCopy,
    MemorySet,
    Operand,
    Program,
    Site,
    SiteKind,
    Statement,
    Store,
)
from seahorn_py.passes.promotion.access import Slot
from seahorn_py.passes.promotion.constants import initial_value
from seahorn_py.passes.promotion.object_parts import (
    Layout,
    ObjectName,
    Pointer,
    byte_size,
    elements,
)
from seahorn_py.passes.promotion.partial import meetings
from seahorn_py.passes.promotion.ssa import Cell


@dataclass(frozen=True)
class Traffic:
    """The cells of globals a function or its callees access, and those among them it writes."""

    accessed: tuple[Slot, ...]
    written: tuple[Slot, ...]


class MemoryCells:
    """The cells of the whole program, and which functions exchange them."""

    def __init__(self, program: Program, found: Layout) -> None:
        self.program = program
        self.layout = found
        self.new_sites: list[Site] = []
        self.uses_index = False
        self._next_site = 1 + max((site.number for site in program.sites), default=0)
        self.slots = _slots(program, found)
        direct = {name: self._direct(f) for name, f in program.functions.items()}
        self._fix(direct)
        self.traffic = self._traffic(direct)

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
        return tuple(s for s in self.slots[pointer.owner] if pointer.offset <= s.part.offset < end)

    def elements_at(self, pointer: Pointer, size: int) -> dict[int, tuple[Slot, ...]]:
        """Index -> the slots of that element; none if some element is not made of slots."""
        slots = self.slots[pointer.owner]
        owner = pointer.owner
        whole = max((s.part.offset + s.part.size for s in slots), default=0)
        if owner.function is None:
            whole = self.program.globals[owner.name].size
        found: dict[int, tuple[Slot, ...]] = {}
        for index, offset in elements(pointer, whole, size).items():
            inside = self.slots_at(Pointer(owner, offset), size)
            if sum(slot.part.size for slot in inside) != size:
                return {}
            found[index] = inside
        return found

    def met(self, pointer: Pointer, size: int) -> list[tuple[Slot, tuple[int, ...]]]:
        """The slots that an access by variable indices may meet, and at which places."""
        owner, width = pointer.owner, self.program.pointer_width
        whole = self.layout.partial[owner]
        found = (
            (slot, tuple(meetings(pointer, size, slot.part, whole, width)))
            for slot in self.slots[owner]
        )
        return [(slot, places) for slot, places in found if places]

    def beside(self, pointer: Pointer | None, size: int) -> tuple[Slot, ...]:
        """The slots in a range of bytes of an object of which the rest stays."""
        if pointer is None or pointer.owner not in self.layout.partial:
            return ()
        return self.slots_at(pointer, size)

    def initial(self, slot: Slot, owner: ObjectName) -> Operand:
        """The value a cell of a global has at the start."""
        part = slot.part
        value = initial_value(
            self.program.globals[owner.name], part.offset, part.size, slot.cell.type
        )
        assert value is not None, "no global without initial values is promotable"
        return value

    def _fix(self, direct: Mapping[str, tuple[int, int]]) -> None:
        """Globals that nobody writes keep their initial values."""
        written = 0
        for _, writes in direct.values():
            written |= writes
        for owner, slots in self.slots.items():
            if owner.function is None:
                self.slots[owner] = tuple(
                    slot
                    if written >> slot.cell.number & 1
                    else replace(slot, fixed=self.initial(slot, owner))
                    for slot in slots
                )

    def is_constant(self, owner: ObjectName) -> bool:
        """A global that cannot be written."""
        return owner.function is None and self.program.globals[owner.name].constant

    def _traffic(self, direct: Mapping[str, tuple[int, int]]) -> dict[str, Traffic]:
        globals_ = [
            slot
            for owner, slots in self.slots.items()
            for slot in slots
            if owner.function is None and slot.fixed is None
        ]
        accessed = {name: accesses for name, (accesses, _) in direct.items()}
        written = {name: writes for name, (_, writes) in direct.items()}
        graph = call_graph(self.program)
        for sets in (accessed, written):
            _close(sets, graph)
        return {
            name: Traffic(
                tuple(s for s in globals_ if accessed[name] >> s.cell.number & 1),
                tuple(s for s in globals_ if written[name] >> s.cell.number & 1),
            )
            for name in graph
        }

    def _reached(
        self, function: str, address: Operand, size: int
    ) -> tuple[Pointer | None, tuple[Slot, ...]]:
        """What an access may touch of a promotable object."""
        pointer = self.layout.pointer(function, address)
        if pointer is not None:
            return pointer, self.slots_at(pointer, size)
        pointer = self.layout.subscript(function, address)
        if pointer is not None:
            return pointer, tuple(slot for slot, _ in self.met(pointer, size))
        pointer = self.layout.element(function, address)
        if pointer is None:
            return None, ()
        found = self.elements_at(pointer, size)
        return pointer, tuple(slot for slots in found.values() for slot in slots)

    def _direct(self, function: Function) -> tuple[int, int]:
        """The cells of globals that the statements of a function access, and write, as bits."""
        accessed = written = 0
        for block in function.blocks:
            for statement in block.statements:
                for address, size, writes in accesses_of(statement, self.program.pointer_width):
                    pointer, reached = self._reached(function.name, address, size)
                    if pointer is None or pointer.owner.function is not None:
                        continue
                    writes = writes and not self.is_constant(pointer.owner)
                    for slot in reached:
                        accessed |= 1 << slot.cell.number
                        written |= (1 << slot.cell.number) if writes else 0
        return accessed, written


def _slots(program: Program, found: Layout) -> dict[ObjectName, tuple[Slot, ...]]:
    number = 0
    slots: dict[ObjectName, tuple[Slot, ...]] = {}
    for owner, parts in found.parts.items():
        names = program.globals[owner.name].variables if owner.function is None else {}
        made = []
        for part in parts:
            suffix = f".{part.offset}" if len(parts) > 1 else ""
            cell = Cell(number, owner.name + suffix, part.type, names.get(part.offset))
            made.append(Slot(part, cell))
            number += 1
        slots[owner] = tuple(made)
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


def accesses_of(statement: Statement, pointer_width: int) -> tuple[tuple[Operand, int, bool], ...]:
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
