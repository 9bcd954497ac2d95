"""IEEE 754 arithmetic as circuits over the abstract algebra of machine integers.

One meaning for the bit-vector encoding, which instantiates it with terms, and for the interpreter,
which instantiates it with numbers where the host has no such floats.  Operations have LLVM's names
(LangRef, "Binary Operations", "Conversion Operations", "Standard C/C++ Library Intrinsics");
rounding is to nearest, ties to even; there is one NaN (`ir.floats.format`).  A function gives
None for what is not here: remainders, whose circuits are as long as exponents differ, and functions
whose last bit depends on a library.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.ir.algebra import Algebra
from seahorn_py.ir.floats import arithmetic, convert
from seahorn_py.ir.floats.convert import Direction
from seahorn_py.ir.floats.format import FORMATS, Floats
from seahorn_py.ir.floats.words import Word, Words
from seahorn_py.ir.program import CastOp
from seahorn_py.ir.types import FloatKind, FloatType, IntType, Type

V = TypeVar("V")
B = TypeVar("B")

_LEAST_INTEGER = 8
"""Integers of fewer bits are widened before they are converted, and conversions to them refused."""


@dataclass(frozen=True)
class SoftFloat(Generic[V, B]):
    """Floats by their bits; `canonical`: registers hold what `one_of_each` makes."""

    algebra: Algebra[V, B]
    canonical: bool = False

    def floats(self, kind: FloatKind) -> Floats[V, B]:
        """The operations on packed floats of a kind."""
        return Floats(Words(self.algebra), FORMATS[kind], self.canonical)

    def one_of_each(self, kind: FloatKind, stored: V) -> V:
        """The register with one NaN for all, and no encoding that the processor refuses."""
        floats = Floats(Words(self.algebra), FORMATS[kind])
        return floats.write(floats.read(stored))

    def is_nan(self, kind: FloatKind, stored: V) -> B:
        """The register holds a NaN or what counts as one."""
        floats = self.floats(kind)
        return floats.is_nan(floats.read(stored))

    def operation(self, op: str, kind: FloatKind, arguments: tuple[V, ...]) -> V | None:
        """A float from floats of one kind, or (`fcmp`) an i1; None if there is none here."""
        floats = self.floats(kind)
        words = tuple(floats.read(argument) for argument in arguments)
        if op.startswith("fcmp "):
            holds = compare(floats, op.removeprefix("fcmp "), *words)
            return None if holds is None else self.algebra.of_bool(holds)
        result = _computed(floats, op, words)
        return None if result is None else floats.write(result)

    def has_operation(self, op: str) -> bool:
        """Whether `operation` knows it."""
        if op.startswith("fcmp "):
            return op.removeprefix("fcmp ") in _PREDICATES
        return op in _ARITHMETIC or op in _DIRECTIONS or op in _EXTREMES

    def has_class(self, kind: FloatKind, mask: int, stored: V) -> B:
        """`llvm.is.fpclass`; the NaN is of the classes of NaNs if the mask has both of them."""
        floats = self.floats(kind)
        return classified(floats, mask, floats.read(stored))

    def conversion(self, op: CastOp, source: Type, target: Type, value: V) -> tuple[B, V] | None:
        """Whether a conversion from or to a float has a value, and the value; None if not here."""
        match source, target:
            case FloatType(), FloatType() if op in (CastOp.FPEXT, CastOp.FPTRUNC):
                old, new = self.floats(source.kind), self.floats(target.kind)
                return new.truth(True), new.write(convert.between(old, new, old.read(value)))
            case IntType(), FloatType() if op in (CastOp.SITOFP, CastOp.UITOFP):
                new, has_sign = self.floats(target.kind), op is CastOp.SITOFP
                word = _wide(new, source, value, has_sign)
                return new.truth(True), new.write(convert.from_integer(new, word, has_sign))
            case FloatType(), IntType(width=width) if width >= _LEAST_INTEGER:
                return _to_integer(self.floats(source.kind), op, width, value)
            case _:
                return None

    def nearest_integer(self, op: str, kind: FloatKind, width: int, value: V) -> tuple[B, V] | None:
        """Whether the nearest integer, by `llvm.lround` and such, fits, and what it is."""
        direction = _TO_INTEGER.get(op)
        if direction is None or width < _LEAST_INTEGER:
            return None
        floats = self.floats(kind)
        whole = convert.to_integral(floats, direction, floats.read(value))
        fits, number = convert.to_integer(floats, whole, width, has_sign=True)
        return fits, number.value


def _computed(  # noqa: C901 - a flat match
    floats: Floats[V, B], op: str, words: tuple[Word[V], ...]
) -> Word[V] | None:
    match op:
        case "fadd":
            return arithmetic.add(floats, *words)
        case "fsub":
            return arithmetic.subtract(floats, *words)
        case "fmul":
            return arithmetic.multiply(floats, *words)
        case "fdiv":
            return arithmetic.divide(floats, *words)
        case "fneg":
            return arithmetic.negate(floats, *words)
        case "llvm.sqrt":
            return arithmetic.square_root(floats, *words)
        case "llvm.fma":
            return arithmetic.fused(floats, *words)
        case "llvm.fmuladd":
            product = arithmetic.multiply(floats, words[0], words[1])
            return arithmetic.add(floats, product, words[2])
        case "llvm.fabs":
            return absolute(floats, *words)
        case "llvm.copysign":
            return copy_sign(floats, words[0], floats.top(words[1]))
        case "llvm.canonicalize":
            return words[0]
        case _:
            return _chosen(floats, op, words)


def _chosen(floats: Floats[V, B], op: str, words: tuple[Word[V], ...]) -> Word[V] | None:
    direction = _DIRECTIONS.get(op)
    if direction is not None:
        return convert.to_integral(floats, direction, *words)
    if op in _EXTREMES:
        greatest, propagates = _EXTREMES[op]
        return extreme(floats, greatest, propagates, *words)
    return None


_RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")
_PREDICATES = frozenset({"true", "false", "ord", "uno", *(o + r for o in "ou" for r in _RELATIONS)})
_ARITHMETIC = frozenset(
    {
        *("fadd", "fsub", "fmul", "fdiv", "fneg", "llvm.sqrt", "llvm.fma"),
        *("llvm.fmuladd", "llvm.fabs", "llvm.copysign", "llvm.canonicalize"),
    }
)
_DIRECTIONS = {
    "llvm.floor": Direction.DOWN,
    "llvm.ceil": Direction.UP,
    "llvm.trunc": Direction.ZERO,
    "llvm.rint": Direction.EVEN,
    "llvm.nearbyint": Direction.EVEN,
    "llvm.roundeven": Direction.EVEN,
    "llvm.round": Direction.AWAY,
}
_EXTREMES = {
    "llvm.minnum": (False, False),
    "llvm.maxnum": (True, False),
    "llvm.minimumnum": (False, False),
    "llvm.maximumnum": (True, False),
    "llvm.minimum": (False, True),
    "llvm.maximum": (True, True),
}


def absolute(floats: Floats[V, B], x: Word[V]) -> Word[V]:
    """The magnitude of a number."""
    return copy_sign(floats, x, floats.truth(False))


def copy_sign(floats: Floats[V, B], x: Word[V], negative: B) -> Word[V]:
    """A number with another sign; the NaN stays."""
    return floats.choose(floats.is_nan(x), x, floats.signed(negative, floats.magnitude(x)))


def extreme(
    floats: Floats[V, B], greatest: bool, propagates: bool, x: Word[V], y: Word[V]
) -> Word[V]:
    """The lesser or greater one, -0 below +0; of a number and NaN the number, or NaN."""
    swaps = _total_less(floats, x, y) if greatest else _total_less(floats, y, x)
    number = floats.choose(swaps, y, x)
    if propagates:
        nan = floats.any(floats.is_nan(x), floats.is_nan(y))
        return floats.choose(nan, floats.not_a_number(), number)
    number = floats.choose(floats.is_nan(y), x, number)
    return floats.choose(floats.is_nan(x), y, number)


# ---------------------------------------------------------------------------------- comparisons


def compare(floats: Floats[V, B], predicate: str, x: Word[V], y: Word[V]) -> B | None:
    """An LLVM predicate; None if there is no such one."""
    if predicate in ("true", "false"):
        return floats.truth(predicate == "true")
    unordered = floats.any(floats.is_nan(x), floats.is_nan(y))
    holds = _ordered(floats, predicate[1:], x, y)
    if predicate == "uno":
        return unordered
    if predicate == "ord":
        return floats.not_(unordered)
    if holds is None or predicate[0] not in "ou":
        return None
    if predicate[0] == "u":
        return floats.any(unordered, holds)
    return floats.all(floats.not_(unordered), holds)


def _ordered(floats: Floats[V, B], relation: str, x: Word[V], y: Word[V]) -> B | None:
    """A relation of two numbers."""
    match relation:
        case "eq":
            return _equal(floats, x, y)
        case "ne":
            return floats.not_(_equal(floats, x, y))
        case "lt":
            return _less(floats, x, y)
        case "gt":
            return _less(floats, y, x)
        case "le":
            return floats.not_(_less(floats, y, x))
        case "ge":
            return floats.not_(_less(floats, x, y))
        case _:
            return None


def _equal(floats: Floats[V, B], x: Word[V], y: Word[V]) -> B:
    zeros = floats.all(floats.is_zero(x), floats.is_zero(y))
    return floats.any(floats.eq(x, y), zeros)


def _less(floats: Floats[V, B], x: Word[V], y: Word[V]) -> B:
    zeros = floats.all(floats.is_zero(x), floats.is_zero(y))
    return floats.all(_total_less(floats, x, y), floats.not_(zeros))


def _total_less(floats: Floats[V, B], x: Word[V], y: Word[V]) -> B:
    """Order of numbers in which -0 is below +0: that of the bits, turned round for negatives."""
    first, second = floats.top(x), floats.top(y)
    less = floats.ult(floats.magnitude(x), floats.magnitude(y))
    more = floats.ult(floats.magnitude(y), floats.magnitude(x))
    return floats.any(
        floats.all(first, floats.not_(second)),
        floats.all(floats.not_(first), floats.not_(second), less),
        floats.all(first, second, more),
    )


# -------------------------------------------------------------------------------------- classes

NAN_CLASSES = 0b11
"""The bits of `llvm.is.fpclass` for signalling and quiet NaNs."""


def classified(floats: Floats[V, B], mask: int, word: Word[V]) -> B:
    """The float is of one of the classes of the mask.

    From bit 2 on: negative infinity, normal, subnormal, zero, positive zero, subnormal, normal,
    infinity.
    """
    parts = floats.parts(word)
    nan = floats.is_nan(word)
    leading = floats.top(parts.significand)
    normal = floats.all(leading, floats.not_(floats.any(parts.infinite, nan)))
    subnormal = floats.not_(floats.any(leading, parts.zero))
    classes = (parts.infinite, normal, subnormal, parts.zero)
    found = floats.all(nan, floats.truth(mask & NAN_CLASSES == NAN_CLASSES))
    for index, holds in enumerate((*classes, *reversed(classes))):
        if mask >> index + 2 & 1:
            sign = parts.negative if index < len(classes) else floats.not_(parts.negative)
            found = floats.any(found, floats.all(holds, sign))
    return found


# ---------------------------------------------------------------------------------- conversions


def _wide(words: Words[V, B], source: IntType, value: V, has_sign: bool) -> Word[V]:
    if source.width == 1:
        one = (1 << _LEAST_INTEGER) - 1 if has_sign else 1
        return words.where(words.algebra.to_bool(value), _LEAST_INTEGER, one)
    word, width = Word(source.width, value), max(source.width, _LEAST_INTEGER)
    return words.extend_signed(word, width) if has_sign else words.extend(word, width)


def _to_integer(floats: Floats[V, B], op: CastOp, width: int, value: V) -> tuple[B, V] | None:
    word = floats.read(value)
    if op in (CastOp.FPTOSI, CastOp.FPTOUI):
        fits, whole = convert.to_integer(floats, word, width, op is CastOp.FPTOSI)
        return fits, whole.value
    if op in (CastOp.FPTOSI_SAT, CastOp.FPTOUI_SAT):
        result = convert.saturated(floats, word, width, op is CastOp.FPTOSI_SAT)
        return floats.truth(True), result.value
    return None


_TO_INTEGER = {
    "llvm.lround": Direction.AWAY,
    "llvm.llround": Direction.AWAY,
    "llvm.lrint": Direction.EVEN,
    "llvm.llrint": Direction.EVEN,
}
