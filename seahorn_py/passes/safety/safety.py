"""Memory safety as arithmetic: every pointer carries along which object it came from.

After SoftBound (Nagarakatte, Zhao, Martin, Zdancewic, PLDI 2009) and CETS (the same, ISMM 2010).
Every object has a *record* (`passes.safety.provenance`): its size, its state, and the address of
its *shadow*, which holds the provenance of the pointers that lie in the object.  A pointer register
gets companions: its offset in its object, the object's record, its place in the shadow.  All this
is ordinary registers and memory, so the later passes, the interpreter and the encodings need know
nothing of it; a `Valid` becomes a comparison of offset, size and state (`_Body._valid`).

A pointer without known origin (made from an integer, returned by an external function, passed to a
function that is called through pointers) has the record of no object: none of its accesses is
valid.  Where a pointer is overwritten by something else, its place in the shadow is cleared.
The record of a stack object dies when its function returns or its scope ends, and lives again when
that begins anew; that of a heap block dies when it is freed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from seahorn_py.base.errors import NOWHERE
from seahorn_py.ir.graph import addresses_taken, reverse_postorder
from seahorn_py.ir.program import (
    ASKED,
    NULL,
    TRUE,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Block,
    Call,
    Cast,
    CastOp,
    Function,
    Havoc,
    Input,
    IntConst,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Phi,
    Predicate,
    Program,
    Register,
    Return,
    Select,
    Statement,
    Store,
    Valid,
    Validity,
)
from seahorn_py.ir.traverse import definitions
from seahorn_py.ir.types import BOOL, POINTER, IntType, Type
from seahorn_py.passes.promotion.access import Names
from seahorn_py.passes.safety.outliving import keepers, outliving
from seahorn_py.passes.safety.provenance import (
    SHADOW_SCALE,
    Provenance,
    Records,
    State,
    Writer,
    record_globals,
)
from seahorn_py.passes.safety.setting import Setting
from seahorn_py.passes.simplify.blocks import drop_unreachable

_BYTE_ZERO = IntConst(0, IntType(8))


def check_validity(program: Program) -> Program:
    """The program without `Valid` and `Lifetime`; unchanged if it has none."""
    statements = [s for f in program.functions.values() for b in f.blocks for s in b.statements]
    if not any(isinstance(s, Valid | Lifetime) for s in statements):
        return program
    shadows = any(isinstance(s, Load) and s.result.type == POINTER for s in statements)
    taken = addresses_taken(program)
    open_ = frozenset(program.functions) - taken - {program.entry}
    records, called = Records(program.pointer_width, shadows), tuple(sorted(taken))
    setting = Setting(program, records, open_, keepers(program), called)
    functions = {
        name: _Body(setting, drop_unreachable(f)).run() for name, f in program.functions.items()
    }
    return replace(
        program,
        functions=functions,
        globals={**program.globals, **record_globals(program, setting.records)},
        sites=(*program.sites, *setting.sites),
    )


class _Body:
    """Rewrites one function, definitions before uses."""

    def __init__(self, setting: Setting, function: Function) -> None:
        self._setting = setting
        self._records = setting.records
        self._function = function
        taken = [r.name for b in function.blocks for r in definitions(b)]
        self._names = Names([*taken, *(p.name for p in function.parameters)])
        self._writer = Writer(self._names, setting.records)
        self._known: dict[str, Provenance] = {}
        self._dying: list[Operand] = []
        at_end = function.name == setting.program.entry
        self._outliving = frozenset() if at_end else outliving(function, setting.keepers)

    def run(self) -> Function:
        """The rewritten function."""
        function = self._function
        is_open = function.name in self._setting.open
        parameters = list(function.parameters)
        for parameter in function.parameters if is_open else ():
            if parameter.type == POINTER:
                parameters.extend(self._companions(parameter))
        blocks = {block.label: block for block in function.blocks}
        order = reverse_postorder(function)
        for phi in (phi for label in order for phi in blocks[label].phis):
            if phi.result.type == POINTER:
                self._companions(phi.result)
        done = {label: self._block(blocks[label]) for label in order}
        results = [t for r in function.results for t in self._carried_types(r) if is_open]
        return replace(
            function,
            parameters=tuple(parameters),
            results=(*function.results, *results),
            blocks=tuple(
                replace(done[b.label], phis=(*b.phis, *self._phis(b))) for b in function.blocks
            ),
        )

    def _companions(self, register: Register) -> tuple[Register, ...]:
        """New registers for the provenance of a register whose value comes from elsewhere."""
        kinds = self._setting.companions
        made = [self._names.fresh(f"{register.name}.origin", kind) for kind in kinds]
        self._known[register.name] = Provenance(made[0], made[1], made[2] if made[2:] else NULL)
        return tuple(made)

    def _carried_types(self, kind: Type) -> tuple[Type, ...]:
        return self._setting.companions if kind == POINTER else ()

    def _carried(self, values: Iterable[Operand]) -> list[Operand]:
        """The provenance of the pointers among some values."""
        shadows = self._records.shadows
        pointers = (value for value in values if value.type == POINTER)
        return [part for value in pointers for part in self._of(value).parts(shadows)]

    def _of(self, pointer: Operand) -> Provenance:
        """The provenance of a pointer."""
        match pointer:
            case Register(name=name) if name in self._known:
                return self._known[name]
            case Address(symbol=str() as symbol) if symbol in self._setting.program.globals:
                return self._records.of_global(symbol, pointer.offset)
            case _:
                return self._records.nothing()

    def _phis(self, block: Block) -> list[Phi]:
        """The phis of the companions of a block's phis."""
        shadows = self._records.shadows
        made: list[Phi] = []
        for phi in block.phis:
            if phi.result.type != POINTER:
                continue
            incoming = [(label, self._of(value).parts(shadows)) for label, value in phi.incoming]
            for k, result in enumerate(self._of(phi.result).parts(shadows)):
                assert isinstance(result, Register)
                made.append(Phi(result, tuple((label, parts[k]) for label, parts in incoming)))
        return made

    # -------------------------------------------------------------------------------- statements

    def _block(self, block: Block) -> Block:
        self._writer.lines = []
        for statement in block.statements:
            self._writer.origin = getattr(statement, "origin", NOWHERE)
            self._statement(statement, block is self._function.entry)
        terminator = block.terminator
        self._writer.origin = terminator.origin
        if isinstance(terminator, Return):
            for record in self._dying:
                self._writer.set_state(record, State.DEAD)
            if self._function.name in self._setting.open:
                values = (*terminator.values, *self._carried(terminator.values))
                terminator = replace(terminator, values=values)
        statements = tuple(self._writer.lines)
        return replace(block, statements=statements, terminator=terminator)

    def _statement(self, statement: Statement, at_entry: bool) -> None:
        lines = self._writer.lines
        match statement:
            case Valid():
                lines.append(self._valid(statement))
                return
            case Call():
                self._call(statement)
                return
            case Lifetime(address=address, live=live):
                state = State.OBJECT if live else State.DEAD
                self._writer.set_state(self._of(address).record, state)
                return
            case Select(result=result) if result.type == POINTER:
                lines.append(statement)
                self._known[result.name] = self._chosen(statement)
                return
            case Offset():
                self._offset(statement)
            case Alloca():
                self._slot(statement, at_entry)
            case Cast(result=result, op=CastOp.BITCAST, value=value) if result.type == POINTER:
                self._known[result.name] = self._of(value)
            case _:
                pass
        lines.append(statement)
        if self._records.shadows:
            self._memory(statement)

    def _slot(self, statement: Alloca, at_entry: bool) -> None:
        """A stack object; where a pointer may outlive it, its record does, and says so."""
        name, writer = statement.result.name, self._writer
        size = writer.word(statement.size)
        if name not in self._outliving:
            self._known[name] = writer.slot(size)
            return
        made = self._known[name] = writer.block(size, State.OBJECT)
        if at_entry:
            self._dying.append(made.record)

    def _memory(self, statement: Statement) -> None:
        """What the statement does to pointers in memory, done to their provenance."""
        writer = self._writer
        match statement:
            case Load(result=result, address=address) if result.type == POINTER:
                self._known[result.name] = writer.provenance_at(self._of(address).shadow)
            case Store(value=value, address=address) if value.type == POINTER:
                writer.keep(self._of(address).shadow, self._of(value))
            case Store(address=address):
                writer.clear(self._of(address).shadow)
            case MemoryCopy(target=target, source=source, length=length):
                self._copy(self._of(target).shadow, self._of(source).shadow, length)
            case MemorySet(target=target, length=length) | Havoc(address=target, size=length):
                size = writer.times(writer.word(length), SHADOW_SCALE)
                shadow = self._of(target).shadow
                writer.lines.append(MemorySet(shadow, _BYTE_ZERO, size, writer.origin))
            case _:
                pass

    def _copy(self, target: Operand, source: Operand, length: Operand) -> None:
        size = self._writer.times(self._writer.word(length), SHADOW_SCALE)
        self._writer.lines.append(MemoryCopy(target, source, size, self._writer.origin))

    def _chosen(self, statement: Select) -> Provenance:
        then, otherwise = self._of(statement.then), self._of(statement.otherwise)
        choose = self._writer.choose
        return Provenance(
            choose(statement.condition, then.offset, otherwise.offset),
            choose(statement.condition, then.record, otherwise.record),
            choose(statement.condition, then.shadow, otherwise.shadow),
        )

    def _offset(self, statement: Offset) -> None:
        """The offset moves as the pointer does, the shadow place `SHADOW_SCALE` times as far."""
        writer, base = self._writer, self._of(statement.base)
        offset = writer.add(base.offset, self._records.number(statement.constant))
        for index, scale in statement.terms:
            offset = writer.add(offset, writer.times(writer.word(index), scale))
        shadow = base.shadow
        if self._records.shadows:
            shadow = self._names.fresh(f"{statement.result.name}.shadow", POINTER)
            terms = tuple((index, SHADOW_SCALE * scale) for index, scale in statement.terms)
            constant = SHADOW_SCALE * statement.constant
            writer.lines.append(Offset(shadow, base.shadow, constant, terms, statement.origin))
        self._known[statement.result.name] = Provenance(offset, base.record, shadow)

    # ------------------------------------------------------------------------------------- calls

    def _call(self, call: Call) -> None:
        if call.callee in self._setting.open:
            added = [t for r in call.results if r.type == POINTER for t in self._companions(r)]
            arguments = (*call.arguments, *self._carried(call.arguments))
            made = replace(call, results=(*call.results, *added), arguments=arguments)
            self._writer.lines.append(made)
            return
        allocation = self._allocations().get(str(call.callee))
        if allocation is None:
            self._writer.lines.append(call)
        else:
            allocation(call)

    def _allocations(self) -> Mapping[str, Callable[[Call], None]]:
        return {
            "malloc": lambda call: self._allocate(call, call.arguments[0]),
            "alloca": lambda call: self._allocate(call, call.arguments[0]),
            "aligned_alloc": lambda call: self._allocate(call, call.arguments[1]),
            "calloc": lambda call: self._allocate(call, self._product(*call.arguments)),
            "realloc": self._reallocate,
            "free": self._free,
        }

    def _product(self, left: Operand, right: Operand) -> Operand:
        result = self._names.fresh("size", left.type)
        self._writer.lines.append(Binary(result, BinaryOp.MUL, left, right, self._writer.origin))
        return result

    def _allocate(self, call: Call, size: Operand) -> None:
        writer = self._writer
        writer.lines.append(call)
        made = writer.block(writer.word(size), State.HEAP)
        if call.callee == "calloc" and self._records.shadows:
            scaled = writer.times(writer.word(size), SHADOW_SCALE)
            writer.lines.append(MemorySet(made.shadow, _BYTE_ZERO, scaled, writer.origin))
        writer.count(self._records.number(1))
        for result in call.results:
            self._known[result.name] = made

    def _free(self, call: Call) -> None:
        """The record of the block dies; that of the null pointer is dead already."""
        self._writer.lines.append(call)
        self._release(call.arguments[0])

    def _release(self, pointer: Operand) -> None:
        writer, record = self._writer, self._of(pointer).record
        writer.set_state(record, State.DEAD)
        is_null = writer.test(Predicate.EQ, pointer, NULL)
        number = self._records.number
        writer.count(writer.choose(is_null, number(0), number(-1)))

    def _reallocate(self, call: Call) -> None:
        """A new block with the provenance of the pointers that are copied into it."""
        writer = self._writer
        old, size = call.arguments
        origin = self._of(old)
        before, wanted = writer.size(origin.record), writer.word(size)
        writer.lines.append(call)
        made = writer.block(wanted, State.HEAP)
        if self._records.shadows:
            fits = writer.test(Predicate.SLE, before, wanted)
            self._copy(made.shadow, origin.shadow, writer.choose(fits, before, wanted))
        self._release(old)
        writer.count(self._records.number(1))
        for result in call.results:
            self._known[result.name] = made

    # ---------------------------------------------------------------------------------- validity

    def _valid(self, statement: Valid) -> Statement:
        """The last statement of the comparison, which gives the result."""
        writer, pointer = self._writer, statement.address
        match statement.kind:
            case Validity.ACCESS | Validity.WRITE as kind:
                holds = self._inside(pointer, statement.size, kind is Validity.WRITE)
            case Validity.FREE:
                holds = writer.freeable(self._of(pointer), pointer)
            case Validity.CALL:
                holds = writer.one_of(pointer, self._setting.called)
            case Validity.NO_LEAK:
                holds = writer.all_freed()
            case Validity.NO_LOST:
                holds = writer.either(writer.all_freed(), self._unknown())
        return Binary(statement.result, BinaryOp.AND, holds, TRUE, statement.origin)

    def _inside(self, pointer: Operand, size: Operand, writes: bool) -> Operand:
        """Whether an access is valid; unknown where the program asks it of no known object."""
        writer, found = self._writer, self._of(pointer)
        holds = writer.inside(found, size, writes)
        if ASKED not in self._setting.program.assumptions:
            return holds
        return writer.either(holds, writer.both(writer.astray(found, pointer), self._unknown()))

    def _unknown(self) -> Register:
        unknown = self._names.fresh("unknown", BOOL)
        self._writer.lines.append(Input(unknown, self._setting.arbitrary()))
        return unknown
