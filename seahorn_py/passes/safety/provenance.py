"""Where pointers came from: the records of objects, and the code that keeps track of them.

A record lies in memory as three words: the size of its object in bytes, its state, and the address
of its shadow.  The shadow has `SHADOW_SCALE` bytes for each byte of the object; where a pointer
lies at offset k of the object, its provenance lies at offset `SHADOW_SCALE * k` of the shadow, as
the words offset, record, shadow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.base.records import dataclass
from seahorn_py.ir.algebra import signed
from seahorn_py.ir.program import (
    FALSE,
    NULL,
    TRUE,
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Call,
    Cast,
    CastOp,
    Compare,
    Global,
    IntConst,
    Load,
    Offset,
    Operand,
    Predicate,
    Program,
    Select,
    Statement,
    Store,
)
from seahorn_py.ir.types import BOOL, POINTER, IntType, Type
from seahorn_py.passes.promotion.access import Names

SHADOW_SCALE = 4
NOTHING = "sea.nothing"
COUNT = "sea.blocks"


class State(IntEnum):
    """What an object is: nothing any more, an object, a heap block, a constant."""

    DEAD = 0
    OBJECT = 1
    HEAP = 2
    CONSTANT = 3


@dataclass(frozen=True)
class Provenance:
    """The offset of a pointer in its object, the object's record, the pointer's shadow place."""

    offset: Operand
    record: Operand
    shadow: Operand

    def parts(self, shadows: bool) -> tuple[Operand, ...]:
        """What calls and phis carry."""
        return (self.offset, self.record, self.shadow) if shadows else (self.offset, self.record)


@dataclass(frozen=True)
class Records:
    """How records lie in memory: words of `width` bits; `shadows` if pointers lie in memory."""

    width: int
    shadows: bool

    @property
    def word(self) -> int:
        """Bytes of a word."""
        return self.width // 8

    @property
    def size(self) -> int:
        """Bytes of a record."""
        return 3 * self.word

    def number(self, value: int) -> IntConst:
        """A word."""
        return IntConst(value % (1 << self.width), IntType(self.width))

    def nothing(self) -> Provenance:
        """Of a pointer without known origin."""
        return Provenance(self.number(0), Address(NOTHING), Address(shadow_name(NOTHING)))

    def of_global(self, symbol: str, offset: int) -> Provenance:
        """Of the address of a global."""
        shadow = Address(shadow_name(symbol), SHADOW_SCALE * offset) if self.shadows else NULL
        return Provenance(self.number(offset), Address(record_name(symbol)), shadow)


def record_name(symbol: str) -> str:
    """The global that is the record of a global."""
    return NOTHING if symbol == NOTHING else f"{symbol}.record"


def shadow_name(symbol: str) -> str:
    """The global that is the shadow of a global."""
    return f"{symbol}.shadow"


def record_globals(program: Program, records: Records) -> dict[str, Global]:
    """The records and shadows of the program's globals, and the count of heap blocks."""
    made = [_record(NOTHING, 0, State.DEAD, records), _global(COUNT, records.word, ())]
    if records.shadows:
        made.append(_global(shadow_name(NOTHING), SHADOW_SCALE * records.word, ()))
    for item in program.globals.values():
        state = State.CONSTANT if item.constant else State.OBJECT
        made.append(_record(item.name, item.size, state, records))
        if records.shadows:
            leaves = tuple(_shadow_leaves(item, program, records))
            made.append(_global(shadow_name(item.name), SHADOW_SCALE * item.size, leaves))
    return {item.name: item for item in made}


def _record(symbol: str, size: int, state: State, records: Records) -> Global:
    shadow = Address(shadow_name(symbol)) if records.shadows else NULL
    words: tuple[Operand, ...] = (records.number(size), records.number(state), shadow)
    leaves = tuple((records.word * k, value) for k, value in enumerate(words))
    return _global(record_name(symbol), records.size, leaves)


def _global(name: str, size: int, leaves: tuple[tuple[int, Operand], ...]) -> Global:
    return Global(name, size, 16, False, leaves)


def _shadow_leaves(
    item: Global, program: Program, records: Records
) -> Iterator[tuple[int, Operand]]:
    for at, leaf in item.leaves:
        if isinstance(leaf, Address) and leaf.symbol in program.globals:
            parts = records.of_global(str(leaf.symbol), leaf.offset).parts(True)
            for k, part in enumerate(parts):
                yield SHADOW_SCALE * at + records.word * k, part


class Writer:
    """Writes statements; constants are folded as it goes."""

    def __init__(self, names: Names, records: Records) -> None:
        self.lines: list[Statement] = []
        self.origin: Origin = NOWHERE
        self._names = names
        self._records = records
        self._word = IntType(records.width)

    # -------------------------------------------------------------------------------- arithmetic

    def add(self, left: Operand, right: Operand) -> Operand:
        """Sum of words."""
        return self._folded(BinaryOp.ADD, left, right)

    def sub(self, left: Operand, right: Operand) -> Operand:
        """Difference of words."""
        return self._folded(BinaryOp.SUB, left, right)

    def times(self, left: Operand, number: int) -> Operand:
        """A word times a number."""
        return self._folded(BinaryOp.MUL, left, self._records.number(number))

    def _folded(self, op: BinaryOp, left: Operand, right: Operand) -> Operand:
        neutral = self._records.number(1 if op is BinaryOp.MUL else 0)
        if right == neutral:
            return left
        if left == neutral and op is not BinaryOp.SUB:
            return right
        if isinstance(left, IntConst) and isinstance(right, IntConst):
            a, b = left.value, right.value
            value = a * b if op is BinaryOp.MUL else a + b if op is BinaryOp.ADD else a - b
            return self._records.number(value)
        result = self._names.fresh("count", self._word)
        self.lines.append(Binary(result, op, left, right, self.origin))
        return result

    def word(self, index: Operand) -> Operand:
        """An index as a word, sign-extended or cut."""
        kind = index.type
        assert isinstance(kind, IntType)
        if kind == self._word:
            return index
        if isinstance(index, IntConst):
            return self._records.number(signed(kind.width, index.value))
        result = self._names.fresh("index", self._word)
        op = CastOp.SEXT if kind.width < self._word.width else CastOp.TRUNC
        self.lines.append(Cast(result, op, index, self.origin))
        return result

    def test(self, predicate: Predicate, left: Operand, right: Operand) -> Operand:
        """A comparison."""
        result = self._names.fresh("holds", BOOL)
        self.lines.append(Compare(result, predicate, left, right, self.origin))
        return result

    def both(self, left: Operand, right: Operand) -> Operand:
        """Conjunction."""
        return right if left == TRUE else self._gate(BinaryOp.AND, left, right)

    def either(self, left: Operand, right: Operand) -> Operand:
        """Disjunction."""
        return self._gate(BinaryOp.OR, left, right)

    def one_of(self, pointer: Operand, names: Iterable[str]) -> Operand:
        """The pointer is the address of one of these symbols."""
        holds: Operand = FALSE
        for name in names:
            holds = self.either(holds, self.test(Predicate.EQ, pointer, Address(name)))
        return holds

    def _gate(self, op: BinaryOp, left: Operand, right: Operand) -> Operand:
        result = self._names.fresh("holds", BOOL)
        self.lines.append(Binary(result, op, left, right, self.origin))
        return result

    def choose(self, condition: Operand, then: Operand, otherwise: Operand) -> Operand:
        """One of two values."""
        if then == otherwise:
            return then
        result = self._names.fresh("chosen", then.type)
        self.lines.append(Select(result, condition, then, otherwise, self.origin))
        return result

    # ------------------------------------------------------------------------------------ memory

    def moved(self, base: Operand, constant: int) -> Operand:
        """A pointer `constant` bytes further."""
        if constant == 0:
            return base
        if isinstance(base, Address):
            return Address(base.symbol, base.offset + constant)
        result = self._names.fresh("place", POINTER)
        self.lines.append(Offset(result, base, constant, origin=self.origin))
        return result

    def load(self, base: Operand, number: int, kind: Type) -> Operand:
        """Word `number` behind an address."""
        result = self._names.fresh("word", kind)
        address = self.moved(base, number * self._records.word)
        self.lines.append(Load(result, address, origin=self.origin))
        return result

    def store(self, base: Operand, number: int, value: Operand) -> None:
        """Write word `number` behind an address."""
        address = self.moved(base, number * self._records.word)
        self.lines.append(Store(value, address, origin=self.origin))

    # ----------------------------------------------------------------------------------- records

    def size(self, record: Operand) -> Operand:
        """The size of the object."""
        return self.load(record, 0, self._word)

    def state(self, record: Operand) -> Operand:
        """The state of the object."""
        return self.load(record, 1, self._word)

    def set_state(self, record: Operand, state: State) -> None:
        """Give the object another state."""
        self.store(record, 1, self._records.number(state))

    def slot(self, size: Operand) -> Provenance:
        """Record and shadow of a stack object that live as long as it does."""
        record = self._alloca(self._records.number(self._records.size))
        shadow: Operand = NULL
        if self._records.shadows:
            shadow = self._alloca(self.times(size, SHADOW_SCALE))
        self._describe(record, size, State.OBJECT, shadow)
        return Provenance(self._records.number(0), record, shadow)

    def block(self, size: Operand, state: State) -> Provenance:
        """Record and shadow that are never given back, of a new object."""
        record = self._zeroed(self._records.number(self._records.size))
        shadow = self._malloc(self.times(size, SHADOW_SCALE)) if self._records.shadows else NULL
        self._describe(record, size, state, shadow)
        return Provenance(self._records.number(0), record, shadow)

    def _describe(self, record: Operand, size: Operand, state: State, shadow: Operand) -> None:
        self.store(record, 0, size)
        self.set_state(record, state)
        if self._records.shadows:
            self.store(record, 2, shadow)

    def _alloca(self, size: Operand) -> Operand:
        result = self._names.fresh("record", POINTER)
        self.lines.append(Alloca(result, size, 16, self.origin))
        return result

    def _malloc(self, size: Operand) -> Operand:
        result = self._names.fresh("record", POINTER)
        self.lines.append(Call((result,), "malloc", (size,), self.origin))
        return result

    def _zeroed(self, size: Operand) -> Operand:
        """Memory of zeros: where no record is, there is none of a live object."""
        result = self._names.fresh("record", POINTER)
        arguments = (self._records.number(1), size)
        self.lines.append(Call((result,), "calloc", arguments, self.origin))
        return result

    def provenance_at(self, shadow: Operand) -> Provenance:
        """The provenance that lies at a shadow place; of no object where it was cleared."""
        offset = self.load(shadow, 0, self._word)
        found = self.load(shadow, 1, POINTER)
        place = self.load(shadow, 2, POINTER)
        cleared = self.test(Predicate.EQ, found, NULL)
        nothing = self._records.nothing()
        record = self.choose(cleared, nothing.record, found)
        return Provenance(offset, record, self.choose(cleared, nothing.shadow, place))

    def keep(self, shadow: Operand, provenance: Provenance) -> None:
        """Let a provenance lie at a shadow place."""
        for k, part in enumerate(provenance.parts(True)):
            self.store(shadow, k, part)

    def clear(self, shadow: Operand) -> None:
        """There is no pointer at this place any more."""
        self.store(shadow, 1, NULL)

    # ---------------------------------------------------------------------------------- validity

    def inside(self, found: Provenance, count: Operand, writes: bool) -> Operand:
        """`0 <= offset <= size - count`, and the object lives; nothing is asked of no bytes."""
        count = self.word(count)
        size = self.size(found.record)
        holds = self.test(Predicate.SGE, found.offset, self._records.number(0))
        room = self.sub(size, count)
        holds = self.both(holds, self.test(Predicate.SLE, found.offset, room))
        state = self.state(found.record)
        holds = self.both(holds, self._is(Predicate.NE, state, State.DEAD))
        if writes:
            holds = self.both(holds, self._is(Predicate.NE, state, State.CONSTANT))
        if isinstance(count, IntConst):
            return holds if count.value else TRUE
        holds = self.both(holds, self.test(Predicate.ULE, count, size))
        return self.either(self.test(Predicate.EQ, count, self._records.number(0)), holds)

    def astray(self, found: Provenance, pointer: Operand) -> Operand:
        """The pointer is not null and leads to no object that is known."""
        nowhere = self.test(Predicate.EQ, found.record, self._records.nothing().record)
        return self.both(nowhere, self.test(Predicate.NE, pointer, NULL))

    def freeable(self, found: Provenance, pointer: Operand) -> Operand:
        """The pointer is null, or at the start of a heap block that lives."""
        start = self.test(Predicate.EQ, found.offset, self._records.number(0))
        block = self._is(Predicate.EQ, self.state(found.record), State.HEAP)
        return self.either(self.test(Predicate.EQ, pointer, NULL), self.both(start, block))

    def _is(self, predicate: Predicate, state: Operand, other: State) -> Operand:
        return self.test(predicate, state, self._records.number(other))

    def count(self, change: Operand) -> None:
        """There are so many more heap blocks that were not freed."""
        blocks = self.load(Address(COUNT), 0, self._word)
        self.store(Address(COUNT), 0, self.add(blocks, change))

    def all_freed(self) -> Operand:
        """There is no heap block that was not freed."""
        blocks = self.load(Address(COUNT), 0, self._word)
        return self.test(Predicate.EQ, blocks, self._records.number(0))
