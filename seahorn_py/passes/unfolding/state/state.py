"""What is known at a point of the run that is followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import (
    IntConst,
    Operand,
    Register,
)
from seahorn_py.ir.types import IntType
from seahorn_py.passes.ranges.intervals import Range
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import (
    Choice,
    Piece,
    Pointer,
    Value,
    is_number,
)
from seahorn_py.passes.unfolding.state.order import Iterations, Key
from seahorn_py.passes.unfolding.state.storage import Contents, Entry


@dataclass(frozen=True)
class Frame:
    """An activation: its registers by name, its stack objects by number, and its caller.

    It stands in the copy of block `label` with these `iterations`, at statement `position`.  The
    keys of copies of its blocks begin with `prefix`; `back` is the key of where it returns to.
    `depth` is the number of activations up to this one.
    """

    function: str
    prefix: Key
    back: Key
    registers: dict[str, Value]
    label: str
    iterations: Iterations
    position: int = 0
    objects: tuple[int, ...] = ()
    caller: Frame | None = None
    depth: int = 0

    def forked(self) -> Frame:
        """The same activation, with registers of its own."""
        return replace(self, registers=dict(self.registers))


@dataclass
class State:
    """What a run has come to: the innermost activation, memory, and facts.

    `memory`: number of an object -> its contents.  `live`: object -> whether it lives, as an i1.
    `facts`: ranges of registers of the new program.  `sizes`: object -> its size, if that is in
    another register than when the object was made.  `reads`: base of contents with a log -> the
    values that were read of unwritten bytes.  The contents of the objects in `own` belong to this
    state alone, so they may be changed in place.
    """

    frame: Frame
    memory: dict[int, Contents]
    live: dict[int, Operand]
    facts: dict[Register, Range]
    sizes: dict[int, Operand] = field(default_factory=dict)
    reads: dict[object, tuple[Entry, ...]] = field(default_factory=dict)
    own: set[int] = field(default_factory=set)

    def forked(self) -> State:
        """The same state once more; neither has contents of its own."""
        self.own = set()
        frame, memory, live = self.frame.forked(), dict(self.memory), dict(self.live)
        facts, sizes, reads = dict(self.facts), dict(self.sizes), dict(self.reads)
        return State(frame, memory, live, facts, sizes, reads)

    def changed(self, number: int) -> Contents:
        """The contents of an object, which may be changed in place."""
        if number not in self.own:
            self.memory[number] = self.memory[number].copy()
            self.own.add(number)
        return self.memory[number]


def offset_of(code: Code, pointer: Pointer) -> Operand:
    """The offset of a pointer in its object, in bytes, as an integer of the width of a pointer."""
    word = code.word
    total: Operand = IntConst(pointer.constant % (1 << word.width), word)
    for index, scale in pointer.terms:
        wide = code.resized(index, word, sign=True)
        factor = IntConst(scale % (1 << word.width), word)
        total = code.add(total, code.multiply(wide, factor))
    return total


def byte_of(code: Code, piece: Piece) -> Operand:
    """A byte of a number as an i8; of an address, which has no number, the same one each time."""
    value = piece.value
    if not is_number(value):
        code.numbered.update(_objects(value))
        return code.unknown(piece, IntType(8))
    whole = IntType(8 * piece.size)
    bits = code.converted(value, whole)
    if piece.index:
        bits = code.shifted(bits, 8 * piece.index)
    return code.resized(bits, IntType(8))


def _objects(value: Value) -> Iterator[int]:
    """The objects to which a value leads, or bytes of their addresses."""
    match value:
        case Pointer(number):
            yield number
        case Piece(whole):
            yield from _objects(whole)
        case Choice(_, options):
            for option in options:
                yield from _objects(option)
        case _:
            pass
