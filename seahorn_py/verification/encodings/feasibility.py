"""Whether some run of a program that is being unfolded makes a condition true: asked of bitwuzla.

The code written so far is a formula.  It has a constant for each register, equal to what its
statement computes (`encode.bits.bitvectors`), and one for each block, which is true if the run
passes the block.  Floats are arbitrary.  The answer *impossible* is not trusted: the unfolded
program has a check for it, which is proved together with all others.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from seahorn_py.encode.bits.bitvectors import Bitvectors
from seahorn_py.ir import semantics
from seahorn_py.ir.program import (
    Address,
    Binary,
    Bits,
    Cast,
    Compare,
    IntConst,
    Operand,
    Overflow,
    Register,
    Select,
    Statement,
)
from seahorn_py.ir.types import BOOL, IntType
from seahorn_py.logic.solvers.natives import Backend, Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.drafts import Draft, Into
from seahorn_py.policy.policy import policy

_ALGEBRA = Bitvectors()
TRUE = terms.bool_const(True)
Node = Draft | Operand


class Feasibility:
    """Answers questions about the code of one unfolding; each builds on the formula of the last."""

    def __init__(self) -> None:
        self._backend: Backend = Solvers(Solver.BITWUZLA).backend()
        self._names: dict[Term, str] = {}
        self._registers: dict[Register, Term] = {}
        self._blocks: dict[str, Term] = {}
        self._left: float = policy().race.feasible_seconds

    def possible(self, code: Code, condition: Operand) -> bool:
        """False if no run at the end of the present block makes it true; True if unknown."""
        if self._left <= 0:
            return True
        start = time.process_time()
        self._define(code, code.draft, condition)
        asked = [self._blocks[code.draft.label], self._term(condition)]
        known = [self._backend.formula(term, self._names) for term in asked]
        each = policy().race.feasible_question_seconds
        status = self._backend.check(known, time.monotonic() + each, each)
        self._left -= time.process_time() - start
        return status is not Status.UNSAT

    def _define(self, code: Code, *wanted: Node) -> None:
        """Define constants for the wanted nodes, after those of the nodes they are made of."""
        pending = list(wanted)
        while pending:
            node = pending[-1]
            missing = [] if self._has(node) else [n for n in _parts(code, node) if not self._has(n)]
            pending.extend(missing)
            if missing:
                continue
            pending.pop()
            if self._has(node):
                continue
            if isinstance(node, Draft):
                self._blocks[node.label] = self._passed(node)
            elif isinstance(node, Register):
                self._registers[node] = self._value(code, node)

    def _has(self, node: Node) -> bool:
        if isinstance(node, Draft):
            return node.label in self._blocks
        return not isinstance(node, Register) or node in self._registers

    def _passed(self, draft: Draft) -> Term:
        taken = [self._edge(edge) for edge in draft.edges]
        return self._named(f"b!{draft.label}", BOOL, terms.or_(taken) if taken else TRUE)

    def _edge(self, edge: Into) -> Term:
        passed = self._blocks[edge.source.label]
        if edge.condition is None:
            return passed
        holds = self._term(edge.condition)
        return terms.and_([passed, holds if edge.truth else terms.not_(holds)])

    def _value(self, code: Code, register: Register) -> Term:
        kind = register.type
        assert isinstance(kind, IntType)
        meaning: Term | None = None
        made = code.definitions.get(register)
        if register in code.phis:
            home, incoming = code.phis[register]
            meaning = self._term(incoming[-1])
            for edge, value in reversed(list(zip(home.edges, incoming, strict=True))[:-1]):
                meaning = terms.ite(self._edge(edge), self._term(value), meaning)
        elif made is not None and _is_integral(made):
            meaning = self._meaning(made)
        return self._named(f"r!{register.name}!{kind.width}", kind, meaning)

    def _named(self, name: str, kind: IntType, meaning: Term | None) -> Term:
        sort = terms.BOOL if kind == BOOL else terms.bv_sort(kind.width)
        symbol = terms.symbol(name, sort)
        self._names[symbol] = name
        self._backend.declare({symbol: name})
        if meaning is not None:
            equal = terms.iff(symbol, meaning) if kind == BOOL else terms.eq(symbol, meaning)
            self._backend.add(self._backend.formula(equal, self._names))
        return symbol

    def _term(self, operand: Operand) -> Term:
        match operand:
            case Register():
                return self._registers[operand]
            case IntConst(value, type_):
                return semantics.constant(_ALGEBRA, type_.width, value)
            case _:
                raise TypeError(operand)

    def _meaning(self, statement: Statement) -> Term:
        match statement:
            case Binary(op=op, left=left, right=right):
                return semantics.binary(
                    _ALGEBRA, op, _width(left), self._term(left), self._term(right)
                )
            case Compare(predicate=predicate, left=left, right=right):
                sides = self._term(left), self._term(right)
                return semantics.compare(_ALGEBRA, predicate, _width(left), *sides)
            case Overflow(op=op, left=left, right=right):
                sides = self._term(left), self._term(right)
                return semantics.overflow(_ALGEBRA, op, _width(left), *sides)
            case Select(condition=condition, then=then, otherwise=otherwise):
                return terms.ite(self._term(condition), self._term(then), self._term(otherwise))
            case Cast(op=op, value=value, result=result):
                return semantics.cast(
                    _ALGEBRA, op, _width(value), _width(result), self._term(value)
                )
            case Bits(op=op, arguments=arguments):
                values = tuple(map(self._term, arguments))
                return semantics.bits(_ALGEBRA, op, _width(arguments[0]), values)
            case _:
                raise TypeError(statement)


def _parts(code: Code, node: Node) -> Iterator[Node]:
    """The nodes that a block or an integer is made of."""
    if isinstance(node, Draft):
        yield from (edge.source for edge in node.edges)
        yield from (edge.condition for edge in node.edges if edge.condition is not None)
    elif isinstance(node, Register) and node in code.phis:
        home, incoming = code.phis[node]
        yield from incoming
        yield from _parts(code, home)
    elif isinstance(node, Register):
        made = code.definitions.get(node)
        if made is not None and _is_integral(made):
            yield from _read(made)


def _read(statement: Statement) -> tuple[Operand, ...]:
    match statement:
        case Binary() | Compare() | Overflow():
            return statement.left, statement.right
        case Select():
            return statement.condition, statement.then, statement.otherwise
        case Cast():
            return (statement.value,)
        case Bits():
            return statement.arguments
        case _:
            return ()


def _is_integral(statement: Statement) -> bool:
    """Whether the statement computes an integer from integers."""
    read = _read(statement)
    return bool(read) and all(isinstance(operand.type, IntType) for operand in read)


def _width(operand: Operand) -> int:
    assert isinstance(operand.type, IntType) and not isinstance(operand, Address)
    return operand.type.width
