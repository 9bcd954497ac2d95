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

from seahorn_py.errors import NOWHERE, Origin
from seahorn_py.ir.operations import BinaryOp as BinaryOp
from seahorn_py.ir.operations import BitsOp as BitsOp
from seahorn_py.ir.operations import CastOp as CastOp
from seahorn_py.ir.operations import OverflowOp as OverflowOp
from seahorn_py.ir.operations import Predicate as Predicate
from seahorn_py.ir.types import Type
from seahorn_py.ir.values import FALSE as FALSE
from seahorn_py.ir.values import NULL as NULL
from seahorn_py.ir.values import TRUE as TRUE
from seahorn_py.ir.values import Address as Address
from seahorn_py.ir.values import CheckSite as CheckSite
from seahorn_py.ir.values import FloatConst as FloatConst
from seahorn_py.ir.values import IntConst as IntConst
from seahorn_py.ir.values import Operand as Operand
from seahorn_py.ir.values import Register as Register
from seahorn_py.ir.values import Scope as Scope
from seahorn_py.ir.values import Site as Site
from seahorn_py.ir.values import SiteKind as SiteKind
from seahorn_py.ir.values import Variable as Variable

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


PASSED = "sea.passed"
"""A `Call` of this name only says that a callee reads these values in a way that is not modelled:
as arguments beyond its parameters, or of other types than those."""


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
    """A function with a body; `results` are the types of the leaves it returns.

    A variadic one may be called through a pointer with more arguments than it has parameters.
    """

    name: str
    parameters: tuple[Register, ...]
    results: tuple[Type, ...]
    blocks: tuple[Block, ...]
    origin: Origin = NOWHERE
    variadic: bool = False

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
