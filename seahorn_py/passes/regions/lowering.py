"""One function over region cells: its loads, stores, copies, allocations and calls rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.base.errors import NOWHERE
from seahorn_py.ir.program import (
    Address,
    Alloca,
    BinaryOp,
    Call,
    Function,
    Havoc,
    IntConst,
    Load,
    MemoryCopy,
    MemorySet,
    Operand,
    Phi,
    Predicate,
    RegionLoad,
    RegionStore,
    Register,
    Return,
    Statement,
    Store,
    Terminator,
)
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.pointsto.multiples import Multiples
from seahorn_py.passes.promotion.ssa import Draft, Let, construct
from seahorn_py.passes.regions.addresses import ALIGN
from seahorn_py.passes.regions.bulk import BYTE, Bulk
from seahorn_py.passes.regions.exchanged_cells import Traffic
from seahorn_py.passes.regions.plan import Area, Plan
from seahorn_py.passes.regions.start import Start
from seahorn_py.passes.regions.writer import Sites, Writer


class Lowering:
    """Rewrites one function."""

    def __init__(
        self, plan: Plan, traffic: Mapping[str, Traffic], function: Function, sites: Sites
    ) -> None:
        self._plan = plan
        self._traffic = traffic
        self._own = traffic[function.name]
        self._function = function
        self._name = function.name
        self._is_entry = function.name == plan.program.entry
        self._writer = Writer(plan, function, sites)
        self._bulk = Bulk(self._writer, Multiples(function.blocks))
        self._last: dict[str, str] = {}

    def run(self) -> Function:
        """The function with cells for memory, its signature extended by those it exchanges."""
        extended = self._function
        for block in self._function.blocks:
            self._writer.begin(block.label, block.phis)
            if block is self._function.entry:
                extended = self._begin()
            for statement in block.statements:
                self._writer.lines.origin = getattr(statement, "origin", NOWHERE)
                self._statement(statement)
            self._last[block.label] = self._writer.label
            self._writer.end(self._terminator(block.terminator))
        return construct(extended, map(self._relabelled, self._writer.drafts))

    def _begin(self) -> Function:
        """Give every cell its first contents; the function with its further parameters."""
        start = Start(self._writer, self._bulk)
        if self._is_entry:
            start.begin((*self._own.accessed, *self._own.own), is_run=True)
            return self._function
        added = []
        for cell in self._own.accessed:
            parameter = self._writer.names.fresh(cell.name, cell.type)
            self._writer.put(cell, parameter)
            added.append(parameter)
        start.begin(self._own.own, is_run=False)
        results = (*self._function.results, *(cell.type for cell in self._own.written))
        parameters = (*self._function.parameters, *added)
        return replace(self._function, parameters=parameters, results=results)

    def _relabelled(self, draft: Draft) -> Draft:
        """The draft with its old phis told which part of a split block they come from."""
        if draft.label not in self._last:
            return draft
        return replace(draft, phis=tuple(map(self._relabelled_phi, draft.phis)))

    def _relabelled_phi(self, phi: Phi) -> Phi:
        return replace(phi, incoming=tuple((self._last[label], v) for label, v in phi.incoming))

    def _terminator(self, terminator: Terminator) -> Terminator:
        if not isinstance(terminator, Return) or self._is_entry:
            return terminator
        added = [self._writer.get(cell) for cell in self._own.written]
        return replace(terminator, values=(*terminator.values, *added))

    # ------------------------------------------------------------------------------ statements

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Load(address=address) if found := self._area(address):
                self._load(statement, *found)
            case Store(address=address) if found := self._area(address):
                self._store(statement, *found)
            case MemoryCopy(target=target) if found := self._area(target):
                self._bulk.copy(statement, *found)
            case MemorySet(target=target) if found := self._area(target):
                self._bulk.fill(statement, *found)
            case Havoc(address=address) if found := self._area(address):
                self._bulk.havoc(statement, *found)
            case Alloca(result=result) if found := self._area(result):
                self._allocate(result, statement.size, found[0])
            case Call(callee=str() as callee):
                self._call(statement, callee)
            case _:
                self._writer.lines.lines.append(statement)

    def _area(self, address: Operand) -> tuple[Area, int] | None:
        return self._plan.area(self._name, address)

    def _load(self, load: Load, area: Area, offset: int) -> None:
        writer = self._writer
        type_ = load.result.type
        pieces = [
            (writer.element(part, writer.moved(load.address, distance)), part.size)
            for part, distance in area.walk(offset, self._plan.size(type_))
        ]
        value = writer.lines.combined(pieces, type_)
        writer.lines.lines.append(Let(load.result, value))

    def _store(self, store: Store, area: Area, offset: int) -> None:
        writer = self._writer
        parts = list(area.walk(offset, self._plan.size(store.value.type)))
        pieces = writer.lines.pieces(store.value, [part.size for part, _ in parts])
        for (part, distance), piece in zip(parts, pieces, strict=True):
            writer.set_element(part, writer.moved(store.address, distance), piece)

    # -------------------------------------------------------------------------------- allocation

    def _allocate(self, result: Register, size: Operand, area: Area) -> None:
        """A fixed address, or the next free one."""
        writer, plan = self._writer, self._plan
        symbol = plan.symbol(self._name, result)
        size = writer.lines.converted(size, writer.word)
        address: Operand = Address(symbol) if symbol is not None else self._next_free(size)
        writer.lines.lines.append(Let(result, address))
        if area.node.number in plan.resized:
            held = writer.get(plan.sizes)
            sizes = writer.names.fresh(plan.sizes.name, plan.sizes.type)
            line = RegionStore(sizes, held, address, size, writer.lines.origin)
            writer.lines.lines.append(line)
            writer.put(plan.sizes, sizes)

    def _next_free(self, size: Operand) -> Operand:
        """The counter, which then moves behind the new object; the run ends if it cannot.

        No object has more than half of all addresses: distances in it have a sign (C17, 6.5.6).
        """
        writer, cell = self._writer, self._plan.next
        address = writer.get(cell)
        if isinstance(size, IntConst):
            behind = writer.moved(address, -(-size.value // ALIGN) * ALIGN + ALIGN)
        else:
            behind = writer.moved(address, ALIGN, size)
            writer.require_room(writer.compare(Predicate.SGE, size, IntConst(0, writer.word)))
        writer.put(cell, behind)
        writer.require_room(writer.compare(Predicate.ULT, address, behind))
        return address

    def _call(self, call: Call, callee: str) -> None:
        writer = self._writer
        if callee in ALLOCATION:
            self._allocation(call, callee)
        elif callee in self._traffic:
            traffic = self._traffic[callee]
            given = [writer.get(cell) for cell in traffic.accessed]
            taken = [writer.names.fresh(cell.name, cell.type) for cell in traffic.written]
            results, arguments = (*call.results, *taken), (*call.arguments, *given)
            writer.lines.lines.append(replace(call, results=results, arguments=arguments))
            for cell, result in zip(traffic.written, taken, strict=True):
                writer.put(cell, result)
        else:
            writer.lines.lines.append(call)

    def _allocation(self, call: Call, callee: str) -> None:
        if callee == "free":
            if self._area(call.arguments[0]) is None:
                self._writer.lines.lines.append(call)
            return
        found = self._area(call.results[0]) if call.results else None
        if found is None:
            self._writer.lines.lines.append(call)
            return
        area, offset = found
        result = call.results[0]
        match callee:
            case "calloc":
                self._calloc(call, area, offset)
            case "realloc":
                self._realloc(call, area, offset)
            case "aligned_alloc":
                self._allocate(result, call.arguments[1], area)
            case _:
                self._allocate(result, call.arguments[0], area)

    def _calloc(self, call: Call, area: Area, offset: int) -> None:
        writer = self._writer
        count, each = (writer.lines.converted(a, writer.word) for a in call.arguments)
        size = self._product(count, each)
        self._allocate(call.results[0], size, area)
        if not area.is_zeroed:
            self._bulk.set(area, offset, call.results[0], IntConst(0, BYTE), size)

    def _product(self, count: Operand, each: Operand) -> Operand:
        match count, each:
            case IntConst(value=a, type=type_), IntConst(value=b):
                return IntConst(a * b % (1 << type_.width), type_)
            case IntConst(value=1), _:
                return each
            case _, IntConst(value=1):
                return count
            case _:
                return self._writer.binary(BinaryOp.MUL, count, each)

    def _realloc(self, call: Call, area: Area, offset: int) -> None:
        """A new block with what both have room for."""
        writer, plan = self._writer, self._plan
        old, size = call.arguments
        before = writer.names.fresh("size", writer.word)
        held = writer.get(plan.sizes)
        writer.lines.lines.append(RegionLoad(before, held, old, writer.lines.origin))
        self._allocate(call.results[0], size, area)
        smaller = writer.compare(Predicate.ULT, before, size)
        length = writer.choose(smaller, before, size)
        self._bulk.move(area, offset, call.results[0], old, length)
