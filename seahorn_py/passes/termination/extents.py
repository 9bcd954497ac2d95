"""A program in which a run ends where it leaves an object, which bounds many loops over memory.

Where the text shows which object a pointer register points into, the register gets two companions:
its offset in that object, and the size of the object.  The test `0 <= offset <= size - width`
stands before each access in a cycle through such a pointer.  Where the test fails the run is over,
as after any invalid access.

No run ends too soon, since all that is unclear stays as it was.  Pointers from memory, from
integers and from results of calls have no companions.  Nor have pointers into objects that may be
larger than half of all addresses.  A dead object still counts as an object, and a constant one as
one that may be written; `pointer_sources.surely_tested` tells where neither can be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import reverse_postorder
from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Block,
    Branch,
    Call,
    Cast,
    Function,
    Load,
    Offset,
    Operand,
    Phi,
    Predicate,
    Program,
    Register,
    Select,
    Statement,
    Stop,
    StopKind,
    Store,
)
from seahorn_py.ir.traverse import definitions, relabelled, results
from seahorn_py.ir.types import POINTER, IntType
from seahorn_py.passes.promotion.access import Names
from seahorn_py.passes.safety.provenance import Records, Writer
from seahorn_py.passes.termination.pointer_sources import (
    Key,
    clear_of,
    sources_of,
    tested_blocks,
    wanted_of,
)


@dataclass(frozen=True)
class PointerExtent:
    """The offset of a pointer in its object and the size of that object.

    Both are in bytes and as wide as a pointer.
    """

    offset: Operand
    size: Operand


def ending_outside(program: Program, *, everywhere: bool = False) -> Program:
    """The program with these tests; the very same program if it needs none.

    `program` is as the front end read it.  If `everywhere`, accesses outside of cycles are tested
    too.
    """
    sources = sources_of(program)
    clear = clear_of(sources, program)
    wanted = wanted_of(program, sources, clear, everywhere)
    if not wanted:
        return program
    functions = {
        name: _Body(program, function, wanted, everywhere).run()
        for name, function in program.functions.items()
    }
    return replace(program, functions=functions)


@dataclass
class _Body:
    """Rewrites one function, definitions before uses."""

    program: Program
    function: Function
    wanted: set[Key]
    everywhere: bool
    known: dict[str, PointerExtent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        taken = [r.name for b in self.function.blocks for r in definitions(b)]
        self._names = Names([*taken, *(p.name for p in self.function.parameters)])
        self._records = Records(self.program.pointer_width, False)
        self._writer = Writer(self._names, self._records)
        self._inside = tested_blocks(self.program, self.function, self.everywhere)

    def run(self) -> Function:
        """The rewritten function."""
        parameters = list(self.function.parameters)
        for parameter in self.function.parameters:
            if self._is_wanted(parameter):
                parameters += self._companions(parameter)
        blocks = {block.label: block for block in self.function.blocks}
        order = reverse_postorder(self.function)
        for label in order:
            for phi in blocks[label].phis:
                if self._is_wanted(phi.result):
                    self._companions(phi.result)
        parts = {label: self._split(blocks[label]) for label in order}
        last = {label: made[-1].label for label, made in parts.items()}
        written = [part for block in self.function.blocks for part in parts.get(block.label, ())]
        phis = {label: self._phis(blocks[label], last) for label in order}
        written = [replace(b, phis=phis.get(b.label, ())) for b in written]
        written += [
            Block(_off(b.label), (), (), Stop(StopKind.END, b.terminator.origin))
            for b in written
            if isinstance(b.terminator, Branch) and b.terminator.otherwise == _off(b.label)
        ]
        return replace(self.function, parameters=tuple(parameters), blocks=tuple(written))

    def _is_wanted(self, register: Register) -> bool:
        return (self.function.name, register.name) in self.wanted

    def _companions(self, register: Register) -> tuple[Register, Register]:
        """New registers for the extent of a parameter or the result of a phi."""
        word = IntType(self._records.width)
        offset = self._names.fresh(f"{register.name}.offset", word)
        size = self._names.fresh(f"{register.name}.size", word)
        self.known[register.name] = PointerExtent(offset, size)
        return offset, size

    def _of(self, pointer: Operand) -> PointerExtent:
        number = self._records.number
        match pointer:
            case Register(name=name):
                return self.known[name]
            case Address(symbol=str(symbol), offset=offset):
                return PointerExtent(number(offset), number(self.program.globals[symbol].size))
            case _:
                return PointerExtent(number(0), number(0))

    def _phis(self, block: Block, last: Mapping[str, str]) -> tuple[Phi, ...]:
        """The phis of a block, and those of the companions."""
        made = []
        for phi in relabelled(block, last).phis:
            made.append(phi)
            if self._is_wanted(phi.result):
                mine = self.known[phi.result.name]
                pairs = [(at, self._of(value)) for at, value in phi.incoming]
                for result, which in ((mine.offset, "offset"), (mine.size, "size")):
                    assert isinstance(result, Register)
                    values = tuple((at, getattr(extent, which)) for at, extent in pairs)
                    made.append(Phi(result, values))
        return tuple(made)

    def _split(self, block: Block) -> list[Block]:
        """The parts of a block; each part but the last ends with a test."""
        parts: list[Block] = []
        label = block.label
        for statement in block.statements:
            holds = self._test(statement) if block.label in self._inside else None
            if holds is not None:
                after = f"{block.label}.within{len(parts)}"
                end = Branch(holds, after, _off(label), block.terminator.origin)
                parts.append(Block(label, (), tuple(self._writer.lines), end))
                self._writer.lines, label = [], after
            self._statement(statement)
        parts.append(Block(label, (), tuple(self._writer.lines), block.terminator))
        self._writer.lines = []
        return parts

    def _test(self, statement: Statement) -> Operand | None:
        """Whether the access of a statement lies in its object; None if it needs no test."""
        match statement:
            case Load(result=Register(type=kind), address=Register() as pointer):
                pass
            case Store(value=value, address=Register() as pointer):
                kind = value.type
            case _:
                return None
        if not self._is_wanted(pointer):
            return None
        writer, extent = self._writer, self.known[pointer.name]
        width = self._records.number(bytes_of(kind, self.program.pointer_width))
        holds = writer.test(Predicate.SGE, extent.offset, self._records.number(0))
        room = writer.sub(extent.size, width)
        return writer.both(holds, writer.test(Predicate.SLE, extent.offset, room))

    def _statement(self, statement: Statement) -> None:
        """Write the statement, and the extents of the pointers that it makes."""
        for result in results(statement):
            if result.type == POINTER and self._is_wanted(result):
                self.known[result.name] = self._extent(statement)
        if isinstance(statement, Call) and statement.callee in self.program.functions:
            statement = self._handed(statement)
        self._writer.lines.append(statement)

    def _handed(self, call: Call) -> Call:
        """The call with the extents of the pointers for which the callee has companions."""
        callee = self.program.functions[str(call.callee)]
        added: list[Operand] = []
        for parameter, value in zip(callee.parameters, call.arguments, strict=False):
            if (callee.name, parameter.name) in self.wanted:
                extent = self._of(value)
                added += (extent.offset, extent.size)
        return replace(call, arguments=(*call.arguments, *added)) if added else call

    def _extent(self, statement: Statement) -> PointerExtent:
        """The extent of the pointer that the statement makes."""
        writer, zero = self._writer, self._records.number(0)
        match statement:
            case Alloca(size=size):
                return PointerExtent(zero, writer.word(size))
            case Call(callee="calloc", arguments=(count, size)):
                return PointerExtent(zero, self._product(writer.word(count), writer.word(size)))
            case Call(callee=callee, arguments=arguments):
                return PointerExtent(
                    zero, writer.word(arguments[callee in ("realloc", "aligned_alloc")])
                )
            case Offset(base=base, constant=constant, terms=terms):
                extent = self._of(base)
                offset = writer.add(extent.offset, self._records.number(constant))
                for index, scale in terms:
                    offset = writer.add(offset, writer.times(writer.word(index), scale))
                return replace(extent, offset=offset)
            case Cast(value=value):
                return self._of(value)
            case Select(condition=condition, then=then, otherwise=otherwise):
                a, b = self._of(then), self._of(otherwise)
                offset = writer.choose(condition, a.offset, b.offset)
                return PointerExtent(offset, writer.choose(condition, a.size, b.size))
            case _:
                raise AssertionError(statement)

    def _product(self, left: Operand, right: Operand) -> Operand:
        result = self._names.fresh("size", IntType(self._records.width))
        self._writer.lines.append(Binary(result, BinaryOp.MUL, left, right, self._writer.origin))
        return result


def _off(label: str) -> str:
    return f"{label}.outside"
