"""Constants out of bytes: what a part of a global holds at the start, and what `memset` writes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from itertools import zip_longest
from operator import itemgetter

from seahorn_py.ir.program import (
    NULL,
    Address,
    Bytes,
    FloatConst,
    Global,
    IntConst,
    Leaf,
    MemoryCopy,
    Operand,
    Program,
)
from seahorn_py.ir.types import FloatType, IntType, PointerType, RegionType, Type

MAX_LEAF_BYTES = 16
"""The most bytes that a leaf other than a run has."""

MAX_COPIED_LEAVES = 512
_START = itemgetter(0)


def constant(number: int, type_: Type) -> Operand | None:
    """The constant with the bytes of `number`; None for a region, or a pointer that is not null."""
    match type_:
        case IntType(width):
            return IntConst(number & (1 << width) - 1, type_)
        case FloatType():
            return FloatConst(number, type_)
        case PointerType():
            return NULL if number == 0 else None
        case RegionType():
            return None


def overlapping(found: Global, offset: int, size: int) -> tuple[tuple[int, Leaf], ...]:
    """The leaves that may have bytes in a range: those that end before it at most by a little."""
    leaves = found.leaves
    first = bisect_left(leaves, offset - MAX_LEAF_BYTES + 1, key=_START)
    last = bisect_left(leaves, offset + size, key=_START)
    if first > 0 and isinstance(leaves[first - 1][1], Bytes):
        first -= 1
    return leaves[first:last]


def initial_value(found: Global, offset: int, size: int, type_: Type) -> Operand | None:
    """The value with which the bytes of a global begin.

    None if they hold a part of an address, or an address where `type_` is no pointer.
    """
    near = overlapping(found, offset, size)
    number = 0
    for (start, leaf), end in zip_longest(near, (start for start, _ in near[1:])):
        if end is not None and end <= offset:
            continue
        if isinstance(leaf, Bytes):
            number |= leaf.part(offset - start, size)
            continue
        if isinstance(leaf, Address) and leaf != NULL:
            if start == offset and isinstance(type_, PointerType):
                return leaf
            return None
        number |= _shifted(_bits(leaf), 8 * (start - offset)) & (1 << 8 * size) - 1
    return constant(number, type_)


def copied_leaves(program: Program, copy: MemoryCopy) -> Mapping[int, Operand] | None:
    """The scalars that a copy from a constant object stores, by distance from the target.

    Runs of bytes are left out.  None for another copy, or if it stores too much.
    """
    match copy.source, copy.length:
        case Address(symbol=str() as symbol, offset=start), IntConst(value=length):
            found = program.globals.get(symbol)
        case _:
            return None
    if found is None or not found.constant or not 0 <= start <= start + length <= found.size:
        return None
    near = overlapping(found, start, length)
    has_run = any(isinstance(leaf, Bytes) for _, leaf in near)
    if (length if has_run else len(near)) > MAX_COPIED_LEAVES:
        return None
    return {at - start: leaf for at, leaf in near if start <= at and not isinstance(leaf, Bytes)}


def _shifted(number: int, by: int) -> int:
    return number << by if by >= 0 else number >> -by


def _bits(leaf: Operand) -> int:
    match leaf:
        case IntConst(value=value):
            return value
        case FloatConst(bits=bits):
            return bits
        case _:
            return 0
