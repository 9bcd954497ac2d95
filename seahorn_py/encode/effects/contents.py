"""Memory regions as arrays: maps from addresses to elements.

A region is a total array. What it holds is arbitrary at first, but every element is a machine
integer, and stores keep that; so the element that a load reads is taken to lie in the range of its
representation. A read after a write is worked out here if both addresses are certainly equal or
certainly different. So regions that are only used at known addresses cost no more than scalars.
"""

from __future__ import annotations

from typing import TypeVar

from seahorn_py.encode.builder import Builder
from seahorn_py.encode.machine import Shape
from seahorn_py.encode.relevance import demands
from seahorn_py.horn.system import Extent
from seahorn_py.ir.program import (
    IntConst,
    Operand,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

V = TypeVar("V")

MAX_ELEMENTS = 64
"""How many elements that become arbitrary are written out as stores."""

MAX_STORES = 256
"""How many stores a read is followed through."""

MAX_SUMMANDS = 16
"""Sums of more parts are not compared."""


def load(builder: Builder[V], statement: RegionLoad) -> None:
    """The element at the address, which lies in the range of its representation."""
    region = builder.region(statement.region)
    element = _shape(builder, statement.region).element
    found = reading(region, _address(builder, statement.address))
    machine = builder.whole.machine
    builder.assume(machine.domain(found, element))
    builder.alias(statement.result, machine.value(found, element), demands(statement))


def store(builder: Builder[V], statement: RegionStore) -> None:
    """The region with one element changed."""
    region = builder.region(statement.region)
    value = builder.term(statement.value, builder.shape(statement.result).element)
    changed = terms.store(region, _address(builder, statement.address), value)
    builder.fill(statement.result, changed, demands(statement))


def fill(builder: Builder[V], statement: RegionFill) -> None:
    """The same element everywhere."""
    shape = builder.shape(statement.result)
    value = builder.term(statement.value, shape.element)
    index = builder.whole.sort(shape).index_type
    builder.fill(statement.result, terms.const_array(index, value), demands(statement))


def havoc(builder: Builder[V], statement: RegionHavoc, needed: bool) -> None:
    """Arbitrary elements, one after the other; the read is listed whether it is needed or not."""
    shape = builder.shape(statement.result)
    symbol = builder.local(statement.result)
    extent = Extent(
        _address(builder, statement.address),
        builder.whole.machine.natural(
            builder.whole.width(statement.size.type), builder.read(statement.size)
        ),
        shape.width // 8,
    )
    if needed and not statement.whole:
        count = _elements(statement.size, extent.element)
        if count is None:
            builder.approximate("memory next to what becomes arbitrary")
        else:
            builder.facts.append(
                terms.eq(symbol, _overwritten(builder, statement, shape.element, count))
            )
    builder.hold(statement.result, symbol)
    builder.reads(symbol, statement.site.number, extent)


def _elements(size: Operand, width: int) -> int | None:
    """How many elements of `width` bytes there are; None if not a small number."""
    if not isinstance(size, IntConst) or size.value % width:
        return None
    return size.value // width if size.value <= MAX_ELEMENTS * width else None


def _overwritten(builder: Builder[V], statement: RegionHavoc, element: Shape, count: int) -> Term:
    """The region with fresh values from the address on."""
    machine, width = builder.whole.machine, builder.whole.program.pointer_width
    region, start = builder.region(statement.region), builder.read(statement.address)
    for k in range(count):
        value = builder.fresh(builder.whole.sort(element))
        builder.facts.append(machine.domain(value, element))
        address = machine.moved(width, start, k * (element.width // 8), ())
        region = terms.store(region, machine.plain(address), value)
    return region


def _shape(builder: Builder[V], region: Operand) -> Shape:
    assert isinstance(region, Register), "a region is no constant"
    return builder.shape(region)


def _address(builder: Builder[V], operand: Operand) -> Term:
    return builder.whole.machine.plain(builder.read(operand))


def reading(array: Term, index: Term) -> Term:
    """`array[index]`, followed through stores as far as addresses are known to differ."""
    for _ in range(MAX_STORES):
        if array.is_array_value():
            return array.array_value_default()
        if not array.is_store():
            break
        below, written, value = array.args()
        if written is index:
            return value
        if not _differ(written, index):
            break
        array = below
    return terms.select(array, index)


def _differ(one: Term, other: Term) -> bool:
    """The addresses are the same sum with another constant."""
    left, right = _sum(one), _sum(other)
    return left is not None and right is not None and left[0] == right[0] and left[1] != right[1]


def _sum(term: Term) -> tuple[tuple[int, ...], int] | None:
    """The summands, in an order of their own, and the sum of the constants among them."""
    pending, parts, constant = [term], [], 0
    while pending:
        part = pending.pop()
        if part.is_plus() or part.is_bv_add():
            pending.extend(part.args())
        elif part.is_constant():
            constant += int(part.constant_value())
        else:
            parts.append(int(part.node_id()))
        if len(parts) + len(pending) > MAX_SUMMANDS:
            return None
    sort = terms.sort_of(term)
    return tuple(sorted(parts)), constant % (1 << sort.width) if sort.is_bv_type() else constant
