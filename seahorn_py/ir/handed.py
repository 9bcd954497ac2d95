"""What functions without a body could have set, in a run in which they change nothing.

A run that goes on behind such a call is one of the program, with a function that does nothing.  So
numbers in memory that the function was given may be as they were.  But a pointer there may have
been left for the function to set, or to replace by one to a larger block, and a block may have been
left for it to free.  So a run tells no error of memory behind such a call

- once a pointer was read from what the function can reach, or made of a number;
- about blocks that are not freed, if the function can reach them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from seahorn_py.ir.program import Validity

OF_NULL = "null-deref"
"""The property of checks that compare a pointer with null."""

MOST_BYTES = 4096
"""If a call can reach more, it counts as one that can reach everything."""


class Reachable(Protocol):
    """A block of memory."""

    base: int
    data: bytearray
    live: bool


class Handed:
    """The blocks that calls so far can reach, and what was seen behind the first of them.

    `find` gives the live block in which an address lies, or at whose end.
    """

    def __init__(self, find: Callable[[int], Reachable | None], word: int) -> None:
        self._find = find
        self._word = word
        self._blocks: dict[int, Reachable] = {}  # by identity: addresses are used again
        self._is_all = False
        self.by = ""
        """The first function that was called so."""
        self.is_loose = False
        """A pointer was read that a function could have set."""

    def over(self, name: str, values: Iterable[int]) -> None:
        """A function is called that can reach what the values lead to, and all that it kept."""
        self.by = self.by or name
        waiting = [block for value in values if (block := self._find(value)) is not None]
        waiting.extend(block for block in self._blocks.values() if block.live)
        found: dict[int, Reachable] = {}
        left = MOST_BYTES
        while waiting and not self._is_all:
            block = waiting.pop()
            if id(block) in found:
                continue
            found[id(block)] = block
            left -= len(block.data)
            self._is_all = left < 0
            waiting.extend(() if self._is_all else self._targets(block.data))
        self._blocks.update(found)

    def reaches(self, block: Reachable) -> bool:
        """Whether a call so far can change or free the block."""
        return self._is_all or id(block) in self._blocks

    @property
    def reason(self) -> str:
        """Why a run tells no error."""
        return f"{self.by}, which has no body, may have set or freed what is invalid"

    def may_be_reason(self, kind: Validity, heap: Iterable[Reachable]) -> bool:
        """Whether a call may be the reason that memory is not as `kind` asks."""
        if self.by and kind in (Validity.NO_LEAK, Validity.NO_LOST):
            return any(block.live and self.reaches(block) for block in heap)
        return self.is_loose

    def copied(self, source: Reachable, target: Reachable) -> None:
        """What a function could have set is copied to another block."""
        if self.by and self.reaches(source):
            self._blocks[id(target)] = target

    def read(self, block: Reachable) -> None:
        """A pointer was read from a block."""
        self.is_loose = self.is_loose or self.reaches(block)

    def made(self, pointer: int) -> int:
        """A pointer was made of a number."""
        self.is_loose = self.is_loose or bool(self.by)
        return pointer

    def _targets(self, data: bytearray) -> Iterable[Reachable]:
        """The blocks to which the words at every byte lead, for pointers may be packed."""
        for start in range(len(data) - self._word + 1):
            block = self._find(int.from_bytes(data[start : start + self._word], "little"))
            if block is not None:
                yield block
