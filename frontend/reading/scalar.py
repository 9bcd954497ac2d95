"""Instructions on scalars, and on aggregates as their leaves.

LLVM Language Reference Manual, "Binary Operations", "Bitwise Binary Operations", "Conversion
Operations", "Other Operations", "Aggregate Operations".  Flags that make a result poison (`nsw`,
`exact`, `inbounds`, ...) are ignored: undefined behaviour is judged by the property.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.frontend.llvmtext.layout import LlvmType
from seahorn_py.frontend.llvmtext.tokens import Cursor, local_name
from seahorn_py.frontend.reading import folds
from seahorn_py.frontend.reading.body import Body, PhiDraft
from seahorn_py.frontend.reading.denotations import Undefined, Value
from seahorn_py.frontend.reading.literals import BINARY_WORDS, CAST_WORDS
from seahorn_py.ir.program import FALSE, TRUE, BinaryOp, FloatOp, IntConst, Predicate
from seahorn_py.ir.types import BOOL

_SHIFTS = (BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR)
_FLAGS = frozenset(
    [
        "nuw",
        "nsw",
        "exact",
        "disjoint",
        "nneg",
        "samesign",
        "fast",
        "nnan",
        "ninf",
        "nsz",
        "arcp",
        "contract",
        "afn",
        "reassoc",
    ]
)


def skip_flags(cursor: Cursor) -> None:
    """Consume arithmetic flags."""
    while cursor.tokens[cursor.position] in _FLAGS:
        cursor.position += 1


def read_binary(body: Body, cursor: Cursor, result: str) -> None:
    """`add i32 %a, %b` and its kin; a shift by the width or more is arbitrary."""
    op = BINARY_WORDS[cursor.passed]
    skip_flags(cursor)
    kind = body.types.read_scalar(cursor)
    left = body.operand(kind, cursor)
    cursor.expect(",")
    right = body.operand(kind, cursor)
    too_far = isinstance(right, IntConst) and right.value >= right.type.width
    if op in _SHIFTS and too_far:
        body.alias(result, body.arbitrary(kind, "shift"))
    else:
        folds.binary(body, result, op, left, right)


def read_float(body: Body, cursor: Cursor, result: str) -> None:
    """`fadd double %a, %b`, `fneg float %a`."""
    op = cursor.passed
    skip_flags(cursor)
    kind = body.types.read_scalar(cursor)
    arguments = [body.operand(kind, cursor)]
    while cursor.accept(","):
        arguments.append(body.operand(kind, cursor))
    body.emit(FloatOp(body.define(result, kind), op, tuple(arguments), body.origin))


def read_icmp(body: Body, cursor: Cursor, result: str) -> None:
    """`icmp slt i32 %a, %b`."""
    skip_flags(cursor)
    predicate = Predicate(cursor.next())
    kind = body.types.read_scalar(cursor)
    left = body.operand(kind, cursor)
    cursor.expect(",")
    folds.compare(body, result, predicate, left, body.operand(kind, cursor))


def read_fcmp(body: Body, cursor: Cursor, result: str) -> None:
    """`fcmp olt double %a, %b`."""
    skip_flags(cursor)
    predicate = cursor.next()
    kind = body.types.read_scalar(cursor)
    left = body.operand(kind, cursor)
    cursor.expect(",")
    right = body.operand(kind, cursor)
    if predicate in ("true", "false"):
        body.alias(result, TRUE if predicate == "true" else FALSE)
    else:
        register = body.define(result, BOOL)
        body.emit(FloatOp(register, f"fcmp {predicate}", (left, right), body.origin))


def read_cast(body: Body, cursor: Cursor, result: str) -> None:
    """`zext i1 %a to i32`."""
    word = cursor.passed
    if word == "addrspacecast":
        raise UnsupportedError("pointers into other address spaces are not supported")
    skip_flags(cursor)
    value = body.typed_operand(cursor)
    cursor.expect("to")
    folds.cast(body, result, CAST_WORDS[word], value, body.types.read_scalar(cursor))


def read_select(body: Body, cursor: Cursor, result: str) -> None:
    """`select i1 %c, T %a, T %b`, leaf by leaf."""
    skip_flags(cursor)
    condition = body.typed_operand(cursor)
    cursor.expect(",")
    kind = body.types.read(cursor)
    then = body.values(kind, cursor)
    cursor.expect(",")
    body.types.read(cursor)
    other = body.values(kind, cursor)
    for (leaf, _), one, two in zip(body.leaf_names(result, kind), then, other, strict=True):
        folds.select(body, leaf, condition, body.use(one), body.use(two))


def read_freeze(body: Body, cursor: Cursor, result: str) -> None:
    """`freeze T %a`: the identity, except that an undefined value becomes one fixed value."""
    kind = body.types.read(cursor)
    fixed: list[Value] = []
    for value in body.values(kind, cursor):
        fixed.append(body.use(value) if isinstance(value, Undefined) else value)
    body.alias_leaves(result, kind, fixed)


def read_phi(body: Body, cursor: Cursor, result: str) -> None:
    """`phi T [ %a, %label ], ...`, a phi per leaf; what comes in is looked up at the end."""
    skip_flags(cursor)
    kind = body.types.read(cursor)
    leaves = body.leaf_names(result, kind)
    incoming: list[tuple[str, list[Value | str]]] = []
    while cursor.accept("["):
        values = _incoming(body, kind, cursor)
        cursor.expect(",")
        incoming.append((local_name(cursor.next()), values))
        cursor.expect("]")
        cursor.accept(",")
    for i, (leaf, scalar) in enumerate(leaves):
        arriving = tuple((label, values[i]) for label, values in incoming)
        body.draft.phis.append(PhiDraft(body.define(leaf, scalar), arriving))


def _incoming(body: Body, kind: LlvmType, cursor: Cursor) -> list[Value | str]:
    token = cursor.peek()
    if token[:1] == "%":
        cursor.position += 1
        return [leaf for leaf, _ in body.leaf_names(local_name(token), kind)]
    return [value for _, value in body.constants.leaves(kind, cursor)]


def read_extractvalue(body: Body, cursor: Cursor, result: str) -> None:
    """`extractvalue T %a, 1, 0`: a name for some of the leaves."""
    kind = body.types.read(cursor)
    values = body.values(kind, cursor)
    path = _path(cursor)
    first, end = body.types.leaf_range(kind, path)
    part = body.types.element(kind, path)
    body.alias_leaves(result, part, values[first:end])


def read_insertvalue(body: Body, cursor: Cursor, result: str) -> None:
    """`insertvalue T %a, U %b, 1`: the leaves of `%a`, some replaced."""
    kind = body.types.read(cursor)
    values = body.values(kind, cursor)
    cursor.expect(",")
    part = body.values(body.types.read(cursor), cursor)
    first, end = body.types.leaf_range(kind, _path(cursor))
    values[first:end] = part
    body.alias_leaves(result, kind, values)


def _path(cursor: Cursor) -> list[int]:
    path: list[int] = []
    while cursor.accept(","):
        path.append(cursor.integer())
    return path


def _refuse(body: Body, cursor: Cursor, result: str) -> None:
    raise UnsupportedError(f"the instruction {cursor.passed} is not supported")


Reader = Callable[[Body, Cursor, str], None]

SCALAR: Mapping[str, Reader] = {
    **dict.fromkeys(BINARY_WORDS, read_binary),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv", "frem", "fneg"), read_float),
    **dict.fromkeys((*CAST_WORDS, "addrspacecast"), read_cast),
    "icmp": read_icmp,
    "fcmp": read_fcmp,
    "select": read_select,
    "freeze": read_freeze,
    "phi": read_phi,
    "extractvalue": read_extractvalue,
    "insertvalue": read_insertvalue,
    **dict.fromkeys(
        [
            "va_arg",
            "invoke",
            "callbr",
            "indirectbr",
            "resume",
            "landingpad",
            "catchpad",
            "cleanuppad",
            "catchswitch",
            "catchret",
            "cleanupret",
            "extractelement",
            "insertelement",
            "shufflevector",
        ],
        _refuse,
    ),
}
