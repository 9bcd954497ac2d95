"""Formats of `scanf` and `printf` that a program writes out, as calls of models of their parts.

Input becomes one store for each conversion; what `printf` returns is the sum of the lengths of what
it writes.  A format that is not constant, or has a conversion without a model, is None.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass

_SCANNED = pattern(
    r"%(?P<star>\*?)(?P<width>\d*)(?P<length>hh|h|ll|l|j|z|t|q|L|)(?P<letter>.)", re.DOTALL
)
_PRINTED = pattern(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:(?P<dot>\.)(?P<precision>\*|\d*))?"
    r"(?P<length>hh|h|ll|l|L|j|z|t|q|)(?P<letter>.|$)",
    re.DOTALL,
)
_INTEGERS = {"hh": "i8", "h": "i16", "": "i32", "ll": "i64", "j": "i64", "q": "i64"}
_WORDS = ("l", "z", "t")
_FLOATS = {"": "float", "l": "double"}
_BASES = {"d": 10, "i": 10, "u": 10, "x": 16, "X": 16, "o": 8}
_FLAGS = {"-": 1, "+": 2, " ": 4, "#": 8, "0": 16}
_CAPITALS = 32
_FEW = {10: 9, 16: 7, 8: 9}
"""How many digits a number that fits 32 bits may have, by base."""


@dataclass(frozen=True)
class Conversion:
    """Which model stores the value, and the text of its further arguments."""

    name: str
    further: str = ""


def scanned(text: str, word: str) -> list[Conversion] | None:
    """The conversions of a format of `scanf` that store something."""
    found: list[Conversion] = []
    for match in _SCANNED.finditer(text):
        if match["letter"] == "%":
            continue
        conversion = _scanned(match["letter"], match["length"], match["width"], word)
        if conversion is None:
            return None
        if not match["star"]:
            found.append(conversion)
    return found if text else None


def _scanned(letter: str, length: str, width: str, word: str) -> Conversion | None:
    match letter:
        case "d" | "i" | "u" | "x" | "X" | "o":
            bits = word if length in _WORDS else _INTEGERS.get(length)
            return _few(bits, _BASES[letter], width) if bits else None
        case "f" | "F" | "e" | "E" | "g" | "G" | "a" | "A" if not width:
            kind = _FLOATS.get(length)
            return Conversion(kind) if kind else None
        case "c" if not length:
            return Conversion("characters", f", {word} {width}") if width else Conversion("i8")
        case "s" if not length:
            return Conversion("word", f", {word} {width or -1}")
        case _:
            return None


def _few(bits: str, base: int, width: str) -> Conversion:
    """An integer of at most so many characters, one of which may be a sign."""
    if not width or int(width) > _FEW[base]:
        return Conversion(bits)
    largest, smallest = base ** int(width) - 1, 1 - base ** (int(width) - 1)
    return Conversion(f"few.{bits}", f", i32 {smallest}, i32 {largest}")


@dataclass(frozen=True)
class Length:
    """A part of what `printf` writes: the model of its length, and what the model is given.

    `arguments` are texts of constants, or None for the next argument of the call, of type `kinds`.
    """

    name: str
    kinds: tuple[str, ...]
    arguments: tuple[str | None, ...]
    bits: str = ""
    """The width of an integer that is written, before it is widened to 64 bits."""

    extended: str = "zext"


def printed(text: str, word: str) -> tuple[int, list[Length]] | None:
    """How many characters a format of `printf` has beside its conversions, and these."""
    found: list[Length] = []
    literal = len(text.encode())
    for match in _PRINTED.finditer(text):
        literal -= len(match[0].encode())
        if match[0] == "%%":
            literal += 1
            continue
        length = _printed(match, word)
        if length is None:
            return None
        found.append(length)
    return (literal, found) if text else None


@dataclass(frozen=True)
class Literal:
    """Characters that are written as they stand in the format, from a byte of it on."""

    start: int
    size: int


def written(text: str, word: str) -> list[Literal | Length] | None:
    """The parts that a format of `snprintf` writes into memory, in order."""
    found: list[Literal | Length] = []
    at = 0
    for match in _PRINTED.finditer(text):
        is_percent = match[0] == "%%"
        end = match.start() + is_percent
        found += _literal(text, at, end)
        at = match.end()
        if is_percent:
            continue
        length = _printed(match, word)
        if length is None or length.name in ("pointer", "float"):
            return None
        found.append(_with_flags(length, match))
    return [*found, *_literal(text, at, len(text))] if text else None


def _literal(text: str, start: int, end: int) -> list[Literal | Length]:
    before, size = (len(part.encode()) for part in (text[:start], text[start:end]))
    return [Literal(before, size)] if size else []


def _with_flags(length: Length, match: re.Match[str]) -> Length:
    """A part with all its flags, which its length does not need."""
    flags = _flags(match) | _CAPITALS * (match["letter"] == "X")
    if length.bits:
        at = len(length.arguments) - 3
        arguments = (*length.arguments[:at], str(flags), *length.arguments[at + 1 :])
        return replace(length, arguments=arguments)
    kinds = (length.kinds[0], "i32", *length.kinds[1:])
    return replace(length, kinds=kinds, arguments=(None, str(flags), *length.arguments[1:]))


def _flags(match: re.Match[str]) -> int:
    return sum(bit for flag, bit in _FLAGS.items() if flag in match["flags"])


def _printed(match: re.Match[str], word: str) -> Length | None:
    letter, length = match["letter"], match["length"]
    width = None if match["width"] == "*" else match["width"] or "0"
    precision = None if match["precision"] == "*" else match["precision"] or "0"
    if not match["dot"]:
        precision = "-1"
    flags = str(_flags(match))
    bits = word if length in _WORDS else _INTEGERS.get(length, "")
    match letter:
        case "d" | "i" if bits:
            return Length(
                "signed",
                ("i64", "i32", "i32", "i32"),
                (None, flags, width, precision),
                bits,
                "sext",
            )
        case "u" | "x" | "X" | "o" if bits:
            kinds = ("i64", "i32", "i32", "i32", "i32")
            base = "10" if letter == "u" else "8" if letter == "o" else "16"
            return Length("unsigned", kinds, (None, base, flags, width, precision), bits)
        case "c" if not length:
            return Length("character", ("i32", "i32"), (None, width))
        case "s" if not length:
            return Length("text", ("ptr", "i32", "i32"), (None, width, precision))
        case "p" if not length:
            return Length("pointer", ("ptr", "i32"), (None, width))
        case "f" | "F" | "e" | "E" | "g" | "G" | "a" | "A" if length in ("", "l"):
            return Length("float", ("double", "i32", "i32"), (None, width, precision))
        case _:
            return None


def taken(length: Length) -> Sequence[int]:
    """Which of its arguments a part takes from the call, in the order in which the call has them.

    Width and precision come before the value.
    """
    given = [k for k, argument in enumerate(length.arguments) if argument is None]
    return [*given[1:], given[0]]
