"""Logs of the writes to an object that is accessed at unknown offsets.

A read takes the last entry of the log whose bytes are those that it reads.  This reduces an array
to its reads and writes (Stump, Barrett, Dill, Levitt: "A decision procedure for an extensional
theory of arrays", LICS 2001).

Bytes that were never written are arbitrary, but two reads of the same byte give the same value.  So
the values read are kept, and later reads choose among them first (Ackermann's reduction).

An access is one value if all offsets in an object are multiples of one size, up to a number that is
the same for all.  A smaller read there, as of single bytes, is a part of such a value, and a larger
one is several of them.  Otherwise an access is single bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import (
    FALSE,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    IntConst,
    Operand,
    Predicate,
    Register,
)
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Piece, Pointer, Unfit, Value, is_number
from seahorn_py.passes.unfolding.memory.layout import number_of
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import byte_of
from seahorn_py.passes.unfolding.state.storage import (
    Contents,
    Copied,
    Entry,
    Filled,
    Written,
    checked,
)

MOST_DEEP = 6
"""The depth to which the definitions of an offset are followed."""

MOST_LOOKED_AT = 50_000
"""The most entries of logs that one unfolding looks at."""


Unwritten = Callable[[IntType, object], Operand]
"""Gives an arbitrary value in the place of bytes with a `base`, written into the present block."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A value that the bytes of a read have if a condition holds."""

    condition: Operand
    value: Value


WORDS = (2, 4, 8)
"""The sizes in bytes of words."""


@dataclass(frozen=True, slots=True)
class Words:
    """All accesses of an object are of `size` bytes, at offsets that are `rest` modulo it."""

    size: int
    rest: int


class Logs:
    """Reads and writes objects with logs in the run that is followed."""

    def __init__(self, code: Code, run: Run, unwritten: Unwritten) -> None:
        self._code = code
        self._run = run
        self._unwritten = unwritten
        self._left = MOST_LOOKED_AT
        self._rests: dict[tuple[Operand, int], int | None] = {}

    # ----------------------------------------------------------------------------------- writes

    def write(self, number: int, at: Operand, size: int, value: Value, condition: Operand) -> None:
        """Write a value to `size` bytes from the offset `at : iP` on, if the condition holds."""
        self._add(number, Written(at, size, value, condition))

    def fill(
        self, number: int, at: Operand, length: Operand, byte: Value, condition: Operand
    ) -> None:
        """Let `length : iP` bytes from `at : iP` on be `byte`, if the condition holds."""
        self._add(number, Filled(at, length, byte, condition))

    def copy(
        self,
        target: tuple[int, Operand],
        source: tuple[Contents, Operand],
        length: Operand,
        condition: Operand,
    ) -> None:
        """`memmove` of `length : iP` bytes to an object and offset, if the condition holds.

        The contents of the source are those of before, as `logged` gives them.
        """
        (number, at), (contents, start) = target, source
        self._add(number, Copied(at, length, contents, start, condition))

    def _add(self, number: int, entry: Entry) -> None:
        if entry.condition == FALSE:
            return
        contents = self.logged(number)
        log = checked((*(contents.log or ()), entry))
        self._run.replace(number, Contents(contents.initial, {}, log, contents.base))

    def logged(self, number: int) -> Contents:
        """What an object holds, from now on with a log."""
        contents = self._run.contents(number).logged(self._code.word)
        self._run.replace(number, contents)
        return contents

    # ------------------------------------------------------------------------------------ reads

    def read(self, number: int, at: Operand, size: int) -> list[tuple[int, int, Value]]:
        """The parts of `size` bytes from the offset `at : iP` on, as (distance, size, value)."""
        contents = self.logged(number)
        if self._is_regular(contents, at, size):
            return [(0, size, self._seen(contents, at, size))]
        words = self._words(contents)
        if words is not None and size % words.size == 0 and self._is_word(at, words):
            several = [(k, self._moved(at, k)) for k in range(0, size, words.size)]
            return [(k, words.size, self._seen(contents, w, words.size)) for k, w in several]
        places = (self._moved(at, k) for k in range(size))
        return [(k, 1, self._byte(contents, place, words)) for k, place in enumerate(places)]

    def _byte(self, contents: Contents, at: Operand, words: Words | None) -> Value:
        """The byte at an offset: a part of a word, if there are words."""
        if words is None:
            return self._seen(contents, at, 1)
        code = self._code
        shifted = code.difference(at, IntConst(words.rest, code.word))
        index = code.binary(BinaryOp.AND, shifted, IntConst(words.size - 1, code.word))
        mask = IntConst((1 << code.word.width) - words.size, code.word)
        start = self._moved(code.binary(BinaryOp.AND, shifted, mask), words.rest)
        word = self._seen(contents, start, words.size)
        return choices.each(code, [word], lambda value: self._byte_at(value, index, words.size))

    def _byte_at(self, value: Value, index: Operand, size: int) -> Value:
        """Byte number `index : iP` of a value of `size` bytes."""
        code, kind = self._code, IntType(8 * size)
        if isinstance(value, Piece):
            raise Unfit("a byte of a byte")
        if isinstance(index, IntConst):
            return self._part(value, index.value, 1, size)
        if is_number(value):
            bits = code.converted(value, kind)
        else:
            assert isinstance(value, Pointer | Address)
            bits = code.converted(number_of(code, self._run, value), kind)
        distance = code.multiply(code.resized(index, kind), IntConst(8, kind))
        return code.resized(code.binary(BinaryOp.LSHR, bits, distance), IntType(8))

    def _words(self, contents: Contents) -> Words | None:
        """The size of all accesses so far, and their offsets modulo it, if they are words."""
        known = (*(contents.log or ()), *self._run.state.reads.get(contents.base, ()))
        sizes = {entry.size if isinstance(entry, Written) else 0 for entry in known}
        size = sizes.pop() if len(sizes) == 1 else 0
        if size not in WORDS:
            return None
        rests = {self._rest(entry.at, size, 0) for entry in known}
        rest = rests.pop() if len(rests) == 1 else None
        return None if rest is None else Words(size, rest)

    def _is_word(self, at: Operand, words: Words) -> bool:
        return self._rest(at, words.size, 0) == words.rest

    def stored(self, number: int, at: Operand, size: int) -> tuple[Value, Operand] | None:
        """What was last written as a whole from the offset `at : iP` on, if there is such a write.

        And whether it is not what is there, or may not be, since the write did not happen or later
        ones may be about some byte of it, as an i1.  So a value keeps its form, and an address
        stays an address, where solvers can tell that it is there.
        """
        contents = self.logged(number)
        log = contents.log or ()
        if size == 1 or self._is_regular(contents, at, size):
            return None
        for position in reversed(range(len(log))):
            match log[position]:
                case Written(start, whole, value, condition) if (start, whole) == (at, size):
                    is_gone = self._touched(log[position + 1 :], at, size)
                    return value, self._code.either(self._code.negated(condition), is_gone)
        return None

    def _touched(self, entries: Sequence[Entry], at: Operand, size: int) -> Operand:
        """Whether one of the entries may be about a byte of a range."""
        code, width = self._code, IntConst(size, self._code.word)
        found: Operand = FALSE
        for entry in entries:
            length = IntConst(entry.size, code.word) if isinstance(entry, Written) else entry.length
            begins = self._is_within(entry.at, at, width)
            meets = code.either(self._is_within(at, entry.at, length), begins)
            found = code.either(found, code.both(entry.condition, meets))
        return found

    def _seen(self, contents: Contents, at: Operand, size: int) -> Value:
        """The value of the bytes by the last entry that concerns them."""
        layers: list[Layer] = []
        for entry in reversed(contents.log or ()):
            layers += self._layers(entry, at, size)
            if layers and layers[-1].condition == TRUE:
                return self._folded(layers[:-1], layers[-1].value)
        return self._folded(layers, self._base(contents, at, size))

    def _folded(self, layers: Sequence[Layer], value: Value) -> Value:
        for layer in reversed(layers):
            value = choices.one_of(self._code, layer.condition, layer.value, value)
        return value

    def _layers(self, entry: Entry, at: Operand, size: int) -> Iterable[Layer]:
        """The values that an entry gives the bytes, each with its condition."""
        code = self._code
        self._left -= 1
        if self._left < 0:
            raise Unfit("too many accesses at unknown offsets")
        match entry:
            case Written():
                yield from self._parts(entry, at, size)
            case Filled(start, length, byte, condition):
                inside = code.both(condition, self._is_within(at, start, length))
                if inside != FALSE:
                    yield Layer(inside, byte)
            case Copied(start, length, source, origin, condition):
                inside = code.both(condition, self._is_within(at, start, length))
                if inside != FALSE:
                    place = code.add(origin, code.difference(at, start))
                    yield Layer(inside, self._seen(source, place, size))

    def _parts(self, entry: Written, at: Operand, size: int) -> Iterable[Layer]:
        for index in range(1 if entry.size == size else entry.size):
            here = self._is(at, self._moved(entry.at, index))
            condition = self._code.both(entry.condition, here)
            if condition != FALSE:
                yield Layer(condition, self._part(entry.value, index, size, entry.size))

    def _part(self, value: Value, index: int, size: int, whole: int) -> Value:
        if size == whole:
            return value
        if isinstance(value, Piece):
            raise Unfit("a byte of a byte")
        piece = Piece(value, index, whole)
        return byte_of(self._code, piece) if is_number(value) else piece

    def _base(self, contents: Contents, at: Operand, size: int) -> Value:
        """The value of bytes that were never written."""
        kind = IntType(8 * size)
        if contents.initial is not None:
            return IntConst(self._initial(contents.initial, at, size), kind)
        known = self._run.state.reads.get(contents.base, ())
        layers: list[Layer] = []
        for entry in reversed(known):
            layers += self._layers(entry, at, size)
            if layers and layers[-1].condition == TRUE:
                return self._folded(layers[:-1], layers[-1].value)
        value = self._folded(layers, self._unwritten(kind, contents.base))
        self._run.state.reads[contents.base] = checked((*known, Written(at, size, value, TRUE)))
        return value

    def _initial(self, initial: bytes, at: Operand, size: int) -> int:
        if isinstance(at, IntConst):
            data = initial[at.value : at.value + size].ljust(size, b"\0")
            return int.from_bytes(data, "little")
        if any(initial):
            raise Unfit("a large initialised object is read at an unknown offset")
        return 0

    # ---------------------------------------------------------------------------------- offsets

    def _moved(self, at: Operand, by: int) -> Operand:
        return self._code.add(at, IntConst(by, self._code.word)) if by else at

    def _is(self, left: Operand, right: Operand) -> Operand:
        return TRUE if left == right else self._code.compare(Predicate.EQ, left, right)

    def _is_within(self, at: Operand, start: Operand, length: Operand) -> Operand:
        distance = self._code.difference(at, start)
        return self._code.compare(Predicate.ULT, distance, length)

    def _is_regular(self, contents: Contents, at: Operand, size: int) -> bool:
        """Whether all accesses so far are of this size, at offsets that are equal modulo it."""
        known = (*(contents.log or ()), *self._run.state.reads.get(contents.base, ()))
        if size & (size - 1) or not all(isinstance(e, Written) and e.size == size for e in known):
            return False
        offsets = [at, *(entry.at for entry in known)]
        rests = {self._rest(offset, size, 0) for offset in offsets}
        return len(rests) == 1 and None not in rests

    def _rest(self, offset: Operand, size: int, depth: int) -> int | None:
        """The offset modulo a power of two, if it is known."""
        key = offset, size
        if key not in self._rests:
            self._rests[key] = self._found_rest(offset, size, depth)
        return self._rests[key]

    def _found_rest(self, offset: Operand, size: int, depth: int) -> int | None:
        if isinstance(offset, IntConst):
            return offset.value % size
        made = self._code.definitions.get(offset) if isinstance(offset, Register) else None
        if offset in self._code.phis and depth < MOST_DEEP:
            _, incoming = self._code.phis[offset]
            several = {self._rest(value, size, depth + 1) for value in incoming}
            return several.pop() if len(several) == 1 else None
        match made:
            case Binary(op=BinaryOp.ADD, left=left, right=right) if depth < MOST_DEEP:
                rests = [self._rest(side, size, depth + 1) for side in (left, right)]
                return None if None in rests else sum(r for r in rests if r is not None) % size
            case Binary(op=BinaryOp.MUL, right=IntConst(value=factor)) if factor % size == 0:
                return 0
            case Binary(op=BinaryOp.SHL, right=IntConst(value=bits)) if (1 << bits) % size == 0:
                return 0
            case Binary(op=BinaryOp.AND, right=IntConst(value=mask)) if mask % size == 0:
                return 0
            case Cast(op=CastOp.ZEXT | CastOp.SEXT | CastOp.TRUNC, value=value):
                return self._rest(value, size, depth + 1) if depth < MOST_DEEP else None
            case _:
                return None if size > 1 else 0
