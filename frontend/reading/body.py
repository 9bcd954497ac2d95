"""A function under construction: registers known so far, blocks finished so far.

LLVM's blocks are read so that a definition comes before its uses (phis apart).  One LLVM block may
become several: a check, an assumption or a `switch` ends the part that is being built.

Names that the reader makes contain `!`, which no unquoted LLVM name does: leaf i of an aggregate
`x!i`, temporaries `!n`, parts of a block `label!n`.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import field
from typing import Protocol

from seahorn_py.base.errors import NOWHERE, InternalError, Origin
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debuginfo import DebugInformation
from seahorn_py.frontend.llvmtext.layout import ArrayType as Array
from seahorn_py.frontend.llvmtext.layout import LlvmType, StructType, Types, VoidType
from seahorn_py.frontend.llvmtext.tokens import Cursor
from seahorn_py.frontend.reading.denotations import (
    BinaryExpression,
    CastExpression,
    OffsetExpression,
    Undefined,
    Value,
)
from seahorn_py.frontend.reading.literals import Constants
from seahorn_py.frontend.reading.sites import Sites
from seahorn_py.ir.program import (
    Binary,
    Branch,
    Cast,
    CastOp,
    Input,
    IntConst,
    Jump,
    Offset,
    Operand,
    Predicate,
    Register,
    SiteKind,
    Statement,
    Terminator,
)
from seahorn_py.ir.types import POINTER, IntType, Type


@dataclass(frozen=True, slots=True)
class Signature:
    """What calls must know of a function with a body."""

    name: str
    parameters: tuple[Register, ...]
    results: tuple[Type, ...]


class Signatures(Protocol):
    """The functions with bodies."""

    def get(self, name: str) -> Signature | None:
        """The signature of a function, None if it has no body."""


@dataclass(frozen=True)
class ModuleParts:
    """What all functions of a module share; `objects` are the names of its data."""

    types: Types
    constants: Constants
    debug: DebugInformation
    sites: Sites
    signatures: Signatures
    objects: Container[str] = ()


@dataclass(frozen=True, slots=True)
class PhiDraft:
    """A phi whose incoming values are named by LLVM block; a text is a register to look up."""

    result: Register
    incoming: tuple[tuple[str, Value | str], ...]


@dataclass(slots=True)
class BlockDraft:
    """A block that may still grow at its end; `source` is the LLVM block it is a part of."""

    label: str
    source: str
    phis: list[PhiDraft] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    terminator: Terminator | None = None


class Body:
    """Builds one function; `origin` is the place of the instruction being read."""

    def __init__(self, parts: ModuleParts) -> None:
        self.parts = parts
        self.types = parts.types
        self.constants = parts.constants
        self.sites = parts.sites
        self.origin: Origin = NOWHERE
        self.results: tuple[Type, ...] = ()
        self.drafts: list[BlockDraft] = []
        self.bits: dict[str, Operand] = {}
        self.comparisons: dict[str, tuple[Predicate, Operand, Operand]] = {}
        self._values: dict[str, Value] = {}
        self._temporaries = 0
        self._parts = 0
        self._draft: BlockDraft | None = None

    # ------------------------------------------------------------------------------- blocks

    @property
    def open(self) -> bool:
        """Whether the current block still takes statements."""
        return self._draft is not None

    @property
    def draft(self) -> BlockDraft:
        """The block being built."""
        if self._draft is None:
            raise InternalError("a statement after the end of its block")
        return self._draft

    def begin(self, label: str) -> None:
        """Start the block of an LLVM label."""
        self._start(label, label)
        self._parts = 0

    def _start(self, label: str, source: str) -> None:
        self._draft = BlockDraft(label, source)
        self.drafts.append(self._draft)

    def emit(self, statement: Statement) -> None:
        """Append a statement."""
        self.draft.statements.append(statement)

    def finish(self, terminator: Terminator) -> None:
        """End the current block."""
        self.draft.terminator = terminator
        self._draft = None

    def branch(self, condition: Operand, then: str, otherwise: str) -> None:
        """End the current block with a branch, or a jump where it has no choice."""
        if isinstance(condition, IntConst):
            self.finish(Jump(then if condition.value else otherwise, self.origin))
        elif then == otherwise:
            self.finish(Jump(then, self.origin))
        else:
            self.finish(Branch(condition, then, otherwise, self.origin))

    def next_part(self) -> tuple[str, str]:
        """Labels for a continuation of the current LLVM block and for a side exit of it."""
        self._parts += 1
        stem = f"{self.draft.source}!{self._parts}"
        return stem, f"{stem}!exit"

    def unless(self, condition: Operand, end: Terminator) -> None:
        """Go on if `condition` holds; otherwise the run takes `end`."""
        if condition == IntConst(1, IntType(1)):
            return
        if isinstance(condition, IntConst):
            self.finish(end)
            return
        source = self.draft.source
        following, exit_label = self.next_part()
        self.branch(condition, following, exit_label)
        self._start(exit_label, source)
        self.finish(end)
        self._start(following, source)

    def choose(self, condition: Operand, target: str, otherwise: str | None) -> None:
        """One test of a `switch`: to `target` if `condition`, else to the next test or label."""
        source = self.draft.source
        if otherwise is not None:
            self.branch(condition, target, otherwise)
            return
        following, _ = self.next_part()
        self.branch(condition, target, following)
        self._start(following, source)

    # ------------------------------------------------------------------------------ registers

    def define(self, name: str, kind: Type) -> Register:
        """The register that an instruction computes."""
        known = self._values.get(name)
        if isinstance(known, Register):
            return known
        register = Register(name, kind)
        self._values[name] = register
        return register

    def alias(self, name: str, value: Value) -> None:
        """Let a name stand for a value that exists already."""
        self._values[name] = value

    def lookup(self, name: str, kind: Type) -> Value:
        """The value of a name."""
        known = self._values.get(name)
        return self.define(name, kind) if known is None else known

    def known(self, name: str) -> Value | None:
        """The value of a name that has been read already."""
        return self._values.get(name)

    def temporary(self, kind: Type) -> Register:
        """A register of our own."""
        self._temporaries += 1
        return Register(f"!{self._temporaries}", kind)

    def leaf_names(self, name: str, kind: LlvmType) -> list[tuple[str, Type]]:
        """The registers that hold a value of any type: itself, or its leaves."""
        if not isinstance(kind, StructType | Array | VoidType):
            return [(name, kind)]
        return [(f"{name}!{i}", leaf) for i, (_, leaf) in enumerate(self.types.leaves(kind))]

    def define_leaves(self, name: str, kind: LlvmType) -> list[Register]:
        """Define the registers of a value of any type."""
        return [self.define(leaf, scalar) for leaf, scalar in self.leaf_names(name, kind)]

    def alias_leaves(self, name: str, kind: LlvmType, values: list[Value]) -> None:
        """Let a name of any type stand for leaves that exist already."""
        for (leaf, _), value in zip(self.leaf_names(name, kind), values, strict=True):
            self.alias(leaf, value)

    # ------------------------------------------------------------------------------- operands

    def value(self, kind: Type, cursor: Cursor) -> Value:
        """Read an operand of a scalar type without using it."""
        token = cursor.peek()
        if token[:1] == "%":
            cursor.position += 1
            return self.lookup(token[1:], kind)
        return self.constants.scalar(kind, cursor)

    def values(self, kind: LlvmType, cursor: Cursor) -> list[Value]:
        """Read an operand of any type as its leaves."""
        token = cursor.peek()
        if token[:1] == "%":
            cursor.position += 1
            return [self.lookup(n, t) for n, t in self.leaf_names(token[1:], kind)]
        return [value for _, value in self.constants.leaves(kind, cursor)]

    def operand(self, kind: Type, cursor: Cursor) -> Operand:
        """Read and use an operand of a scalar type."""
        return self.use(self.value(kind, cursor))

    def typed_operand(self, cursor: Cursor) -> Operand:
        """Read and use `type value`."""
        return self.operand(self.types.read_scalar(cursor), cursor)

    def use(self, value: Value) -> Operand:
        """Make a value an operand of the next statement of the current block."""
        if isinstance(value, Undefined | CastExpression | BinaryExpression | OffsetExpression):
            return self.materialise(value, self.draft)
        return value

    def materialise(self, value: Value, draft: BlockDraft) -> Operand:
        """Make a value an operand, its computation placed at the end of a block so far."""
        match value:
            case Undefined(kind):
                return self.arbitrary(kind, "undef", draft)
            case CastExpression(op, inner, kind):
                return self._cast(op, self.materialise(inner, draft), kind, draft)
            case BinaryExpression(op, left, right, kind):
                one, two = self.materialise(left, draft), self.materialise(right, draft)
                result = self.temporary(kind)
                draft.statements.append(Binary(result, op, one, two, self.origin))
                return result
            case OffsetExpression(base, constant):
                result = self.temporary(POINTER)
                start = self.materialise(base, draft)
                draft.statements.append(Offset(result, start, constant, (), self.origin))
                return result
            case _:
                return value

    def _cast(self, op: CastOp, value: Operand, kind: Type, draft: BlockDraft) -> Operand:
        result = self.temporary(kind)
        for statement in cast_statements(self, result, op, value):
            draft.statements.append(statement)
        return result

    def arbitrary(self, kind: Type, name: str, draft: BlockDraft | None = None) -> Register:
        """A fresh arbitrary value that no native run reads."""
        site = self.sites.fresh(SiteKind.HAVOC, kind, name, self.origin)
        result = self.temporary(kind)
        (draft or self.draft).statements.append(Input(result, site))
        return result


def cast_statements(body: Body, result: Register, op: CastOp, value: Operand) -> list[Statement]:
    """A conversion; those between pointers and integers go through an integer of pointer width."""
    word, origin = body.types.word, body.origin
    if op is CastOp.PTRTOINT and result.type != word and isinstance(result.type, IntType):
        middle = body.temporary(word)
        narrow = CastOp.TRUNC if result.type.width < word.width else CastOp.ZEXT
        return [
            Cast(middle, CastOp.PTRTOINT, value, origin),
            Cast(result, narrow, middle, origin),
        ]
    if op is CastOp.INTTOPTR and value.type != word and isinstance(value.type, IntType):
        middle = body.temporary(word)
        resize = CastOp.TRUNC if value.type.width > word.width else CastOp.ZEXT
        return [
            Cast(middle, resize, value, origin),
            Cast(result, CastOp.INTTOPTR, middle, origin),
        ]
    return [Cast(result, op, value, origin)]
