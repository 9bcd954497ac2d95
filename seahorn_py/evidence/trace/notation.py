"""Values and objects as C would write them."""

from __future__ import annotations

import struct
from bisect import bisect_right

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.ir.memory import layout_of
from seahorn_py.ir.program import Address, Operand, Program, Variable
from seahorn_py.ir.types import FloatType, IntType, PointerType, Type

_AT_THE_END = pattern(
    r"(?:(?:f?getc|f?putc|(?:get|put)char)(?:_unlocked)?|ungetc|f?puts|v?[fs]?scanf|fclose|fflush)\(\)"
)
"""Calls that give EOF where a stream has ended or failed."""

READS_CHARACTER = pattern(r"(?:f?getc|getchar|_IO_getc)(?:_unlocked)?\(\)")
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_FLOATS = {32: ("<I", "<f"), 64: ("<Q", "<d")}


def shown(value: int, type_: Type, c_type: str = "", signed: bool | None = None) -> str:
    """A machine word as a C value of its type."""
    match type_:
        case IntType(width):
            if signed is None:
                signed = "unsigned" not in c_type and "_Bool" not in c_type
            if width > 1 and signed and value >> (width - 1):
                value -= 1 << width
            return str(value)
        case PointerType():
            return f"(void *)0x{value:x}" if value else "NULL"
        case FloatType():
            bits = {"float": 32, "double": 64}.get(c_type)
            if bits is None:
                return f"0x{value:x}"
            into, out = _FLOATS[bits]
            return repr(struct.unpack(out, struct.pack(into, value))[0])
        case _:
            return f"0x{value:x}"


def given(call: str, value: str) -> str:
    """The result of a call `f()` of the C library as one would write it in C."""
    if value == "-1" and _AT_THE_END.fullmatch(call):
        return "EOF"
    return character(value) if READS_CHARACTER.fullmatch(call) else value


def character(value: str) -> str:
    """A number as a character of C, where it is one; octal where it has no other form."""
    if not value.isdecimal() or int(value) > 255:
        return value
    return "'\\''" if value == "39" else "'\"'" if value == "34" else f"'{escaped(int(value))}'"


def escaped(code: int) -> str:
    """A byte inside the quotes of a string."""
    if code in _ESCAPES:
        return f"\\{_ESCAPES[code]}"
    return chr(code) if 32 <= code < 127 else f"\\{code:03o}"


@dataclass(frozen=True, slots=True)
class _Place:
    variable: Variable
    start: int
    size: int


class Objects:
    """What lies where in the memory of a run, as far as it has C names."""

    def __init__(self, program: Program) -> None:
        self._layout = layout_of(program)
        self._width = program.pointer_width
        self._locals: dict[str, _Place] = {}
        places = []
        for name, item in program.globals.items():
            start = self._layout.symbols[name]
            size = item.size if len(item.variables) == 1 else 0
            places += [_Place(v, start + offset, size) for offset, v in item.variables.items()]
        self._globals = sorted(places, key=lambda place: place.start)
        self._starts = [place.start for place in self._globals]

    def live(self, variable: Variable, start: int, size: int) -> None:
        """A local lies at an address from here on."""
        self._locals[f"{variable}:{variable.span}"] = _Place(variable, start, size)

    def address(self, operand: Operand) -> int | None:
        """The address that an operand is."""
        if not isinstance(operand, Address):
            return None
        base = 0 if operand.symbol is None else self._layout.symbols.get(operand.symbol)
        return None if base is None else base + operand.offset

    def element(self, address: int, type_: Type) -> tuple[str, str, bool | None] | None:
        """The name of the scalar at an address, its C type and sign; None if it has none."""
        before = bisect_right(self._starts, address)
        for place in (*self._globals[max(before - 1, 0) : before], *self._locals.values()):
            if place.start <= address < place.start + max(place.size, 1):
                return self._named(place, address - place.start, type_)
        return None

    def pointed_at(self, address: int) -> str:
        """The address of a variable that begins there, as C writes it; "" if none does."""
        before = bisect_right(self._starts, address)
        known = (*reversed(self._locals.values()), *self._globals[max(before - 1, 0) : before])
        for place in known:
            if place.start == address:
                name = str(place.variable).lstrip("&")
                return name if "[" in place.variable.c_type else f"&{name}"
        return ""

    def _named(
        self, place: _Place, offset: int, type_: Type
    ) -> tuple[str, str, bool | None] | None:
        name, c_type = str(place.variable).lstrip("&"), place.variable.c_type
        size = _bytes(type_, self._width)
        element, bracket, rest = c_type.partition("[")
        is_plain = bracket and "[" not in rest and not element.startswith(("struct", "union"))
        if is_plain and size and offset % size == 0:
            return f"{name}[{offset // size}]", element.strip(), None
        if not bracket and offset == 0 and not c_type.startswith(("struct", "union")):
            return name, c_type, place.variable.signed
        return None


def _bytes(type_: Type, pointer_width: int) -> int:
    match type_:
        case IntType(width):
            return width // 8
        case PointerType():
            return pointer_width // 8
        case _:
            return 0
