"""LLVM types and how the target lays them out in memory.

Sizes, alignments and offsets follow the module's `target datalayout` string (LLVM Language
Reference Manual, "Data Layout").  An aggregate is known by its *leaves*: its scalars by
byte offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seahorn_py.base.errors import InputError, InternalError, UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.tokens import END, Cursor, symbol_name
from seahorn_py.ir.types import (
    POINTER,
    FloatKind,
    FloatType,
    IntType,
    PointerType,
    RegionType,
    Type,
)


@dataclass(frozen=True, slots=True, eq=False)
class StructType:
    """Members in order; a packed struct has no padding.

    `Types` makes one object for equal types, so that comparing two never looks inside: what is
    inside may be exponential in the depth.
    """

    members: tuple[LlvmType, ...]
    packed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ArrayType:
    """`count` elements of one type; `Types` makes one object for equal types."""

    count: int
    element: LlvmType


@dataclass(frozen=True, slots=True)
class VoidType:
    """No value: a function's result, or a struct whose members are not known."""


LlvmType = Type | StructType | ArrayType | VoidType

VOID = VoidType()
MAX_LEAVES = 4096
"""How many scalars an array may have as a value."""

MAX_STRUCT_LEAVES = 1 << 16
"""How many scalars a struct may have as a value."""

TOO_LARGE = "a value of an aggregate type is too large"

_FLOATS: Mapping[str, FloatType] = {kind.value: FloatType(kind) for kind in FloatKind}
FLOAT_BITS = {FloatKind.SINGLE: 32, FloatKind.DOUBLE: 64, FloatKind.X87: 80}
_REFUSED = ("half", "bfloat", "fp128", "ppc_fp128", "x86_amx", "token", "target")


@dataclass(frozen=True, slots=True)
class DataLayout:
    """ABI alignments in bytes, by width in bits."""

    pointer_bits: int
    pointer_align: int
    integers: tuple[tuple[int, int], ...]
    floats: tuple[tuple[int, int], ...]

    def scalar_size(self, kind: Type) -> int:
        """Bytes that a store of the type writes."""
        match kind:
            case IntType(width):
                return (width + 7) // 8
            case FloatType(float_kind):
                return FLOAT_BITS[float_kind] // 8
            case PointerType():
                return self.pointer_bits // 8
            case RegionType():
                raise InternalError("a region is no type of LLVM")

    def scalar_align(self, kind: Type) -> int:
        """The ABI alignment; an integer takes that of the next wider one listed."""
        match kind:
            case IntType(width):
                wider = [align for bits, align in self.integers if bits >= width]
                return wider[0] if wider else self.integers[-1][1]
            case FloatType(float_kind):
                return dict(self.floats)[FLOAT_BITS[float_kind]]
            case PointerType():
                return self.pointer_align
            case RegionType():
                raise InternalError("a region is no type of LLVM")


def data_layout(text: str) -> DataLayout:
    """Read a layout string such as `e-m:e-p:32:32-f64:32:64-i64:32-f80:32`."""
    pointer = (64, 8)
    integers = {1: 1, 8: 1, 16: 2, 32: 4, 64: 4, 128: 8}
    floats = {32: 4, 64: 8, 80: 16}
    for item in text.split("-"):
        fields = item.split(":")
        key, numbers = fields[0], [int(n) for n in fields[1:] if n.isdigit()]
        if key in ("p", "p0"):
            pointer = (numbers[0], numbers[1] // 8)
        elif key[:1] == "i" and key[1:].isdigit():
            integers[int(key[1:])] = numbers[0] // 8
        elif key[:1] == "f" and key[1:].isdigit():
            floats[int(key[1:])] = numbers[0] // 8
        elif key == "E":
            raise UnsupportedError("big-endian targets are not supported")
    return DataLayout(*pointer, tuple(sorted(integers.items())), tuple(sorted(floats.items())))


class Types:
    """The types of one module: reads them from text, and knows their sizes and leaves."""

    def __init__(self, layout: DataLayout, named: Mapping[str, str]) -> None:
        self.layout = layout
        self._named_text = named
        self._named: dict[str, LlvmType] = {}
        self._reading: set[str] = set()
        self._integers: dict[str, IntType] = {}
        self._scalars: dict[str, LlvmType] = {"ptr": POINTER, "void": VOID, **_FLOATS}
        self._structs: dict[tuple[tuple[LlvmType, ...], bool], StructType] = {}
        self._arrays: dict[tuple[int, LlvmType], ArrayType] = {}
        self._extent: dict[LlvmType, tuple[int, int]] = {}
        self._offsets: dict[StructType, tuple[int, ...]] = {}
        self._counts: dict[LlvmType, int] = {}
        self._leaves: dict[LlvmType, tuple[tuple[int, Type], ...]] = {}
        self.word = IntType(layout.pointer_bits)

    # ------------------------------------------------------------------------------- reading

    def starts_type(self, token: str) -> bool:
        """Whether a type can begin with the token."""
        return (
            token in self._scalars
            or token.startswith(("{", "[", "<", "%"))
            or self._scalar(token) is not None
        )

    def read(self, cursor: Cursor) -> LlvmType:
        """Read a type, which may end in `addrspace(0)`."""
        token = cursor.next()
        known = self._scalars.get(token) or self._scalar(token)
        if known is None:
            return self._read_composite(token, cursor)
        if known is POINTER and cursor.peek() == "addrspace":
            raise UnsupportedError("pointers into other address spaces are not supported")
        return known

    def read_scalar(self, cursor: Cursor) -> Type:
        """Read a type that fits a register."""
        known = self._integers.get(cursor.tokens[cursor.position])
        if known is not None:
            cursor.position += 1
            return known
        kind = self.read(cursor)
        if isinstance(kind, StructType | ArrayType | VoidType):
            raise InputError(f"LLVM text: expected a scalar type in: {cursor.text}")
        return kind

    def _scalar(self, token: str) -> LlvmType | None:
        if token[:1] != "i" or not token[1:].isdigit():
            return None
        width = int(token[1:])
        if not 1 <= width <= 128:
            raise UnsupportedError(f"integers of {width} bits are not supported")
        known = self._integers[token] = IntType(width)
        return self._scalars.setdefault(token, known)

    def _read_composite(self, token: str, cursor: Cursor) -> LlvmType:
        if token == "{":
            return self._struct(self._members(cursor), packed=False)
        if token == "[":
            count = cursor.integer()
            cursor.expect("x")
            element = self.read(cursor)
            cursor.expect("]")
            return self._array(count, element)
        if token == "<" and cursor.accept("{"):
            members = self._members(cursor)
            cursor.expect(">")
            return self._struct(members, packed=True)
        if token == "<":
            raise UnsupportedError("vectors of this type are not supported here")
        if token.startswith("%"):
            return self._read_named(token)
        if token in _REFUSED:
            raise UnsupportedError(f"the type {token} is not supported")
        raise InputError(f"LLVM text: expected a type, found {token!r} in: {cursor.text}")

    def _struct(self, members: tuple[LlvmType, ...], *, packed: bool) -> StructType:
        return self._structs.setdefault((members, packed), StructType(members, packed))

    def _array(self, count: int, element: LlvmType) -> ArrayType:
        return self._arrays.setdefault((count, element), ArrayType(count, element))

    def _members(self, cursor: Cursor) -> tuple[LlvmType, ...]:
        members: list[LlvmType] = []
        while not cursor.accept("}"):
            members.append(self.read(cursor))
            if not cursor.accept(",") and cursor.peek() == END:
                cursor.expect("}")
        return tuple(members)

    def _read_named(self, token: str) -> LlvmType:
        name = symbol_name(token)
        known = self._named.get(name)
        if known is None:
            if name in self._reading:
                raise InputError(f"LLVM text: the type {token} contains itself")
            self._reading.add(name)
            text = self._named_text.get(name, "opaque")
            known = self._named[name] = VOID if text == "opaque" else self.read(Cursor.of(text))
        return known

    # -------------------------------------------------------------------------------- layout

    def size(self, kind: LlvmType) -> int:
        """Bytes from one array element to the next: the store size rounded up to the alignment."""
        return self._size_and_align(kind)[0]

    def align(self, kind: LlvmType) -> int:
        """The ABI alignment in bytes."""
        return self._size_and_align(kind)[1]

    def offset(self, kind: StructType, index: int) -> int:
        """The byte offset of a member."""
        offsets = self._offsets.get(kind)
        if offsets is None:
            offsets = self._offsets[kind] = tuple(self._member_offsets(kind))
        if not 0 <= index < len(offsets):
            raise InputError(f"LLVM text: a struct has no member {index}")
        return offsets[index]

    def _member_offsets(self, kind: StructType) -> Iterator[int]:
        offset = 0
        for member in kind.members:
            offset = offset if kind.packed else _round_up(offset, self.align(member))
            yield offset
            offset += self.size(member)

    def count(self, kind: LlvmType) -> int:
        """How many scalars a type has."""
        known = self._counts.get(kind)
        if known is None:
            match kind:
                case VoidType():
                    known = 0
                case StructType(members):
                    known = sum(self.count(member) for member in members)
                case ArrayType(count, element):
                    known = count * self.count(element)
                case _:
                    known = 1
            self._counts[kind] = known
        return known

    def leaves(self, kind: LlvmType) -> tuple[tuple[int, Type], ...]:
        """The scalars of a type by byte offset; UnsupportedError if there are too many."""
        known = self._leaves.get(kind)
        if known is None:
            if self.count(kind) > MAX_STRUCT_LEAVES:
                raise UnsupportedError(TOO_LARGE)
            known = tuple(self._compute_leaves(kind))
            self._leaves[kind] = known
        return known

    def _compute_leaves(self, kind: LlvmType) -> list[tuple[int, Type]]:
        parts: list[tuple[int, LlvmType]]
        match kind:
            case VoidType():
                parts = []
            case StructType(members):
                parts = [(self.offset(kind, i), m) for i, m in enumerate(members)]
            case ArrayType(count, element):
                if count * max(1, self.count(element)) > MAX_LEAVES:
                    raise UnsupportedError(TOO_LARGE)
                parts = [(i * self.size(element), element) for i in range(count)]
            case _:
                return [(0, kind)]
        return [(at + o, leaf) for at, part in parts for o, leaf in self.leaves(part)]

    def leaf_range(self, kind: LlvmType, path: list[int]) -> tuple[int, int]:
        """Which leaves the element at `path` (extractvalue indices) has: from, to."""
        first = 0
        for index in path:
            match kind:
                case StructType(members):
                    first += sum(self.count(m) for m in members[:index])
                case ArrayType(_, element):
                    first += index * self.count(element)
                case _:
                    pass
            kind = self.element(kind, [index])
        return first, first + self.count(kind)

    def element(self, kind: LlvmType, path: list[int]) -> LlvmType:
        """The type at `path` (extractvalue indices)."""
        for index in path:
            match kind:
                case StructType(members):
                    kind = members[index]
                case ArrayType(_, element):
                    kind = element
                case _:
                    raise InputError("LLVM text: an index into a scalar")
        return kind

    def _size_and_align(self, kind: LlvmType) -> tuple[int, int]:
        known = self._extent.get(kind)
        if known is None:
            known = self._compute_extent(kind)
            self._extent[kind] = known
        return known

    def _compute_extent(self, kind: LlvmType) -> tuple[int, int]:
        match kind:
            case VoidType():
                return 0, 1
            case ArrayType(count, element):
                size, align = self._size_and_align(element)
                return count * size, align
            case StructType(members, packed):
                end, align = 0, 1
                for member in members:
                    size, member_align = self._size_and_align(member)
                    if not packed:
                        align = max(align, member_align)
                        end = _round_up(end, member_align)
                    end += size
                return _round_up(end, align), align
            case _:
                align = self.layout.scalar_align(kind)
                return _round_up(self.layout.scalar_size(kind), align), align


def _round_up(number: int, step: int) -> int:
    return -(-number // step) * step
