"""Circuits of floats as functions of numbers, for what the host does not compute."""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.ir.algebra import Concrete
from seahorn_py.ir.floats.softfloat import SoftFloat
from seahorn_py.ir.program import CastOp
from seahorn_py.ir.types import FloatKind, FloatType, IntType, Type

Operation = Callable[..., int]
"""Bits (or canonical machine integers) to bits."""

SOFT = SoftFloat(Concrete())


class UndefinedConversion(Exception):
    """A conversion to an integer whose value does not fit: LLVM gives poison."""


def circuit(op: str, argument: Type, result: Type) -> Operation | None:
    """What `ir.floats.softfloat` has under this name."""
    if not isinstance(argument, FloatType):
        return None
    kind = argument.kind
    if op == "llvm.is.fpclass":
        return lambda a, mask: int(SOFT.has_class(kind, mask, a))
    if isinstance(result, IntType) and not op.startswith("fcmp "):
        return _nearest_integer(op, kind, result.width)
    if not SOFT.has_operation(op):
        return None

    def apply(*arguments: int) -> int:
        value = SOFT.operation(op, kind, arguments)
        assert value is not None
        return value

    return apply


def _nearest_integer(op: str, kind: FloatKind, width: int) -> Operation | None:
    if SOFT.nearest_integer(op, kind, width, 0) is None:
        return None

    def apply(a: int) -> int:
        found = SOFT.nearest_integer(op, kind, width, a)
        if found is None or not found[0]:
            raise UndefinedConversion(f"{op} to {width} bits")
        return found[1]

    return apply


def converted(op: CastOp, source: Type, target: Type) -> Operation | None:
    """What `ir.floats.softfloat` has, for the formats that the host lacks."""
    if SOFT.conversion(op, source, target, 0) is None:
        return None

    def apply(a: int) -> int:
        found = SOFT.conversion(op, source, target, a)
        if found is None or not found[0]:
            raise UndefinedConversion(f"{op.value} to {target}")
        return found[1]

    return apply
