"""The statements of a program, a closed union: `Statement`."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.base.records import dataclass
from seahorn_py.ir.operands import Operand, Register, Site, Variable
from seahorn_py.ir.operations import BinaryOp, BitsOp, CastOp, OverflowOp, Predicate


@dataclass(frozen=True, slots=True)
class Binary:
    """`result = left op right`; undefined (the run ends) as `ir.semantics.defined` says."""

    result: Register
    op: BinaryOp
    left: Operand
    right: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Compare:
    """`result : i1 = left predicate right`, on integers or pointers."""

    result: Register
    predicate: Predicate
    left: Operand
    right: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Cast:
    """`result = op value`, to the type of `result`."""

    result: Register
    op: CastOp
    value: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Select:
    """`result = condition ? then : otherwise`; both sides are values already computed."""

    result: Register
    condition: Operand
    then: Operand
    otherwise: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Bits:
    """An integer intrinsic."""

    result: Register
    op: BitsOp
    arguments: tuple[Operand, ...]
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Overflow:
    """`result : i1` = the exact result of `left op right` does not fit."""

    result: Register
    op: OverflowOp
    left: Operand
    right: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class FloatOp:
    """A float operation by its LLVM name: "fadd", "fneg", "fcmp olt", "llvm.sqrt", ..."""

    result: Register
    op: str
    arguments: tuple[Operand, ...]
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Offset:
    """`result = base + constant + sum(index * scale)` in bytes; indices are sign-extended.

    `extent` is a hint: the first byte of the array that the terms index, and the one behind its
    last, counted from the base, by the types of the program.  An index may lead beyond it.
    """

    result: Register
    base: Operand
    constant: int
    terms: tuple[tuple[Operand, int], ...] = ()
    origin: Origin = NOWHERE
    extent: tuple[int, int] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Alloca:
    """A stack object of `size` bytes, one per execution, freed when the function returns."""

    result: Register
    size: Operand
    align: int
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Load:
    """Read the little-endian bytes of `result`'s type at `address`."""

    result: Register
    address: Operand
    volatile: bool = False
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Store:
    """Write `value` at `address`."""

    value: Operand
    address: Operand
    volatile: bool = False
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class MemoryCopy:
    """`memcpy`/`memmove` of `length` bytes."""

    target: Operand
    source: Operand
    length: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class MemorySet:
    """`memset` of `length` bytes to `byte`."""

    target: Operand
    byte: Operand
    length: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Havoc:
    """`size` bytes at `address` become arbitrary: values of `site`, one per byte, in order."""

    address: Operand
    size: Operand
    site: Site
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class RegionLoad:
    """`result` is the element of `region` at exactly this address."""

    result: Register
    region: Operand
    address: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class RegionStore:
    """`result` is `region` with `value` as its element at this address."""

    result: Register
    region: Operand
    address: Operand
    value: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class RegionFill:
    """`result` is a region in which every element is `value`."""

    result: Register
    value: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class RegionHavoc:
    """`result` is `region`, but the elements in `size` bytes from `address` are arbitrary.

    They are values of `site`, one a byte, in order.  `whole` says that no other element of the
    region matters any more.
    """

    result: Register
    region: Operand
    address: Operand
    size: Operand
    site: Site
    whole: bool = False
    origin: Origin = NOWHERE


class Validity(Enum):
    """ACCESS: `size` bytes lie in one live object.  WRITE: and it is no constant.

    FREE: the address is null or the start of a live heap block.  CALL: a function begins at the
    address.  NO_LEAK: every heap block has been freed.  NO_LOST: pointers in global objects lead to
    every live heap block.
    """

    ACCESS = "access"
    WRITE = "write"
    FREE = "free"
    CALL = "call"
    NO_LEAK = "noleak"
    NO_LOST = "nolost"


@dataclass(frozen=True, slots=True)
class Valid:
    """`result : i1` says whether memory is as `kind` asks (address null, size 0 where unused)."""

    result: Register
    kind: Validity
    address: Operand
    size: Operand
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The stack object at `address` lives from here on, or is dead: no access to it is valid."""

    address: Operand
    live: bool
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Input:
    """`result` is an arbitrary value of its type."""

    result: Register
    site: Site

    @property
    def origin(self) -> Origin:
        """The place of the site."""
        return self.site.origin


@dataclass(frozen=True, slots=True)
class Call:
    """Call a function of the program by name, or through a pointer; several results are leaves."""

    results: tuple[Register, ...]
    callee: str | Register
    arguments: tuple[Operand, ...]
    origin: Origin = NOWHERE


PASSED = "sea.passed"
"""A `Call` of this name only says that a callee reads these values in a way that is not modelled:
as arguments of other types than its parameters."""

REUSE = "sea.reuse"
"""A `Call` of this name says by an i1 whether the next `malloc` or `calloc` of a run takes the
block of that size that was freed last, if there is one."""

SILENT = "sea.silent."
"""Begins the callee of a `Call` of a function without body of which nothing is known.

A run goes on behind it as if it had done nothing; for proofs it may change what it can reach."""

ASTRAY = "sea.astray"
"""A `Call` of this name is one through a pointer that leads to no function: the run ends there."""


@dataclass(frozen=True, slots=True)
class Bind:
    """A debug record: from here on, the C variable has this value (None: unknown)."""

    variable: Variable
    value: Operand | None
    origin: Origin = NOWHERE


Statement = (
    Binary
    | Compare
    | Cast
    | Select
    | Bits
    | Overflow
    | FloatOp
    | Offset
    | Alloca
    | Load
    | Store
    | MemoryCopy
    | MemorySet
    | Havoc
    | RegionLoad
    | RegionStore
    | RegionFill
    | RegionHavoc
    | Valid
    | Lifetime
    | Input
    | Call
    | Bind
)
