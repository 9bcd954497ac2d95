"""Which memory becomes which cells: the plan of `passes.regions`.

A node of the points-to analysis becomes an *area*.  Its bytes (modulo its stride) are cut at the
ends of all accesses, the finest partition: every access is a sequence of whole parts.  A part is
one cell: a scalar, where the area is a single object with exact offsets, so that every pointer to
it is known; otherwise a region, a map from the addresses of the part's bytes to its values.  Parts
of different areas, and different parts of one area, never share a byte.  An array of structs thus
is one region a member, and memory that is accessed bytewise a region of bytes.

Memory that external code can reach becomes no cell: its statements stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from seahorn_py.base.errors import InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import calls
from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import Operand, Program, Register, Variable
from seahorn_py.ir.types import POINTER, IntType, RegionType, Scalar, Type
from seahorn_py.passes.environment import ESCAPED
from seahorn_py.passes.pointsto.bindings import Kind
from seahorn_py.passes.pointsto.pointsto import Node, PointsTo
from seahorn_py.passes.promotion import ssa
from seahorn_py.passes.regions.addresses import Placement, place

MAX_PARTS = 512
MAX_PIECES = 10_000
"""How many more pieces than accesses there may be in the program."""


@dataclass(frozen=True)
class Part:
    """`size` bytes from `start` on, modulo the stride of the area, and the cell for them."""

    start: int
    size: int
    type: Scalar
    cell: ssa.Cell

    @property
    def is_region(self) -> bool:
        """The cell holds a region, not a scalar."""
        return isinstance(self.cell.type, RegionType)


@dataclass(frozen=True)
class Area:
    """A node of which memory becomes cells.

    `single` is the symbol of its object if there is only one, at a fixed address.  `owner` is the
    only function in whose activations its objects live.  If `is_zeroed`, what was not written yet
    is 0, otherwise it is arbitrary.
    """

    node: Node
    parts: Mapping[int, Part]
    single: str | None
    owner: str | None
    is_zeroed: bool

    @property
    def stride(self) -> int:
        """The distance at which parts repeat; 0 if they do not."""
        return self.node.stride

    def walk(self, offset: int, size: int) -> Iterator[tuple[Part, int]]:
        """The parts in `size` bytes from an offset that is a cut, with their distances from it."""
        stride, distance = self.stride, 0
        while self.parts and distance < size:
            at = offset + distance
            part = self.parts.get(at % stride if stride else at)
            if part is None:
                distance = _next(sorted(self.parts), at, stride) - offset
                continue
            if distance + part.size <= size:
                yield part, distance
            distance += part.size


def _next(starts: list[int], at: int, stride: int) -> int:
    """The first place behind `at` where a part starts; far away if there is none."""
    if stride == 0:
        return next((s for s in starts if s > at), 1 << 80)
    inside = at % stride
    ahead = next((s for s in starts if s > inside), starts[0] + stride)
    return at + ahead - inside


class Plan:
    """The areas of a program; `area` finds that of an address."""

    def __init__(self, program: Program, found: PointsTo) -> None:
        self.program = program
        self.found = found
        chosen = [node for node in found.nodes.values() if _has_region(node)]
        objects = [made for node in chosen for made, _ in node.data]
        self.placement: Placement = place(program, objects)
        self._allocated = {(made.function or "", made.name): made for made in objects}
        self._count = 0
        areas = (self._area(node) for node in chosen)
        self.areas = {area.node.number: area for area in _affordable(areas)}
        self.next = self._cell("heap.next", POINTER, None)
        self.sizes = self._cell("heap.sizes", RegionType(IntType(program.pointer_width)), None)
        self.resized = frozenset(self._resized())

    def size(self, type_: Type) -> int:
        """How many bytes a load or store of that type touches."""
        return bytes_of(type_, self.program.pointer_width)

    def area(self, function: str, address: Operand) -> tuple[Area, int] | None:
        """The area an address lies in, and the offset there; None if that memory stays."""
        cell = self.found.cell(function, address)
        area = None if cell is None else self.areas.get(cell.node)
        return None if area is None or cell is None else (area, cell.offset)

    def symbol(self, function: str, result: Register) -> str | None:
        """The fixed address of what an allocation makes, if it has one."""
        made = self._allocated.get((function, result.name))
        if made is None:
            raise InternalError(f"{function}: {result} takes the address of no object")
        return self.placement.symbol(made)

    def _resized(self) -> Iterator[int]:
        """The areas in which the sizes of blocks are needed: `realloc` copies what was there."""
        for name, function in self.program.functions.items():
            for call in calls(function):
                if call.callee == "realloc" and call.results:
                    found = self.area(name, call.results[0])
                    if found is not None:
                        yield found[0].node.number

    def _cell(self, name: str, type_: Type, variable: Variable | None) -> ssa.Cell:
        self._count += 1
        return ssa.Cell(self._count - 1, name, type_, variable)

    def _area(self, node: Node) -> Area:
        symbols = [self.placement.symbol(made) for made, _ in node.data]
        single = symbols[0] if len(symbols) == 1 else None
        is_scalar = single is not None and node.stride == 0
        names = self._variables(node) if is_scalar else {}
        stem = single or str(node.data[0][0])
        pieces = _pieces(node)
        parts = {}
        for start, size in pieces:
            type_ = _part_type(node, start, size)
            name = f"{stem}.{start}" if len(pieces) > 1 else stem
            held = type_ if is_scalar else RegionType(type_)
            parts[start] = Part(start, size, type_, self._cell(name, held, names.get(start)))
        return Area(node, parts, single, self._owner(node), self._is_zeroed(node))

    def _owner(self, node: Node) -> str | None:
        """The function whose slots the objects are, with fixed addresses."""
        owners = {
            made.function if made.kind is Kind.STACK and self.placement.symbol(made) else None
            for made, _ in node.data
        }
        return owners.pop() if len(owners) == 1 else None

    def _is_zeroed(self, node: Node) -> bool:
        """Nothing but globals, blocks from `calloc`, and slots with a `Havoc` of their own."""
        made = [found for found, _ in node.data]
        has_globals = any(found.kind is Kind.GLOBAL for found in made)
        return all(
            found.kind is Kind.GLOBAL
            or found.is_zeroed
            or (has_globals and found.kind is Kind.STACK and bool(self.placement.symbol(found)))
            for found in made
        )

    def _variables(self, node: Node) -> Mapping[int, Variable]:
        made, offset = node.data[0]
        if made.kind is not Kind.GLOBAL:
            return {}
        variables = self.program.globals[made.name].variables
        return {offset + at: variable for at, variable in variables.items()}


def _affordable(areas: Iterable[Area]) -> Iterator[Area]:
    """The areas without those in which most accesses fall to pieces, if there are too many."""
    left = MAX_PIECES
    for area in sorted(areas, key=_pieces_an_access):
        left -= _further_pieces(area)
        if left >= 0 or _further_pieces(area) == 0:
            yield area


def _further_pieces(area: Area) -> int:
    return sum(
        count * (sum(1 for _ in area.walk(*access)) - 1)
        for access, count in area.node.counts.items()
    )


def _pieces_an_access(area: Area) -> float:
    return _further_pieces(area) / max(1, area.node.counts.total())


def _has_region(node: Node) -> bool:
    if not node.data or any(o.name == ESCAPED for o, _ in node.data):
        return False
    if node.is_outside or node.is_volatile:
        return False
    return len({offset for offset, _ in node.accesses}) <= MAX_PARTS


def _pieces(node: Node) -> list[tuple[int, int]]:
    """Start and size of what lies between neighbouring ends of accesses and is accessed."""
    stride = node.stride
    ranges = [*node.accesses, *((offset, size or 0) for offset, size in node.spans)]
    ends = {end for offset, size in ranges for end in (offset, offset + size)}
    cuts = sorted({end % stride for end in ends} if stride else ends)
    following = dict(pairwise(cuts))
    if stride and cuts:
        following[cuts[-1]] = cuts[0] + stride
    covered: set[int] = set()
    for offset, size in node.accesses:
        at = offset
        while at < offset + size:
            start = at % stride if stride else at
            if start in covered and size >= stride > 0 and len(covered) == len(cuts):
                break
            covered.add(start)
            at += following[start] - start
    return [(start, following[start] - start) for start in cuts if start in covered]


def _part_type(node: Node, start: int, size: int) -> Scalar:
    """The one type with which a part is accessed; an integer if there are several or none."""
    types = node.accesses.get((start, size), frozenset())
    only = next(iter(types)) if len(types) == 1 else None
    if only is None or isinstance(only, RegionType):
        return IntType(8 * size)
    return IntType(8 * size) if isinstance(only, IntType) and only.width % 8 else only
