"""What memory holds at the start: the initial values of globals, element by element."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.base.patterns import pattern
from seahorn_py.ir.memory import bytes_of, end_of
from seahorn_py.ir.program import Bytes, Global, Operand
from seahorn_py.ir.types import PointerType
from seahorn_py.passes.promotion.constants import initial_value, overlapping
from seahorn_py.passes.regions.plan import Area, Part
from seahorn_py.passes.regions.writer import Writer

UNKNOWN = "a part of an address"


class Image:
    """The initial bytes of one global, as operands."""

    def __init__(self, writer: Writer, found: Global) -> None:
        self._writer = writer
        self._global = found
        self._width = writer.plan.program.pointer_width

    def element(self, part: Part, offset: int) -> Operand:
        """What the bytes of a part are at an offset in the object."""
        leaves = tuple(
            (at, leaf)
            for at, leaf in overlapping(self._global, offset, part.size)
            if end_of(at, leaf, self._width) > offset
        )
        near = replace(self._global, leaves=leaves)
        found = initial_value(near, offset, part.size, part.type)
        if found is not None:
            return found
        for at, leaf in leaves:
            if isinstance(leaf, Bytes) or not isinstance(leaf.type, PointerType):
                continue
            size = bytes_of(leaf.type, self._width)
            inside = offset - at
            if 0 <= inside <= size - part.size:
                sizes = [s for s in (inside, part.size, size - inside - part.size) if s]
                pieces = self._writer.lines.pieces(leaf, sizes)
                return self._writer.lines.converted(pieces[1 if inside else 0], part.type)
        return self._writer.arbitrary(part.type, UNKNOWN)

    def elements(
        self, area: Area, shift: int, first: int = 0, last: int | None = None
    ) -> Iterator[tuple[Part, int]]:
        """The parts in which leaves lie, with their offsets in the object, which is at `shift`.

        Only those between two offsets; a part of a run of bytes that is 0 is left out.
        """
        starts = sorted(area.parts)
        if not starts:
            return
        stride, done = area.stride, -1
        last = self._global.size if last is None else last
        for at, leaf in overlapping(self._global, first, last - first):
            position, end = max(at, first), min(end_of(at, leaf, self._width), last)
            while position < end:
                if isinstance(leaf, Bytes):
                    position = at + _nonzero(leaf.data, position - at)
                    if position >= end:
                        break
                found = _part_at(area, starts, position + shift)
                if found is None:
                    position = _later(starts, position + shift, stride) - shift
                    continue
                part, inside = found
                start = position - inside
                if start > done and first <= start <= last - part.size:
                    done = start
                    yield part, start
                position = start + part.size


_NONZERO = pattern(rb"[^\0]")


def _nonzero(data: bytes, start: int) -> int:
    """The first position from `start` whose byte is not 0, or the end of the bytes."""
    found = _NONZERO.search(data, start)
    return len(data) if found is None else found.start()


def _part_at(area: Area, starts: list[int], offset: int) -> tuple[Part, int] | None:
    """The part that holds an offset, and how far from its start."""
    stride = area.stride
    at = offset % stride if stride else offset
    position = bisect_left(starts, at + 1) - 1
    if position < 0 and not stride:
        return None
    part = area.parts[starts[position]]
    inside = (at - part.start) % stride if stride else at - part.start
    return (part, inside) if inside < part.size else None


def _later(starts: list[int], offset: int, stride: int) -> int:
    """The next offset at which a part starts; far away if there is none."""
    at = offset % stride if stride else offset
    position = bisect_left(starts, at + 1)
    if position < len(starts):
        return offset + starts[position] - at
    return offset + starts[0] + stride - at if stride else 1 << 80
