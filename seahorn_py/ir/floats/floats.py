"""IEEE 754 binary32 and binary64 arithmetic on the bits of the operands.

Doubles are the host's.  A single operation is computed in double and rounded once more, which is
exact for + - * / and square root, since 53 >= 2 * 24 + 2 (Figueroa, "When is double rounding
innocuous?", 1995); where that argument fails (fused multiply-add, long integers) the exact result
is rounded to odd first (Boldo, Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
A new NaN is the one of x86 (quiet, sign bit set), a NaN operand is passed on quietened.
What the host lacks, the x87 format above all, is computed by the circuits of `ir.floats.softfloat`;
there every NaN is that one.  Functions whose last bit depends on a library are not here.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from struct import Struct

from seahorn_py.ir.algebra import signed, unsigned
from seahorn_py.ir.floats.concrete import SOFT, circuit, converted
from seahorn_py.ir.floats.concrete import Operation as Operation
from seahorn_py.ir.floats.concrete import UndefinedConversion as UndefinedConversion
from seahorn_py.ir.floats.softfloat import NAN_CLASSES
from seahorn_py.ir.program import CastOp
from seahorn_py.ir.types import FloatKind, FloatType, IntType, Type


class Format:
    """One of the two formats: its widths and the way between bits and Python floats."""

    def __init__(self, width: int, fraction: int, integer: str, real: str) -> None:
        self.width = width
        self.fraction = fraction
        self.sign = 1 << (width - 1)
        self.infinity = self.sign - (1 << fraction)
        self.quiet = 1 << (fraction - 1)
        self.default_nan = self.sign | self.infinity | self.quiet
        self._integer = Struct(integer)
        self._real = Struct(real)

    def is_nan(self, bits: int) -> bool:
        """The bits are those of a NaN, quiet or signalling."""
        return bits & (self.sign - 1) > self.infinity

    def decode(self, bits: int) -> float:
        """The value of the bits."""
        value: float = self._real.unpack(self._integer.pack(bits))[0]
        return value

    def encode(self, value: float) -> int:
        """The bits of the value, rounded to nearest, ties to even."""
        if value != value:
            return self.default_nan
        try:
            bits: int = self._integer.unpack(self._real.pack(value))[0]
        except OverflowError:
            return self.infinity | (self.sign if value < 0 else 0)
        return bits

    def encode_exact(self, value: Fraction) -> int:
        """The bits of a number other than 0, rounded once."""
        if self.width == 64:
            try:
                return self.encode(float(value))
            except OverflowError:
                return self.infinity | (self.sign if value < 0 else 0)
        return self.encode(_to_odd(value))

    def pass_on(self, *arguments: int) -> int | None:
        """The quietened first NaN among the arguments, None without one."""
        for bits in arguments:
            if self.is_nan(bits):
                return bits | self.quiet
        return None


SINGLE = Format(32, 23, "<I", "<f")
DOUBLE = Format(64, 52, "<Q", "<d")


def _to_odd(value: Fraction) -> float:
    """`value` as a double; when inexact, that neighbour whose last bit is 1."""
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    if Fraction(near) == value or DOUBLE.encode(near) & 1:
        return near
    return math.nextafter(near, math.inf if Fraction(near) < value else -math.inf)


def format_of(type_: Type) -> Format | None:
    """The format of a float type, None for x87 and other types."""
    if not isinstance(type_, FloatType):
        return None
    return {FloatKind.SINGLE: SINGLE, FloatKind.DOUBLE: DOUBLE}.get(type_.kind)


# ----------------------------------------------------------------------------------- operations


def operation(op: str, argument: Type, result: Type) -> Operation | None:
    """The operation by LLVM's name on floats of one type; None if there is none here.

    For `llvm.is.fpclass` the last argument is the mask.
    """
    form = format_of(argument)
    if form is None:
        return circuit(op, argument, result)
    if op == "llvm.is.fpclass":
        return _classification(form, argument)
    if op.startswith("fcmp "):
        return _comparison(form, op.removeprefix("fcmp "))
    if op in _ARITHMETIC:
        return _arithmetic(form, _ARITHMETIC[op])
    if op in _ROUNDING:
        return _arithmetic(form, _ROUNDING[op])
    special = _SPECIAL.get(op)
    return circuit(op, argument, result) if special is None else special(form)


def _classification(form: Format, argument: Type) -> Operation:
    """The classes of `ir.floats.softfloat`; a NaN signals if it is not quiet."""
    assert isinstance(argument, FloatType)
    kind = argument.kind

    def apply(a: int, mask: int) -> int:
        if form.is_nan(a):
            return mask >> (1 if a & form.quiet else 0) & 1
        return int(SOFT.has_class(kind, mask & ~NAN_CLASSES, a))

    return apply


def _arithmetic(form: Format, compute: Callable[..., float]) -> Operation:
    def apply(*arguments: int) -> int:
        nan = form.pass_on(*arguments)
        if nan is not None:
            return nan
        return form.encode(compute(*map(form.decode, arguments)))

    return apply


def _divide(a: float, b: float) -> float:
    if b:
        return a / b
    return math.copysign(math.inf, a) * math.copysign(1.0, b) if a else math.nan


def _remainder(a: float, b: float) -> float:
    return math.nan if math.isinf(a) or b == 0 else math.fmod(a, b)


def _square_root(a: float) -> float:
    return math.nan if a < 0 else math.sqrt(a)


def _rounding(to_integer: Callable[[float], int]) -> Callable[[float], float]:
    def apply(a: float) -> float:
        return a if math.isinf(a) else math.copysign(float(to_integer(a)), a)

    return apply


def _half_away(a: float) -> int:
    whole = math.trunc(a)
    away = abs(a - whole) >= 0.5
    return whole + (int(math.copysign(1, a)) if away else 0)


_ARITHMETIC: dict[str, Callable[..., float]] = {
    "fadd": operator.add,
    "fsub": operator.sub,
    "fmul": operator.mul,
    "fdiv": _divide,
    "frem": _remainder,
    "llvm.sqrt": _square_root,
}
_ROUNDING: dict[str, Callable[[float], float]] = {
    "llvm.floor": _rounding(math.floor),
    "llvm.ceil": _rounding(math.ceil),
    "llvm.trunc": _rounding(math.trunc),
    "llvm.rint": _rounding(round),
    "llvm.nearbyint": _rounding(round),
    "llvm.roundeven": _rounding(round),
    "llvm.round": _rounding(_half_away),
}


def _negation(form: Format) -> Operation:
    return lambda a: a ^ form.sign


def _absolute(form: Format) -> Operation:
    return lambda a: a & (form.sign - 1)


def _copy_sign(form: Format) -> Operation:
    return lambda a, b: a & (form.sign - 1) | b & form.sign


def _fused(form: Format) -> Operation:
    plain = {"mul": _arithmetic(form, operator.mul), "add": _arithmetic(form, operator.add)}

    def apply(a: int, b: int, c: int) -> int:
        nan = form.pass_on(a, b, c)
        if nan is not None:
            return nan
        x, y, z = form.decode(a), form.decode(b), form.decode(c)
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            # the product is infinite only if a factor is: a finite one must not overflow here
            finite = math.isfinite(x) and math.isfinite(y)
            return c if finite else plain["add"](plain["mul"](a, b), c)
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        if exact:
            return form.encode_exact(exact)
        negative = math.copysign(1, x) * math.copysign(1, y) < 0
        zero = -0.0 if negative else 0.0
        return form.encode(0.0 if x and y else zero + z)

    return apply


def _extreme(greatest: bool, propagates: bool) -> Callable[[Format], Operation]:
    """`minnum`/`maxnum` prefer a number to a NaN; `minimum`/`maximum` do not.  -0 < +0."""

    def make(form: Format) -> Operation:
        def apply(a: int, b: int) -> int:
            if form.is_nan(a) or form.is_nan(b):
                other = b if form.is_nan(a) else a
                if not propagates and not form.is_nan(other):
                    return other
                return (a if form.is_nan(a) else b) | form.quiet
            x, y = form.decode(a), form.decode(b)
            first_less = x < y or (x == y and bool(a & form.sign))
            return b if first_less is greatest else a

        return apply

    return make


_SPECIAL: dict[str, Callable[[Format], Operation]] = {
    "fneg": _negation,
    "llvm.fabs": _absolute,
    "llvm.copysign": _copy_sign,
    "llvm.fma": _fused,
    "llvm.minnum": _extreme(False, False),
    "llvm.maxnum": _extreme(True, False),
    "llvm.minimum": _extreme(False, True),
    "llvm.maximum": _extreme(True, True),
}

# ---------------------------------------------------------------------------------- comparisons

_RELATIONS = {
    "false": "",
    "oeq": "=",
    "ogt": ">",
    "oge": "=>",
    "olt": "<",
    "ole": "=<",
    "one": "<>",
    "ord": "=<>",
    "uno": "?",
    "ueq": "=?",
    "ugt": ">?",
    "uge": "=>?",
    "ult": "<?",
    "ule": "=<?",
    "une": "<>?",
    "true": "=<>?",
}


def _comparison(form: Format, predicate: str) -> Operation | None:
    holds = _RELATIONS.get(predicate)
    if holds is None:
        return None

    def apply(a: int, b: int) -> int:
        x, y = form.decode(a), form.decode(b)
        relation = "=" if x == y else "<" if x < y else ">" if x > y else "?"
        return int(relation in holds)

    return apply


# ---------------------------------------------------------------------------------- conversions


def conversion(op: CastOp, source: Type, target: Type) -> Operation | None:
    """A conversion from or to a float; None if it is not one between types known here."""
    if any(isinstance(t, FloatType) and format_of(t) is None for t in (source, target)):
        return converted(op, source, target)
    match op:
        case CastOp.FPEXT | CastOp.FPTRUNC:
            return _between(format_of(source), format_of(target))
        case CastOp.SITOFP | CastOp.UITOFP:
            return _from_integer(op is CastOp.SITOFP, source, format_of(target))
        case CastOp.FPTOSI | CastOp.FPTOSI_SAT:
            return _to_integer(op is CastOp.FPTOSI_SAT, True, format_of(source), target)
        case CastOp.FPTOUI | CastOp.FPTOUI_SAT:
            return _to_integer(op is CastOp.FPTOUI_SAT, False, format_of(source), target)
        case _:
            return None


def _between(source: Format | None, target: Format | None) -> Operation | None:
    if source is None or target is None:
        return None
    old, new = source, target

    def apply(a: int) -> int:
        if not old.is_nan(a):
            return new.encode(old.decode(a))
        payload = a & (old.quiet - 1)
        moved = new.fraction - old.fraction
        kept = payload << moved if moved >= 0 else payload >> -moved
        return (new.sign if a & old.sign else 0) | new.infinity | new.quiet | kept

    return apply


def _from_integer(has_sign: bool, source: Type, target: Format | None) -> Operation | None:
    if target is None or not isinstance(source, IntType):
        return None
    form, width = target, source.width

    def apply(a: int) -> int:
        value = signed(width, a) if has_sign else int(a)
        return form.encode_exact(Fraction(value)) if value else 0

    return apply


def _to_integer(
    saturates: bool, has_sign: bool, source: Format | None, target: Type
) -> Operation | None:
    if source is None or not isinstance(target, IntType):
        return None
    form, width = source, target.width
    least = -(1 << width - 1) if has_sign else 0
    greatest = least + (1 << width) - 1

    def apply(a: int) -> int:
        x = form.decode(a)
        if math.isfinite(x) and least <= math.trunc(x) <= greatest:
            return unsigned(width, math.trunc(x))
        if not saturates:
            raise UndefinedConversion(f"{x} to {width} bits")
        if x != x:
            return 0
        return unsigned(width, least if x < 0 else greatest)

    return apply
