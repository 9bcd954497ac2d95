"""Which function exchanges which cells of memory with its callers.

A function takes the cells that it or its callees read or write, and returns those they write, by a
fixpoint on the call graph.  The cells of slots of one function begin there and end with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import call_graph, strong_components
from seahorn_py.ir.program import (
    Alloca,
    Call,
    Function,
    Havoc,
    Load,
    MemoryCopy,
    MemorySet,
    Operand,
    Register,
    Statement,
    Store,
)
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.passes.promotion.ssa import Cell
from seahorn_py.passes.regions.plan import Area, Plan


@dataclass(frozen=True)
class Traffic:
    """Cells a function takes and returns; `own` begin and end with each of its activations."""

    accessed: tuple[Cell, ...]
    written: tuple[Cell, ...]
    own: tuple[Cell, ...]


def traffic(plan: Plan) -> dict[str, Traffic]:
    """The traffic of every function of the program."""
    program = plan.program
    graph = call_graph(program)
    cells = {cell.number: cell for cell in _cells(plan)}
    own = dict.fromkeys(graph, 0)
    for area in plan.areas.values():
        if area.owner is not None:
            own[area.owner] |= _bits(area)
    direct = {name: _direct(plan, function) for name, function in program.functions.items()}
    accessed = {name: bits[0] for name, bits in direct.items()}
    written = {name: bits[1] for name, bits in direct.items()}
    for sets in (accessed, written):
        _close(sets, own, graph)
    return {
        name: Traffic(
            _chosen(cells, accessed[name] & ~own[name]),
            _chosen(cells, written[name] & ~own[name]),
            _chosen(cells, accessed[name] & own[name]),
        )
        for name in graph
    }


def _cells(plan: Plan) -> Iterator[Cell]:
    for area in plan.areas.values():
        yield from (part.cell for part in area.parts.values())
    yield from (plan.next, plan.sizes)


def _chosen(cells: Mapping[int, Cell], bits: int) -> tuple[Cell, ...]:
    found = []
    while bits:
        low = bits & -bits
        found.append(cells[low.bit_length() - 1])
        bits ^= low
    return tuple(found)


def _bits(area: Area) -> int:
    return sum(1 << part.cell.number for part in area.parts.values())


def _close(
    sets: dict[str, int], own: Mapping[str, int], graph: Mapping[str, tuple[str, ...]]
) -> None:
    """Add to each function's set those of its callees, but for what they own."""
    for component in strong_components(graph, graph.__getitem__):
        common = 0
        for name in component:
            for callee in graph[name]:
                common |= sets[callee] & ~own[callee]
            common |= sets[name]
        for name in component:
            sets[name] |= common


def _direct(plan: Plan, function: Function) -> tuple[int, int]:
    """The cells that the statements of a function access, and write, as bits."""
    accessed = written = 0
    for block in function.blocks:
        for statement in block.statements:
            for cells, writes in _touched(plan, function.name, statement):
                accessed |= cells
                written |= cells if writes else 0
    return accessed, written


def _touched(plan: Plan, function: str, s: Statement) -> Iterator[tuple[int, bool]]:
    """The cells a statement touches, and whether it writes them."""
    match s:
        case Load(result=result, address=address):
            yield _at(plan, function, address, plan.size(result.type)), False
        case Store(value=value, address=address):
            yield _at(plan, function, address, plan.size(value.type)), True
        case MemoryCopy(target=target, source=source):
            yield _everywhere(plan, function, source), False
            yield _everywhere(plan, function, target), True
        case MemorySet(target=target) | Havoc(address=target):
            yield _everywhere(plan, function, target), True
        case Alloca(result=result):
            yield _allocating(plan, function, result), True
        case Call(callee=str() as callee, results=(result, *_)) if callee in ALLOCATION:
            yield _allocating(plan, function, result), True
            yield _everywhere(plan, function, result), True


def _at(plan: Plan, function: str, address: Operand, size: int) -> int:
    found = plan.area(function, address)
    if found is None:
        return 0
    area, offset = found
    cells = 0
    for part, _ in area.walk(offset, size):
        cells |= 1 << part.cell.number
    return cells


def _everywhere(plan: Plan, function: str, address: Operand) -> int:
    found = plan.area(function, address)
    return 0 if found is None else _bits(found[0])


def _allocating(plan: Plan, function: str, result: Register) -> int:
    found = plan.area(function, result)
    if found is None:
        return 0
    number = found[0].node.number
    cells = 0 if plan.symbol(function, result) else 1 << plan.next.number
    return cells | (1 << plan.sizes.number if number in plan.resized else 0)
