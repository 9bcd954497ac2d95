"""One line of a program's text, word by word: names, types, operands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.ir.printer import PLAIN
from seahorn_py.ir.program import Address, FloatConst, IntConst, Operand, Register
from seahorn_py.ir.types import (
    POINTER,
    FloatKind,
    FloatType,
    IntType,
    RegionType,
    Scalar,
    Type,
)

UNKNOWN = IntType(0)
"""The type of a register until its definition is known."""

NAME = rf"(?:{PLAIN}|'[^']*')"
_WORDS = pattern(
    rf"\s*(?:(?P<register>%{NAME})|(?P<address>(?:@{NAME}|null(?![\w.$@#!~/|&^-]))(?:\+-?\d+)?)"
    rf"|(?P<mark>:=|->|[][(){{}},:=+*?])|(?P<word>{NAME}))"
)
_INTEGER_TYPE = pattern(r"i([1-9]\d{0,3})")
_FLOATS = {kind.value: FloatType(kind) for kind in FloatKind}

Item = TypeVar("Item")


class ParseError(InputError):
    """A text that is no program; the message names the line."""


class Words:
    """A line that is read from left to right.  ParseError where it goes on in another way."""

    def __init__(self, line: str) -> None:
        self._words = list(_split(line))
        self._next = 0

    @property
    def kind(self) -> str:
        """`register`, `address`, `mark` or `word`: what comes next; "" at the end."""
        return self._words[self._next][0] if self._next < len(self._words) else ""

    def take(self, kind: str = "word") -> str:
        """The next word, which must be of this kind."""
        if self.kind != kind:
            raise ParseError(f"expected a {kind} {self._where()}")
        self._next += 1
        return self._words[self._next - 1][1]

    def skip(self, text: str) -> bool:
        """Whether this word comes next, which is then passed."""
        is_next = self._next < len(self._words) and self._words[self._next][1] == text
        self._next += is_next
        return is_next

    def expect(self, *texts: str) -> None:
        """Pass these words."""
        for text in texts:
            if not self.skip(text):
                raise ParseError(f"expected {text} {self._where()}")

    def end(self) -> None:
        """Nothing more may come."""
        if self.kind:
            raise ParseError(f"expected the end of the line {self._where()}")

    def several(self, item: Callable[[], Item]) -> tuple[Item, ...]:
        """One or more of something, with commas between them."""
        found = [item()]
        while self.skip(","):
            found.append(item())
        return tuple(found)

    def upto(self, closing: str, item: Callable[[], Item]) -> tuple[Item, ...]:
        """Any number of something, with commas between them, and what ends the list."""
        found = () if self.skip(closing) else self.several(item)
        if found:
            self.expect(closing)
        return found

    def _where(self) -> str:
        read = " ".join(text for _, text in self._words[: self._next])
        return f"behind `{read[-60:]}`" if read else "at the start of the line"

    # ------------------------------------------------------------------------ names and numbers

    def name(self) -> str:
        """A name, without the quotes that the printer put around it."""
        return unquoted(self.take())

    def number(self) -> int:
        """A decimal number."""
        return integer(self.take())

    def kind_of_value(self) -> Type:
        """A type."""
        if self.skip("region"):
            self.expect("of")
            return RegionType(self._scalar())
        return self._scalar()

    def has_type(self) -> bool:
        """A type comes next."""
        text = self._words[self._next][1] if self.kind == "word" else ""
        is_scalar = text == "ptr" or text in _FLOATS or _INTEGER_TYPE.fullmatch(text) is not None
        return is_scalar or text == "region"

    def type_or_none(self) -> Type | None:
        """A type, if one comes next."""
        return self.kind_of_value() if self.has_type() else None

    def _scalar(self) -> Scalar:
        text = self.take()
        width = _INTEGER_TYPE.fullmatch(text)
        if width is not None:
            return IntType(int(width[1]))
        if text != "ptr" and text not in _FLOATS:
            raise ParseError(f"no type: {text[:40]}")
        return POINTER if text == "ptr" else _FLOATS[text]

    # --------------------------------------------------------------------------------- operands

    def register(self, kind: Type = UNKNOWN) -> Register:
        """A register."""
        return Register(unquoted(self.take("register")[1:]), kind)

    def typed(self) -> Operand:
        """A type and an operand of it."""
        return self.operand(self.kind_of_value())

    def operand(self, kind: Type | None = None) -> Operand:
        """An operand; a constant has its own type in front of it, or else this one."""
        if self.kind == "register":
            return self.register(kind or UNKNOWN)
        if self.kind == "address":
            return _address(self.take("address"))
        told = self.type_or_none()
        return _constant(self.take(), told or kind)


def unquoted(text: str) -> str:
    """The name that `printer.name` printed so."""
    if not text.startswith("'"):
        return text
    return str(json.loads(f'"{text[1:-1]}"'))


def integer(text: str) -> int:
    """A decimal number of at most 60 digits."""
    if not re.fullmatch(r"-?[0-9]{1,60}", text):
        raise ParseError(f"no number: {text[:40]}")
    return int(text)


def _split(line: str) -> Iterator[tuple[str, str]]:
    at = 0
    line = line.rstrip()
    while at < len(line):
        found = _WORDS.match(line, at)
        if found is None or found.lastgroup is None:
            raise ParseError(f"cannot read `{line[at : at + 40].strip()}`")
        yield found.lastgroup, found[found.lastgroup]
        at = found.end()


def _address(text: str) -> Address:
    symbol, plus, offset = text.rpartition("+") if re.search(r"\+-?\d+$", text) else (text, "", "")
    name = None if symbol == "null" else unquoted(symbol[1:])
    return Address(name, integer(offset) if plus else 0)


def _constant(text: str, kind: Type | None) -> Operand:
    match kind:
        case IntType(width):
            return IntConst(integer(text) % (1 << width), kind)
        case FloatType() if re.fullmatch(r"0x[0-9a-f]{1,20}", text):
            return FloatConst(int(text, 16), kind)
        case _:
            raise ParseError(f"a constant without its type: {text[:40]}")
