"""Calls of LLVM intrinsics (LLVM Language Reference Manual, "Intrinsic Functions")."""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.reading.body import Body
from seahorn_py.frontend.reading.denotations import Undefined, zero
from seahorn_py.ir.program import (
    Binary,
    BinaryOp,
    Bits,
    BitsOp,
    Cast,
    CastOp,
    Compare,
    FloatOp,
    Havoc,
    IntConst,
    MemoryCopy,
    MemorySet,
    Operand,
    Overflow,
    OverflowOp,
    Predicate,
    Select,
    SiteKind,
    Stop,
    StopKind,
)
from seahorn_py.ir.types import BOOL, POINTER, FloatType, IntType, Type

Arguments = tuple[Operand, ...]
Handler = Callable[[Body, str, str, list[Type], Arguments], None]

_SUFFIX = pattern(r"(?:\.(?:[ip]\d+|f\d+|bf16|x86_fp80|ppcf128|isVoid|[sv]_[\w.]+))+$")

IGNORED = frozenset(
    [
        "llvm.lifetime.start",
        "llvm.lifetime.end",
        "llvm.stackrestore",
        "llvm.assume",
        "llvm.donothing",
        "llvm.prefetch",
        "llvm.sideeffect",
        "llvm.invariant.end",
        "llvm.pseudoprobe",
        "llvm.fake.use",
        "llvm.var.annotation",
        "llvm.codeview.annotation",
        "llvm.va_end",
        "llvm.dbg.value",
        "llvm.dbg.declare",
        "llvm.dbg.label",
        "llvm.experimental.noalias.scope.decl",
        "llvm.debugtrap",
    ]
)
_FIRST_ARGUMENT = [
    "llvm.expect",
    "llvm.expect.with.probability",
    "llvm.annotation",
    "llvm.ptr.annotation",
    "llvm.launder.invariant.group",
    "llvm.strip.invariant.group",
    "llvm.threadlocal.address",
    "llvm.ssa.copy",
    "llvm.arithmetic.fence",
]
_ARBITRARY = [
    "llvm.stacksave",
    "llvm.objectsize",
    "llvm.is.constant",
    "llvm.returnaddress",
    "llvm.frameaddress",
    "llvm.readcyclecounter",
    "llvm.readsteadycounter",
    "llvm.get.rounding",
    "llvm.invariant.start",
    "llvm.addressofreturnaddress",
    "llvm.get.dynamic.area.offset",
    "llvm.allow.runtime.check",
    "llvm.allow.ubsan.check",
]
_FLOAT = [
    "fabs",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "copysign",
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "minimumnum",
    "maximumnum",
    "fma",
    "fmuladd",
    "pow",
    "powi",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "ldexp",
    "canonicalize",
    "lround",
    "llround",
    "lrint",
    "llrint",
    "is.fpclass",
]


def base_name(name: str) -> str:
    """The name without the types it is overloaded for: `llvm.abs.i32` is `llvm.abs`."""
    return _SUFFIX.sub("", name)


def intrinsic_call(
    body: Body, name: str, result: str, kinds: list[Type], arguments: Arguments
) -> None:
    """A call of an intrinsic whose result has the leaf types `kinds`."""
    base = base_name(name)
    handler = HANDLERS.get(base)
    if handler is None:
        raise UnsupportedError(f"the intrinsic {name} is not supported")
    handler(body, base, result, kinds, arguments)


def _first(body: Body, _: str, result: str, kinds: list[Type], arguments: Arguments) -> None:
    if kinds:
        body.alias(result, arguments[0])


def _any(body: Body, base: str, result: str, kinds: list[Type], _: Arguments) -> None:
    if base == "llvm.stacksave":
        body.alias(result, Undefined(POINTER))
    elif kinds:
        body.alias(result, body.arbitrary(kinds[0], base))


def _end(body: Body, _: str, _result: str, _kinds: list[Type], _arguments: Arguments) -> None:
    body.finish(Stop(StopKind.END, body.origin))


def _float(body: Body, base: str, result: str, kinds: list[Type], arguments: Arguments) -> None:
    body.emit(FloatOp(body.define(result, kinds[0]), base, arguments, body.origin))


FUNCTIONS = {
    f"{name}{suffix}": op
    for name, op in (("sqrt", "llvm.sqrt"), ("fmod", "frem"))
    for suffix in ("", "f", "l")
}
"""Functions of the C library that are operations on floats, though clang calls them by name."""


def float_function(
    body: Body, name: str, result: str, kinds: list[Type], arguments: Arguments
) -> bool:
    """A call of one of `FUNCTIONS`; False if the types are not those of the function."""
    is_float = bool(arguments) and isinstance(arguments[0].type, FloatType)
    if not is_float or {a.type for a in arguments} != set(kinds) or len(kinds) != 1:
        return False
    _float(body, FUNCTIONS[name], result, kinds, arguments)
    return True


def _modf(body: Body, _: str, result: str, kinds: list[Type], arguments: Arguments) -> None:
    """`llvm.modf`: what follows the binary point, and the integral part; both have the sign."""
    kind, (value,) = kinds[0], arguments
    whole, rest, part = body.define(f"{result}!1", kind), body.temporary(kind), body.temporary(kind)
    integral = body.temporary(BOOL)
    body.emit(FloatOp(whole, "llvm.trunc", (value,), body.origin))
    body.emit(FloatOp(integral, "fcmp oeq", (whole, value), body.origin))
    body.emit(FloatOp(rest, "fsub", (value, whole), body.origin))
    body.emit(Select(part, integral, zero(kind), rest, body.origin))
    fraction = body.define(f"{result}!0", kind)
    body.emit(FloatOp(fraction, "llvm.copysign", (part, value), body.origin))


def _saturating_cast(
    body: Body, base: str, result: str, kinds: list[Type], arguments: Arguments
) -> None:
    op = CastOp(base.removeprefix("llvm."))
    body.emit(Cast(body.define(result, kinds[0]), op, arguments[0], body.origin))


def _bits(body: Body, base: str, result: str, kinds: list[Type], arguments: Arguments) -> None:
    """`llvm.ctlz` and `llvm.cttz` of 0 are arbitrary if their second argument says so."""
    op = BitsOp(base.removeprefix("llvm."))
    register = body.define(result, kinds[0])
    if op not in (BitsOp.CTLZ, BitsOp.CTTZ):
        used = arguments[:1] if op is BitsOp.ABS else arguments
        body.emit(Bits(register, op, used, body.origin))
        return
    value, zero_is_poison = arguments
    if zero_is_poison != IntConst(1, BOOL):
        body.emit(Bits(register, op, (value,), body.origin))
        return
    counted, is_zero = body.temporary(register.type), body.temporary(BOOL)
    body.emit(Bits(counted, op, (value,), body.origin))
    body.emit(Compare(is_zero, Predicate.EQ, value, _zero(value), body.origin))
    anything = body.arbitrary(register.type, base)
    body.emit(Select(register, is_zero, anything, counted, body.origin))


def _zero(value: Operand) -> IntConst:
    if not isinstance(value.type, IntType):
        raise UnsupportedError("bits of a value that is no integer")
    return IntConst(0, value.type)


def _overflow(body: Body, base: str, result: str, kinds: list[Type], arguments: Arguments) -> None:
    """`llvm.sadd.with.overflow`: the wrapped result, and whether it wrapped."""
    name = base.split(".")[1]
    left, right = arguments
    value, flag = body.define(f"{result}!0", kinds[0]), body.define(f"{result}!1", BOOL)
    body.emit(Binary(value, BinaryOp(name[1:]), left, right, body.origin))
    body.emit(Overflow(flag, OverflowOp(name), left, right, body.origin))


def _ordering(body: Body, base: str, result: str, kinds: list[Type], arguments: Arguments) -> None:
    """`llvm.scmp`, `llvm.ucmp`: -1, 0 or 1."""
    signed = base == "llvm.scmp"
    left, right = arguments
    kind = kinds[0]
    if not isinstance(kind, IntType):
        raise UnsupportedError(f"{base} of a type that is no integer")
    less, more, part = body.temporary(BOOL), body.temporary(BOOL), body.temporary(kind)
    below = Predicate.SLT if signed else Predicate.ULT
    above = Predicate.SGT if signed else Predicate.UGT
    minus_one = IntConst((1 << kind.width) - 1, kind)
    body.emit(Compare(less, below, left, right, body.origin))
    body.emit(Compare(more, above, left, right, body.origin))
    body.emit(Cast(part, CastOp.ZEXT, more, body.origin))
    body.emit(Select(body.define(result, kind), less, minus_one, part, body.origin))


def _mask(body: Body, _: str, result: str, _kinds: list[Type], arguments: Arguments) -> None:
    """`llvm.ptrmask`: the pointer with some of its bits cleared."""
    word = body.types.word
    bits, masked = body.temporary(word), body.temporary(word)
    body.emit(Cast(bits, CastOp.PTRTOINT, arguments[0], body.origin))
    body.emit(Binary(masked, BinaryOp.AND, bits, arguments[1], body.origin))
    body.emit(Cast(body.define(result, POINTER), CastOp.INTTOPTR, masked, body.origin))


def _copy(body: Body, _: str, _result: str, _kinds: list[Type], arguments: Arguments) -> None:
    """A copy; a volatile one leaves arbitrary bytes."""
    target, source, length, volatile = arguments
    if volatile == IntConst(1, BOOL):
        site = body.sites.fresh(SiteKind.HAVOC, IntType(8), "volatile", body.origin)
        body.emit(Havoc(target, length, site, body.origin))
    else:
        body.emit(MemoryCopy(target, source, length, body.origin))


def _set(body: Body, _: str, _result: str, _kinds: list[Type], arguments: Arguments) -> None:
    target, byte, length = arguments[:3]
    body.emit(MemorySet(target, byte, length, body.origin))


HANDLERS: dict[str, Handler] = {
    **{f"llvm.{op.value}": _bits for op in BitsOp},
    **{f"llvm.{op.value}.with.overflow": _overflow for op in OverflowOp},
    **{f"llvm.{name}": _float for name in _FLOAT},
    **dict.fromkeys(_FIRST_ARGUMENT, _first),
    **dict.fromkeys(_ARBITRARY, _any),
    **dict.fromkeys(("llvm.memcpy", "llvm.memmove", "llvm.memcpy.inline"), _copy),
    **dict.fromkeys(("llvm.memset", "llvm.memset.inline"), _set),
    **dict.fromkeys(("llvm.trap", "llvm.ubsantrap"), _end),
    **dict.fromkeys(("llvm.fptosi.sat", "llvm.fptoui.sat"), _saturating_cast),
    **dict.fromkeys(("llvm.scmp", "llvm.ucmp"), _ordering),
    "llvm.ptrmask": _mask,
    "llvm.modf": _modf,
}
