"""Instructions on memory.

LLVM Language Reference Manual, "Memory Access and Addressing Operations".  Atomic operations have
their single-threaded meaning: a load, an operation and a store.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.frontend.llvmtext.tokens import Cursor
from seahorn_py.frontend.reading import folds
from seahorn_py.frontend.reading.body import Body
from seahorn_py.frontend.reading.denotations import displaced, integer
from seahorn_py.frontend.reading.literals import BINARY_WORDS, Position
from seahorn_py.frontend.reading.scalar import Reader
from seahorn_py.ir.program import (
    Address,
    Alloca,
    Binary,
    BinaryOp,
    Bits,
    BitsOp,
    Cast,
    CastOp,
    FloatOp,
    IntConst,
    Load,
    Offset,
    Operand,
    Predicate,
    Register,
    Select,
    Store,
)
from seahorn_py.ir.types import BOOL, POINTER, FloatType, IntType, PointerType, Type

_GEP_FLAGS = ("inbounds", "nuw", "nusw")
_ATOMIC_BITS = {
    "max": BitsOp.SMAX,
    "min": BitsOp.SMIN,
    "umax": BitsOp.UMAX,
    "umin": BitsOp.UMIN,
}


def read_alloca(body: Body, cursor: Cursor, result: str) -> None:
    """`alloca T, iN %count, align 8`."""
    cursor.accept("inalloca")
    kind = body.types.read(cursor)
    size = body.types.size(kind)
    align = body.types.align(kind)
    total: Operand = integer(size, body.types.word)
    while cursor.accept(","):
        if cursor.accept("align"):
            align = cursor.integer()
        elif cursor.peek() == "addrspace":
            raise UnsupportedError("stack objects in other address spaces are not supported")
        else:
            total = _product(body, body.typed_operand(cursor), size)
    body.emit(Alloca(body.define(result, POINTER), total, align, body.origin))


def _product(body: Body, count: Operand, size: int) -> Operand:
    """The unsigned number of bytes of `count` elements."""
    word = body.types.word
    if isinstance(count, IntConst):
        return integer(count.value * size, word)
    if count.type != word and isinstance(count.type, IntType):
        widened = body.temporary(word)
        op = CastOp.ZEXT if count.type.width < word.width else CastOp.TRUNC
        body.emit(Cast(widened, op, count, body.origin))
        count = widened
    if size == 1:
        return count
    result = body.temporary(word)
    body.emit(Binary(result, BinaryOp.MUL, count, integer(size, word), body.origin))
    return result


def at_offset(body: Body, base: Operand, offset: int) -> Operand:
    """The address some bytes further."""
    if offset == 0:
        return base
    if isinstance(base, Address):
        return body.use(displaced(base, offset, body.types.word))
    result = body.temporary(POINTER)
    body.emit(Offset(result, base, offset, (), body.origin))
    return result


def read_load(body: Body, cursor: Cursor, result: str) -> None:
    """`load [atomic] [volatile] T, ptr %p`, leaf by leaf."""
    cursor.accept("atomic")
    volatile = cursor.accept("volatile")
    kind = body.types.read(cursor)
    cursor.expect(",")
    address = body.typed_operand(cursor)
    leaves = zip(body.leaf_names(result, kind), body.types.leaves(kind), strict=True)
    for (leaf, scalar), (offset, _) in leaves:
        place = at_offset(body, address, offset)
        body.emit(Load(body.define(leaf, scalar), place, volatile, body.origin))


def read_store(body: Body, cursor: Cursor, _result: str) -> None:
    """`store [atomic] [volatile] T %v, ptr %p`, leaf by leaf."""
    cursor.accept("atomic")
    volatile = cursor.accept("volatile")
    kind = body.types.read(cursor)
    values = body.values(kind, cursor)
    cursor.expect(",")
    address = body.typed_operand(cursor)
    for value, (offset, _) in zip(values, body.types.leaves(kind), strict=True):
        used = body.use(value)
        body.emit(Store(used, at_offset(body, address, offset), volatile, body.origin))


def read_getelementptr(body: Body, cursor: Cursor, result: str) -> None:
    """`getelementptr T, ptr %p, i64 0, i64 %i`; constant indices are summed up."""
    while cursor.peek() in _GEP_FLAGS:
        cursor.position += 1
    source = body.types.read(cursor)
    cursor.expect(",")
    base = body.typed_operand(cursor)
    position = Position(body.types, source)
    constant = 0
    terms: list[tuple[Operand, int]] = []
    extent: tuple[int, int] | None = None
    while cursor.accept(","):
        index = body.typed_operand(cursor)
        if isinstance(index, IntConst):
            constant += position.step(index)
        else:
            if not terms and position.size():
                extent = constant, constant + position.size()
            terms.append((index, position.stride()))
    terms = [(index, scale) for index, scale in terms if scale]
    if terms or not isinstance(base, Address):
        offset = Offset(
            Register(result, POINTER), base, constant, tuple(terms), body.origin, extent
        )
        _define_offset(body, result, offset)
    else:
        body.alias(result, displaced(base, constant, body.types.word))


def _define_offset(body: Body, result: str, offset: Offset) -> None:
    if offset.constant == 0 and not offset.terms:
        body.alias(result, offset.base)
    else:
        body.define(result, POINTER)
        body.emit(offset)


def read_atomicrmw(body: Body, cursor: Cursor, result: str) -> None:
    """`atomicrmw add ptr %p, i32 %v seq_cst`: the old value; the new one is stored."""
    volatile = cursor.accept("volatile")
    operation = cursor.next()
    address = body.typed_operand(cursor)
    cursor.expect(",")
    kind = body.types.read_scalar(cursor)
    value = body.operand(kind, cursor)
    old = body.define(result, kind)
    body.emit(Load(old, address, volatile, body.origin))
    body.emit(Store(_combined(body, operation, old, value), address, volatile, body.origin))


def _combined(body: Body, operation: str, old: Register, value: Operand) -> Operand:
    kind = old.type
    if operation == "xchg":
        return value
    new = body.temporary(kind)
    match kind:
        case IntType() if operation in BINARY_WORDS:
            body.emit(Binary(new, BINARY_WORDS[operation], old, value, body.origin))
        case IntType() if operation == "nand":
            both = body.temporary(kind)
            ones = integer(-1, kind)
            body.emit(Binary(both, BinaryOp.AND, old, value, body.origin))
            body.emit(Binary(new, BinaryOp.XOR, both, ones, body.origin))
        case IntType() if operation in _ATOMIC_BITS:
            body.emit(Bits(new, _ATOMIC_BITS[operation], (old, value), body.origin))
        case FloatType() if operation in ("fadd", "fsub"):
            body.emit(FloatOp(new, operation, (old, value), body.origin))
        case PointerType() | IntType() | FloatType():
            raise UnsupportedError(f"atomicrmw {operation} is not supported")
    return new


def read_cmpxchg(body: Body, cursor: Cursor, result: str) -> None:
    """`cmpxchg ptr %p, T %expected, T %new`: the old value, and whether it was replaced."""
    cursor.accept("weak")
    volatile = cursor.accept("volatile")
    address = body.typed_operand(cursor)
    cursor.expect(",")
    kind: Type = body.types.read_scalar(cursor)
    expected = body.operand(kind, cursor)
    cursor.expect(",")
    new = body.typed_operand(cursor)
    old = body.define(f"{result}!0", kind)
    body.emit(Load(old, address, volatile, body.origin))
    folds.compare(body, f"{result}!1", Predicate.EQ, old, expected)
    equal = body.use(body.lookup(f"{result}!1", BOOL))
    written = body.temporary(kind)
    body.emit(Select(written, equal, new, old, body.origin))
    body.emit(Store(written, address, volatile, body.origin))


def read_fence(_body: Body, _cursor: Cursor, _result: str) -> None:
    """A fence orders threads; there is one."""


MEMORY: Mapping[str, Reader] = {
    "alloca": read_alloca,
    "load": read_load,
    "store": read_store,
    "getelementptr": read_getelementptr,
    "atomicrmw": read_atomicrmw,
    "cmpxchg": read_cmpxchg,
    "fence": read_fence,
}
