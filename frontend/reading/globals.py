"""Global objects and their initial values."""

from __future__ import annotations

from seahorn_py.base.errors import NOWHERE, InputError, Origin, UnsupportedError
from seahorn_py.frontend.llvmtext.debuginfo import DebugInformation
from seahorn_py.frontend.llvmtext.layout import FLOAT_BITS, Types
from seahorn_py.frontend.llvmtext.tokens import END, Cursor
from seahorn_py.frontend.reading.denotations import (
    BinaryExpression,
    CastExpression,
    OffsetExpression,
    Undefined,
    Value,
)
from seahorn_py.frontend.reading.literals import RUN, Constants
from seahorn_py.ir.program import Bytes, CastOp, FloatConst, Global, IntConst, Leaf, Variable
from seahorn_py.ir.types import IntType

MAX_GAP = 64
"""How many zeros between two numbers are written out in a run of bytes."""

_NO_INITIALISER = (END, ",")


def read_global(
    name: str, text: str, types: Types, constants: Constants, debug: DebugInformation
) -> Global:
    """Read what stands right of `@name =`."""
    cursor = Cursor.of(text)
    while cursor.peek() not in ("global", "constant"):
        if cursor.peek() == END:
            raise InputError(f"LLVM text: not a global: {name}")
        cursor.skip_attribute()
    constant = cursor.next() == "constant"
    kind = types.read(cursor)
    if cursor.peek() in _NO_INITIALISER:
        raise InputError(f"LLVM text: the global {name} has no initial value")
    leaves = constants.initial(kind, cursor)
    align, variables, origin = types.align(kind), dict[int, Variable](), NOWHERE
    while cursor.peek() != END:
        token = cursor.next()
        if token == "align":
            align = cursor.integer()
        elif token == "!dbg" and not variables:
            variables, origin = debug.globals_by_offset(cursor.next()[1:])
    initial = [(at, _initial(name, value, types, origin)) for at, value in leaves]
    kept = tuple((at, value) for at, value in initial if value is not None)
    return Global(name, types.size(kind), align, constant, _joined(kept), variables, origin)


def _joined(leaves: tuple[tuple[int, Leaf], ...]) -> tuple[tuple[int, Leaf], ...]:
    """Many numbers as runs of bytes; an address, or a wide gap, ends one."""
    if len(leaves) <= RUN:
        return leaves
    joined: list[tuple[int, Leaf]] = []
    start, data = 0, bytearray()
    for at, leaf in leaves:
        own = _bytes(leaf)
        if data and (own is None or at > start + len(data) + MAX_GAP):
            joined.append((start, Bytes(bytes(data))))
            data = bytearray()
        if own is None:
            joined.append((at, leaf))
            continue
        if not data:
            start = at
        data.extend(bytes(at - start - len(data)))
        data.extend(own)
    if data:
        joined.append((start, Bytes(bytes(data))))
    return tuple(joined)


def _bytes(leaf: Leaf) -> bytes | None:
    match leaf:
        case Bytes(data):
            return data
        case IntConst(value, IntType(width)):
            return value.to_bytes((width + 7) // 8, "little")
        case FloatConst(bits, kind):
            return bits.to_bytes(FLOAT_BITS[kind.kind] // 8, "little")
        case _:
            return None


def _initial(name: str, value: Value | Bytes, types: Types, origin: Origin) -> Leaf | None:
    """An initial scalar; undefined ones are the zero bytes that the object file has."""
    match value:
        case Undefined():
            return None
        case CastExpression(CastOp.PTRTOINT, address, kind) if kind == types.word:
            return _initial(name, address, types, origin)
        case CastExpression() | BinaryExpression() | OffsetExpression():
            place = f"{origin}: " if origin.chain else ""
            raise UnsupportedError(f"{place}the initial value of {name} is not supported")
        case _:
            return value
