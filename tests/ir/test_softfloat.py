"""The circuits of floats on concrete words: against exact rationals, and against the host.

Small formats are tried on all operands; the x87 format and fused multiply-add on chosen ones, such
as ties, subnormal numbers and neighbours of powers of two.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from seahorn_py.ir.algebra import Concrete, signed
from seahorn_py.ir.floats import arithmetic, convert
from seahorn_py.ir.floats import floats as host
from seahorn_py.ir.floats.convert import Direction
from seahorn_py.ir.floats.format import FORMATS, Floats, Format
from seahorn_py.ir.floats.softfloat import SoftFloat, compare
from seahorn_py.ir.floats.words import Word, Words
from seahorn_py.ir.program import CastOp
from seahorn_py.ir.types import BOOL, FloatKind, FloatType, IntType

SOFT = SoftFloat(Concrete())
WORDS = Words(Concrete())
TINY, SMALL = Format(3, 3), Format(4, 5)
X87 = FORMATS[FloatKind.X87]
HOSTED = (FloatKind.SINGLE, FloatKind.DOUBLE)

Number = Fraction | float
"""A rational, or an infinity or NaN as a float."""


def circuits(form: Format) -> Floats[int, bool]:
    return Floats(WORDS, form)


def number(form: Format, bits: int) -> tuple[bool, Number]:
    """Sign and value of a packed float."""
    negative = bool(bits & form.sign)
    field, fraction = (
        bits >> form.precision - 1 & (1 << form.exponent) - 1,
        bits & (1 << form.precision - 1) - 1,
    )
    if field == (1 << form.exponent) - 1:
        return negative, math.nan if fraction else math.inf * (-1) ** negative
    leading = 1 << form.precision - 1 if field else 0
    exponent = max(field, 1) - form.bias - form.precision + 1
    return negative, Fraction(leading + fraction) * Fraction(2) ** exponent * (-1) ** negative


def nearest(form: Format, negative: bool, value: Number) -> int:
    """The packed float nearest to a number; a zero has the sign given."""
    if value != value:
        return form.nan
    sign = form.sign if negative else 0
    if isinstance(value, float) and math.isinf(value):
        return (form.sign if value < 0 else 0) | form.infinity
    size = abs(Fraction(value))
    exponent = max(_log2(size), 1 - form.bias) if size else 1 - form.bias
    scaled = size / Fraction(2) ** (exponent - form.precision + 1)
    whole = round(scaled)  # ties to even
    packed = (exponent + form.bias - 1 << form.precision - 1) + whole
    return sign | min(packed, form.infinity)


def _log2(size: Fraction) -> int:
    """The greatest power of two that is not above a positive number."""
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if Fraction(2) ** guess <= size else guess - 1


def summed(form: Format, a: int, b: int) -> int:
    (na, x), (nb, y) = number(form, a), number(form, b)
    if isinstance(x, float) or isinstance(y, float):
        parts = [v for v in (x, y) if isinstance(v, float)]
        return nearest(form, False, sum(parts))
    return nearest(form, x + y < 0 or (x + y == 0 and na and nb), x + y)


def multiplied(form: Format, a: int, b: int) -> int:
    (na, x), (nb, y) = number(form, a), number(form, b)
    if isinstance(x, float) or isinstance(y, float):
        if x != x or y != y or x == 0 or y == 0:
            return form.nan
        return nearest(form, False, -math.inf if na != nb else math.inf)
    return nearest(form, na != nb, x * y)


def divided(form: Format, a: int, b: int) -> int:
    (na, x), (nb, y) = number(form, a), number(form, b)
    invalid = x != x or y != y or (x == 0 and y == 0)
    if invalid or (isinstance(x, float) and isinstance(y, float)):
        return form.nan
    if isinstance(x, float) or y == 0:
        return nearest(form, False, -math.inf if na != nb else math.inf)
    return nearest(form, na != nb, Fraction(0) if isinstance(y, float) else x / y)


def rooted(form: Format, a: int) -> int:
    negative, x = number(form, a)
    if x != x or x < 0:
        return form.nan
    if x == 0 or isinstance(x, float):
        return a
    # enough bits of the root, the last one set if more follow: the rounding is the same
    scale = 4 ** (form.precision + form.bias + 4)
    root = math.isqrt(int(x * scale))
    exact = root * root == x * scale
    return nearest(form, negative, Fraction(2 * root + (not exact), 2 * math.isqrt(scale)))


def fused(form: Format, a: int, b: int, c: int) -> int:
    (na, x), (nb, y), (nc, z) = (number(form, bits) for bits in (a, b, c))
    if any(isinstance(v, float) for v in (x, y, z)):
        product = multiplied(form, a, b)
        if isinstance(x, float) or isinstance(y, float):
            return summed(form, product, c)
        return nearest(form, False, z)
    total = Fraction(x) * Fraction(y) + Fraction(z)
    return nearest(form, total < 0 or (total == 0 and nc and na != nb), total)


def packed(form: Format) -> range:
    return range(1 << form.width)


def word(form: Format, bits: int) -> Word[int]:
    return Word(form.width, bits)


def canonical(form: Format, bits: int) -> int:
    return form.nan if number(form, bits)[1] != number(form, bits)[1] else bits


def chosen(form: Format, draw: random.Random) -> int:
    """A float at an edge: of exponents, of fractions, or of both."""
    top, bias, precision = (1 << form.exponent) - 1, form.bias, form.precision
    near_one = min(max(bias + draw.randrange(-precision - 3, precision + 3), 0), top)
    field = draw.choice((0, 1, top - 1, top, bias, near_one, near_one, draw.randrange(top)))
    bits = precision - 1
    any_bits = draw.getrandbits(bits)
    few_bits = draw.getrandbits(2) << bits - 2
    fraction = draw.choice((0, 1, (1 << bits) - 1, any_bits, any_bits, few_bits))
    return (draw.getrandbits(1) << form.exponent | field) << bits | fraction


# -------------------------------------------------------------------------- all of small formats

BINARY = {
    "add": (arithmetic.add, summed),
    "multiply": (arithmetic.multiply, multiplied),
    "divide": (arithmetic.divide, divided),
}


@pytest.mark.parametrize("name", BINARY)
def test_all_pairs_of_a_small_format(name: str) -> None:
    circuit, expected = BINARY[name]
    floats = circuits(TINY)
    for a in map(lambda bits: canonical(TINY, bits), packed(TINY)):
        for b in map(lambda bits: canonical(TINY, bits), packed(TINY)):
            found = circuit(floats, word(TINY, a), word(TINY, b)).value
            assert found == expected(TINY, a, b), (a, b)


def test_all_square_roots_of_small_formats() -> None:
    for form in (TINY, SMALL, Format(4, 6)):
        floats = circuits(form)
        for a in packed(form):
            found = arithmetic.square_root(floats, word(form, a)).value
            assert found == rooted(form, a), (form, a)


def rounded(direction: Direction, x: Fraction) -> int:
    match direction:
        case Direction.DOWN:
            return math.floor(x)
        case Direction.UP:
            return math.ceil(x)
        case Direction.ZERO:
            return math.trunc(x)
        case Direction.EVEN:
            return round(x)
        case Direction.AWAY:
            return int(math.copysign(math.floor(abs(x) + Fraction(1, 2)), x))


@pytest.mark.parametrize("direction", Direction)
def test_all_integral_values_of_a_small_format(direction: Direction) -> None:
    floats = circuits(SMALL)
    for a in packed(SMALL):
        negative, x = number(SMALL, a)
        found = convert.to_integral(floats, direction, word(SMALL, a)).value
        if isinstance(x, float):
            assert found == a
        else:
            assert found == nearest(SMALL, negative, Fraction(rounded(direction, x)))


@pytest.mark.parametrize("has_sign", [True, False])
def test_all_conversions_between_a_small_format_and_integers(has_sign: bool) -> None:
    floats = circuits(SMALL)
    for width in (3, 4, 8):
        least = -(1 << width - 1) if has_sign else 0
        for a in packed(SMALL):
            x = number(SMALL, a)[1]
            whole = None if isinstance(x, float) else math.trunc(x)
            in_range = whole is not None and least <= whole < least + (1 << width)
            fits, value = convert.to_integer(floats, word(SMALL, a), width, has_sign)
            assert fits == in_range
            assert not fits or value.value == whole % (1 << width)  # type: ignore[operator]
        for n in range(1 << width):
            value = signed(width, n) if has_sign else n
            found = convert.from_integer(floats, Word(width, n), has_sign).value
            assert found == nearest(SMALL, value < 0, Fraction(value))


def test_all_conversions_between_small_formats() -> None:
    forms = (TINY, SMALL, Format(5, 4))
    for old in forms:
        for new in forms:
            for a in packed(old):
                negative, x = number(old, a)
                found = convert.between(circuits(old), circuits(new), word(old, a)).value
                assert found == nearest(new, negative, x)


# ------------------------------------------------------------------------------- chosen operands


def three(form: Format, draw: random.Random) -> tuple[int, int, int]:
    """Often the third one is near the product of the others, or its opposite."""
    a, b, c = (canonical(form, chosen(form, draw)) for _ in range(3))
    if draw.random() < 0.6:
        near = multiplied(form, a, b) ^ form.sign * draw.getrandbits(1)
        c = canonical(form, near + draw.choice((-1, 0, 0, 1)) & (1 << form.width) - 1)
    return a, b, c


@pytest.mark.parametrize("form", [TINY, SMALL, *FORMATS.values()], ids=str)
def test_fused_multiply_add(form: Format) -> None:
    draw, floats = random.Random(1), circuits(form)
    for _ in range(250):
        a, b, c = three(form, draw)
        found = arithmetic.fused(floats, word(form, a), word(form, b), word(form, c)).value
        assert found == fused(form, a, b, c), (a, b, c)


def test_extended_precision() -> None:
    draw, floats = random.Random(2), circuits(X87)
    for _ in range(80):
        a, b, _ = three(X87, draw)
        c = canonical(X87, a + draw.choice((-1, 0, 1, X87.sign)) & (1 << X87.width) - 1)
        for x, y in ((a, b), (a, c)):
            for circuit, expected in BINARY.values():
                found = circuit(floats, word(X87, x), word(X87, y)).value
                assert found == expected(X87, x, y), (x, y)
        assert arithmetic.square_root(floats, word(X87, a)).value == rooted(X87, a)


def test_registers_of_extended_precision() -> None:
    one = 0x3FFF << 64 | 1 << 63
    half = 0x3FFE << 64 | 1 << 63
    nan, infinity = 0xFFFF << 64 | 3 << 62, 0x7FFF << 64 | 1 << 63
    unnormal, pseudo_infinity = one - (1 << 63), infinity - (1 << 63)
    assert SOFT.operation("fadd", FloatKind.X87, (half, half)) == one
    assert SOFT.operation("fdiv", FloatKind.X87, (one, 0)) == infinity
    assert SOFT.operation("fadd", FloatKind.X87, (unnormal, one)) == nan
    assert SOFT.operation("fcmp uno", FloatKind.X87, (pseudo_infinity, one)) == 1
    # a pseudo-denormal is the number with the exponent 1
    assert SOFT.one_of_each(FloatKind.X87, 1 << 63 | 5) == 1 << 64 | 1 << 63 | 5
    to_double = SOFT.conversion(
        CastOp.FPTRUNC, FloatType(FloatKind.X87), FloatType(FloatKind.DOUBLE), one + 1
    )
    assert to_double == (True, 0x3FF << 52)


# ---------------------------------------------------------------------------- against the host


def pairs(kind: FloatKind, count: int) -> Iterator[tuple[int, int]]:
    form, draw = FORMATS[kind], random.Random(kind.value)
    for _ in range(count):
        a, b = chosen(form, draw), chosen(form, draw)
        near = (a + draw.choice((-1, 0, 1)) ^ form.sign * draw.getrandbits(1)) % (1 << form.width)
        yield a, draw.choice((b, near))


def agree(kind: FloatKind, op: str, *arguments: int) -> bool:
    type_ = FloatType(kind)
    expected = host.operation(op, type_, type_)
    assert expected is not None
    found = SOFT.operation(op, kind, arguments)
    return found == SOFT.one_of_each(kind, expected(*arguments))


ONE = ["fneg", "llvm.fabs", "llvm.sqrt"]
ONE += [f"llvm.{name}" for name in ("floor", "ceil", "trunc", "rint", "round")]
TWO = ["fadd", "fsub", "fmul", "fdiv", "llvm.minnum", "llvm.maxnum", "llvm.minimum", "llvm.maximum"]


@pytest.mark.parametrize("kind", HOSTED)
def test_operations_are_those_of_the_host(kind: FloatKind) -> None:
    for a, b in pairs(kind, 150):
        for op in ONE:
            assert agree(kind, op, a), (op, a)
        for op in TWO:
            assert agree(kind, op, a, b), (op, a, b)


PREDICATES = ["true", "false", "ord", "uno"]
PREDICATES += [o + relation for o in "ou" for relation in ("eq", "ne", "lt", "le", "gt", "ge")]


@pytest.mark.parametrize("kind", HOSTED)
def test_comparisons_are_those_of_the_host(kind: FloatKind) -> None:
    type_ = FloatType(kind)
    for a, b in [*pairs(kind, 100), (0, FORMATS[kind].sign)]:
        for predicate in PREDICATES:
            expected = host.operation(f"fcmp {predicate}", type_, BOOL)
            assert expected is not None
            found = SOFT.operation(f"fcmp {predicate}", kind, (a, b))
            assert found == expected(a, b), (predicate, a, b)
    assert compare(SOFT.floats(kind), "olx", word(FORMATS[kind], 0), word(FORMATS[kind], 0)) is None


CONVERSIONS = (CastOp.FPTOSI, CastOp.FPTOUI, CastOp.FPTOSI_SAT, CastOp.FPTOUI_SAT)


def converted(compute: Callable[..., int] | None, value: int) -> int | None:
    assert compute is not None
    try:
        return compute(value)
    except host.UndefinedConversion:
        return None


@pytest.mark.parametrize("kind", HOSTED)
@pytest.mark.parametrize("width", [8, 32, 64, 128])
def test_conversions_are_those_of_the_host(kind: FloatKind, width: int) -> None:
    type_, integer, draw = FloatType(kind), IntType(width), random.Random(width)
    for _ in range(60):
        n = draw.getrandbits(width) >> draw.choice((0, 0, width // 2, width - 3))
        n = draw.choice((n, n, 1 << width - 1, (1 << width - 1) - 1, (1 << width) - 1))
        for op in (CastOp.SITOFP, CastOp.UITOFP):
            x = converted(host.conversion(op, integer, type_), n)
            assert SOFT.conversion(op, integer, type_, n) == (True, x)
            for back in CONVERSIONS:
                assert x is not None
                for a in (x, x + 1, chosen(FORMATS[kind], draw)):
                    fits, value = SOFT.conversion(back, type_, integer, a) or (False, 0)
                    expected = converted(host.conversion(back, type_, integer), a)
                    assert expected == (value if fits else None), (back, a)


def test_conversions_between_formats_are_those_of_the_host() -> None:
    single, double = (FloatType(kind) for kind in HOSTED)
    draw = random.Random(3)
    for _ in range(200):
        b = chosen(FORMATS[FloatKind.SINGLE], draw)
        wide = converted(host.conversion(CastOp.FPEXT, single, double), b)
        assert wide is not None
        near = wide + draw.choice((0, 1, 1 << 28, (1 << 28) - 1, (1 << 28) + 1))
        for a in (near, chosen(FORMATS[FloatKind.DOUBLE], draw)):
            narrow = converted(host.conversion(CastOp.FPTRUNC, double, single), a)
            assert narrow is not None
            found = SOFT.conversion(CastOp.FPTRUNC, double, single, a)
            assert found == (True, SOFT.one_of_each(FloatKind.SINGLE, narrow))
        found = SOFT.conversion(CastOp.FPEXT, single, double, b)
        assert found == (True, SOFT.one_of_each(FloatKind.DOUBLE, wide))


# -------------------------------------------------------------------------------------- the rest


def test_small_integers_become_floats() -> None:
    single = FloatType(FloatKind.SINGLE)
    assert SOFT.conversion(CastOp.UITOFP, BOOL, single, 1) == (True, 0x3F800000)
    assert SOFT.conversion(CastOp.SITOFP, BOOL, single, 1) == (True, 0xBF800000)
    assert SOFT.conversion(CastOp.SITOFP, IntType(3), single, 7) == (True, 0xBF800000)


CLASSES = {
    0x7FC00000: 0b11,
    0xFF800000: 1 << 2,
    0xBF800000: 1 << 3,
    0x80000001: 1 << 4,
    0x80000000: 1 << 5,
    0x00000000: 1 << 6,
    0x007FFFFF: 1 << 7,
    0x00800000: 1 << 8,
    0x7F800000: 1 << 9,
}


def test_classes() -> None:
    for bits, own in CLASSES.items():
        for mask in (*CLASSES.values(), 0b1111111111):
            assert SOFT.has_class(FloatKind.SINGLE, mask, bits) == bool(mask & own)


def test_nearest_integers() -> None:
    for x, away, even in ((2.5, 3, 2), (-0.5, -1, 0), (3.5, 4, 4), (-7.25, -7, -7)):
        bits = host.DOUBLE.encode(x)
        for op, n in (("llvm.lround", away), ("llvm.llrint", even)):
            found = SOFT.nearest_integer(op, FloatKind.DOUBLE, 32, bits)
            assert found == (True, n % (1 << 32))
    found = SOFT.nearest_integer("llvm.lround", FloatKind.DOUBLE, 32, host.DOUBLE.encode(2.0**31))
    assert found is not None and not found[0]


def test_what_has_no_circuit() -> None:
    assert SOFT.operation("frem", FloatKind.DOUBLE, (0, 0)) is None
    assert SOFT.operation("llvm.sin", FloatKind.DOUBLE, (0,)) is None
    double = FloatType(FloatKind.DOUBLE)
    assert SOFT.conversion(CastOp.FPTOSI, double, IntType(1), 0) is None
