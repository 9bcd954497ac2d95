"""A program in which a run ends where it leaves an object, which bounds many loops over memory.

Where the text shows which object a pointer register points into, the register gets two companions:
its offset in that object, and the size of the object.  The test `0 <= offset <= size - width`
stands before each access in a cycle through such a pointer.  Where the test fails the run is over,
as after any invalid access.

No run ends too soon, since all that is unclear stays as it was.  Pointers from memory, from
integers and from results of calls have no companions.  Nor have pointers into objects that may be
larger than half of all addresses.  A dead object still counts as an object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import (
    accepts,
    addresses_taken,
    calls,
    recursive_functions,
    reverse_postorder,
    strong_components,
    successors,
)
from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    NULL,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Block,
    Branch,
    Call,
    Cast,
    CastOp,
    Function,
    IntConst,
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

ALLOCATING = frozenset({"malloc", "calloc", "alloca", "realloc", "aligned_alloc"})

WIDE = 64

Key = tuple[str, str]
"""A function and the name of a register in it."""


@dataclass(frozen=True)
class PointerExtent:
    """The offset of a pointer in its object and the size of that object.

    Both are in bytes and as wide as a pointer.
    """

    offset: Operand
    size: Operand


def ending_outside(program: Program) -> Program:
    """The program with these tests; the very same program if it needs none.

    `program` is as the front end read it.
    """
    sources = _sources(program)
    clear = _clear(sources, program)
    wanted = _wanted(program, sources, clear)
    if not wanted:
        return program
    functions = {
        name: _Body(program, function, wanted).run() for name, function in program.functions.items()
    }
    return replace(program, functions=functions)


# ------------------------------------------------------------------------- where pointers come from

Sources = Mapping[Key, tuple[tuple[str, Operand], ...] | None]
"""Pointer register -> the operands that it is made from, with their functions.

None where these are unclear.
"""


def _sources(program: Program) -> Sources:
    found: dict[Key, tuple[tuple[str, Operand], ...] | None] = {}
    for name, function in program.functions.items():
        for block in function.blocks:
            for phi in block.phis:
                if phi.result.type == POINTER:
                    found[name, phi.result.name] = tuple((name, v) for _, v in phi.incoming)
            for statement in block.statements:
                for result in results(statement):
                    if result.type == POINTER:
                        made = _made_from(statement, program)
                        found[name, result.name] = (
                            None if made is None else tuple((name, v) for v in made)
                        )
    return {**found, **_arguments(program)}


def _made_from(statement: Statement, program: Program) -> tuple[Operand, ...] | None:
    allocating = ALLOCATING - program.functions.keys()
    match statement:
        case Alloca(size=size):
            return () if _is_usual(size, program) else None
        case Call(callee=str(callee)) if callee in allocating:
            return ()
        case Offset(base=base):
            return None if isinstance(base, Address) and base.symbol is None else (base,)
        case Cast(op=CastOp.BITCAST, value=value):
            return (value,)
        case Select(then=then, otherwise=otherwise):
            return (then, otherwise)
        case _:
            return None


def _is_usual(size: Operand, program: Program) -> bool:
    """Whether the size of an object is not negative when it is read as a signed word.

    No machine has an object of 2 ** 63 bytes.
    """
    most = 1 << (program.pointer_width - 1)
    return size.value < most if isinstance(size, IntConst) else program.pointer_width >= WIDE


def _arguments(program: Program) -> Sources:
    """Parameter -> the arguments of all calls; None if calls of the function are unknown."""
    given: dict[Key, list[tuple[str, Operand]]] = {}
    unclear = addresses_taken(program) | {program.entry}
    for caller, function in program.functions.items():
        for call in calls(function):
            callee = program.functions.get(str(call.callee))
            if callee is None:
                continue
            if not accepts(callee, call):
                unclear |= {callee.name}
                continue
            for parameter, value in zip(callee.parameters, call.arguments, strict=True):
                given.setdefault((callee.name, parameter.name), []).append((caller, value))
    return {
        (name, p.name): None if name in unclear else tuple(given.get((name, p.name), ()))
        for name, function in program.functions.items()
        for p in function.parameters
        if p.type == POINTER
    }


def _clear(sources: Sources, program: Program) -> set[Key]:
    """The greatest set of registers whose sources are in the set, or known objects, or null."""
    clear = {key for key, made in sources.items() if made is not None}
    while True:
        kept = {key for key in clear if _all_clear(sources[key] or (), clear, program)}
        if kept == clear:
            return clear
        clear = kept


def _all_clear(made: tuple[tuple[str, Operand], ...], clear: set[Key], program: Program) -> bool:
    for name, value in made:
        match value:
            case Register():
                if (name, value.name) not in clear:
                    return False
            case Address(symbol=str(symbol)) if symbol in program.globals:
                if not 0 < program.globals[symbol].size < 1 << (program.pointer_width - 1):
                    return False
            case _ if value != NULL:
                return False
    return True


def _wanted(program: Program, sources: Sources, clear: set[Key]) -> set[Key]:
    """The clear registers through which cycles access memory, and those that they are made from."""
    pending = [key for key in _accessed(program) if key in clear]
    wanted: set[Key] = set()
    while pending:
        key = pending.pop()
        if key not in wanted:
            wanted.add(key)
            made = sources[key] or ()
            pending += [(name, v.name) for name, v in made if isinstance(v, Register)]
    return wanted


def _accessed(program: Program) -> Iterator[Key]:
    for name, function in program.functions.items():
        inside = _cyclic(program, function)
        for block in function.blocks:
            for statement in block.statements if block.label in inside else ():
                match statement:
                    case Load(address=Register(name=at)) | Store(address=Register(name=at)):
                        yield name, at
                    case _:
                        pass


def _cyclic(program: Program, function: Function) -> frozenset[str]:
    """The labels of the blocks that a run may pass again and again."""
    if function.name in recursive_functions(program):
        return frozenset(block.label for block in function.blocks)
    follow = successors(function)
    parts = strong_components(reverse_postorder(function), follow.__getitem__)
    return frozenset(label for p in parts for label in p if len(p) > 1 or label in follow[label])


# ------------------------------------------------------------------------------------- what is made


@dataclass
class _Body:
    """Rewrites one function, definitions before uses."""

    program: Program
    function: Function
    wanted: set[Key]
    known: dict[str, PointerExtent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        taken = [r.name for b in self.function.blocks for r in definitions(b)]
        self._names = Names([*taken, *(p.name for p in self.function.parameters)])
        self._records = Records(self.program.pointer_width, False)
        self._writer = Writer(self._names, self._records)
        self._inside = _cyclic(self.program, self.function)

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
