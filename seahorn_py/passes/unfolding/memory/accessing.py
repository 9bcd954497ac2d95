"""Accesses of memory while a program is unfolded.

An access is to slots of one object.  If its place depends on registers, each possible place is
accessed under a condition, as long as these places are few.  Otherwise the object gets a log.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TypeGuard

from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    FALSE,
    NULL,
    TRUE,
    Address,
    IntConst,
    Operand,
    Predicate,
    Register,
    Stop,
    StopKind,
)
from seahorn_py.ir.types import IntType, Type
from seahorn_py.passes.ranges.conditions import learn
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Choice, Invalid, Piece, Pointer, Unfit, Value
from seahorn_py.passes.unfolding.memory.locations import Places, signed_offset
from seahorn_py.passes.unfolding.memory.slots import BYTE, Slots
from seahorn_py.passes.unfolding.memory.tables import listed_at
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import offset_of
from seahorn_py.passes.unfolding.state.storage import Asked, Contents, Kind, Object

MOST_COPIED = 600
"""The most bytes that are copied or filled one by one where their number depends on inputs."""

MOST_AT_ONCE = 1 << 14
"""The most bytes that are copied or filled where their number is known."""


class Memory:
    """The memory of the state that is followed."""

    def __init__(self, code: Code, run: Run, slots: Slots) -> None:
        self._code = code
        self._run = run
        self._slots = slots
        self._places = Places(code, run)

    def alternatives(self, value: Value) -> Iterator[tuple[Operand, Value]]:
        """The options of a value, each with the condition under which it is the value."""
        return self._places.alternatives(value)

    # --------------------------------------------------------------------------------- accesses

    def load(self, address: Value, wanted: Type) -> Value:
        """The value of type `wanted` at an address."""
        size = bytes_of(wanted, self._code.word.width)
        places, slots = self._places, self._slots

        def one(pointer: Value) -> Value:
            if places.is_foreign(pointer) or self._is_given_away(pointer):
                return slots.arbitrary(wanted)
            if places.is_anywhere(pointer, size):
                value = slots.read_at(pointer.object, offset_of(self._code, pointer), size)
                return slots.typed(value, wanted)
            if (known := listed_at(self._code, self._run, places, pointer, size)) is not None:
                return slots.typed(known, wanted)
            found = [(c, slots.read(n, at, size)) for c, n, at in places.places(pointer, size)]
            value = slots.typed(found[-1][1], wanted)
            for condition, other in reversed(found[:-1]):
                value = choices.one_of(self._code, condition, slots.typed(other, wanted), value)
            return value

        return choices.each(self._code, [address], one)

    def store(self, address: Value, value: Value, kind: Type) -> None:
        """Write a value of type `kind` at an address.  Raises Invalid if no object is there."""
        size = bytes_of(kind, self._code.word.width)
        self._write(address, size, value, TRUE)

    def _write(self, address: Value, size: int, value: Value, condition: Operand) -> None:
        """Write a value of `size` bytes where a condition holds; Invalid if no object is there."""
        is_somewhere = False
        for chosen, pointer in self._places.alternatives(address):
            here = self._code.both(condition, chosen)
            with suppress(Invalid):
                self._write_by(pointer, size, value, here)
                is_somewhere = True
        if not is_somewhere:
            raise Invalid

    def _write_by(self, pointer: Value, size: int, value: Value, condition: Operand) -> None:
        if self._places.is_foreign(pointer) or self._is_given_away(pointer):
            self.give_away(value)
            return
        if self._places.is_anywhere(pointer, size, writes=True):
            at = offset_of(self._code, pointer)
            self._slots.logs.write(pointer.object, at, size, value, condition)
            return
        for here, number, start in self._places.places(pointer, size, writes=True):
            self._slots.write(number, start, size, value, self._code.both(condition, here))

    def copy(self, target: Value, source: Value, length: Operand) -> None:
        """`memmove` of `length` bytes."""
        for _, pointer in (*self._places.alternatives(target), *self._places.alternatives(source)):
            if self._is_given_away(pointer):
                raise Unfit("a copy of an object that functions without a body can reach")
        size, most = self._length(length, target, source)
        if most == 0:
            return
        if most > (MOST_COPIED if size is None else MOST_AT_ONCE):
            self._copy_somewhere(target, source, length)
            return
        if size is None:
            self._copy_bytes(target, source, length, most)
            return
        for distance, count, value in list(self._copied(source, size)):
            self._write(self.moved(target, distance), count, value, TRUE)

    def _copy_somewhere(self, target: Value, source: Value, length: Operand) -> None:
        """Copy `length` bytes by entries in the logs of objects."""
        length, code = self._code.resized(length, self._code.word), self._code
        sources = [
            (chosen, self._slots.logs.logged(origin.object), offset_of(code, origin))
            for chosen, origin in self._places.alternatives(source)
            if self._is_object(origin)
        ]
        for condition, pointer in self._places.alternatives(target):
            if not self._is_object(pointer, writes=True):
                for _, contents, _ in sources:
                    self._give_all_away(contents)
                continue
            for chosen, contents, start in sources:
                place = pointer.object, offset_of(code, pointer)
                here = code.both(condition, chosen)
                self._slots.logs.copy(place, (contents, start), length, here)

    def _is_object(self, pointer: Value, writes: bool = False) -> TypeGuard[Pointer]:
        """Whether a pointer leads to an object of the program.

        It does not if it is a constant, with which the run ends, or foreign and written to.  Raises
        Unfit for any other pointer from outside.
        """
        if isinstance(pointer, Pointer) or self._code.is_astray(pointer):
            return isinstance(pointer, Pointer)
        if writes and self._places.is_foreign(pointer):
            return False
        raise Unfit("a large copy by a pointer from outside, or made from a number")

    def _copied(self, source: Value, size: int) -> Iterator[tuple[int, int, Value]]:
        """The slots of a range: distance from its start, size, value."""
        source = choices.narrowed(self._code, source)
        if not isinstance(source, Choice) and not self._places.is_anywhere(source, size):
            places = list(self._places.places(source, size))
            if len(places) == 1:
                ((_, number, start),) = places
                yield from self._slots.slots(number, start, size)
                return
        for byte in range(size):
            yield byte, 1, self.load(self.moved(source, byte), BYTE)

    def _copy_bytes(self, target: Value, source: Value, length: Operand, most: int) -> None:
        """Copy `most` bytes one by one, each if `length` is greater than its distance."""
        values = []
        for byte in range(most):
            inside = self._inside(byte, length)
            values.append((inside, self._guarded(self.moved(source, byte))))
        for byte, (inside, value) in enumerate(values):
            self._store_byte(self.moved(target, byte), value, inside)

    def _guarded(self, address: Value) -> Value:
        """The byte at an address, or an arbitrary one if no object is there."""
        try:
            return self.load(address, BYTE)
        except Invalid:
            return IntConst(0, BYTE)

    def _store_byte(self, address: Value, value: Value, condition: Operand) -> None:
        with suppress(Invalid):
            self._write(address, 1, value, condition)

    def fill(self, target: Value, byte: Value, length: Operand) -> None:
        """`memset` of `length` bytes."""
        if self._fills_whole(target, byte, length):
            return
        size, most = self._length(length, target)
        if most > (MOST_COPIED if size is None else MOST_AT_ONCE):
            self._fill_somewhere(target, byte, length)
            return
        for at in range(most):
            if size is not None:
                self.store(self.moved(target, at), byte, BYTE)
            else:
                self._store_byte(self.moved(target, at), byte, self._inside(at, length))

    def _fill_somewhere(self, target: Value, byte: Value, length: Operand) -> None:
        """Fill `length` bytes by entries in the logs of objects."""
        length = self._code.resized(length, self._code.word)
        for condition, pointer in self._places.alternatives(target):
            if self._is_object(pointer, writes=True):
                at = offset_of(self._code, pointer)
                self._slots.logs.fill(pointer.object, at, length, byte, condition)
            else:
                self.give_away(byte)

    def _fills_whole(self, target: Value, byte: Value, length: Operand) -> bool:
        """Fill a whole object with a constant byte; False if that is not what is asked."""
        pointer = choices.narrowed(self._code, target)
        if not isinstance(pointer, Pointer) or pointer.terms or pointer.constant:
            return False
        found = self._run.objects[pointer.object]
        if not isinstance(byte, IntConst) or not isinstance(length, IntConst):
            return False
        if found.known_size != length.value:
            return False
        self._places.check(found, length.value, 0, True)
        self._run.replace(pointer.object, Contents(bytes([byte.value]) * length.value))
        return True

    def _inside(self, byte: int, length: Operand) -> Operand:
        assert isinstance(length.type, IntType)
        return self._code.compare(Predicate.ULT, IntConst(byte, length.type), length)

    def _length(self, length: Operand, *addresses: Value) -> tuple[int | None, int]:
        """The number of bytes if it is a constant, else None; and the most that it may be.

        No more bytes can be read or written than the objects at the addresses have.
        """
        if isinstance(length, IntConst):
            return length.value, length.value
        range_ = self._code.range(length)
        assert range_ is not None
        return None, min(
            range_.unsigned[1], *(self._places.room(a, MOST_COPIED + 1) for a in addresses)
        )

    # ----------------------------------------------------------------------------------- others

    def give_away(self, value: Value) -> None:
        """Let functions without a body reach the objects to which a value leads.

        They may change what they reach at any time: it is arbitrary whenever it is read.  Where a
        number may have been made of an address, they can make the address of it.
        """
        pending: list[Value] = [value]
        followed: set[int] = set()
        while pending:
            match pending.pop():
                case Pointer(number) if number not in self._run.escaped | followed:
                    followed.add(number)
                    if self._run.objects[number].writable:
                        self._run.escaped.add(number)
                    contents = self._run.state.memory.get(number)
                    pending += contents.values() if contents is not None else ()
                case Register():
                    numbered = (n for n in self._code.numbered if isinstance(n, int))
                    pending += (Pointer(n, 0) for n in numbered if n not in self._run.escaped)
                case Choice(_, options):
                    pending += options
                case Piece(whole):
                    pending.append(whole)
                case Address(str()):
                    raise Unfit("a function without a body is given one of the program")
                case _:
                    pass

    def _give_all_away(self, contents: Contents) -> None:
        for value in contents.values():
            self.give_away(value)

    def _is_given_away(self, pointer: Value) -> bool:
        return isinstance(pointer, Pointer) and pointer.object in self._run.escaped

    # --------------------------------------------------------------------------------- lifetime

    def allocate(
        self,
        kind: Kind,
        size: Operand,
        align: int,
        initial: bytes | None,
        ends_unseen: bool = False,
    ) -> Pointer:
        """A pointer to the start of a new object of `size : iP` bytes."""
        self._leave_room(size)
        number = len(self._run.objects)
        self._run.objects[number] = Object(number, kind, size, align, ends_unseen=ends_unseen)
        self._run.replace(number, Contents(initial))
        self._run.state.live[number] = TRUE
        return Pointer(number, 0)

    def _leave_room(self, size: Operand) -> None:
        """End runs here in which an object has more than half of all addresses.

        Distances in an object have a sign (C17, 6.5.6), also those in logs.
        """
        code = self._code
        fits = code.compare(Predicate.SGE, size, IntConst(0, code.word))
        if fits == TRUE:
            return
        facts = learn(fits, True, code.range, code.definitions)
        code.draft, ended = code.split(fits, code.origin)
        ended.terminator = Stop(StopKind.END, code.origin)
        if facts is None:
            raise Invalid
        self._run.state.facts.update(facts)

    def arbitrary(self, kind: Type) -> Operand:
        """An arbitrary value."""
        return self._slots.arbitrary(kind)

    def forget(self, address: Value) -> None:
        """Make every byte of the objects at an address arbitrary."""
        for _, pointer in self._places.alternatives(address):
            if isinstance(pointer, Pointer):
                self._run.replace(pointer.object, Contents(None, base=Asked()))
            elif not isinstance(pointer, Address):
                raise Unfit("more arbitrary bytes at once than are followed")

    def end(self, address: Value) -> None:
        """Let the stack object at an address die; null says that any of the activation may die."""
        if address == NULL:
            for number in self._run.state.frame.objects:
                self._run.objects[number] = replace(self._run.objects[number], ends_unseen=True)
            return
        for chosen, pointer in self._places.alternatives(address):
            if not isinstance(pointer, Pointer):
                raise Unfit("the life of an unknown local begins or ends")
            self._bury(pointer, chosen)

    def free(self, block: Value) -> None:
        """Free a block of the heap, or nothing if it is null."""
        is_valid = False
        for chosen, pointer in self._places.alternatives(block):
            if pointer == NULL:
                is_valid = True
            elif isinstance(pointer, Pointer) and self._is_block(pointer):
                is_valid = True
                self._bury(pointer, chosen)
            elif not isinstance(pointer, Pointer | Address):
                raise Unfit("a pointer from outside is freed")
        if not is_valid:
            raise Invalid

    def _is_block(self, pointer: Pointer) -> bool:
        """Whether it may point to the start of a block of the heap that may live.

        An offset that depends on inputs is 0: runs with another have ended (`validity.expect`).
        """
        found = self._run.objects[pointer.object]
        is_start = pointer.terms or not signed_offset(pointer.constant, self._code.word.width)
        is_block = found.kind is Kind.HEAP and self._run.live(pointer.object) != FALSE
        return bool(is_start) and is_block

    def _bury(self, pointer: Pointer, condition: Operand) -> None:
        """Let the object die if the condition holds."""
        live = self._run.live(pointer.object)
        self._run.state.live[pointer.object] = self._code.both(live, self._code.negated(condition))

    def name(self, local: Value, register: str) -> None:
        """Tell which register holds the address of a new local."""
        if (self._run.state.frame.function, register) in self._run.literals:
            assert isinstance(local, Pointer)
            self._meets(local)

    def _meets(self, local: Pointer) -> None:
        self._run.objects[local.object] = replace(self._run.objects[local.object], may_meet=True)

    def begun(self, address: Value) -> Value:
        """The address of a stack object whose life begins: of a new one if it has died before."""
        if isinstance(address, Pointer) and self._run.live(address.object) == TRUE:
            return address
        first = next((p for _, p in self._places.alternatives(address)), None)
        if not isinstance(first, Pointer):
            raise Unfit("the life of an unknown local begins or ends")
        old = self._run.objects[first.object]
        new = self.allocate(old.kind, old.size, old.align, None, old.ends_unseen)
        if old.may_meet:
            self._meets(new)
        return new

    def moved(self, address: Value, by: int) -> Value:
        """The address `by` bytes further on."""
        match address:
            case Pointer():
                return address.moved(by)
            case Choice(selector, several):
                return Choice(selector, tuple(self.moved(option, by) for option in several))
            case Address(symbol, offset):
                return Address(symbol, offset + by)
            case Register() if self._code.is_astray(address):
                return self._code.moved(address, by, ())
            case _:
                raise Unfit("an access by a pointer from outside, or made from a number")
