"""Which memory objects can become registers, and how their bytes are cut into cells.

An object (a global, or a stack slot of fixed size) is *promotable* when its address never leaves
the addressing operands of loads, stores, copies, fills and `Offset`: then no pointer that the
program computes can reach it, and every access to it is known.  Its bytes are cut at the ends of
all accesses, the finest partition; copies carry the cuts of one side to the other.  An access that
covers several cells is written as shifts of its parts.

A constant object is promotable whoever has its address, for nobody can change it; a write to it
ends the run and stays a statement.

The rest (addresses that are stored, passed, merged by phis, or taken as numbers; volatile
accesses; lengths that are not constant) stays in memory.
"""

from __future__ import annotations

from collections.abc import Iterable

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import reverse_postorder
from seahorn_py.ir.program import (
    NULL,
    Alloca,
    Bind,
    Bytes,
    Compare,
    Function,
    Havoc,
    IntConst,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Phi,
    Predicate,
    Program,
    Statement,
    Store,
)
from seahorn_py.ir.traverse import operands
from seahorn_py.ir.types import Type
from seahorn_py.passes.promotion.constants import initial_value
from seahorn_py.passes.promotion.object_parts import (
    Layout,
    ObjectName,
    Part,
    Pointer,
    byte_size,
    elements,
    resolve,
)
from seahorn_py.passes.promotion.partial import are_numbers, beside, zones
from seahorn_py.passes.promotion.scanned import ScannedObject, part_type, pieces
from seahorn_py.passes.ranges.intervals import Bounds
from seahorn_py.passes.ranges.ranges import Ranges, value_ranges

MAX_OBJECT_CELLS = 256
MAX_ELEMENTS = 16
MAX_TABLE = 256
MAX_BYTES = 4096
CHUNK = 8


@dataclass(frozen=True)
class _Copy:
    target: Pointer
    source: Pointer
    length: int


def layout(program: Program) -> Layout:
    """Decide for every object of the program whether it is promotable, and cut it into parts.

    An array that is a member has neighbours of other types, which its elements must not be taken
    for: there the ranges of indices are looked at, which takes longer.
    """
    scan = _scanned(program)
    if scan.is_mixed:
        scan = _scanned(program, value_ranges(program))
    whole, beside_arrays = scan.parts(), scan.partial()
    sizes = {owner: scan.size(owner) for owner in beside_arrays}
    return Layout({**whole, **beside_arrays}, scan.pointers, sizes)


def _scanned(program: Program, ranges: Ranges | None = None) -> _Scan:
    scan = _Scan(program, ranges)
    for function in program.functions.values():
        scan.function(function)
    for g in program.globals.values():
        scan.escape_all(leaf for _, leaf in g.leaves if not isinstance(leaf, Bytes))
    return scan


class _Scan:
    """One pass over the program that collects objects, pointers and accesses."""

    def __init__(self, program: Program, ranges: Ranges | None) -> None:
        self._ranges = ranges
        self._label = ""
        self._pointer_width = program.pointer_width
        self._globals = program.globals
        self._objects = {
            ObjectName(None, g.name): ScannedObject(g.size, g.constant)
            for g in program.globals.values()
        }
        self._copies: list[_Copy] = []
        self.pointers: dict[str, dict[str, Pointer]] = {}
        self._here: dict[str, Pointer] = {}
        self._name = ""

    def function(self, function: Function) -> None:
        """Collect the accesses of one function, in an order in which definitions precede uses.

        Phis come last: what they choose from around a loop is defined after them.
        """
        self._here = self.pointers[function.name] = {}
        self._name = function.name
        blocks = {block.label: block for block in function.blocks}
        for label in reverse_postorder(function):
            block, self._label = blocks[label], label
            for statement in block.statements:
                self._statement(statement)
            self.escape_all(operands(block.terminator))
        for block in function.blocks:
            for phi in block.phis:
                self._escape_phi(phi)

    def _escape_phi(self, phi: Phi) -> None:
        self.escape_all(value for _, value in phi.incoming)

    def escape_all(self, values: Iterable[Operand]) -> None:
        """The objects these values point into can be reached from elsewhere."""
        for value in values:
            pointer = resolve(self._here, value)
            if pointer is not None and pointer.owner in self._objects:
                found = self._objects[pointer.owner]
                found.escaped |= not found.constant

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Alloca(result=result, size=IntConst(value=size)):
                owner = ObjectName(self._name, result.name)
                self._objects[owner] = ScannedObject(size)
                self._here[result.name] = Pointer(owner, 0)
            case Offset():
                self._offset(statement)
            case Load(result=result, address=address, volatile=volatile):
                self._typed(address, result.type, volatile)
            case Store(value=value, address=address, volatile=volatile):
                self.escape_all((value,))
                self._typed(address, value.type, volatile)
            case MemoryCopy(target=target, source=source, length=length):
                self._copy(target, source, length)
            case MemorySet(target=target, length=length):
                self._fill(target, length)
            case Havoc(address=target, size=length):
                self._fill(target, length)
            case Bind():
                pass
            case Compare() if is_null_test(statement):
                pass
            case _:
                self.escape_all(operands(statement))

    def _offset(self, statement: Offset) -> None:
        self.escape_all(index for index, _ in statement.terms)
        base = resolve(self._here, statement.base)
        if base is not None:
            terms = (*base.terms, *statement.terms)
            extent = base.extent
            if extent is None and statement.extent is not None:
                low, high = statement.extent
                extent = base.offset + low, base.offset + high
            within = base.within if terms == base.terms else self._within(terms)
            self._here[statement.result.name] = Pointer(
                base.owner, base.offset + statement.constant, terms, extent, within
            )

    def _within(self, terms: tuple[tuple[Operand, int], ...]) -> Bounds | None:
        """The bounds of an index, if there is one and they are known."""
        if self._ranges is None or len(terms) != 1:
            return None
        found = self._ranges.at(self._name, self._label, terms[0][0])
        return None if found is None else found.signed

    @property
    def is_mixed(self) -> bool:
        """Whether ranges of indices might tell members apart."""
        found = self._objects.values()
        return any(one.is_mixed for one in found if one.indexed and not one.escaped)

    def _typed(self, address: Operand, type_: Type, volatile: bool) -> None:
        size = byte_size(type_, self._pointer_width)
        if not volatile and self._indexed(address, type_, size):
            return
        target = self._inside(address, size, volatile)
        if target is not None:
            pointer, found = target
            found.spans.setdefault((pointer.offset, size), set()).add(type_)

    def _indexed(self, address: Operand, type_: Type, size: int) -> bool:
        """Note an access by variable indices, and the elements if it is to a small array."""
        pointer = resolve(self._here, address)
        found = None if pointer is None else self._objects.get(pointer.owner)
        if pointer is None or found is None or not pointer.terms:
            return False
        found.subscripts.setdefault(pointer, set()).add(type_)
        is_small = len(pointer.terms) == 1 and found.size <= MAX_BYTES
        places = elements(pointer, found.size, size) if is_small else {}
        if not 0 < len(places) <= (MAX_TABLE if found.constant else MAX_ELEMENTS):
            found.is_large = True
            return True
        for offset in places.values():
            found.indexed.add((offset, size))
            found.spans.setdefault((offset, size), set()).add(type_)
        return True

    def _inside(
        self, address: Operand, size: int, volatile: bool = False
    ) -> tuple[Pointer, ScannedObject] | None:
        """The object at a constant address, of which `size` bytes are accessed."""
        pointer = resolve(self._here, address)
        if pointer is None or pointer.owner not in self._objects:
            return None
        found = self._objects[pointer.owner]
        fits = 0 <= pointer.offset <= pointer.offset + size <= found.size
        if volatile or pointer.terms or not fits:
            found.escaped |= volatile or not found.constant
            return None
        return pointer, found

    def _fill(self, address: Operand, length: Operand) -> None:
        if not isinstance(length, IntConst):
            self.escape_all((address,))
            return
        target = self._inside(address, length.value)
        if target is not None:
            pointer, found = target
            found.cuts |= {pointer.offset, pointer.offset + length.value}

    def _copy(self, target: Operand, source: Operand, length: Operand) -> None:
        if not isinstance(length, IntConst) or length.value > MAX_OBJECT_CELLS * CHUNK:
            self.escape_all((target, source))
            return
        ends = [self._inside(side, length.value) for side in (target, source)]
        for end in ends:
            if end is not None:
                pointer, found = end
                found.spans.setdefault((pointer.offset, length.value), set())
        if ends[0] is not None and ends[1] is not None:
            self._copies.append(_Copy(ends[0][0], ends[1][0], length.value))

    def parts(self) -> dict[ObjectName, tuple[Part, ...]]:
        """The promotable objects, cut; objects with too many or odd parts are left in memory."""
        for found in self._objects.values():
            found.cuts |= {end for at, size in found.spans for end in (at, at + size)}
        self._share_cuts()
        while self._chunk():
            self._share_cuts()
        result: dict[ObjectName, tuple[Part, ...]] = {}
        for owner, found in self._objects.items():
            if found.escaped or (found.is_large and not found.constant):
                continue
            parts = [Part(at, end - at, part_type(found, at, end)) for at, end in pieces(found)]
            if len(parts) <= MAX_OBJECT_CELLS and self._has_initial_values(owner, parts):
                result[owner] = tuple(parts)
        return result

    def size(self, owner: ObjectName) -> int:
        """How many bytes an object has."""
        return self._objects[owner].size

    def partial(self) -> dict[ObjectName, tuple[Part, ...]]:
        """The parts beside arrays of objects that are too large; `parts` comes first."""
        result: dict[ObjectName, tuple[Part, ...]] = {}
        for owner, found in self._objects.items():
            numbers = all(are_numbers(types) for types in found.subscripts.values())
            if found.escaped or found.constant or not found.is_large or not numbers:
                continue
            cut = [Part(at, end - at, part_type(found, at, end)) for at, end in pieces(found)]
            scalars = [(at, at + size) for (at, size), types in found.spans.items() if types]
            parts = beside(cut, scalars, zones(found.subscripts, found.size))
            if parts and self._has_initial_values(owner, parts):
                result[owner] = parts
        return result

    def _has_initial_values(self, owner: ObjectName, parts: Iterable[Part]) -> bool:
        if owner.function is not None:
            return True
        found = self._globals[owner.name]
        return all(initial_value(found, p.offset, p.size, p.type) is not None for p in parts)

    def _share_cuts(self) -> None:
        """Carry the cuts of one side of each copy to the other, until nothing changes."""
        changed = True
        while changed:
            changed = False
            for copy in self._copies:
                target, source = (self._objects[p.owner] for p in (copy.target, copy.source))
                inner = _relative(target, copy.target, copy.length)
                inner |= _relative(source, copy.source, copy.length)
                for found, pointer in ((target, copy.target), (source, copy.source)):
                    moved = {pointer.offset + cut for cut in inner}
                    changed |= not moved <= found.cuts
                    found.cuts |= moved

    def _chunk(self) -> bool:
        """Cut what is copied as a whole into pieces that fit a machine integer."""
        changed = False
        for found in self._objects.values():
            for at, end in list(pieces(found)):
                if end - at > 2 * CHUNK and not found.escaped:
                    found.cuts |= set(range(at + CHUNK, end, CHUNK))
                    changed = True
        return changed


def _relative(found: ScannedObject, pointer: Pointer, length: int) -> set[int]:
    return {cut - pointer.offset for cut in found.cuts if 0 < cut - pointer.offset < length}


def is_null_test(statement: Compare) -> bool:
    """A comparison for equality with null, which the address of an object is not."""
    sides = (statement.left, statement.right)
    equality = statement.predicate in (Predicate.EQ, Predicate.NE)
    return equality and NULL in sides
