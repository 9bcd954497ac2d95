"""Where inputs come from: a feed (values by site and visit) or draws from a seed.

A dictionary holds the constants of a program and their neighbours, the most frequent first; drawn
inputs prefer them, since a comparison with a constant is what most conditions are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Protocol

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import SiteKind
from seahorn_py.ir.run import Feed

MASK = (1 << 128) - 1
_LARGEST = 1 << 127
_SHIFTS = frozenset({"shl", "lshr", "ashr"})
_INSTRUCTION = re.compile(r"^ +(?![ #])([^!\n]*)", re.MULTILINE)
_UNRELATED = re.compile(r"align \d+|#\d+|\bsea\.\w+|\[\d+ x |%[-\w.$]+|@[-\w.$]+|\"[^\"]*\"")
_NUMBER = re.compile(r"(?<![\w.$%@#])-?\d+(?![\w.])")


@dataclass(frozen=True)
class Drawn:
    """Values drawn by the run time, after those that `given` has for a site.

    The sites in `zero` always read 0.  The same seed, dictionary, given values and zero sites make
    the same run.
    """

    seed: int
    dictionary: tuple[int, ...] = ()
    given: Feed = field(default_factory=dict)
    zero: frozenset[int] = frozenset()


Inputs = Feed | Drawn


class AnySite(Protocol):
    """A site as the front end or the program has it."""

    @property
    def number(self) -> int:
        """Unique in the program."""

    @property
    def kind(self) -> SiteKind:
        """Why the value is arbitrary."""

    @property
    def name(self) -> str:
        """What is called, or the operation."""


def undefined_shifts(sites: Iterable[AnySite]) -> frozenset[int]:
    """The sites of the results of shifts by the width or more.

    Real machines do not give every value there: a violation that needs one of them is not to be
    trusted.
    """
    return frozenset(
        site.number for site in sites if site.kind is SiteKind.EXTERN and site.name in _SHIFTS
    )


def dictionary(text: str, limit: int = 1024) -> tuple[int, ...]:
    """The integer constants in the instructions of LLVM text, with neighbours and negatives.

    Canonical as 128-bit integers; at most `limit`, those that occur most often first.
    """
    found = Counter(number for number in _constants(text) if abs(number) < _LARGEST)
    ranked = [number for number, _ in found.most_common(limit)]
    return tuple(number & MASK for number in list(dict.fromkeys(_neighbours(ranked)))[:limit])


def _constants(text: str) -> Iterator[int]:
    for instruction in _INSTRUCTION.findall(text):
        for number in _NUMBER.findall(_UNRELATED.sub(" ", instruction)):
            yield int(number)


def _neighbours(numbers: Iterable[int]) -> Iterator[int]:
    ranked = list(numbers)
    yield from ranked
    for number in ranked:
        yield from (number + 1, number - 1)
    for number in ranked:
        yield -number
