"""Calls: how they are written, and how arguments meet the parameters of the function called.

Old C calls functions without a prototype, so the type of a call may differ from that of the
definition.  What the callee then reads is arbitrary from the first argument that does not fit on.
"""

from __future__ import annotations

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.layout import LlvmType, Types
from seahorn_py.frontend.llvmtext.tokens import END, VALUE_WORDS, Cursor
from seahorn_py.frontend.reading.body import Body, Signature, cast_statements
from seahorn_py.frontend.reading.denotations import Value, integer
from seahorn_py.frontend.reading.intrinsics import (
    FUNCTIONS,
    IGNORED,
    base_name,
    float_function,
    intrinsic_call,
)
from seahorn_py.frontend.reading.seafunctions import sea_call
from seahorn_py.ir.program import (
    PASSED,
    Address,
    Alloca,
    Call,
    CastOp,
    MemoryCopy,
    Offset,
    Operand,
    Register,
)
from seahorn_py.ir.types import POINTER, FloatType, IntType, PointerType, Type


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument or parameter as it is written: its type and, if passed by value, the object's."""

    type: LlvmType
    by_value: LlvmType | None


def read_call(body: Body, cursor: Cursor, result: str) -> None:
    """`call T @f(...)`, also through a pointer."""
    while not body.types.starts_type(cursor.peek()):
        if cursor.peek() in (END, "asm"):
            raise UnsupportedError("inline assembly is not supported")
        cursor.skip_attribute()
    kind = body.types.read(cursor)
    if cursor.peek() == "(":
        cursor.skip_balanced()
    if cursor.peek() == "asm":
        raise UnsupportedError("inline assembly is not supported")
    token = cursor.peek()
    if token.startswith("@llvm.") and base_name(token[1:]) in IGNORED:
        return
    callee = body.value(POINTER, cursor)
    arguments = _arguments(body, cursor)
    name = _name(body, callee)
    if name is not None:
        _direct(body, name, result, kind, arguments)
        return
    pointer = body.use(callee)
    if not isinstance(pointer, Register):
        copy = body.temporary(POINTER)
        body.emit(Offset(copy, pointer, 0, (), body.origin))
        pointer = copy
    results = tuple(body.define_leaves(result, kind))
    body.emit(Call(results, pointer, arguments, body.origin))


def _name(body: Body, callee: Value) -> str | None:
    """What the call names, unless that cannot be a function."""
    if not isinstance(callee, Address) or callee.offset != 0:
        return None
    return None if callee.symbol in body.parts.objects else callee.symbol


def _direct(
    body: Body, name: str, result: str, kind: LlvmType, arguments: tuple[Operand, ...]
) -> None:
    signature = body.parts.signatures.get(name)
    if signature is not None:
        _defined(body, signature, result, kind, arguments)
    elif name.startswith("sea."):
        sea_call(body, name, result, _kinds(body, kind), arguments)
    elif name.startswith("llvm.") and not name.startswith("llvm.va_"):
        intrinsic_call(body, name, result, _kinds(body, kind), arguments)
    elif name not in FUNCTIONS or not float_function(
        body, name, result, _kinds(body, kind), arguments
    ):
        results = tuple(body.define_leaves(result, kind))
        body.emit(Call(results, name, arguments, body.origin))


def _kinds(body: Body, kind: LlvmType) -> list[Type]:
    return [leaf for _, leaf in body.types.leaves(kind)]


# -------------------------------------------------------------------------------------- arguments


def read_passed(types: Types, cursor: Cursor) -> Passed:
    """A type and its attributes; the cursor ends on the value or name."""
    kind = types.read(cursor)
    by_value: LlvmType | None = None
    while _is_attribute(token := cursor.peek()):
        if token == "byval":
            cursor.position += 1
            cursor.expect("(")
            by_value = types.read(cursor)
            cursor.expect(")")
        elif token in ("inalloca", "preallocated"):
            raise UnsupportedError(f"arguments passed as {token} are not supported")
        else:
            cursor.skip_attribute()
    return Passed(kind, by_value)


def _is_attribute(token: str) -> bool:
    if token.startswith(('c"', '"')):
        return token.startswith('"')
    return token[:1].isalpha() and token not in VALUE_WORDS


def _arguments(body: Body, cursor: Cursor) -> tuple[Operand, ...]:
    cursor.expect("(")
    arguments: list[Operand] = []
    while not cursor.accept(")"):
        if cursor.peek() == "metadata":
            raise UnsupportedError("a call with metadata arguments is not supported")
        passed = read_passed(body.types, cursor)
        values = [body.use(value) for value in body.values(passed.type, cursor)]
        if passed.by_value is not None:
            values = [_copied(body, values[0], passed.by_value)]
        arguments.extend(values)
        cursor.accept(",")
    return tuple(arguments)


def _copied(body: Body, address: Operand, kind: LlvmType) -> Operand:
    """The callee owns a copy of what is passed by value."""
    size = integer(body.types.size(kind), body.types.word)
    copy = body.temporary(POINTER)
    body.emit(Alloca(copy, size, body.types.align(kind), body.origin))
    body.emit(MemoryCopy(copy, address, size, body.origin))
    return copy


# ------------------------------------------------------------------------------ defined functions


def _defined(
    body: Body, callee: Signature, result: str, kind: LlvmType, arguments: tuple[Operand, ...]
) -> None:
    passed, misfits = _fitted(body, callee, arguments)
    if misfits:
        body.emit(Call((), PASSED, misfits, body.origin))
    names = body.leaf_names(result, kind)
    if tuple(leaf for _, leaf in names) == callee.results:
        results = tuple(body.define(name, leaf) for name, leaf in names)
    else:
        results = tuple(body.temporary(leaf) for leaf in callee.results)
    body.emit(Call(results, callee.name, passed, body.origin))
    if names and names[0][0] not in {r.name for r in results}:
        for name, leaf in names:
            body.alias(name, body.arbitrary(leaf, callee.name))


def _fitted(
    body: Body, callee: Signature, arguments: tuple[Operand, ...]
) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """A value for each parameter, and the arguments that became none."""
    fitted: list[Operand] = []
    for argument, parameter in zip(arguments, callee.parameters, strict=False):
        value = _as_parameter(body, argument, parameter)
        if value is None:
            break
        fitted.append(value)
    misfits = arguments[len(fitted) :]
    fitted += [body.arbitrary(p.type, "argument") for p in callee.parameters[len(fitted) :]]
    return tuple(fitted), misfits


def _as_parameter(body: Body, value: Operand, parameter: Register) -> Operand | None:
    """What the callee reads in the place of an argument; None if it is not known."""
    kind = parameter.type
    if value.type == kind:
        return value
    match value.type, kind:
        case (FloatType(), _) | (_, FloatType()):
            return None
        case (IntType(given), IntType(wanted)) if wanted < given <= 32:
            op = CastOp.TRUNC
        case (PointerType(), IntType(wanted)) if wanted == body.types.word.width:
            op = CastOp.PTRTOINT
        case (IntType(given), PointerType()) if given == body.types.word.width:
            op = CastOp.INTTOPTR
        case _:
            return None
    result = body.temporary(kind)
    for statement in cast_statements(body, result, op, value):
        body.emit(statement)
    return result
