"""Copies, fills and havocs of ranges of bytes, element by element.

A range of few elements of constant number is written out; otherwise the parts of one period of the
area are written in a loop over the periods.  What a copy reads is read from the contents before it,
which is the meaning of `memmove`.  The last element of a range whose length is not known to be a
multiple of the period may be touched in part: it becomes arbitrary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from seahorn_py.ir.program import (
    Address,
    BinaryOp,
    Havoc,
    IntConst,
    MemoryCopy,
    MemorySet,
    Operand,
    Predicate,
    RegionFill,
    RegionHavoc,
    RegionLoad,
)
from seahorn_py.ir.types import IntType, RegionType
from seahorn_py.passes.pointsto.multiples import Multiples
from seahorn_py.passes.promotion.constants import constant, copied_leaves
from seahorn_py.passes.regions.addresses import HEAP
from seahorn_py.passes.regions.initial import Image
from seahorn_py.passes.regions.plan import Area, Part
from seahorn_py.passes.regions.writer import Writer

MAX_WRITTEN_OUT = 64
MAX_BYTEWISE = 64
MAX_COPIED = 256
PARTIAL = "the rest of an element that was written in part"
CONTENTS = "what memory holds"
BYTE = IntType(8)

Value = Callable[[Part, int, Operand | None], Operand]
"""The new element at a constant and a variable distance (None: 0) from the start of the range."""


Byte = Callable[[int, Operand | None], Operand]
"""The byte that is drawn at such a distance."""


class Bulk:
    """Writes ranges of one function."""

    def __init__(self, writer: Writer, multiples: Multiples) -> None:
        self._writer = writer
        self._multiples = multiples
        self._program = writer.plan.program

    # ---------------------------------------------------------------------------------- copies

    def copy(self, copy: MemoryCopy, area: Area, offset: int) -> None:
        """`memcpy` or `memmove` within an area, or from a constant object."""
        if copied_leaves(self._program, copy) is None:
            self.move(area, offset, copy.target, copy.source, copy.length)
            return
        assert isinstance(copy.source, Address) and isinstance(copy.length, IntConst)
        source = self._program.globals[copy.source.symbol or ""]
        self._copy_constant(copy, Image(self._writer, source), area, offset)

    def move(
        self, area: Area, offset: int, target: Operand, source: Operand, length: Operand
    ) -> None:
        """Copy a range to another of the same area."""
        writer = self._writer
        old = {part.start: writer.get(part.cell) for part in area.parts.values()}

        def value(part: Part, distance: int, k: Operand | None) -> Operand:
            return writer.element(part, writer.moved(source, distance, k), old[part.start])

        self._write(area, offset, target, length, value)

    def _copy_constant(self, copy: MemoryCopy, image: Image, area: Area, offset: int) -> None:
        writer = self._writer
        assert isinstance(copy.source, Address) and isinstance(copy.length, IntConst)
        start, length = copy.source.offset, copy.length.value

        def value(part: Part, distance: int, _k: Operand | None) -> Operand:
            return image.element(part, start + distance)

        if _count(area, length) <= MAX_COPIED:
            self._write_out(area, offset, copy.target, length, value)
            return
        self.set(area, offset, copy.target, IntConst(0, BYTE), copy.length)
        for part, at in image.elements(area, offset - start, start, start + length):
            address = writer.moved(copy.target, at - start)
            writer.set_element(part, address, image.element(part, at))

    # ----------------------------------------------------------------------------------- fills

    def fill(self, statement: MemorySet, area: Area, offset: int) -> None:
        """`memset`."""
        self.set(area, offset, statement.target, statement.byte, statement.length)

    def set(self, area: Area, offset: int, target: Operand, byte: Operand, length: Operand) -> None:
        """Let every byte of a range be the same."""
        writer = self._writer
        values = {part.start: self._repeated(part, byte) for part in area.parts.values()}
        if is_whole(area, offset, length) and all(p.is_region for p in area.parts.values()):
            for part in area.parts.values():
                filled = writer.names.fresh(part.cell.name, part.cell.type)
                line = RegionFill(filled, values[part.start], writer.lines.origin)
                writer.lines.lines.append(line)
                writer.put(part.cell, filled)
            return
        self._write(area, offset, target, length, lambda part, _distance, _k: values[part.start])

    def _repeated(self, part: Part, byte: Operand) -> Operand:
        lines = self._writer.lines
        zero = constant(0, part.type)
        if isinstance(byte, IntConst) and byte.value % 256 == 0 and zero is not None:
            return zero
        return lines.converted(lines.repeated(byte, part.size), part.type)

    # ---------------------------------------------------------------------------------- havocs

    def havoc(self, statement: Havoc, area: Area, offset: int) -> None:
        """Arbitrary bytes, which a replay knows."""
        writer, length = self._writer, statement.size
        whole, stride = is_whole(area, offset, length), area.stride
        parts = area.parts.values()
        regular = all(
            p.is_region and (whole or (stride > 0 and stride % p.size == 0)) for p in parts
        )
        if not (regular and len(parts) == 1) and isinstance(length, IntConst):
            if length.value <= MAX_BYTEWISE:
                data = [writer.lines.input(statement.site, BYTE) for _ in range(length.value)]
                self._havoc_bytes(statement, area, offset, lambda at, _k: data[at])
                return
            if _count(area, length.value) <= MAX_WRITTEN_OUT:
                self._havoc_bytes(statement, area, offset, self._drawn(statement))
                return
        if regular:
            for k, (part, distance) in enumerate(area.walk(offset, _period(area, offset))):
                own = statement.site if k == 0 else None
                self._havoc_region(statement, part, 0 if whole else distance, whole, own is None)
            return
        self._havoc_bytes(statement, area, offset, self._drawn(statement))

    def _drawn(self, statement: Havoc) -> Byte:
        """The values of the site by number, out of a region that serves for nothing else."""
        writer, type_ = self._writer, RegionType(BYTE)
        empty, drawn = (writer.names.fresh("drawn", type_) for _ in range(2))
        origin, start = statement.origin, Address(HEAP)
        line = RegionHavoc(drawn, empty, start, statement.size, statement.site, True, origin)
        writer.lines.lines.extend((RegionFill(empty, IntConst(0, BYTE), origin), line))

        def byte(at: int, k: Operand | None) -> Operand:
            result = writer.names.fresh("byte", BYTE)
            place = writer.moved(start, at, k)
            writer.lines.lines.append(RegionLoad(result, drawn, place, origin))
            return result

        return byte

    def _havoc_bytes(self, statement: Havoc, area: Area, offset: int, byte: Byte) -> None:
        """Elements out of the values that are read, one a byte, in order."""

        def value(part: Part, distance: int, k: Operand | None) -> Operand:
            pieces = [(byte(distance + at, k), 1) for at in range(part.size)]
            return self._writer.lines.combined(pieces, part.type)

        self._write(area, offset, statement.address, statement.size, value)

    def _havoc_region(
        self, statement: Havoc, part: Part, distance: int, whole: bool, is_new: bool
    ) -> None:
        """The site is read for the first part; the others have sites of their own."""
        writer, size = self._writer, statement.size
        if isinstance(size, IntConst) and not whole:
            count = size.value - distance
            size = replace(size, value=count - count % part.size)
        site = statement.site
        if is_new:
            site = writer.sites.fresh(CONTENTS, BYTE, statement.origin)
        result = writer.names.fresh(part.cell.name, part.cell.type)
        held, address = writer.get(part.cell), writer.moved(statement.address, distance)
        line = RegionHavoc(result, held, address, size, site, whole, statement.origin)
        writer.lines.lines.append(line)
        writer.put(part.cell, result)

    # ---------------------------------------------------------------------------------- ranges

    def _write(
        self, area: Area, offset: int, target: Operand, length: Operand, value: Value
    ) -> None:
        """Write the elements of a range in the way that its length asks for."""
        stride = area.stride
        if not area.parts:
            return
        if isinstance(length, IntConst) and _count(area, length.value) <= MAX_WRITTEN_OUT:
            self._write_out(area, offset, target, length.value, value)
        elif stride == 0:
            self._write_up_to(area, offset, target, length, value)
        elif isinstance(length, IntConst):
            rest = length.value % stride
            whole = replace(length, value=length.value - rest)
            self._write_periods(area, offset, target, whole, value)
            base = self._writer.moved(target, whole.value)
            shifted = _shifted(value, whole.value)
            self._write_out(area, offset, base, rest, shifted)
        elif self._multiples.of(length) % stride == 0:
            self._write_periods(area, offset, target, length, value)
        else:
            self._write_periods(area, offset, target, length, value, is_exact=False)

    def _write_out(
        self, area: Area, offset: int, target: Operand, length: int, value: Value
    ) -> None:
        """One write for each element, after all that is to be read."""
        found = [(part, d, value(part, d, None)) for part, d in area.walk(offset, length)]
        for part, distance, element in found:
            self._writer.set_element(part, self._writer.moved(target, distance), element)

    def _write_up_to(
        self, area: Area, offset: int, target: Operand, length: Operand, value: Value
    ) -> None:
        """Each part of an area without repetition, if the range reaches so far."""
        for part, distance in list(area.walk(offset, _period(area, offset))):
            end = IntConst(distance + part.size, self._writer.word)
            begin = IntConst(distance, self._writer.word)
            self._write_partly(part, target, (begin, end, length), value, distance)

    def _write_periods(
        self,
        area: Area,
        offset: int,
        target: Operand,
        length: Operand,
        value: Value,
        *,
        is_exact: bool = True,
    ) -> None:
        """The parts of one period after the other."""
        writer = self._writer
        parts = list(area.walk(offset, area.stride))
        with writer.loop(length, area.stride) as k:
            for part, distance in parts:
                if is_exact:
                    element = value(part, distance, k)
                    writer.set_element(part, writer.moved(target, distance, k), element)
                    continue
                begin, end = (
                    writer.binary(BinaryOp.ADD, k, IntConst(by, writer.word))
                    for by in (distance, distance + part.size)
                )
                self._write_partly(part, target, (begin, end, length), value, distance, k)

    def _write_partly(
        self,
        part: Part,
        target: Operand,
        ends: Sequence[Operand],
        value: Value,
        distance: int,
        k: Operand | None = None,
    ) -> None:
        """The element if the range reaches its end, something if it reaches its begin."""
        writer = self._writer
        begin, end, length = ends
        address = writer.moved(target, distance, k)
        old = writer.element(part, address)
        new = writer.lines.converted(value(part, distance, k), part.type)
        some = writer.arbitrary(part.type, PARTIAL)
        touched = writer.compare(Predicate.ULT, begin, length)
        covered = writer.compare(Predicate.ULE, end, length)
        rest = writer.choose(touched, some, old)
        writer.set_element(part, address, writer.choose(covered, new, rest))


def is_whole(area: Area, offset: int, length: Operand) -> bool:
    """The range is all of the only object in the area, which has a fixed address."""
    if area.single is None or not isinstance(length, IntConst):
        return False
    made, start = area.node.data[0]
    return offset == start and made.size is not None and length.value >= made.size


def _count(area: Area, length: int) -> int:
    """About how many elements a range has."""
    if area.stride == 0:
        return min(len(area.parts), length)
    return -(-length // area.stride) * len(area.parts)


def _period(area: Area, offset: int) -> int:
    """How many bytes from the offset on hold every part once."""
    if area.stride:
        return area.stride
    return max(0, max((p.start + p.size for p in area.parts.values()), default=0) - offset)


def _shifted(value: Value, by: int) -> Value:
    return lambda part, distance, k: value(part, distance + by, k)
