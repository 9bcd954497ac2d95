"""Sequences of calls of the C library, and what was seen of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

MEMORY_WORDS = 16
ENVIRONMENT_WORDS = 2 + 2 * 8
ARGUMENTS = 4


class Library(Enum):
    """Whose functions a program calls."""

    GLIBC = "glibc"
    MUSL = "musl"


@dataclass(frozen=True, slots=True)
class Call:
    """An operation by its number, and its arguments as 64-bit words."""

    operation: int
    arguments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """Calls, with the words of the memory before them.

    `environment`: what standard input and output are, and two texts, of eight words each.
    """

    environment: tuple[int, ...]
    memory: tuple[int, ...]
    calls: tuple[Call, ...]

    def words(self) -> list[int]:
        """What a program of sequences reads after the environment."""
        found = [*self.memory, len(self.calls)]
        for call in self.calls:
            found += (call.operation, *call.arguments)
        return found


@dataclass(frozen=True, slots=True)
class Seen:
    """What a call showed: its results, `errno` and the memory after it; and what it told beside."""

    operation: int
    shown: tuple[int, ...]
    told: tuple[int, ...]

    @property
    def results(self) -> tuple[int, ...]:
        return self.shown[: -1 - MEMORY_WORDS]

    @property
    def errno(self) -> int:
        return self.shown[-1 - MEMORY_WORDS]

    @property
    def memory(self) -> tuple[int, ...]:
        return self.shown[-MEMORY_WORDS:]

    @property
    def is_whole(self) -> bool:
        """Whether the call came to its end."""
        return len(self.shown) > MEMORY_WORDS

    def __str__(self) -> str:
        if not self.is_whole:
            return f"did not end: {self.shown}"
        told = f", told {[signed(x) for x in self.told[:20]]}" if self.told else ""
        return f"= {[signed(x) for x in self.results]}, errno {self.errno}{told}"


def signed(word: int) -> int:
    """A 64-bit word as a number with a sign."""
    return word - (word >> 63 << 64)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was seen of the calls of a sequence, in order; whether it came to its end.

    `words` is the same as pairs of kind and value.
    """

    ended: bool
    words: tuple[int, ...]

    def calls(self) -> list[Seen]:
        found: list[tuple[int, list[int], list[int]]] = []
        for kind, value in zip(self.words[::2], self.words[1::2], strict=True):
            if kind == 0:
                found.append((value, [], []))
            else:
                found[-1][kind].append(value)
        return [Seen(number, tuple(shown), tuple(told)) for number, shown, told in found]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the models can give an outcome.

    `tried` is the number of attempts.  If none led there, `call` is the number of the call that
    went furthest, from 1, `wanted` the word that the real library showed and `got` the model's.
    """

    possible: bool
    tried: int
    call: int
    operation: int
    wanted: int
    got: int
