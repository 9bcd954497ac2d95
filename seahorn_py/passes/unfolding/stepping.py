"""Executes the statements of the old program on the state that is followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.base.errors import NOWHERE
from seahorn_py.ir.memory import HEAP_ALIGN, bytes_of
from seahorn_py.ir.program import (
    FALSE,
    SAME_OBJECT,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Bind,
    Bits,
    Call,
    Cast,
    CastOp,
    Compare,
    FloatOp,
    Havoc,
    Input,
    IntConst,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    Predicate,
    Register,
    Select,
    Statement,
    Store,
    Valid,
    Validity,
)
from seahorn_py.ir.semantics import partial
from seahorn_py.ir.traverse import map_operands
from seahorn_py.ir.types import IntType
from seahorn_py.passes.environment import ESCAPED
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.computed import Computed
from seahorn_py.passes.unfolding.code.values import (
    Choice,
    Invalid,
    Piece,
    Pointer,
    Unfit,
    Value,
    is_number,
    is_operand,
)
from seahorn_py.passes.unfolding.memory.accessing import Memory
from seahorn_py.passes.unfolding.memory.pointers import Pointers
from seahorn_py.passes.unfolding.memory.reaching import none_lost
from seahorn_py.passes.unfolding.memory.reallocating import reallocated
from seahorn_py.passes.unfolding.memory.slots import BYTE
from seahorn_py.passes.unfolding.memory.validity import Validities
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import byte_of
from seahorn_py.passes.unfolding.state.storage import Kind

MOST_ARBITRARY = 4_096
"""The most bytes that become inputs at once; for more, the whole object becomes unwritten."""

Named = Mapping[str, Pointer]
"""The global objects by name."""


class Statements:
    """Executes statements on the state that is followed."""

    def __init__(
        self,
        code: Code,
        run: Run,
        memory: Memory,
        validities: Validities,
        named: Named,
        entries: Mapping[str, str],
    ) -> None:
        """`entries`: the labels of the first blocks of functions."""
        self._code = code
        self._run = run
        self._memory = memory
        self._validities = validities
        self._named = named
        self._entries = entries
        self._pointers = Pointers(code, run)

    @property
    def _registers(self) -> dict[str, Value]:
        return self._run.state.frame.registers

    def value(self, operand: Operand) -> Value:
        """The value of an operand of the old program."""
        match operand:
            case Register(name):
                return choices.narrowed(self._code, self._registers[name])
            case Address(str() as symbol, offset) if symbol in self._named:
                return self._named[symbol].moved(offset)
            case _:
                return operand

    def number(self, operand: Operand) -> Operand:
        """The operand of the new program for one of the old; any number for an address."""
        return self._as_number(self.value(operand))

    def _as_number(self, value: Value) -> Operand:
        if isinstance(value, Piece):
            return byte_of(self._code, value)
        if isinstance(value, Choice):
            value = choices.each(self._code, [value], self._as_number)
        if not is_operand(value):
            return self._pointers.number(value)
        return value

    def execute(self, statement: Statement) -> None:  # noqa: C901 - a flat match
        """Execute a statement.  Raises Invalid if it ends the run whatever the inputs are."""
        registers, memory = self._registers, self._memory
        self._code.origin = getattr(statement, "origin", NOWHERE)
        match statement:
            case Load(result=result, address=address, volatile=volatile):
                found = self._place(address)
                if volatile and not self._is_local(found):
                    raise Unfit("a volatile object is read, which others may change")
                self._expect(Validity.ACCESS, found, bytes_of(result.type, self._code.word.width))
                registers[result.name] = memory.load(found, result.type)
            case Store(value=value, address=address):
                self._store(value, address)
            case Binary() | Compare() | Cast() | Select() | Bits() | Overflow() | FloatOp():
                registers[statement.result.name] = self._computed(statement)
            case Offset(result=result):
                registers[result.name] = self._offset(statement)
            case Alloca(result=result, size=size, align=align):
                is_plain = isinstance(size, IntConst) and self._is_entered()
                registers[result.name] = self._alloca(size, align, not is_plain)
                memory.name(registers[result.name], result.name)
            case MemoryCopy(target=target, source=source, length=length):
                self._copy(self._place(target), self._place(source), self.number(length))
            case MemorySet(target=target, byte=byte, length=length):
                where, count = self._place(target), self.number(length)
                self._validities.expect(Validity.WRITE, where, count)
                memory.fill(where, self.value(byte), count)
            case Havoc():
                self._havoc(statement)
            case Input(result=result, site=site):
                registers[result.name] = self._code.read(result.type, site)
            case Valid(result=result):
                registers[result.name] = self._valid(statement)
            case Lifetime(address=address, live=live):
                self._lifetime(address, live)
            case Bind():
                pass
            case Call(callee=str() as name):
                self._builtin(statement, name)
            case _:
                raise Unfit(f"{type(statement).__name__} is not followed")

    # ------------------------------------------------------------------------------ computation

    def _computed(self, statement: Computed) -> Value:
        match statement:
            case Select(condition=condition, then=then, otherwise=otherwise):
                a, b = self.value(then), self.value(otherwise)
                return choices.one_of(self._code, self.number(condition), a, b)
            case Compare(predicate=predicate, left=left, right=right):
                sides = [self.value(left), self.value(right)]
                told = choices.each(
                    self._code, sides, lambda a, b: self._pointers.telling(predicate, a, b)
                )
                self._validities.expect_told(told)
                return choices.each(self._code, sides, lambda a, b: self.compared(predicate, a, b))
            case Binary(op=op, left=left, right=right, result=result) if not partial(op):
                sides = [self.value(left), self.value(right)]

                def binary(a: Value, b: Value) -> Value:
                    a, b = self._plain(a), self._plain(b)
                    if is_number(a) and is_number(b):
                        kind = result.type
                        a, b = self._code.converted(a, kind), self._code.converted(b, kind)
                        return self._code.binary(op, a, b)
                    return self._pointers.binary(op, a, b)

                return choices.each(self._code, sides, binary)
            case Cast(op=CastOp.PTRTOINT | CastOp.INTTOPTR | CastOp.BITCAST, value=value):
                return choices.each(
                    self._code, [self.value(value)], lambda a: self._reread(statement, a)
                )
            case Binary(op=BinaryOp.UREM as op, left=left, right=IntConst() as right) if isinstance(
                pointer := self.value(left), Pointer
            ):
                return self._pointers.binary(op, pointer, right)
            case _:
                named = map_operands(statement, self.number)
                assert isinstance(named, Computed)
                return self._code.compute(named)

    def _plain(self, value: Value) -> Value:
        return byte_of(self._code, value) if isinstance(value, Piece) else value

    def compared(self, predicate: Predicate, left: Value, right: Value) -> Operand:
        """A comparison, as an i1; the condition that `Pointers.telling` gives for it must hold."""
        left, right = self._plain(left), self._plain(right)
        if is_number(left) and is_number(right):
            if left.type != right.type:
                right = self._code.converted(right, left.type)
            return self._code.compare(predicate, left, right)
        return self._pointers.compare(predicate, left, right)

    def _reread(self, statement: Cast, value: Value) -> Value:
        """A pointer as an integer or an integer as a pointer; a `Pointer` stays one."""
        value = self._plain(value)
        if not is_number(value):
            wanted = statement.result.type
            if isinstance(wanted, IntType) and wanted != self._code.word:
                return self._code.resized(self._pointers.number(value), wanted)
            return value
        if value.type == statement.result.type:
            return value
        if isinstance(value, IntConst | Address):
            return self._code.converted(value, statement.result.type)
        return self._code.compute(replace(statement, value=value))

    def _offset(self, statement: Offset) -> Value:
        constant, terms = statement.constant, []
        for index, scale in statement.terms:
            value = self.number(index)
            if isinstance(value, IntConst):
                half = 1 << value.type.width - 1
                constant += scale * (value.value - (2 * half if value.value >= half else 0))
            else:
                assert isinstance(value, Register)
                terms.append((value, scale))

        def one(base: Value) -> Value:
            match base:
                case Pointer():
                    return base.moved(constant, tuple(terms))
                case Address(symbol, offset) if not terms:
                    return Address(symbol, offset + constant)
                case Address(None):
                    return self._code.moved(base, constant, tuple(terms))
                case Register():
                    return self._code.moved(base, constant, tuple(terms))
                case _:
                    raise Unfit("a number is moved as if it were a pointer")

        return choices.each(self._code, [self.value(statement.base)], one)

    # ----------------------------------------------------------------------------------- memory

    def _place(self, address: Operand) -> Value:
        """The value of an address, without options from outside that no run takes."""
        known = self.value(address)
        found = self._validities.ruling.possible(known)
        if isinstance(address, Register) and found != known:
            self._registers[address.name] = found
        return found

    def _is_local(self, address: Value) -> bool:
        """Whether the address leads to objects on the stack alone."""
        if isinstance(address, Choice):
            return all(map(self._is_local, address.options))
        if not isinstance(address, Pointer):
            return False
        return self._run.objects[address.object].kind is Kind.STACK

    def _store(self, value: Operand, address: Operand) -> None:
        stored = self.value(value)
        if address == Address(ESCAPED):
            self._memory.give_away(stored)
            return
        target = self._place(address)
        self._expect(Validity.WRITE, target, bytes_of(value.type, self._code.word.width))
        self._memory.store(target, stored, value.type)

    def _copy(self, target: Value, source: Value, length: Operand) -> None:
        self._validities.expect(Validity.ACCESS, source, length)
        self._validities.expect(Validity.WRITE, target, length)
        self._memory.copy(target, source, length)

    def _expect(self, kind: Validity, address: Value, size: int) -> None:
        self._validities.expect(kind, address, IntConst(size, self._code.word))

    def _free(self, block: Value) -> None:
        self._expect(Validity.FREE, block, 0)
        self._memory.free(block)

    def _is_entered(self) -> bool:
        """Whether the block is the first one of its function: objects made there die at marks."""
        frame = self._run.state.frame
        return frame.label == self._entries[frame.function]

    def _alloca(self, size: Operand, align: int, ends_unseen: bool) -> Pointer:
        pointer = self._memory.allocate(Kind.STACK, self._size(size), align, None, ends_unseen)
        self._own(pointer)
        return pointer

    def _own(self, pointer: Pointer) -> None:
        """Let the object die with the activation."""
        state = self._run.state
        state.frame = replace(state.frame, objects=(*state.frame.objects, pointer.object))

    def _size(self, operand: Operand) -> Operand:
        """A size as an integer of the width of a pointer."""
        return self._code.resized(self.number(operand), self._code.word)

    def _havoc(self, statement: Havoc) -> None:
        size = self.number(statement.size)
        address = self.value(statement.address)
        self._validities.expect(Validity.WRITE, address, size)
        if not isinstance(size, IntConst) or size.value > MOST_ARBITRARY:
            self._memory.forget(address)
            return
        for byte in range(size.value):
            read = self._code.read(BYTE, statement.site)
            self._memory.store(self._memory.moved(address, byte), read, BYTE)

    def _lifetime(self, address: Operand, live: bool) -> None:
        """The life of a local begins, perhaps as a new object, or ends."""
        value = self.value(address)
        if not live:
            self._memory.end(value)
            return
        begun = self._memory.begun(value)
        if begun != value:
            if not isinstance(address, Register) or not isinstance(begun, Pointer):
                raise Unfit("the life of an unknown local begins or ends")
            self._registers[address.name] = begun
            self._own(begun)

    # --------------------------------------------------------------------------------- validity

    def _valid(self, statement: Valid) -> Value:
        match statement.kind:
            case Validity.NO_LEAK:
                return self._code.negated(self._some_block())
            case Validity.NO_LOST:
                return none_lost(self._code, self._run)
            case _:
                size = self.number(statement.size)
                address = self.value(statement.address)
                self._validities.expect_answer(address, size)
                return choices.each(
                    self._code, [address], lambda a: self._validities.holds(statement.kind, a, size)
                )

    def _some_block(self) -> Operand:
        """Whether some block of the heap lives."""
        found: Operand = FALSE
        for number, live in self._run.state.live.items():
            if self._run.objects[number].kind is Kind.HEAP:
                found = self._code.either(found, live)
        return found

    # ------------------------------------------------------------------------------------ calls

    def _builtin(self, call: Call, name: str) -> None:
        match name, call.arguments:
            case "malloc", (size,):
                self._result(call, self._heap(self._size(size), None))
            case "aligned_alloc", (align, size):
                wanted = self.number(align)
                at = wanted.value if isinstance(wanted, IntConst) else 1
                self._result(call, self._heap(self._size(size), None, at))
            case "calloc", (count, each):
                size = self._code.multiply(self._size(count), self._size(each))
                self._result(call, self._heap(size, b""))
            case "realloc", (block, size):
                self._result(call, self._realloc(self.value(block), self._size(size)))
            case "alloca", (size,):
                self._result(call, self._alloca(size, 16, True))
            case "free", (block,):
                self._free(self.value(block))
            case _, (one, other) if name == SAME_OBJECT:
                sides = [self.value(one), self.value(other)]
                self._result(call, choices.each(self._code, sides, self._pointers.in_one_object))
            case "sea.astray", _:
                raise Invalid
            case _:
                raise Unfit(f"a call of {name}")

    def _result(self, call: Call, value: Value) -> None:
        for result in call.results:
            self._registers[result.name] = value

    def _heap(self, size: Operand, initial: bytes | None, align: int = HEAP_ALIGN) -> Pointer:
        known = align if align & align - 1 == 0 else 1
        return self._memory.allocate(Kind.HEAP, size, max(known, HEAP_ALIGN), initial)

    def _realloc(self, block: Value, size: Operand) -> Value:
        self._expect(Validity.FREE, block, 0)
        return reallocated(self._code, self._run, self._memory, block, size)
