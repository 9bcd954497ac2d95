"""Constant formats of `sscanf`, as calls of models of their parts (`models/parsing.c`).

Each part is given where in the text those before it ended.  A format that is not constant, or has a
part without a model, is None: then the sources of a real library stand for the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass

_DIRECTIVE = pattern(
    r"(?P<space>[ \t-\r]+)|%(?P<star>\*?)(?P<width>\d*)(?P<length>hh|h|ll|l|j|z|t|q|)"
    r"(?:(?P<letter>[ducsn%])|\[(?P<inverse>\^?)(?P<set>\]?[^\]]*)\])|(?P<literal>[^% \t-\r]+)",
    re.DOTALL,
)
_BITS = {"hh": 8, "h": 16, "": 32, "ll": 64, "j": 64, "q": 64}
_MOST_RANGES = 4
_NONE = (1, 0)
"""A range of no character."""

_SPACE = ((9, 13), (32, 32))


@dataclass(frozen=True)
class Part:
    """A model of a part; `further` is the text of its constant arguments behind text and place.

    `literal` is where in the format the characters begin that it compares with, -1 for none.  One
    that `stores` takes a target from the call, and most of these count as a value read.
    """

    name: str
    further: str = ""
    literal: int = -1
    stores: bool = False
    counts: bool = False


def parsed(text: str, word: int) -> list[Part] | None:
    """The parts of a format for words of so many bits."""
    if not text.isascii():
        return None
    parts: list[Part] = []
    at = 0
    while at < len(text):
        found = _DIRECTIVE.match(text, at)
        own = None if found is None else _parts(found, word)
        if found is None or own is None:
            return None
        parts += own
        at = found.end()
    return parts


def _parts(found: re.Match[str], word: int) -> list[Part] | None:
    if found["space"]:
        return [Part("space")]
    if found["literal"]:
        return [_literal(found.start("literal"), len(found["literal"]), word)]
    stored = not found["star"]
    match found["letter"]:
        case "%" if not (found["width"] or found["length"] or found["star"]):
            return [Part("space"), _literal(found.start("letter"), 1, word)]
        case "d" | "u":
            return [_number(found, word)]
        case "c" if not found["length"] and found["width"] in ("", "1"):
            return [Part("character" if stored else "any", "", -1, stored, stored)]
        case "n" if stored and not (found["length"] or found["width"]):
            return [Part("place", stores=True)]
        case "s" if not found["length"]:
            return [Part("space"), _word(found, _SPACE, True)]
        case None if not found["length"]:
            ranges = _ranges(found["set"])
            return None if len(ranges) > _MOST_RANGES else [_word(found, ranges, False)]
        case _:
            return None


def _literal(at: int, size: int, word: int) -> Part:
    return Part("literal", f"i{word} {size}", at)


def _number(found: re.Match[str], word: int) -> Part:
    """A number is read as one of at least a word (the standard's `strtol`) and then stored."""
    bits = _BITS.get(found["length"], word)
    is_signed = found["letter"] == "d"
    greatest = (1 << (max(bits, word) - is_signed)) - 1
    stored = not found["star"]
    name = f"number.i{bits}" if stored else "number"
    further = f"i64 {found['width'] or 0}, i32 {int(is_signed)}, i64 {greatest}"
    return Part(name, further, -1, stored, stored)


def _word(found: re.Match[str], ranges: Iterable[tuple[int, int]], inverted: bool) -> Part:
    """Characters of a set, or of its complement."""
    numbers = _numbers(ranges)
    is_inverted = int(inverted or bool(found["inverse"]))
    further = f"i64 {found['width'] or 0}, {numbers}, i32 {is_inverted}"
    stored = not found["star"]
    return Part("word" if stored else "word.left.out", further, -1, stored, stored)


def _numbers(ranges: Iterable[tuple[int, int]]) -> str:
    """The texts of two numbers with two ranges each, a byte for each end."""
    ends = [end for one in ranges for end in one]
    ends += [end for _ in range(len(ends), 2 * _MOST_RANGES, 2) for end in _NONE]
    numbers = (int.from_bytes(bytes(ends[k : k + 4]), "little") for k in (0, 4))
    return ", ".join(f"i32 {number}" for number in numbers)


def _ranges(characters: str) -> list[tuple[int, int]]:
    """The ranges that characters between brackets make up, in order."""
    members = enumerate(sorted(set(_members(characters))))
    runs = (list(run) for _, run in groupby(members, lambda pair: pair[1] - pair[0]))
    return [(run[0][1], run[-1][1]) for run in runs]


def _members(characters: str) -> Iterator[int]:
    """The codes of the characters; `a-z` are those between, as libraries take it."""
    at = 0
    while at < len(characters):
        if characters[at + 1 : at + 2] == "-" and at + 2 < len(characters):
            yield from range(ord(characters[at]), ord(characters[at + 2]) + 1)
            at += 3
        else:
            yield ord(characters[at])
            at += 1
