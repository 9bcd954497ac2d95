"""`Program`: SSA control-flow graphs with C names and source spans.

The front end ends here and everything else begins here.  Data are frozen dataclasses in closed
unions (`Statement`, `Terminator`, `Operand`); passes are functions `Program -> Program`.

Shape of a function: `blocks[0]` is the entry block and has no predecessors and no phis.  Registers
are assigned once and are unique by name within their function.  The numbers of sites and checks are
given once, by the front end; passes may drop them but never renumber one, and `passes.unfolding`
alone copies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.base.records import dataclass
from seahorn_py.ir.operands import FALSE as FALSE
from seahorn_py.ir.operands import NULL as NULL
from seahorn_py.ir.operands import TRUE as TRUE
from seahorn_py.ir.operands import Address as Address
from seahorn_py.ir.operands import Bytes as Bytes
from seahorn_py.ir.operands import CheckSite as CheckSite
from seahorn_py.ir.operands import FloatConst as FloatConst
from seahorn_py.ir.operands import IntConst as IntConst
from seahorn_py.ir.operands import Leaf as Leaf
from seahorn_py.ir.operands import Operand as Operand
from seahorn_py.ir.operands import Register as Register
from seahorn_py.ir.operands import Scope as Scope
from seahorn_py.ir.operands import Site as Site
from seahorn_py.ir.operands import SiteKind as SiteKind
from seahorn_py.ir.operands import Variable as Variable
from seahorn_py.ir.operations import BinaryOp as BinaryOp
from seahorn_py.ir.operations import BitsOp as BitsOp
from seahorn_py.ir.operations import CastOp as CastOp
from seahorn_py.ir.operations import OverflowOp as OverflowOp
from seahorn_py.ir.operations import Predicate as Predicate
from seahorn_py.ir.statements import ASTRAY as ASTRAY
from seahorn_py.ir.statements import PASSED as PASSED
from seahorn_py.ir.statements import REUSE as REUSE
from seahorn_py.ir.statements import SILENT as SILENT
from seahorn_py.ir.statements import Alloca as Alloca
from seahorn_py.ir.statements import Binary as Binary
from seahorn_py.ir.statements import Bind as Bind
from seahorn_py.ir.statements import Bits as Bits
from seahorn_py.ir.statements import Call as Call
from seahorn_py.ir.statements import Cast as Cast
from seahorn_py.ir.statements import Compare as Compare
from seahorn_py.ir.statements import FloatOp as FloatOp
from seahorn_py.ir.statements import Havoc as Havoc
from seahorn_py.ir.statements import Input as Input
from seahorn_py.ir.statements import Lifetime as Lifetime
from seahorn_py.ir.statements import Load as Load
from seahorn_py.ir.statements import MemoryCopy as MemoryCopy
from seahorn_py.ir.statements import MemorySet as MemorySet
from seahorn_py.ir.statements import Offset as Offset
from seahorn_py.ir.statements import Overflow as Overflow
from seahorn_py.ir.statements import RegionFill as RegionFill
from seahorn_py.ir.statements import RegionHavoc as RegionHavoc
from seahorn_py.ir.statements import RegionLoad as RegionLoad
from seahorn_py.ir.statements import RegionStore as RegionStore
from seahorn_py.ir.statements import Select as Select
from seahorn_py.ir.statements import Statement as Statement
from seahorn_py.ir.statements import Store as Store
from seahorn_py.ir.statements import Valid as Valid
from seahorn_py.ir.statements import Validity as Validity
from seahorn_py.ir.types import Type

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
    """END: the run is over (`exit`, `abort`, ...).  BLOCKED: an assumption failed.

    EXHAUSTED: there is no address left for an object.
    """

    END = "end"
    BLOCKED = "blocked"
    EXHAUSTED = "exhausted"


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

    `leaves` are the initial scalars, and runs of bytes, by byte offset, in order and without
    overlap; bytes between them are 0.  `variables` names the C variable and its scalar members by
    byte offset.
    """

    name: str
    size: int
    align: int
    constant: bool
    leaves: tuple[tuple[int, Leaf], ...]
    variables: Mapping[int, Variable] = field(default_factory=dict)
    origin: Origin = NOWHERE


OF_ARGV = ".argv"
"""Ends the names of the registers with the addresses of what `main` is given."""

NO_REUSE = "blocks of the heap that are freed are not used again"
"""The assumption of a program from which calls of `free` were left out."""

SEQUENTIAL = (
    "memory is sequentially consistent, and each access of a scalar by a thread is one step"
)
"""The assumption of a program with threads."""

LARGE = "several threads access more than a scalar at once, which is no single step"
"""Begins the gap of a program with threads in which such accesses are single steps.

A program without data races has no other runs.
"""

BORN = "__sea_born"
"""The function in a rule's code that asks whether an object is the one whose birth it has seen."""

FORGOTTEN = "no event of a rule has a pointer to a freed block whose memory was used again"
"""The assumption of a rule with births where blocks are freed: the address of an object that has
ended, used again, is that of another one, of whose birth the rule is told.  Source: C17, 6.2.4p2.
"""

SAME_OBJECT = "__sea_same_object"
"""A model that tells whether two pointers lead to one object, the same in each layout."""

ASKED = "where the program asks whether memory is valid, a pointer leads to an object of it"
"""The assumption of a program that asks itself whether memory is valid."""

NOT_COVERED = "not covered: "
"""Begins an assumption about what a property asks for and no check looks at."""

BOUNDS_ALONE = f"{NOT_COVERED}bounds of what pointers lead to that are no subscripts of arrays"
"""What `bounds` leaves to `valid-deref`."""

ENDLESS = "blocks of the heap that are lost in runs without end are not seen"
"""The gap of a program with loops that is asked for lost blocks where `main` returns.

A proof that bounds all loops closes it.
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program; runs begin in `functions[entry]`, which has no parameters.

    `assumptions` are the ledger entries that the front end made (see `horn.ledger`); `gaps`
    are what the properties ask for and no check of the program covers, and runs that its encoding
    form leaves out: no proof stands with one.  `bit_gaps` are gaps in bit-vectors
    only, where a run is EXHAUSTED.
    """

    functions: Mapping[str, Function]
    globals: Mapping[str, Global]
    entry: str
    pointer_width: int
    sites: tuple[Site, ...]
    checks: tuple[CheckSite, ...]
    assumptions: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    bit_gaps: tuple[str, ...] = ()
