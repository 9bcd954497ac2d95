"""The result of encoding a program: a Horn system, and where its relations lie in the program."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, OperationId
from seahorn_py.ir.program import Program, Register


class CutKind(Enum):
    """ENTRY: contexts in which the function is called.  BLOCK: a cut point.  EXIT: the summary."""

    ENTRY = "entry"
    BLOCK = "block"
    EXIT = "exit"


@dataclass(frozen=True)
class Cut:
    """Where a relation lies.

    The relation holds of the values of `registers` (in the order of its parameters) each time a
    run has just evaluated the phis of block `label` of `function` (ENTRY and BLOCK), or returns
    from the function (EXIT: `label` is empty; `registers` are those of the function's parameters
    that matter, followed by a synthetic register `ret.K` for each returned leaf that does).
    """

    function: str
    kind: CutKind
    label: str
    registers: tuple[Register, ...]


class Arithmetic(Enum):
    """INT: unbounded integers with wrap obligations.  BV: bit-vectors."""

    INT = "int"
    BV = "bv"


class Wrapping(Enum):
    """What an arithmetic operation that leaves its range means.

    WRAP: two's complement, proved or refined lazily.  ASSUME: does not happen (ledger).
    IDEAL: signed integers are those of mathematics (INT only).
    """

    WRAP = "wrap"
    ASSUME = "assume"
    IDEAL = "ideal"


@dataclass(frozen=True)
class EncodeOptions:
    """How to encode; `split` names the operations whose wrapping is written out as cases.

    With `small_steps` a rule is a basic block instead of a region between cut points.  Of IDEAL,
    `typed_inputs` says whether an input has the range of its type, or is any integer; of ASSUME,
    `strict` whether that is assumed, too, of what may wrap in C (`signedness.wrapping_sums`).
    """

    arithmetic: Arithmetic = Arithmetic.INT
    wrapping: Wrapping = Wrapping.WRAP
    split: frozenset[OperationId] = frozenset()
    split_all: bool = False
    small_steps: bool = False
    typed_inputs: bool = False
    strict: bool = False


@dataclass(frozen=True)
class Encoding:
    """`system` says of `program` what `options` asked for; `cuts` maps its relations back."""

    system: HornSystem
    program: Program
    cuts: Mapping[str, Cut]
    options: EncodeOptions
