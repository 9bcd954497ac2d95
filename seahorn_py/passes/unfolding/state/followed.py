"""The run that is followed: where it stands, and all objects that any run has made."""

from __future__ import annotations

from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import TRUE, Operand
from seahorn_py.passes.unfolding.state.state import State
from seahorn_py.passes.unfolding.state.storage import Contents, Object


@dataclass
class Run:
    """The run that is followed; its `state` is that of the copy of a block that is being written.

    `escaped`: objects that functions without a body can reach, on some way.
    `is_outside`: some access was by a pointer that came from outside of the program.
    `frees_unseen`: the program does not show where lives of heap blocks end, so that a later block
    may have the address of an earlier one.
    `literals`: the functions and registers of compound literals.
    """

    state: State
    literals: frozenset[tuple[str, str]]
    objects: dict[int, Object] = field(default_factory=dict)
    escaped: set[int] = field(default_factory=set)
    is_outside: bool = False
    frees_unseen: bool = False

    def contents(self, number: int) -> Contents:
        """What the object with this number holds."""
        return self.state.memory[number]

    def replace(self, number: int, contents: Contents) -> None:
        """Let an object hold something new."""
        self.state.memory[number] = contents
        self.state.own.add(number)

    def size(self, number: int) -> Operand:
        """The size of an object in bytes, of the width of a pointer."""
        return self.state.sizes.get(number, self.objects[number].size)

    def live(self, number: int) -> Operand:
        """Whether an object lives, as an i1."""
        return self.state.live.get(number, TRUE)
