"""Constants out of bytes: what a part of a global holds at the start, and what `memset` writes."""

from __future__ import annotations

from itertools import zip_longest

from seahorn_py.ir.program import NULL, Address, FloatConst, Global, IntConst, Operand
from seahorn_py.ir.types import FloatType, IntType, PointerType, RegionType, Type

MAX_LEAF_BYTES = 16


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


def initial_value(found: Global, offset: int, size: int, type_: Type) -> Operand | None:
    """The value with which the bytes of a global begin.

    None if they hold a part of an address, or an address where `type_` is no pointer.
    """
    number = 0
    following = (start for start, _ in found.leaves[1:])
    for (start, leaf), end in zip_longest(found.leaves, following):
        if start + MAX_LEAF_BYTES <= offset or (end is not None and end <= offset):
            continue
        if start >= offset + size:
            break
        if isinstance(leaf, Address) and leaf != NULL:
            if start == offset and isinstance(type_, PointerType):
                return leaf
            return None
        number |= _shifted(_bits(leaf), 8 * (start - offset)) & (1 << 8 * size) - 1
    return constant(number, type_)


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
