"""Reads operands: registers, literals, aggregates and constant expressions.

LLVM Language Reference Manual, "Constants" and "Constant Expressions".
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from seahorn_py.base.errors import InputError, InternalError, UnsupportedError
from seahorn_py.frontend.llvmtext.layout import (
    MAX_STRUCT_LEAVES,
    TOO_LARGE,
    ArrayType,
    LlvmType,
    StructType,
    Types,
    VoidType,
)
from seahorn_py.frontend.llvmtext.tokens import VALUE_WORDS, Cursor, string_bytes, symbol_name
from seahorn_py.frontend.reading.denotations import (
    Undefined,
    Value,
    combined,
    converted,
    displaced,
    integer,
    is_zero,
    signed,
    zero,
)
from seahorn_py.ir.program import NULL, Address, BinaryOp, Bytes, CastOp, FloatConst, IntConst
from seahorn_py.ir.types import FloatKind, FloatType, IntType, PointerType, RegionType, Type

BINARY_WORDS = {op.value: op for op in BinaryOp}
CAST_WORDS = {op.value: op for op in CastOp} | {"ptrtoaddr": CastOp.PTRTOINT}

_UNDEFINED = ("undef", "poison")
_FLAGS = ("inbounds", "nuw", "nsw", "nusw", "exact", "disjoint", "nneg", "samesign")
_CODES = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "float": "I", "double": "Q"}
RUN = 1024
"""Strings and arrays of numbers become runs of bytes from so many elements on."""

Leaves = list[tuple[int, Value | Bytes]]


class Constants:
    """Reads the constants of one module; `aliases` are other names of symbols.

    `mention` is told every symbol that occurs.
    """

    def __init__(
        self, types: Types, aliases: Mapping[str, str], mention: Callable[[str], None]
    ) -> None:
        self.types = types
        self._alias_text = aliases
        self._mention = mention
        self._known_integers: dict[tuple[str, int], IntConst] = {}

    def scalar(self, kind: Type, cursor: Cursor) -> Value:
        """Read a constant of a scalar type."""
        token = cursor.next()
        if isinstance(kind, IntType):
            known = self._known_integers.get((token, kind.width))
            if known is not None:
                return known
        if token in _UNDEFINED:
            return Undefined(kind)
        if token == "zeroinitializer":
            return zero(kind)
        if token in VALUE_WORDS and token not in ("true", "false", "null"):
            return self._expression(token, cursor)
        match kind:
            case IntType():
                return self._integer(token, kind, cursor)
            case FloatType():
                return FloatConst(float_bits(token, kind), kind)
            case PointerType():
                return self._pointer(token, cursor)
            case RegionType():
                raise InternalError("a region is no type of LLVM")

    def leaves(self, kind: LlvmType, cursor: Cursor) -> list[tuple[int, Value]]:
        """Read a constant of any type as its scalars by byte offset."""
        if self.types.count(kind) > MAX_STRUCT_LEAVES:
            raise UnsupportedError(TOO_LARGE)
        out: Leaves = []
        self._collect(kind, cursor, 0, True, out)
        return [(at, value) for at, value in out if not isinstance(value, Bytes)]

    def initial(self, kind: LlvmType, cursor: Cursor) -> Leaves:
        """Read a constant of any type by byte offset, without the scalars that are 0.

        Long strings and arrays of numbers are runs of bytes.
        """
        out: Leaves = []
        self._collect(kind, cursor, 0, False, out)
        return out

    def symbol(self, token: str) -> Value:
        """The address `@name`, an alias replaced by what it names."""
        name = symbol_name(token)
        text = self._alias_text.get(name)
        if text is None:
            self._mention(name)
            return Address(name)
        if "ifunc " in text.partition("(")[0]:
            raise UnsupportedError(f"{name}: an ifunc is not supported")
        cursor = Cursor.of(text)
        while not cursor.accept("alias"):
            cursor.skip_attribute()
        self.types.read(cursor)
        if cursor.peek() == "(":
            cursor.skip_balanced()
        cursor.expect(",")
        return self.scalar(self.types.read_scalar(cursor), cursor)

    # ------------------------------------------------------------------------------- scalars

    def _integer(self, token: str, kind: IntType, cursor: Cursor) -> IntConst:
        if token in ("true", "false"):
            return IntConst(int(token == "true"), kind)
        try:
            number = self._known_integers[token, kind.width] = integer(int(token), kind)
            return number
        except ValueError:
            message = f"LLVM text: not an integer constant: {token!r} in: {cursor.text}"
            raise InputError(message) from None

    def _pointer(self, token: str, cursor: Cursor) -> Value:
        if token == "null":
            return NULL
        if token.startswith("@"):
            return self.symbol(token)
        raise InputError(f"LLVM text: not an address: {token!r} in: {cursor.text}")

    # ---------------------------------------------------------------------------- aggregates

    def _collect(self, kind: LlvmType, cursor: Cursor, at: int, zeros: bool, out: Leaves) -> None:
        if not isinstance(kind, StructType | ArrayType | VoidType):
            value = self.scalar(kind, cursor)
            if zeros or not is_zero(value):
                out.append((at, value))
            return
        token = cursor.next()
        if token == "zeroinitializer":
            if zeros:
                out.extend((at + o, zero(leaf)) for o, leaf in self.types.leaves(kind))
        elif token in _UNDEFINED:
            if zeros:
                out.extend((at + o, Undefined(leaf)) for o, leaf in self.types.leaves(kind))
        elif token.startswith('c"'):
            _string(token, at, zeros, out)
        elif token in ("{", "[", "<"):
            self._elements(token, kind, cursor, at, zeros, out)
        elif token[0] == "[" and isinstance(kind, ArrayType):
            self._numbers(token, kind, at, zeros, out)
        else:
            raise InputError(f"LLVM text: not an aggregate: {token!r} in: {cursor.text}")

    def _numbers(self, token: str, kind: ArrayType, at: int, zeros: bool, out: Leaves) -> None:
        """An array of numbers, which is one token."""
        data = None if zeros or kind.count < RUN else packed(token, kind, self.types)
        if data is not None:
            out.append((at, Bytes(data)))
            return
        cursor = Cursor.of(f"[ {token[1:]}")
        self._elements(cursor.next(), kind, cursor, at, zeros, out)

    def _elements(
        self,
        token: str,
        kind: LlvmType,
        cursor: Cursor,
        at: int,
        zeros: bool,
        out: Leaves,
    ) -> None:
        if token == "<":
            cursor.expect("{")
        closing = "]" if token == "[" else "}"
        index = 0
        while not cursor.accept(closing):
            element = self.types.read(cursor)
            self._collect(element, cursor, at + self._element_offset(kind, index), zeros, out)
            cursor.accept(",")
            index += 1
        if token == "<":
            cursor.expect(">")

    def _element_offset(self, kind: LlvmType, index: int) -> int:
        match kind:
            case StructType():
                return self.types.offset(kind, index)
            case ArrayType(_, element):
                return index * self.types.size(element)
            case _:
                raise InputError("LLVM text: elements of something that has none")

    # --------------------------------------------------------------------------- expressions

    def _expression(self, word: str, cursor: Cursor) -> Value:
        while cursor.peek() in _FLAGS:
            cursor.next()
        if word == "getelementptr":
            return self._address(cursor)
        if word in CAST_WORDS:
            cursor.expect("(")
            value = self.scalar(self.types.read_scalar(cursor), cursor)
            cursor.expect("to")
            kind = self.types.read_scalar(cursor)
            cursor.expect(")")
            return converted(CAST_WORDS[word], value, kind, self.types.word)
        if word in BINARY_WORDS:
            cursor.expect("(")
            left = self.scalar(self.types.read_scalar(cursor), cursor)
            cursor.expect(",")
            right = self.scalar(self.types.read_scalar(cursor), cursor)
            cursor.expect(")")
            return combined(BINARY_WORDS[word], left, right)
        if word in ("dso_local_equivalent", "no_cfi"):
            return self.symbol(cursor.next())
        raise UnsupportedError(f"the constant {word} is not supported")

    def _address(self, cursor: Cursor) -> Value:
        if cursor.peek() == "inrange":
            cursor.next()
            cursor.skip_balanced()
        cursor.expect("(")
        source = self.types.read(cursor)
        cursor.expect(",")
        base = self.scalar(self.types.read_scalar(cursor), cursor)
        constant, position = 0, Position(self.types, source)
        while cursor.accept(","):
            index = self.scalar(self.types.read_scalar(cursor), cursor)
            if not isinstance(index, IntConst):
                raise UnsupportedError("an address constant with an index that is no number")
            constant += position.step(index)
        cursor.expect(")")
        return displaced(base, constant, self.types.word)


def _string(token: str, at: int, zeros: bool, out: Leaves) -> None:
    data, byte = string_bytes(token), IntType(8)
    if len(data) >= RUN and not zeros:
        out.append((at, Bytes(data)))
        return
    out.extend((at + i, IntConst(char, byte)) for i, char in enumerate(data) if char or zeros)


def packed(token: str, kind: ArrayType, types: Types) -> bytes | None:
    """The bytes of an array of numbers `[i32 1, i32 2]`; None if it has something else in it."""
    element = kind.element
    code = _CODES.get(str(element))
    if code is None or types.size(element) != struct.calcsize(code):
        return None
    words = token[1:-1].replace(f"{element} ", "").split(", ")
    try:
        if isinstance(element, FloatType):
            numbers = [float_bits(word, element) for word in words]
        else:
            numbers = list(map(int, words))
        return struct.pack(f"<{len(numbers)}{code}", *numbers)
    except (ValueError, InputError, struct.error):
        return None


class Position:
    """Where the indices of a getelementptr have led so far."""

    def __init__(self, types: Types, source: LlvmType) -> None:
        self.types = types
        self._kind: LlvmType = ArrayType(0, source)

    def step(self, index: IntConst) -> int:
        """Take a constant index; the bytes it adds."""
        if isinstance(self._kind, StructType):
            struct_type, number = self._kind, index.value
            offset = self.types.offset(struct_type, number)
            self._kind = struct_type.members[number]
            return offset
        return signed(index) * self.stride()

    def size(self) -> int:
        """The bytes of the array that the next index is of; 0 if its length is not known."""
        return self.types.size(self._kind)

    def stride(self) -> int:
        """Take an array index; the bytes that each unit adds."""
        if not isinstance(self._kind, ArrayType):
            raise InputError("LLVM text: getelementptr with an index too many")
        self._kind = self._kind.element
        return self.types.size(self._kind)


def float_bits(token: str, kind: FloatType) -> int:
    """The bits of a float literal: decimal, `0x` (as a double, whatever the type) or `0xK`."""
    if token.startswith("0xK"):
        return int(token[3:], 16)
    try:
        bits = int(token, 16) if token.startswith("0x") else _double_bits(float(token))
    except ValueError:
        raise InputError(f"LLVM text: not a float constant: {token!r}") from None
    if kind.kind is FloatKind.DOUBLE:
        return bits
    if kind.kind is FloatKind.X87:
        raise UnsupportedError(f"the x87 constant {token} is not supported")
    return _single_bits(bits)


def _double_bits(value: float) -> int:
    return int.from_bytes(struct.pack(">d", value), "big")


def _single_bits(double: int) -> int:
    """A double that a float represents exactly; the payload of a NaN keeps its upper bits."""
    exponent = double >> 52 & 0x7FF
    if exponent == 0x7FF:
        return (double >> 32 & 0x80000000) | 0x7F800000 | (double >> 29 & 0x7FFFFF)
    value: float = struct.unpack(">d", double.to_bytes(8, "big"))[0]
    return int.from_bytes(struct.pack(">f", value), "big")
