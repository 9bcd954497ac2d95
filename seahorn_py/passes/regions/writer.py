"""Writes the body of one function over the cells of its regions: lines, blocks, loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from seahorn_py.base.errors import Origin
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Branch,
    Compare,
    Function,
    IntConst,
    Jump,
    Offset,
    Operand,
    Phi,
    Predicate,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Site,
    SiteKind,
    Stop,
    StopKind,
    Terminator,
)
from seahorn_py.ir.traverse import definitions
from seahorn_py.ir.types import BOOL, POINTER, IntType, Type
from seahorn_py.passes.promotion.access import Lines, Names
from seahorn_py.passes.promotion.ssa import Cell, Draft, Read, Write
from seahorn_py.passes.regions.plan import Part, Plan


class Sites:
    """New sites of values that are arbitrary here, but not in the real program."""

    def __init__(self, taken: Iterable[Site]) -> None:
        self._next = 1 + max((site.number for site in taken), default=0)
        self.made: list[Site] = []

    def fresh(self, name: str, type_: Type, origin: Origin) -> Site:
        """A site that no run reads."""
        kind = SiteKind.HAVOC
        site = Site(self._next, kind, type_, name, str(type_), origin, native=False)
        self._next += 1
        self.made.append(site)
        return site


class Writer:
    """The body of a function under construction; lines go to the block begun last."""

    def __init__(self, plan: Plan, function: Function, sites: Sites) -> None:
        self.plan = plan
        self.function = function
        self.drafts: list[Draft] = []
        self.word = IntType(plan.program.pointer_width)
        self.sites = sites
        taken = [register.name for block in function.blocks for register in definitions(block)]
        self.names = Names([*taken, *(p.name for p in function.parameters)])
        self._labels = {block.label for block in function.blocks}
        self.label = ""
        self._phis: tuple[Phi, ...] = ()
        self.lines = Lines(self.names, plan.program.pointer_width)

    # ---------------------------------------------------------------------------------- blocks

    def begin(self, label: str, phis: tuple[Phi, ...] = ()) -> None:
        """Start a block."""
        origin = self.lines.origin
        self.label, self._phis = label, phis
        self.lines = Lines(self.names, self.plan.program.pointer_width)
        self.lines.origin = origin

    def end(self, terminator: Terminator) -> None:
        """Finish the block."""
        lines = tuple(self.lines.lines)
        self.drafts.append(Draft(self.label, self._phis, lines, terminator))

    def fresh_label(self, stem: str) -> str:
        """A label that is new in the function."""
        name, number = stem, 2
        while name in self._labels:
            name, number = f"{stem}.{number}", number + 1
        self._labels.add(name)
        return name

    @contextmanager
    def loop(self, limit: Operand, step: int) -> Iterator[Register]:
        """What is written inside is done for `k = 0, step, ...` as long as `k < limit`."""
        origin, before = self.lines.origin, self.label
        head, body, after = (
            self.fresh_label(f"{before}.{part}") for part in ("each", "element", "done")
        )
        k = self.names.fresh("k", self.word)
        following = self.names.fresh("k", self.word)
        self.end(Jump(head, origin))
        self.begin(head, (Phi(k, ((before, IntConst(0, self.word)), (body, following))),))
        self.end(Branch(self.compare(Predicate.ULT, k, limit), body, after, origin))
        self.begin(body)
        yield k
        step_ = IntConst(step, self.word)
        self.lines.lines.append(Binary(following, BinaryOp.ADD, k, step_, origin))
        self.end(Jump(head, origin))
        self.begin(after)

    def require_room(self, condition: Operand) -> None:
        """The run is exhausted here if the condition does not hold."""
        after, stop = self.fresh_label(f"{self.label}.on"), self.fresh_label(f"{self.label}.off")
        origin = self.lines.origin
        self.end(Branch(condition, after, stop, origin))
        self.begin(stop)
        self.end(Stop(StopKind.EXHAUSTED, origin))
        self.begin(after)

    # ----------------------------------------------------------------------------------- cells

    def get(self, cell: Cell) -> Register:
        """What the cell holds."""
        result = self.names.fresh(f"{cell.name}.now", cell.type)
        self.lines.lines.append(Read(result, cell))
        return result

    def put(self, cell: Cell, value: Operand) -> None:
        """Let the cell hold the value."""
        self.lines.lines.append(Write(cell, value, self.lines.origin))

    def element(self, part: Part, address: Operand, region: Register | None = None) -> Operand:
        """The part that begins at the address, of what the cell holds now or `region`."""
        held = region or self.get(part.cell)
        if not part.is_region:
            return held
        result = self.names.fresh("element", part.type)
        self.lines.lines.append(RegionLoad(result, held, address, self.lines.origin))
        return result

    def set_element(self, part: Part, address: Operand, value: Operand) -> None:
        """Let the part that begins at the address hold the bits of the value."""
        element = self.lines.converted(value, part.type)
        if not part.is_region:
            self.put(part.cell, element)
            return
        held = self.get(part.cell)
        changed = self.names.fresh(part.cell.name, part.cell.type)
        self.lines.lines.append(RegionStore(changed, held, address, element, self.lines.origin))
        self.put(part.cell, changed)

    # ------------------------------------------------------------------------------ arithmetic

    def arbitrary(self, type_: Type, name: str) -> Operand:
        """A value of which nothing is known."""
        return self.lines.input(self.sites.fresh(name, type_, self.lines.origin), type_)

    def moved(self, base: Operand, by: int, index: Operand | None = None) -> Operand:
        """An address `by + index` bytes further on."""
        if index is None:
            return self.lines.moved(base, by)
        result = self.names.fresh("moved", POINTER)
        self.lines.lines.append(Offset(result, base, by, ((index, 1),), self.lines.origin))
        return result

    def compare(self, predicate: Predicate, left: Operand, right: Operand) -> Register:
        """The truth of a comparison."""
        result = self.names.fresh("holds", BOOL)
        self.lines.lines.append(Compare(result, predicate, left, right, self.lines.origin))
        return result

    def binary(self, op: BinaryOp, left: Operand, right: Operand) -> Operand:
        """A result of integer arithmetic."""
        result = self.names.fresh("count", left.type)
        self.lines.lines.append(Binary(result, op, left, right, self.lines.origin))
        return result

    def choose(self, condition: Operand, then: Operand, otherwise: Operand) -> Operand:
        """One of two values."""
        result = self.names.fresh("chosen", then.type)
        line = Select(result, condition, then, otherwise, self.lines.origin)
        self.lines.lines.append(line)
        return result
