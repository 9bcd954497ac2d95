"""The first contents of cells: at the start of the run, or of an activation for its own slots."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from seahorn_py.ir.program import Address, Input, IntConst, Operand, RegionFill
from seahorn_py.passes.pointsto.bindings import Kind
from seahorn_py.passes.promotion.constants import constant
from seahorn_py.passes.promotion.ssa import Cell
from seahorn_py.passes.regions.addresses import HEAP
from seahorn_py.passes.regions.bulk import BYTE, CONTENTS, Bulk
from seahorn_py.passes.regions.initial import Image
from seahorn_py.passes.regions.plan import Area, Part
from seahorn_py.passes.regions.writer import Writer

MAX_INITIAL = 2048
"""With more initial elements, the contents of a region are taken to be arbitrary."""


class Start:
    """Writes first contents in one function."""

    def __init__(self, writer: Writer, bulk: Bulk) -> None:
        self._writer = writer
        self._bulk = bulk
        self._areas: Mapping[int, Area] = {
            part.cell.number: area
            for area in writer.plan.areas.values()
            for part in area.parts.values()
        }

    def begin(self, cells: tuple[Cell, ...], *, is_run: bool) -> None:
        """Let the cells hold what they do at the start of the run, or of an activation."""
        plan, writer = self._writer.plan, self._writer
        areas: dict[int, Area] = {}
        for cell in cells:
            if cell == plan.next:
                writer.put(cell, Address(HEAP))
            elif cell == plan.sizes:
                self._fill(cell, IntConst(0, writer.word))
            else:
                area = self._areas[cell.number]
                areas[area.node.number] = area
        for area in areas.values():
            for part in area.parts.values():
                self._first(area, part, is_run)
            if is_run:
                self._globals(area)

    def _first(self, area: Area, part: Part, is_run: bool) -> None:
        """Zeros, or anything; the whole of a scalar."""
        writer, cell = self._writer, part.cell
        zero = constant(0, part.type)
        is_zeroed = is_run and area.is_zeroed and zero is not None
        if is_zeroed and zero is not None and part.is_region:
            self._fill(cell, zero)
        elif is_zeroed and zero is not None:
            writer.put(cell, zero)
        else:
            site = writer.sites.fresh(CONTENTS, cell.type, writer.lines.origin)
            result = writer.names.fresh(cell.name, cell.type)
            writer.lines.lines.append(Input(result, site))
            writer.put(cell, result)

    def _fill(self, cell: Cell, element: Operand) -> None:
        writer = self._writer
        result = writer.names.fresh(cell.name, cell.type)
        writer.lines.lines.append(RegionFill(result, element, writer.lines.origin))
        writer.put(cell, result)

    def _globals(self, area: Area) -> None:
        """The initial values of the globals in an area."""
        writer = self._writer
        for made, offset in area.node.data:
            if made.kind is not Kind.GLOBAL:
                continue
            found = writer.plan.program.globals[made.name]
            if not area.is_zeroed:
                size = IntConst(found.size, writer.word)
                self._bulk.set(area, offset, Address(made.name), IntConst(0, BYTE), size)
            image = Image(writer, found)
            elements = list(islice(image.elements(area, offset), MAX_INITIAL + 1))
            if len(elements) > MAX_INITIAL:
                for part in area.parts.values():
                    self._first(area, part, is_run=False)
                return
            for part, at in elements:
                value = image.element(part, at)
                if value != constant(0, part.type):
                    writer.set_element(part, Address(made.name, at), value)
