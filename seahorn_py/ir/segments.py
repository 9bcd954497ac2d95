"""Functions cut into the pieces that the interpreter runs, and what a piece may ask of a run.

A block is cut behind each call into *segments*.  A segment becomes a Python function of the
registers of the activation (a list, one slot per register) and of the run's `State`; it performs
the statements, assigns the phis of the next block together, and returns the number of the next
segment, or CALL or RETURN with what belongs to it in the state.  What ends a run is an
`Interruption`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Protocol

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import Bind, Block, Call, Function, Operand, Site, Statement, Validity
from seahorn_py.ir.regions import Contents, Value
from seahorn_py.ir.traverse import definitions

CALL = -1
RETURN = -2
NO_VALUE = -1


class State(Protocol):
    """What a segment may ask of the run it belongs to."""

    callee: str | int
    arguments: tuple[Value, ...]
    values: tuple[Value, ...]

    def load(self, address: int, size: int) -> int:
        """Read memory."""

    def load_pointer(self, address: int, size: int) -> int:
        """Read a pointer from memory."""

    def expect_set(self) -> None:
        """A check has found a pointer to be null."""

    def made(self, pointer: int) -> int:
        """A pointer that is made of a number."""

    def store(self, address: int, size: int, value: int) -> None:
        """Write memory."""

    def copy(self, target: int, source: int, size: int) -> None:
        """Copy memory."""

    def fill(self, target: int, byte: int, size: int) -> None:
        """Set memory."""

    def alloca(self, size: int, align: int) -> int:
        """Make a stack object."""

    def valid(self, kind: Validity, address: int, size: int) -> bool:
        """Whether memory is as `kind` asks."""

    def scope(self, address: int, live: bool) -> None:
        """Let a stack object begin to live, or die."""

    def read(self, site: Site, mask: int) -> int:
        """Read an input."""

    def havoc(self, address: int, size: int, site: Site) -> None:
        """Make memory arbitrary."""

    def havoc_region(
        self, region: Contents, address: int, size: int, site: Site, count: int
    ) -> Contents:
        """Make elements of `count` bytes arbitrary."""


Step = Callable[[list[Value], State], int]


@dataclass(frozen=True)
class Segment:
    """A piece of a block: `label` is set if it begins the block, `call` if it ends in a call."""

    block: Block
    label: str | None
    statements: tuple[Statement, ...]
    call: Call | None
    cost: int


@dataclass
class Code:
    """A function ready to run; `steps[k]` is filled when segment `k` is first needed."""

    function: Function
    slots: Mapping[str, int]
    segments: tuple[Segment, ...]
    starts: Mapping[str, int]
    steps: list[Step | None]
    _incoming: dict[str, tuple[Mapping[str, Operand], ...]] = field(default_factory=dict)

    def incoming(self, label: str) -> tuple[Mapping[str, Operand], ...]:
        """For each phi of a block, the operand that belongs to each predecessor."""
        found = self._incoming.get(label)
        if found is None:
            phis = self.segments[self.starts[label]].block.phis
            found = self._incoming[label] = tuple(dict(phi.incoming) for phi in phis)
        return found


def code_of(function: Function) -> Code:
    """Number the registers and cut the blocks."""
    registers = [*function.parameters]
    segments: list[Segment] = []
    starts: dict[str, int] = {}
    for block in function.blocks:
        registers.extend(definitions(block))
        starts[block.label] = len(segments)
        segments.extend(_cut(block))
    slots = {register.name: k for k, register in enumerate(registers)}
    return Code(function, slots, tuple(segments), starts, [None] * len(segments))


def _cut(block: Block) -> list[Segment]:
    segments: list[Segment] = []
    label: str | None = block.label
    waiting: list[Statement] = []
    for statement in block.statements:
        if isinstance(statement, Call):
            cost = len(waiting) + 1
            segments.append(Segment(block, label, tuple(waiting), statement, cost))
            label, waiting = None, []
        elif not isinstance(statement, Bind):
            waiting.append(statement)
    segments.append(Segment(block, label, tuple(waiting), None, len(waiting) + 1))
    return segments
