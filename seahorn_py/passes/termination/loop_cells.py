"""Cells of memory that a loop reads at an address which stays the same, held in registers.

The loop `while (*p > 0) *p = *p - 1;` has a rank over the cell at `p`, and a rank knows registers
alone.  So each such cell gets a register that holds its element at the head of the loop.  It is
loaded before the loop, and follows each version of the memory region inside:

- after a store the element is the value stored if the addresses are equal, and the old one if not;
- where versions meet, a phi of their elements;
- after anything else it is loaded again.

Loads at the address become that register.  The runs of the program stay as they are: a load of a
region is defined at any address.  Only what decides the ways of the loop gets registers.
"""

from __future__ import annotations

from dataclasses import field, replace

from seahorn_py.base.errors import NOWHERE
from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import blocks_by_label, predecessors
from seahorn_py.ir.program import (
    Block,
    Cast,
    CastOp,
    Compare,
    Function,
    Jump,
    Offset,
    Operand,
    Phi,
    Predicate,
    Program,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.traverse import (
    definitions,
    map_block,
    map_operands,
    map_results,
    results,
    retarget,
    uses,
)
from seahorn_py.ir.types import BOOL, IntType, RegionType
from seahorn_py.passes.promotion.access import Names
from seahorn_py.passes.termination.loops import Irreducible, Loop, is_parted, natural_loops

MOST_CELLS = 6
"""The most cells of one loop that get registers."""


def with_loop_cells(program: Program) -> Program:
    """The program, which is in encoding form, with these registers; itself if there are none."""
    functions = {name: _with_cells(f) for name, f in program.functions.items()}
    if all(functions[name] is function for name, function in program.functions.items()):
        return program
    return replace(program, functions=functions)


def _with_cells(function: Function) -> Function:
    try:
        heads = [loop.head for loop in natural_loops(function)]
    except Irreducible:
        return function
    for head in heads:
        loop = next(one for one in natural_loops(function) if one.head == head)
        if not is_parted(function, loop):
            function = _Body(function, loop).run()
    return function


Cell = tuple[Operand, Operand]
"""A version of a region, and an address."""


@dataclass
class _Body:
    """Gives the cells of one loop registers."""

    function: Function
    loop: Loop
    blocks: dict[str, Block] = field(default_factory=dict)
    made: dict[Statement, Register] = field(default_factory=dict)
    """What computes addresses before the loop, with nameless results -> the register."""
    before: list[Statement] = field(default_factory=list)
    """Loads before the loop."""
    elements: dict[Cell, Operand] = field(default_factory=dict)
    phis: dict[str, list[Phi]] = field(default_factory=dict)
    after: dict[Register, list[Statement]] = field(default_factory=dict)
    """What follows the statement that defines a register."""
    inside: dict[Register, tuple[str, Phi | Statement]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.blocks = blocks_by_label(self.function)
        taken = [r.name for b in self.function.blocks for r in definitions(b)]
        self._names = Names([*taken, *(p.name for p in self.function.parameters)])
        self.inside = self._defined()

    def run(self) -> Function:
        """The function; the very same if the loop has no such cell."""
        chosen = self._chosen()
        if not chosen:
            return self.function
        entered = self._entered()
        held = {load.result: self._element(load.region, at) for load, at in chosen}

        def rename(operand: Operand) -> Operand:
            while isinstance(operand, Register) and operand in held:
                operand = held[operand]
            return operand

        self._write(entered)
        for label, block in self.blocks.items():
            kept = tuple(s for s in block.statements if not set(results(s)) & held.keys())
            self.blocks[label] = map_block(replace(block, statements=kept), rename)
        return replace(self.function, blocks=tuple(self.blocks.values()))

    def _defined(self) -> dict[Register, tuple[str, Phi | Statement]]:
        """What the loop defines, and where."""
        found: dict[Register, tuple[str, Phi | Statement]] = {}
        for label in self.loop.body:
            block = self.blocks[label]
            found |= {phi.result: (label, phi) for phi in block.phis}
            found |= {r: (label, s) for s in block.statements for r in results(s)}
        return found

    def _chosen(self) -> list[tuple[RegionLoad, Operand]]:
        """The loads to replace, with their addresses: of cells that decide ways of the loop."""
        deciding = self._deciding()
        loads = [
            (statement, address)
            for block in self.function.blocks
            if block.label in self.loop.body
            for statement in block.statements
            if isinstance(statement, RegionLoad) and isinstance(statement.result.type, IntType)
            for address in [self._kept(statement.address)]
            if address is not None
        ]
        wanted = dict.fromkeys(address for load, address in loads if load.result in deciding)
        most = list(wanted)[:MOST_CELLS]
        return [(load, address) for load, address in loads if address in most]

    def _deciding(self) -> set[Register]:
        """The registers of the loop from which conditions in it are computed, but for regions."""
        ends = (self.blocks[label].terminator for label in self.loop.body)
        pending = [register for end in ends for register in uses(end)]
        found: set[Register] = set()
        while pending:
            register = pending.pop()
            if register in found or register not in self.inside:
                continue
            if isinstance(register.type, RegionType):
                continue
            found.add(register)
            _, node = self.inside[register]
            made = [v for _, v in node.incoming] if isinstance(node, Phi) else uses(node)
            pending += [v for v in made if isinstance(v, Register)]
        return found

    def _kept(self, value: Operand) -> Operand | None:
        """The same value before the loop; None if it may change in the loop."""
        if not isinstance(value, Register) or value not in self.inside:
            return value
        _, node = self.inside[value]
        match node:
            case Offset() | Cast(op=CastOp.ZEXT | CastOp.SEXT | CastOp.TRUNC | CastOp.BITCAST):
                pass
            case _:
                return None
        known: dict[Operand, Operand] = {}
        for operand in uses(node):
            kept = self._kept(operand)
            if kept is None:
                return None
            known[operand] = kept
        nowhere = replace(node, origin=NOWHERE)
        plain = map_operands(nowhere, lambda operand: known.get(operand, operand))
        plain = map_results(plain, lambda r: Register("", r.type))
        if plain not in self.made:
            self.made[plain] = self._names.fresh("address", value.type)
        return self.made[plain]

    def _element(self, region: Operand, address: Operand) -> Operand:
        """What holds the element of a version of the region at an address, where it is defined."""
        cell = region, address
        if cell in self.elements:
            return self.elements[cell]
        if not isinstance(region, Register) or region not in self.inside:
            return self.elements.setdefault(cell, self._loaded(region, address))
        label, node = self.inside[region]
        if isinstance(node, RegionStore) and self._kept(node.address) == address:
            return self.elements.setdefault(cell, node.value)
        result = self._fresh(region)
        self.elements[cell] = result
        if isinstance(node, Phi):
            incoming = tuple(self._arriving(label, at, v, address) for at, v in node.incoming)
            self.phis.setdefault(label, []).append(Phi(result, incoming))
            return result
        added: list[Statement] = [RegionLoad(result, region, address)]
        if isinstance(node, RegionStore):
            same = self._names.fresh("same", BOOL)
            older = self._element(node.region, address)
            added = [
                Compare(same, Predicate.EQ, node.address, address),
                Select(result, same, node.value, older),
            ]
        self.after.setdefault(region, []).extend(added)
        return result

    def _arriving(
        self, label: str, at: str, region: Operand, address: Operand
    ) -> tuple[str, Operand]:
        """What a phi has for one edge."""
        if label == self.loop.head and at not in self.loop.body:
            return at, self._loaded(region, address)
        return at, self._element(region, address)

    def _loaded(self, region: Operand, address: Operand) -> Register:
        """The element before the loop."""
        result = self._fresh(region)
        self.before.append(RegionLoad(result, region, address))
        return result

    def _fresh(self, region: Operand) -> Register:
        assert isinstance(region.type, RegionType)
        return self._names.fresh("cell", region.type.element)

    def _entered(self) -> str:
        """A block through which all edges go that enter the loop; its label."""
        head, inside = self.loop.head, self.loop.body
        sources = [at for at in predecessors(self.function)[head] if at not in inside]
        label = f"{head}.cells"
        while label in self.blocks:
            label += "."
        merged, phis = [], []
        for phi in self.blocks[head].phis:
            arriving = [(at, v) for at, v in phi.incoming if at not in inside]
            value = arriving[0][1]
            if len(sources) > 1:
                value = self._names.fresh(phi.result.name, phi.result.type)
                merged.append(Phi(value, tuple(arriving)))
            kept = [(at, v) for at, v in phi.incoming if at in inside]
            phis.append(Phi(phi.result, ((label, value), *kept)))
        for source in sources:
            end = retarget(self.blocks[source].terminator, {head: label})
            self.blocks[source] = replace(self.blocks[source], terminator=end)
        self.blocks[head] = replace(self.blocks[head], phis=tuple(phis))
        self.blocks[label] = Block(label, tuple(merged), (), Jump(head))
        self.inside = self._defined()
        return label

    def _write(self, entered: str) -> None:
        """Put what was made into its blocks."""
        computed = [map_results(s, lambda _, r=r: r) for s, r in self.made.items()]  # type: ignore[misc]
        before = self.blocks[entered]
        self.blocks[entered] = replace(before, statements=(*computed, *self.before))
        for label in self.loop.body:
            block = self.blocks[label]
            body: list[Statement] = []
            for statement in block.statements:
                body.append(statement)
                for result in results(statement):
                    body += self.after.get(result, ())
            phis = (*block.phis, *self.phis.get(label, ()))
            self.blocks[label] = replace(block, phis=phis, statements=tuple(body))
