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
from seahorn_py.frontend.compiling.support import LIBRARY_FOLDER
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
_INSTRUCTION = pattern(r"^ +(?![ #])([^!\n]*)(?:.*!dbg !(\d+))?", re.MULTILINE)
_LIBRARY_FILE = pattern(rf'^!(\d+) = !DIFile\(filename: "{LIBRARY_FOLDER}', re.MULTILINE)
_SCOPE = pattern(
    r"^!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock)\(.*?\bfile: !(\d+)", re.MULTILINE
)
_LOCATION = pattern(r"^!(\d+) = (?:distinct )?!DILocation\(.*?\bscope: !(\d+)", re.MULTILINE)
_OURS = "@sea."  # a call of ours
_UNRELATED = pattern(r"align \d+|#\d+|\bsea\.\w+|\[\d+ x |%[-\w.$]+|@[-\w.$]+|\"[^\"]*\"")
_STRING = pattern(r'^@[^\n]*\bc"([^"\n]*)"', re.MULTILINE)
_ESCAPED = pattern(r"\\([0-9A-Fa-f]{2})")
_CHARACTERS = ("i8", "")  # types of sites: a character, a block of them
_DELETE = 127
_IN_SET = 50  # occurrences that a character of a set counts for
_OWN = 100  # the same for a constant in the program's own code
_IN_A_ROW = 3, 2  # characters that code names one after the other and that make a word
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

    Canonical as 128-bit integers; at most `limit`.  Those of the program come before those of the
    library, and those that occur most often first.
    """
    own, others = map(Counter, _constants(text))
    ranked = [n for found in (own, others) for n, _ in found.most_common() if abs(n) < _LARGEST]
    ranked = list(dict.fromkeys(ranked))[:limit]
    return tuple(number & MASK for number in list(dict.fromkeys(_neighbours(ranked)))[:limit])


def _constants(text: str) -> tuple[list[int], list[int]]:
    """The constants in the program's own instructions, and in those of the library, in order.

    A line without a place of its own is part of the next one that has a place: a case of a
    `switch`.  Numbers of sites and checks are none.
    """
    library = _in_library(text)
    own, others, waiting = list[int](), list[int](), list[int]()
    for instruction, place in _INSTRUCTION.findall(text):
        if _OURS not in instruction:
            waiting += map(int, _NUMBER.findall(_UNRELATED.sub(" ", instruction)))
        if place:
            (others if place in library else own).extend(waiting)
            waiting = []
    return [*own, *waiting], others


def _in_library(text: str) -> frozenset[str]:
    """The numbers of the debug locations in the library."""
    files = set(_LIBRARY_FILE.findall(text))
    scopes = {scope for scope, file in _SCOPE.findall(text) if file in files}
    return frozenset(place for place, scope in _LOCATION.findall(text) if scope in scopes)


def _neighbours(numbers: Iterable[int]) -> Iterator[int]:
    ranked = list(numbers)
    yield from ranked
    for number in ranked:
        yield from (number + 1, number - 1)
    for number in ranked:
        yield -number


def texts(lowered: Lowered, limit: int = 512) -> tuple[bytes, ...]:
    """What texts are drawn from: characters, the likely ones first, and words of 2 to 31 of them.

    Words are those in the strings of the program, names first, and characters that its code names
    one after the other, as it does where it looks for `://`; of formats the run time makes what
    they read (`text.c`).  The program's own characters are likelier than those of strings that may
    be sets (`strtok`, `getopt`) or formats, since they have others than letters and digits; these
    are likelier than those of the library.  There are none where the environment gives no
    characters.
    """
    if not any(site.kind is SiteKind.EXTERN and site.type in _CHARACTERS for site in lowered.sites):
        return ()
    text = lowered.native
    strings = [_ESCAPED.sub(_unescaped, found).rstrip("\0") for found in _STRING.findall(text)]
    short = [string for string in strings if len(string) < TEXT_SIZE]
    names = [string for string in short if string.isalnum()]
    parts = [word for string in short for word in (string, *string.split())]
    own, others = (_characters(numbers) for numbers in _constants(text))
    seen = Counter(others)
    seen.update({c: _OWN + count for c, count in Counter(own).items()})
    for string in short:
        if not string.isalnum():
            seen.update({c: _IN_SET for c in string if ord(" ") < ord(c) < _DELETE})
    characters = (c for c, _ in seen.most_common())
    asked = ("".join(own[i : i + n]) for n in _IN_A_ROW for i in range(len(own) - n + 1))
    words = dict.fromkeys((*names, *parts, *asked))
    chosen = [*characters, *(word for word in words if len(word) > 1)]
    return tuple(word.encode("latin-1") for word in chosen if "\0" not in word)[:limit] or (b" ",)


def _characters(numbers: Iterable[int]) -> list[str]:
    return [chr(number) for number in numbers if ord(" ") < number < _DELETE]


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))
