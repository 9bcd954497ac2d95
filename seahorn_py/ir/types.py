"""Types of registers and the layout of the target.

Registers hold machine integers, floats, pointers or the contents of a memory region.  Aggregates
live in memory only: the reader splits aggregate registers into their leaves.
"""

from __future__ import annotations

from enum import Enum

from seahorn_py.base.records import dataclass


@dataclass(frozen=True, slots=True)
class IntType:
    """A machine integer of `width` bits (1 to 128); signedness belongs to operations, not types."""

    width: int

    def __str__(self) -> str:
        return f"i{self.width}"


class FloatKind(Enum):
    """IEEE 754 binary32 and binary64, and the x87 extended format."""

    SINGLE = "float"
    DOUBLE = "double"
    X87 = "x86_fp80"


@dataclass(frozen=True, slots=True)
class FloatType:
    """A floating-point register."""

    kind: FloatKind

    def __str__(self) -> str:
        return self.kind.value


@dataclass(frozen=True, slots=True)
class PointerType:
    """An untyped pointer; its width in bits is `Program.pointer_width`."""

    def __str__(self) -> str:
        return "ptr"


Scalar = IntType | FloatType | PointerType


@dataclass(frozen=True, slots=True)
class RegionType:
    """The contents of a memory region: a total map from addresses to elements (no region)."""

    element: Scalar

    def __str__(self) -> str:
        return f"region of {self.element}"


Type = Scalar | RegionType

BOOL = IntType(1)
POINTER = PointerType()
