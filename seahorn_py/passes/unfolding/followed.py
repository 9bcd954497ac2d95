"""The run that is followed: where it stands, and all objects that any run has made."""

from __future__ import annotations

from dataclasses import dataclass, field

from seahorn_py.ir.program import TRUE, Operand
from seahorn_py.passes.unfolding.state import State
from seahorn_py.passes.unfolding.storage import Contents, Object


@dataclass
class Run:
    """`state` changes from copy of a block to copy of a block.

    `is_outside`: some access
    was by a pointer that came from outside of the program.  `frees_unseen`: the program does not
    say where blocks of the heap end, after which another one may have the same address.
    """

    state: State
    objects: dict[int, Object] = field(default_factory=dict)
    is_outside: bool = False
    frees_unseen: bool = False

    def contents(self, number: int) -> Contents:
        """What an object holds."""
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
