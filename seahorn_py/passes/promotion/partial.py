"""Scalars beside an array in one object: the parts that become cells while the array stays.

An object whose address does not escape, with accesses by variable subscripts to more elements than
become registers, is *partly promoted*: what is accessed by constant offsets outside of the arrays
becomes cells.  An access by a subscript stays a memory statement.  It may run over its array, so
it is compared with the address of every place at which it meets a part (`meetings`).

Which parts are chosen is a guess about use, and no more than that: any choice is exact.  The
arrays are where subscripts lead by the types of the program (`Offset.extent`); a subscript without
a type may lead anywhere behind its start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd

from seahorn_py.ir.types import IntType, Type
from seahorn_py.passes.promotion.object_parts import Part, Pointer

MAX_BESIDE = 8
"""The most parts of an object of which the rest stays."""

Span = tuple[int, int]
"""The first byte, and the one behind the last."""


def zones(subscripts: Iterable[Pointer], size: int) -> list[Span]:
    """The bytes of an object that its subscripts are meant to lead to."""
    known, open_ = list[Span](), list[int]()
    for pointer in subscripts:
        if pointer.extent is not None:
            known.append(pointer.extent)
        else:
            open_.append(pointer.offset)
    starts = [at for at in open_ if not any(low <= at < high for low, high in known)]
    return [*known, *((at, size) for at in starts)]


def beside(
    pieces: Sequence[Part], scalars: Iterable[Span], arrays: Sequence[Span]
) -> tuple[Part, ...]:
    """The pieces that make up accesses of scalars which share no byte with an array.

    Accesses that overlap stay together: each of them is all parts, or shares no byte with one.
    What holds pointers or floats is no part, and there are none if there are too many.
    """
    found: list[Part] = []
    for low, high in _joined(scalars):
        inside = [p for p in pieces if low <= p.offset and p.offset + p.size <= high]
        is_free = not any(_overlap((low, high), array) for array in arrays)
        if is_free and are_numbers(piece.type for piece in inside):
            found += inside
    return tuple(found) if len(found) <= MAX_BESIDE else ()


def are_numbers(types: Iterable[Type]) -> bool:
    """All are integers: other values would be taken apart into bits."""
    return all(isinstance(type_, IntType) for type_ in types)


def meetings(
    pointer: Pointer, size: int, part: Part, object_size: int, width: int
) -> Iterator[int]:
    """The places in the object at which an access of `size` bytes by subscripts meets a part.

    Addresses have `width` bits, so that sums of subscripts are known modulo a power of two.
    """
    step = gcd(1 << width, *(scale for _, scale in pointer.terms))
    first = max(0, part.offset - size + 1)
    first += (pointer.offset - first) % step
    return iter(range(first, min(part.offset + part.size, object_size - size + 1), step))


def _joined(spans: Iterable[Span]) -> list[Span]:
    """The spans with those that overlap as one."""
    found: list[Span] = []
    for low, high in sorted(spans):
        if found and low < found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return found


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
