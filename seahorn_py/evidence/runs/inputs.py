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

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering.arguments import AMOUNTS
from seahorn_py.ir.program import SiteKind
from seahorn_py.ir.run import Feed

MASK = (1 << 128) - 1
TEXT_SIZE = 32
"""Bytes of a text for drawing; a shorter one ends with 0."""

_LARGEST = 1 << 127
SHIFTS = frozenset({"shl", "lshr", "ashr"})
"""Names of what shifts by too much give; every run reads it as 0."""

_UNINTERPRETED = "__CPROVER_uninterpreted_"
_INSTRUCTION = pattern(r"^ +(?![ #])([^!\n]*)", re.MULTILINE)
_UNRELATED = pattern(r"align \d+|#\d+|\bsea\.\w+|\[\d+ x |%[-\w.$]+|@[-\w.$]+|\"[^\"]*\"")
_STRING = pattern(r'^@[^\n]*\bc"([^"\n]*)"', re.MULTILINE)
_ESCAPED = pattern(r"\\([0-9A-Fa-f]{2})")
_CHARACTERS = ("i8", "")  # types of sites: a character, a block of them
_DELETE = 127
_IN_SET = 50  # occurrences that a character of a set counts for
_NUMBER = pattern(r"(?<![\w.$%@#])-?\d+(?![\w.])")


@dataclass(frozen=True)
class Drawn:
    """Values drawn by the run time, after those that `given` has for a site.

    The sites in `zero` always read 0, those in `amounts` mostly a small number.  Where there are
    `texts`, every other seed makes a text of the characters that come in.  What is here makes the
    same run again.  One that is `watched` fails where it seems to access memory that is not valid,
    and all of its seeds make texts.
    """

    seed: int
    dictionary: tuple[int, ...] = ()
    given: Feed = field(default_factory=dict)
    zero: frozenset[int] = frozenset()
    amounts: frozenset[int] = frozenset()
    texts: tuple[bytes, ...] = ()
    watched: bool = False


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
    """The sites of the results of shifts by the width or more, and of uninterpreted functions.

    Real machines do not give every value there, and such a function gives equal results for equal
    arguments: a violation that needs any value but 0 is not to be trusted.
    """
    return frozenset(
        site.number
        for site in sites
        if site.kind is SiteKind.EXTERN
        and (site.name in SHIFTS or site.name.startswith(_UNINTERPRETED))
    )


def amounts(sites: Iterable[AnySite]) -> frozenset[int]:
    """The sites of what takes as long as it is large: how many arguments there are, how long."""
    return frozenset(
        site.number for site in sites if site.kind is SiteKind.EXTERN and site.name in AMOUNTS
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


def texts(lowered: Lowered, limit: int = 512) -> tuple[bytes, ...]:
    """What texts are drawn from: characters, the likely ones first, and words of 2 to 31 of them.

    Words are those in the strings of the program; of formats the run time makes what they read
    (`text.c`).  A string with other characters than letters and
    digits may be a set (`strtok`, `getopt`) or a format, so its characters are likelier than those
    among the constants.  There are none where the environment gives no characters.
    """
    if not any(site.kind is SiteKind.EXTERN and site.type in _CHARACTERS for site in lowered.sites):
        return ()
    text = lowered.native
    strings = [_ESCAPED.sub(_unescaped, found).rstrip("\0") for found in _STRING.findall(text)]
    short = [string for string in strings if len(string) < TEXT_SIZE]
    words = dict.fromkeys(word for string in short for word in (string, *string.split()))
    seen = Counter(chr(number) for number in _constants(text) if ord(" ") < number < _DELETE)
    for string in short:
        if not string.isalnum():
            seen.update({c: _IN_SET for c in string if ord(" ") < ord(c) < _DELETE})
    characters = (c for c, _ in seen.most_common())
    chosen = [*characters, *(word for word in words if len(word) > 1)]
    return tuple(word.encode("latin-1") for word in chosen if "\0" not in word)[:limit] or (b" ",)


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))
