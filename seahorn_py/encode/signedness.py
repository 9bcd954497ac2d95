"""Whether an integer represents a machine integer as a signed or as an unsigned number.

The choice is made for classes of SSA values (union-find).  A class has values that flow into one
another without a change (phi, select, passing and returning, the contents of a region and what is
loaded from it), or that step by a constant.  Operations that take a value as signed or unsigned
vote for its class, and the C types of its variables decide ties.  A class without votes follows the
values that it is computed from or compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import pairwise
from typing import assert_never

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Bind,
    Bits,
    BitsOp,
    Call,
    Cast,
    CastOp,
    Compare,
    Function,
    IntConst,
    Operand,
    Overflow,
    OverflowOp,
    Predicate,
    Program,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Return,
    Select,
    Statement,
)
from seahorn_py.ir.types import IntType

Value = tuple[str, str]
"""A function and the name of a register, or `ret.K` for its result K."""

_SIGNED = frozenset({Predicate.SGT, Predicate.SGE, Predicate.SLT, Predicate.SLE})
_UNSIGNED = frozenset({Predicate.UGT, Predicate.UGE, Predicate.ULT, Predicate.ULE})
_LINEAR = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL})
INT_WIDTH = 32
"""The width of `int`."""
_CONSUMER, _TIE = 1 << 20, 1


def result_name(number: int) -> str:
    """The synthetic register that holds a result of a function."""
    return f"ret.{number}"


@dataclass
class _Classes:
    """Union-find with path halving; `votes` of a root count for signed if positive."""

    parent: dict[Value, Value] = field(default_factory=dict)
    votes: dict[Value, int] = field(default_factory=dict)
    kin: list[tuple[Value, Value]] = field(default_factory=list)

    def root(self, value: Value) -> Value:
        """The representative of the class."""
        parent = self.parent
        while (up := parent.setdefault(value, value)) != value:
            parent[value] = parent[up]
            value = up
        return value

    def join(self, one: Value, other: Value) -> None:
        """Both have one representation."""
        self.parent[self.root(one)] = self.root(other)


def signedness(program: Program) -> Mapping[Value, bool]:
    """Signed or not, for each register and result; one that is missing is signed."""
    classes = _classes(program)
    ballots: list[tuple[Value, int]] = []
    for name, statement in _statements(program):
        ballots.extend(_votes(name, statement))
    for value, vote in ballots:
        root = classes.root(value)
        classes.votes[root] = classes.votes.get(root, 0) + vote
    _follow_kin(classes)
    return {value: classes.votes.get(classes.root(value), 0) >= 0 for value in classes.parent}


def wrapping_sums(program: Program) -> frozenset[Value]:
    """The results of sums that may wrap in C although they are read as signed.

    They are narrower than `int`, where C converts, or a value of theirs may come from a variable
    that is declared unsigned.
    """
    classes = _classes(program)
    unsigned = {
        classes.root((name, s.value.name))
        for name, s in _statements(program)
        if isinstance(s, Bind) and isinstance(s.value, Register) and s.variable.signed is False
    }
    sums = [(n, s) for n, s in _statements(program) if isinstance(s, Binary) and s.op in _LINEAR]
    grown = True
    while grown:
        found = [(n, s) for n, s in sums if _is_of(classes, unsigned, n, s)]
        more = {classes.root((n, s.result.name)) for n, s in found} - unsigned
        grown, unsigned = bool(more), unsigned | more
    found += [(n, s) for n, s in sums if 1 < _width(s.result) < INT_WIDTH]
    signs = signedness(program)
    results = frozenset((n, s.result.name) for n, s in found)
    return frozenset(value for value in results if signs.get(value, True))


def _is_of(classes: _Classes, roots: set[Value], name: str, s: Binary) -> bool:
    """The sum or an operand of it is in one of the classes."""
    registers = [o for o in (s.left, s.right, s.result) if isinstance(o, Register)]
    return any(classes.root((name, register.name)) in roots for register in registers)


def _width(register: Register) -> int:
    return register.type.width if isinstance(register.type, IntType) else 0


def _classes(program: Program) -> _Classes:
    classes = _Classes()
    for function in program.functions.values():
        for block in function.blocks:
            for phi in block.phis:
                _join(classes, function.name, phi.result, *(value for _, value in phi.incoming))
            for statement in block.statements:
                _relate(classes, program, function.name, statement)
            if isinstance(block.terminator, Return):
                _returned(classes, function, block.terminator)
    return classes


def _statements(program: Program) -> Iterator[tuple[str, Statement]]:
    for function in program.functions.values():
        for block in function.blocks:
            yield from ((function.name, statement) for statement in block.statements)


def _join(classes: _Classes, name: str, result: Register, *operands: Operand) -> None:
    for operand in operands:
        if isinstance(operand, Register):
            classes.join((name, result.name), (name, operand.name))


def _kin(classes: _Classes, name: str, *operands: Operand) -> None:
    registers = [o for o in operands if isinstance(o, Register)]
    pairs = pairwise(registers)
    classes.kin.extend(((name, a.name), (name, b.name)) for a, b in pairs)


def _returned(classes: _Classes, function: Function, terminator: Return) -> None:
    for number, value in enumerate(terminator.values):
        if isinstance(value, Register):
            result = (function.name, result_name(number))
            classes.join(result, (function.name, value.name))


def _relate(  # noqa: C901 - a flat match
    classes: _Classes, program: Program, name: str, statement: Statement
) -> None:
    match statement:
        case Select():
            _join(classes, name, statement.result, statement.then, statement.otherwise)
        case Binary():
            constants = (isinstance(o, IntConst) for o in (statement.left, statement.right))
            if statement.op in _LINEAR and any(constants):
                _join(classes, name, statement.result, statement.left, statement.right)
            else:
                _kin(classes, name, statement.result, statement.left, statement.right)
        case Compare():
            _kin(classes, name, statement.left, statement.right)
        case Bits():
            _kin(classes, name, statement.result, *statement.arguments)
        case RegionLoad():
            _join(classes, name, statement.result, statement.region)
        case RegionStore():
            _join(classes, name, statement.result, statement.region)
            _kin(classes, name, statement.value, statement.result)
        case RegionFill():
            _kin(classes, name, statement.value, statement.result)
        case RegionHavoc():
            _join(classes, name, statement.result, statement.region)
        case Call() if statement.callee in program.functions:
            callee = program.functions[str(statement.callee)]
            for parameter, argument in zip(callee.parameters, statement.arguments, strict=True):
                if isinstance(argument, Register):
                    classes.join((callee.name, parameter.name), (name, argument.name))
            for number, result in enumerate(statement.results):
                classes.join((callee.name, result_name(number)), (name, result.name))
        case _:
            pass


def _votes(name: str, statement: Statement) -> Iterator[tuple[Value, int]]:
    """Votes for signed (positive) or unsigned (negative)."""
    for operand, is_signed in _readings(statement):
        if isinstance(operand, Register):
            yield (name, operand.name), _CONSUMER if is_signed else -_CONSUMER
    if isinstance(statement, Bind) and isinstance(statement.value, Register):
        declared = statement.variable.signed
        if declared is not None:
            yield (name, statement.value.name), _TIE if declared else -_TIE


def _readings(statement: Statement) -> Iterator[tuple[Operand, bool]]:
    """Operands and results that the statement reads as signed (True) or unsigned numbers."""
    match statement:
        case Compare() if statement.predicate in _SIGNED | _UNSIGNED:
            is_signed = statement.predicate in _SIGNED
            yield statement.left, is_signed
            yield statement.right, is_signed
        case Binary():
            yield from _binary_readings(statement)
        case Cast(op=CastOp.ZEXT | CastOp.UITOFP):
            yield statement.value, False
        case Cast(op=CastOp.SEXT | CastOp.SITOFP):
            yield statement.value, True
            yield statement.result, True
        case Overflow():
            is_signed = statement.op in (OverflowOp.SADD, OverflowOp.SSUB, OverflowOp.SMUL)
            yield statement.left, is_signed
            yield statement.right, is_signed
        case Bits():
            reading = _bits_reading(statement.op)
            if reading is not None:
                yield statement.result, reading
                for argument in statement.arguments:
                    yield argument, reading
        case _:
            pass


def _binary_readings(statement: Binary) -> Iterator[tuple[Operand, bool]]:
    match statement.op:
        case BinaryOp.UDIV | BinaryOp.UREM:
            yield statement.left, False
            yield statement.right, False
        case BinaryOp.SDIV | BinaryOp.SREM:
            yield statement.left, True
            yield statement.right, True
        case BinaryOp.LSHR:
            yield statement.left, False
        case BinaryOp.ASHR:
            yield statement.left, True
        case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL | BinaryOp.SHL:
            pass
        case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
            pass
        case _:
            assert_never(statement.op)


def _bits_reading(op: BitsOp) -> bool | None:
    match op:
        case BitsOp.ABS | BitsOp.SMAX | BitsOp.SMIN | BitsOp.SADD_SAT | BitsOp.SSUB_SAT:
            return True
        case BitsOp.UMAX | BitsOp.UMIN | BitsOp.UADD_SAT | BitsOp.USUB_SAT:
            return False
        case BitsOp.CTPOP | BitsOp.CTLZ | BitsOp.CTTZ | BitsOp.FSHL | BitsOp.FSHR:
            return None
        case BitsOp.BSWAP | BitsOp.BITREVERSE:
            return None
        case _:
            assert_never(op)


def _follow_kin(classes: _Classes) -> None:
    """Pass opinions on to classes that have none, unsigned first as C's conversions do."""
    kin: dict[Value, list[Value]] = {}
    for one, other in classes.kin:
        a, b = classes.root(one), classes.root(other)
        kin.setdefault(a, []).append(b)
        kin.setdefault(b, []).append(a)
    opinions = [root for root, vote in classes.votes.items() if vote]
    pending = sorted(opinions, key=lambda root: classes.votes[root] > 0)
    for root in pending:
        for other in kin.get(root, ()):
            if not classes.votes.get(other, 0):
                classes.votes[other] = 1 if classes.votes[root] > 0 else -1
                pending.append(other)
