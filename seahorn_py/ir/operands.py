"""What statements mention: C variables, sites of inputs and checks, operands."""

from __future__ import annotations

from enum import Enum

from seahorn_py.base.errors import Origin, Span
from seahorn_py.base.records import dataclass
from seahorn_py.ir.types import BOOL, POINTER, FloatType, IntType, Type

# ----------------------------------------------------------------------------------- C variables


class Scope(Enum):
    """Which kind of C object a variable is; RESULT: what a call of the C library gave.

    Only programs as they were read have records of results, which a trace shows.
    """

    LOCAL = "local"
    PARAMETER = "parameter"
    GLOBAL = "global"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Variable:
    """A C variable as the debug information names it.

    `c_type` is the text of its C type; `signed` is None for types that are not integers; `path` is
    the member access that leads to the part meant ("" for the whole, ".x", "[3]").
    """

    name: str
    c_type: str
    signed: bool | None
    scope: Scope
    span: Span | None
    path: str = ""

    def __str__(self) -> str:
        return self.name + self.path


# ----------------------------------------------------------------------------- inputs and checks


class SiteKind(Enum):
    """Why a value is arbitrary.

    NONDET: a call of `__VERIFIER_nondet_*` or `nd_*`.  UNINIT: an object without initial value.
    EXTERN: the result of a function without body, or of a shift by the width or more.
    HAVOC: an over-approximation, or `undef`; no native run reads it.  ALLOC: an unknown address.
    """

    NONDET = "nondet"
    UNINIT = "uninit"
    EXTERN = "extern"
    HAVOC = "havoc"
    ALLOC = "alloc"


PADDING = "padding"
"""The C type of inputs for the bytes between the members of an object (C17, 6.2.6.1p6)."""

AGAIN = "whether a freed block is used again"
"""The C type of inputs for whether `malloc` gives a block that was freed before."""

OUTSIDE = ".outside"
"""Ends the name of a function of ours that calls one without a body."""

UNNAMED = frozenset({PADDING, AGAIN})
"""C has no expression for what these inputs are."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place where a value enters the program; replay feeds values by site and visit.

    `number` is unique in the program; numbers of sites that a native run reads (`native`) are those
    in the instrumented LLVM text.  `name` is the C function called or the object initialised.
    """

    number: int
    kind: SiteKind
    type: Type
    name: str
    c_type: str
    origin: Origin
    native: bool = True


@dataclass(frozen=True, slots=True)
class CheckSite:
    """One occurrence of a check; copies by inlining share a `horn.system.CheckId`."""

    number: int
    property: str
    text: str
    origin: Origin


# -------------------------------------------------------------------------------------- operands


@dataclass(frozen=True, slots=True)
class Register:
    """An SSA value."""

    name: str
    type: Type

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"%{self.name}"


@dataclass(frozen=True, slots=True)
class IntConst:
    """A machine integer in canonical form: `0 <= value < 2**type.width`."""

    value: int
    type: IntType

    def __post_init__(self) -> None:
        if not 0 <= self.value < 1 << self.type.width:
            raise ValueError(f"{self.value} is not canonical in {self.type}")

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class FloatConst:
    """A float by its bits: 32 (IEEE single), 64 (IEEE double) or 80 (x87)."""

    bits: int
    type: FloatType

    def __str__(self) -> str:
        return f"0x{self.bits:x}"


@dataclass(frozen=True, slots=True)
class Address:
    """`symbol + offset` in bytes; symbol None is the null pointer plus an offset."""

    symbol: str | None
    offset: int = 0

    @property
    def type(self) -> Type:
        """Always a pointer."""
        return POINTER

    def __str__(self) -> str:
        base = "null" if self.symbol is None else f"@{self.symbol}"
        return f"{base}+{self.offset}" if self.offset else base


@dataclass(frozen=True, slots=True)
class Bytes:
    """A run of initial bytes, none of which is part of an address."""

    data: bytes

    def part(self, start: int, size: int) -> int:
        """The little-endian number in `size` bytes from `start`, which may be outside the run.

        Bytes outside count as 0.
        """
        inside = int.from_bytes(self.data[max(start, 0) : max(start + size, 0)], "little")
        return inside << 8 * max(-start, 0)


NULL = Address(None)

Operand = Register | IntConst | FloatConst | Address

Leaf = Operand | Bytes
"""What a global holds at the start, at some offset."""

TRUE = IntConst(1, BOOL)
FALSE = IntConst(0, BOOL)
