"""Which types the operands and results of a statement must have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from seahorn_py.ir.intrinsics import arity
from seahorn_py.ir.program import (
    Alloca,
    Binary,
    Bind,
    Bits,
    BitsOp,
    Call,
    Cast,
    CastOp,
    Compare,
    FloatOp,
    Havoc,
    Input,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Select,
    Statement,
    Store,
    Valid,
)
from seahorn_py.ir.types import BOOL, POINTER, FloatKind, FloatType, IntType, RegionType, Type

MAX_WIDTH = 128
_BYTE = IntType(8)


def complaints(statement: Statement) -> Iterator[str]:
    """What is wrong with the types of a statement; calls by name are checked by the verifier."""
    match statement:
        case Binary() | Compare() | Cast() | Select() | Bits() | Overflow() | FloatOp() | Offset():
            return _of_value(statement)
        case Alloca() | Load() | Store() | MemoryCopy() | MemorySet() | Havoc():
            return _of_memory(statement)
        case Lifetime() | Valid():
            return _of_place(statement)
        case RegionLoad() | RegionStore() | RegionFill() | RegionHavoc():
            return _of_region(statement)
        case Call():
            through = (statement.callee,) if isinstance(statement.callee, Register) else ()
            return _same(POINTER, *through)
        case Input() | Bind():
            return iter(())
        case _:
            assert_never(statement)


def _of_value(
    statement: Binary | Compare | Cast | Select | Bits | Overflow | FloatOp | Offset,
) -> Iterator[str]:
    match statement:
        case Binary():
            yield from _integer(statement.result)
            yield from _same(statement.result.type, statement.left, statement.right)
        case Compare():
            yield from _comparison(statement)
        case Cast():
            if not _cast_fits(statement.op, statement.value.type, statement.result.type):
                yield f"from {statement.value.type} to {statement.result.type}"
        case Select():
            yield from _same(BOOL, statement.condition)
            yield from _same(statement.result.type, statement.then, statement.otherwise)
        case Bits():
            yield from _bits(statement)
        case Overflow():
            yield from _same(BOOL, statement.result)
            yield from _integer(statement.left)
            yield from _same(statement.left.type, statement.right)
        case FloatOp():
            yield from _float(statement)
        case Offset():
            yield from _same(POINTER, statement.result, statement.base)
            yield from _integer(*(index for index, _ in statement.terms))
        case _:
            assert_never(statement)


def _of_memory(
    statement: Alloca | Load | Store | MemoryCopy | MemorySet | Havoc,
) -> Iterator[str]:
    match statement:
        case Alloca():
            yield from _same(POINTER, statement.result)
            yield from _integer(statement.size)
        case Load() | Store():
            yield from _same(POINTER, statement.address)
        case MemoryCopy():
            yield from _same(POINTER, statement.target, statement.source)
            yield from _integer(statement.length)
        case MemorySet():
            yield from _same(POINTER, statement.target)
            yield from _same(_BYTE, statement.byte)
            yield from _integer(statement.length)
        case Havoc():
            yield from _same(POINTER, statement.address)
            yield from _integer(statement.size)
        case _:
            assert_never(statement)


def _of_place(statement: Lifetime | Valid) -> Iterator[str]:
    if isinstance(statement, Valid):
        yield from _same(BOOL, statement.result)
        yield from _integer(statement.size)
    yield from _same(POINTER, statement.address)


def _of_region(statement: RegionLoad | RegionStore | RegionFill | RegionHavoc) -> Iterator[str]:
    match statement:
        case RegionLoad():
            yield from _same(POINTER, statement.address)
            yield from _region(statement.result.type, statement.region)
        case RegionStore():
            yield from _same(POINTER, statement.address)
            yield from _region(statement.value.type, statement.region, statement.result)
        case RegionFill():
            yield from _region(statement.value.type, statement.result)
        case RegionHavoc():
            yield from _same(POINTER, statement.address)
            yield from _integer(statement.size)
            yield from _same(statement.result.type, statement.region)
        case _:
            assert_never(statement)


def _same(type_: Type, *operands: Operand) -> Iterator[str]:
    for operand in operands:
        if operand.type != type_:
            yield f"{operand} is {operand.type}, not {type_}"


def _region(element: Type, *operands: Operand) -> Iterator[str]:
    for operand in operands:
        if not isinstance(operand.type, RegionType) or operand.type.element != element:
            yield f"{operand} is {operand.type}, not region of {element}"


def _integer(*operands: Operand) -> Iterator[str]:
    for operand in operands:
        if not isinstance(operand.type, IntType):
            yield f"{operand} is {operand.type}, not an integer"


def _comparison(statement: Compare) -> Iterator[str]:
    yield from _same(BOOL, statement.result)
    yield from _same(statement.left.type, statement.right)
    if isinstance(statement.left.type, FloatType):
        yield f"{statement.left} is a float"


def _bits(statement: Bits) -> Iterator[str]:
    if len(statement.arguments) != arity(statement.op):
        yield f"{len(statement.arguments)} arguments"
    yield from _integer(statement.result)
    yield from _same(statement.result.type, *statement.arguments)
    type_ = statement.result.type
    if statement.op is BitsOp.BSWAP and isinstance(type_, IntType) and type_.width % 16:
        yield f"bswap of {type_}"


def _float(statement: FloatOp) -> Iterator[str]:
    if not statement.arguments:
        yield "no arguments"
    if statement.op.startswith("fcmp "):
        yield from _same(BOOL, statement.result)
        yield from _same(statement.arguments[0].type, *statement.arguments[1:])


def _cast_fits(op: CastOp, source: Type, target: Type) -> bool:
    match op, source, target:
        case ((CastOp.ZEXT | CastOp.SEXT), IntType(old), IntType(new)):
            return old < new
        case CastOp.TRUNC, IntType(old), IntType(new):
            return old > new
        case CastOp.PTRTOINT, _, IntType():
            return source == POINTER
        case CastOp.INTTOPTR, IntType(), _:
            return target == POINTER
        case CastOp.BITCAST, _, _:
            return source == target or _width(source) == _width(target) is not None
        case ((CastOp.FPEXT | CastOp.FPTRUNC), FloatType(), FloatType()):
            grows = _ORDER.index(source.kind) < _ORDER.index(target.kind)
            return source != target and grows is (op is CastOp.FPEXT)
        case ((CastOp.SITOFP | CastOp.UITOFP), IntType(), FloatType()):
            return True
        case ((CastOp.FPTOSI | CastOp.FPTOUI), FloatType(), IntType()):
            return True
        case ((CastOp.FPTOSI_SAT | CastOp.FPTOUI_SAT), FloatType(), IntType()):
            return True
        case _:
            return False


_ORDER = (FloatKind.SINGLE, FloatKind.DOUBLE, FloatKind.X87)


def _width(type_: Type) -> int | None:
    match type_:
        case IntType():
            return type_.width
        case FloatType():
            return {FloatKind.SINGLE: 32, FloatKind.DOUBLE: 64, FloatKind.X87: 80}[type_.kind]
        case _:
            return None
