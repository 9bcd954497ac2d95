"""One rule under construction: its symbols, facts, inputs and block marks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Generic, TypeVar

from seahorn_py.base.errors import NOWHERE, InternalError, Origin
from seahorn_py.base.records import dataclass
from seahorn_py.encode import names
from seahorn_py.encode.integers.wrapping import WrapPolicy, assumed_text
from seahorn_py.encode.machine import Mode, Shape
from seahorn_py.encode.whole_program import Related, WholeProgram
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.horn.system import Atom, BlockMark, Extent, InputRead, Query, Rule
from seahorn_py.ir import semantics
from seahorn_py.ir.algebra import Algebra
from seahorn_py.ir.floats.format import FORMATS
from seahorn_py.ir.floats.softfloat import SoftFloat
from seahorn_py.ir.program import (
    Address,
    Binary,
    FloatConst,
    Function,
    IntConst,
    Operand,
    Register,
    Statement,
)
from seahorn_py.ir.types import PointerType
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.passes.ranges.intervals import Bounds

V = TypeVar("V")

DEPTH = 24
"""Terms nested deeper than this get a symbol of their own."""


@dataclass(frozen=True)
class Question:
    """An operation in a block that may wrap, and what it means if it does."""

    label: str
    statement: Binary
    mode: Mode


@dataclass
class Findings:
    """What building the rules of a region brings to light; questions by the operation's result."""

    ledger: dict[LedgerEntry, None]
    questions: dict[str, Question] = field(default_factory=dict)


class Builder(Generic[V]):
    """Implements `machine.FunctionRule` for the statement at which the translation stands.

    A fact added by `assume` counts only when the statement's block runs; definitions, by `define`,
    are total, so they hold in any case.
    """

    def __init__(
        self, whole: WholeProgram[V], function: Function, policy: WrapPolicy, findings: Findings
    ) -> None:
        self.whole = whole
        self.function = function
        self.algebra: Algebra[V, Term] = whole.machine.algebra(self)
        self.facts: list[Term] = []
        self.body: list[Atom] = []
        self.asked: Term | None = None
        self.question: Binary | None = None
        self._policy = policy
        self._findings = findings
        self._values: dict[str, V] = {}
        self._regions: dict[str, Term] = {}
        self._depth: dict[str, int] = {}
        self._inputs: list[InputRead] = []
        self._marks: list[BlockMark] = []
        self._guard: Term = terms.TRUE
        self._label = ""
        self._statement: Statement | None = None
        self._fresh = 0

    # ------------------------------------------------------------------------------- as open rule

    def fresh(self, sort: Sort) -> Term:
        """A symbol of the rule that occurs nowhere else."""
        self._fresh += 1
        return names.symbol(f"{self.function.name}%{self._label}#{self._fresh}", sort)

    def assume(self, fact: Term) -> None:
        """A fact that holds whenever the current block runs."""
        self.facts.append(terms.implies(self._guard, fact))

    def approximate(self, what: str) -> None:
        """The result of the current statement is over-approximated."""
        origin = getattr(self._statement, "origin", NOWHERE)
        self.record(Approximation.OVER, what, origin)

    def record(self, kind: Approximation, text: str, origin: Origin) -> None:
        """An entry of the ledger."""
        self._findings.ledger[LedgerEntry(kind, text, origin)] = None

    def mode(self, statement: Binary) -> Mode:
        """What the operation means if it wraps."""
        operand = statement.left
        of = self.shape(operand) if isinstance(operand, Register) else None
        return self._policy.mode(self._label, statement, self.shape(statement.result), of)

    def bounds(self, operand: Operand) -> Bounds | None:
        """What the branches that lead here say of an operand, in its own representation."""
        return self.whole.bounds_at(self.function.name, self._label, operand)

    def violation(self, statement: Binary, wraps: Term) -> None:
        """The operation leaves its range when `wraps` holds."""
        mode = self.mode(statement)
        if statement is self.question:
            self.asked = wraps
            return
        if mode is Mode.GUARDED:
            return
        if mode is not Mode.ASSUMED and wraps is not terms.FALSE:
            question = Question(self._label, statement, mode)
            self._findings.questions.setdefault(statement.result.name, question)
        if mode is Mode.ASSUMED:
            self.record(Approximation.ASSUMED, assumed_text(statement), statement.origin)
        if mode is not Mode.OBLIGATION:
            self.assume(terms.not_(wraps))

    # ---------------------------------------------------------------------------------- registers

    def shape(self, register: Register) -> Shape:
        """How a register of the function is represented."""
        return self.whole.shape(self.function.name, register)

    def local(self, register: Register, suffix: str = "") -> Term:
        """The rule's own symbol for a register."""
        sort = self.whole.sort(self.shape(register))
        return names.symbol(f"{self.function.name}%{register.name}{suffix}", sort)

    def read(self, operand: Operand) -> V:
        """The value of an operand at this point."""
        match operand:
            case Register():
                if operand.name not in self._values:
                    raise InternalError(f"{self.function.name}: no value for {operand}")
                return self._values[operand.name]
            case IntConst():
                return semantics.constant(self.algebra, operand.type.width, operand.value)
            case Address():
                return self._address(operand)
            case FloatConst():
                return self._float(operand)

    def _float(self, constant: FloatConst) -> V:
        algebra, kind = self.whole.machine.floats(), constant.type.kind
        if algebra is None:
            raise InternalError("the value of a float is not encoded")
        bits = algebra.const(FORMATS[kind].stored, constant.bits)
        return SoftFloat(algebra).one_of_each(kind, bits)

    def region(self, operand: Operand) -> Term:
        """The array of an operand that is a region."""
        if not isinstance(operand, Register) or operand.name not in self._regions:
            raise InternalError(f"{self.function.name}: no contents for {operand}")
        return self._regions[operand.name]

    def _address(self, address: Address) -> V:
        width = self.whole.program.pointer_width
        place = self.whole.layout.value(address)
        if place is not None:
            return self.algebra.const(width, place)
        self.approximate("address of what has no place")
        return self.unknown(Register("address", PointerType()))

    def unknown(self, like: Register) -> V:
        """An arbitrary value of the register's type, held by a fresh symbol."""
        shape = self.shape(like)
        symbol = self.fresh(self.whole.machine.sort(shape.width))
        self.facts.append(self.whole.machine.domain(symbol, shape))
        return self.whole.machine.value(symbol, shape)

    def hold(self, register: Register, symbol: Term) -> None:
        """The register is held by a symbol of its shape from here on."""
        shape = self.shape(register)
        if shape.addresses is not None:
            self._regions[register.name] = symbol
            return
        self.facts.append(self.whole.machine.domain(symbol, shape))
        self._values[register.name] = self.whole.machine.value(symbol, shape)

    def alias(self, register: Register, value: V, operands: Iterable[Operand] = ()) -> None:
        """The register has this value; a deep term gets the register's symbol."""
        kept = self.whole.machine.keep(value, self.shape(register))
        if self._is_deep(register, operands):
            symbol = self.local(register)
            self.facts.append(terms.eq(symbol, self.whole.machine.plain(kept)))
            kept = self.whole.machine.named(symbol, kept)
        self._values[register.name] = kept

    def fill(self, register: Register, contents: Term, operands: Iterable[Operand] = ()) -> None:
        """The register is a region with these contents; a deep term gets the register's symbol."""
        if self._is_deep(register, operands):
            symbol = self.local(register)
            self.facts.append(terms.eq(symbol, contents))
            contents = symbol
        self._regions[register.name] = contents

    def copy(self, register: Register, operand: Operand) -> None:
        """The register has the value of an operand of its type."""
        if self.shape(register).addresses is None:
            self.alias(register, self.read(operand), (operand,))
        else:
            self.fill(register, self.region(operand), (operand,))

    def _is_deep(self, register: Register, operands: Iterable[Operand]) -> bool:
        """Note how deep the register's term is over the operands' terms."""
        known = (self._depth.get(o.name, 0) for o in operands if isinstance(o, Register))
        depth = 1 + max(known, default=0)
        self._depth[register.name] = depth if depth <= DEPTH else 0
        return depth > DEPTH

    def term(self, operand: Operand, shape: Shape) -> Term:
        """An operand as a symbol of the shape holds it."""
        if shape.addresses is not None:
            return self.region(operand)
        return self.whole.machine.term(self.read(operand), shape)

    def truth(self, operand: Operand) -> Term:
        """The truth value of an i1 operand."""
        return self.algebra.to_bool(self.read(operand))

    # ------------------------------------------------------------------------ blocks, atoms, rule

    def enter(self, label: str, guard: Term) -> None:
        """The translation goes on in a block that runs when `guard` holds."""
        self._label, self._guard = label, guard

    def mark(self, label: str) -> Term:
        """The Boolean of a block."""
        symbol = names.symbol(f"{self.function.name}/{label}", terms.BOOL)
        self._marks.append(BlockMark(symbol, self.function.name, label))
        return symbol

    def at(self, statement: Statement) -> None:
        """The translation stands at this statement."""
        self._statement = statement

    def reads(self, symbol: Term, site: int, extent: Extent | None = None) -> None:
        """The current block reads an input."""
        self._inputs.append(InputRead(symbol, site, self._guard, extent))

    def premise(self, related: Related) -> None:
        """The body atom of the function's own relation; its registers get their values."""
        self.body.append(Atom(related.relation.name, related.relation.symbols))
        for register, parameter, _ in related.parameters:
            self.hold(register, parameter.symbol)

    def head(self, related: Related, operands: Iterable[Operand]) -> Atom:
        """An atom of `related` with these operands as arguments."""
        pairs = zip(operands, related.shapes, strict=True)
        arguments = tuple(self.term(operand, shape) for operand, shape in pairs)
        return Atom(related.relation.name, arguments)

    def rule(self, name: str, head: Atom | Query, origin: Origin) -> Rule:
        """The finished rule."""
        parts = (
            part for fact in self.facts for part in (fact.args() if fact.is_and() else (fact,))
        )
        return Rule(
            name,
            tuple(self.body),
            terms.and_(parts),
            head,
            tuple(self._inputs),
            tuple(self._marks),
            origin,
        )
