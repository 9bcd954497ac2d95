"""`Program`: SSA control-flow graphs with C names and source spans.

The front end ends here and everything else begins here.  Data are frozen dataclasses in closed
unions (`Statement`, `Terminator`, `Operand`); passes are functions `Program -> Program`.

Shape of a function: `blocks[0]` is the entry block and has no predecessors and no phis.  Registers
are assigned once and are unique by name within their function.  The numbers of sites and checks are
given once, by the front end; passes may drop them but never copy or renumber one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from seahorn_py.errors import NOWHERE, Origin, Span
from seahorn_py.ir.operations import BinaryOp as BinaryOp
from seahorn_py.ir.operations import BitsOp as BitsOp
from seahorn_py.ir.operations import CastOp as CastOp
from seahorn_py.ir.operations import OverflowOp as OverflowOp
from seahorn_py.ir.operations import Predicate as Predicate
from seahorn_py.ir.types import BOOL, POINTER, FloatType, IntType, Type

# ----------------------------------------------------------------------------------- C variables


class Scope(Enum):
    """Which kind of C object a variable is."""

    LOCAL = "local"
    PARAMETER = "parameter"
    GLOBAL = "global"


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


NULL = Address(None)

Operand = Register | IntConst | FloatConst | Address

TRUE = IntConst(1, BOOL)
FALSE = IntConst(0, BOOL)

# ------------------------------------------------------------------------------------ statements


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
    """`result = base + constant + sum(index * scale)` in bytes; indices are sign-extended."""

    result: Register
    base: Operand
    constant: int
    terms: tuple[tuple[Operand, int], ...] = ()
    origin: Origin = NOWHERE


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
class Input:
    """`result` is an arbitrary value of its type."""

    result: Register
    site: Site


@dataclass(frozen=True, slots=True)
class Call:
    """Call a function of the program by name, or through a pointer; several results are leaves."""

    results: tuple[Register, ...]
    callee: str | Register
    arguments: tuple[Operand, ...]
    origin: Origin = NOWHERE


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
    | Input
    | Call
    | Bind
)

# ----------------------------------------------------------------------------------- terminators


@dataclass(frozen=True, slots=True)
class Jump:
    """Go on at `target`."""

    target: str
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Branch:
    """Go on at `then` if `condition : i1` holds, else at `otherwise`."""

    condition: Operand
    then: str
    otherwise: str
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Return:
    """Leave the function with the leaves of its value."""

    values: tuple[Operand, ...]
    origin: Origin = NOWHERE


class StopKind(Enum):
    """END: the run is over (`exit`, `abort`, ...).  BLOCKED: an assumption failed."""

    END = "end"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Stop:
    """The run goes no further, without an error."""

    kind: StopKind
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Fail:
    """The check is violated; the run ends here."""

    check: CheckSite
    origin: Origin = NOWHERE


Terminator = Jump | Branch | Return | Stop | Fail

# --------------------------------------------------------------------------- functions, programs


@dataclass(frozen=True, slots=True)
class Phi:
    """`result` takes the value that belongs to the predecessor block the run came from."""

    result: Register
    incoming: tuple[tuple[str, Operand], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Phis (evaluated together), statements, one terminator."""

    label: str
    phis: tuple[Phi, ...]
    statements: tuple[Statement, ...]
    terminator: Terminator


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body; `results` are the types of the leaves it returns."""

    name: str
    parameters: tuple[Register, ...]
    results: tuple[Type, ...]
    blocks: tuple[Block, ...]
    origin: Origin = NOWHERE

    @property
    def entry(self) -> Block:
        """The block in which every activation begins."""
        return self.blocks[0]


@dataclass(frozen=True, slots=True)
class Global:
    """A global object of `size` bytes.

    `leaves` are the initial scalars by byte offset, in order and without overlap; bytes between
    them are 0.  `variables` names the C variable and its scalar members by byte offset.
    """

    name: str
    size: int
    align: int
    constant: bool
    leaves: tuple[tuple[int, Operand], ...]
    variables: Mapping[int, Variable] = field(default_factory=dict)
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program; runs begin in `functions[entry]`, which has no parameters.

    `assumptions` are the ledger entries that the front end made (see `horn.system.Ledger`).
    """

    functions: Mapping[str, Function]
    globals: Mapping[str, Global]
    entry: str
    pointer_width: int
    sites: tuple[Site, ...]
    checks: tuple[CheckSite, ...]
    assumptions: tuple[str, ...] = ()
