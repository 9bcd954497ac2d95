"""The table of operations against definitions over the mathematical integers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

import pytest

from seahorn_py.base.errors import InternalError
from seahorn_py.ir import semantics
from seahorn_py.ir.algebra import Algebra, Concrete
from seahorn_py.ir.intrinsics import arity
from seahorn_py.ir.program import BinaryOp, BitsOp, CastOp, OverflowOp, Predicate

WIDTHS = (1, 3, 8, 16, 32, 64, 128)
CONCRETE: Algebra[int, bool] = Concrete()


def value(width: int, a: int) -> int:
    return a - (1 << width) if a >= 1 << (width - 1) else a


def pairs(width: int) -> Iterator[tuple[int, int]]:
    """All pairs of small widths; boundary and random pairs of large ones."""
    top = 2**width
    if width <= 3:
        yield from itertools.product(range(top), repeat=2)
        return
    edges = {e % top for k in (0, 1, 2, width - 1, width, width + 1, top // 2) for e in (k, -k)}
    edges |= {top // 2 - 1, top // 2 + 1, 0x55 % top}
    yield from itertools.product(sorted(edges), repeat=2)
    rng = random.Random(width)
    for _ in range(300):
        yield rng.randrange(top), rng.randrange(top)
        yield rng.randrange(top), rng.randrange(2 * width) % top
        yield rng.randrange(top) >> rng.randrange(width), rng.randrange(top) >> rng.randrange(width)


def truncated(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


Exact = Callable[[int, int], int]

UNSIGNED: dict[BinaryOp, Exact] = {
    BinaryOp.ADD: lambda a, b: a + b,
    BinaryOp.SUB: lambda a, b: a - b,
    BinaryOp.MUL: lambda a, b: a * b,
    BinaryOp.UDIV: lambda a, b: a // b,
    BinaryOp.UREM: lambda a, b: a % b,
    BinaryOp.SHL: lambda a, b: a << b,
    BinaryOp.LSHR: lambda a, b: a // (1 << b),
    BinaryOp.AND: lambda a, b: a & b,
    BinaryOp.OR: lambda a, b: a | b,
    BinaryOp.XOR: lambda a, b: a ^ b,
}
SIGNED: dict[BinaryOp, Exact] = {
    BinaryOp.SDIV: truncated,
    BinaryOp.SREM: lambda x, y: x - truncated(x, y) * y,
}
SHIFTS = (BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR)
DIVISIONS = (BinaryOp.UDIV, BinaryOp.UREM, BinaryOp.SDIV, BinaryOp.SREM)


def is_defined(op: BinaryOp, width: int, a: int, b: int) -> bool:
    if op in SHIFTS:
        return b < width
    if op in (BinaryOp.SDIV, BinaryOp.SREM) and value(width, a) == -(2 ** (width - 1)):
        return b != 0 and value(width, b) != -1
    return op not in DIVISIONS or b != 0


def exact(op: BinaryOp, width: int, a: int, b: int) -> int:
    if op is BinaryOp.ASHR:
        return value(width, a) // (1 << b)
    if op in SIGNED:
        return SIGNED[op](value(width, a), value(width, b))
    return UNSIGNED[op](a, b)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", BinaryOp)
def test_binary(op: BinaryOp, width: int) -> None:
    for a, b in pairs(width):
        wanted = is_defined(op, width, a, b)
        assert semantics.defined(CONCRETE, op, width, a, b) is wanted, (a, b)
        assert wanted or semantics.partial(op)
        got = semantics.binary(CONCRETE, op, width, a, b)
        assert 0 <= got < 2**width
        if wanted:
            assert got == exact(op, width, a, b) % 2**width, (a, b)


COMPARISONS: dict[Predicate, tuple[bool, Callable[[int, int], bool]]] = {
    Predicate.EQ: (False, lambda a, b: a == b),
    Predicate.NE: (False, lambda a, b: a != b),
    Predicate.ULT: (False, lambda a, b: a < b),
    Predicate.ULE: (False, lambda a, b: a <= b),
    Predicate.UGT: (False, lambda a, b: a > b),
    Predicate.UGE: (False, lambda a, b: a >= b),
    Predicate.SLT: (True, lambda a, b: a < b),
    Predicate.SLE: (True, lambda a, b: a <= b),
    Predicate.SGT: (True, lambda a, b: a > b),
    Predicate.SGE: (True, lambda a, b: a >= b),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("predicate", Predicate)
def test_compare(predicate: Predicate, width: int) -> None:
    signed, holds = COMPARISONS[predicate]
    for a, b in pairs(width):
        x, y = (value(width, a), value(width, b)) if signed else (a, b)
        assert semantics.compare(CONCRETE, predicate, width, a, b) is holds(x, y), (a, b)


@pytest.mark.parametrize(("width", "to"), list(itertools.product(WIDTHS, repeat=2)))
def test_cast(width: int, to: int) -> None:
    for a, _ in pairs(width):
        for op in (CastOp.ZEXT, CastOp.TRUNC, CastOp.PTRTOINT, CastOp.INTTOPTR):
            assert semantics.cast(CONCRETE, op, width, to, a) == a % 2**to
        if to >= width:
            got = semantics.cast(CONCRETE, CastOp.SEXT, width, to, a)
            assert got == value(width, a) % 2**to


def test_conversions_of_floats_are_not_in_the_table() -> None:
    for op in (CastOp.FPEXT, CastOp.FPTRUNC, CastOp.SITOFP, CastOp.UITOFP, CastOp.FPTOSI):
        with pytest.raises(InternalError):
            semantics.cast(CONCRETE, op, 32, 64, 0)


def fits(signed: bool, width: int, x: int) -> bool:
    low = -(1 << (width - 1)) if signed else 0
    return low <= x < low + (1 << width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("signed", [True, False])
def test_wraps(signed: bool, width: int) -> None:
    def wraps(op: BinaryOp) -> bool:
        return semantics.wraps(CONCRETE, op, signed, width, a, b)

    for a, b in pairs(width):
        x, y = (value(width, a), value(width, b)) if signed else (a, b)
        assert wraps(BinaryOp.ADD) is not fits(signed, width, x + y)
        assert wraps(BinaryOp.SUB) is not fits(signed, width, x - y)
        assert wraps(BinaryOp.MUL) is not fits(signed, width, x * y)
        assert not wraps(BinaryOp.XOR)
        if b < width:
            assert wraps(BinaryOp.SHL) is not fits(signed, width, x * 2**b), (a, b)
        if signed and y:
            assert wraps(BinaryOp.SDIV) is not fits(signed, width, truncated(x, y))


OVERFLOWS: dict[OverflowOp, tuple[bool, Exact]] = {
    OverflowOp.SADD: (True, lambda x, y: x + y),
    OverflowOp.UADD: (False, lambda x, y: x + y),
    OverflowOp.SSUB: (True, lambda x, y: x - y),
    OverflowOp.USUB: (False, lambda x, y: x - y),
    OverflowOp.SMUL: (True, lambda x, y: x * y),
    OverflowOp.UMUL: (False, lambda x, y: x * y),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", OverflowOp)
def test_overflow(op: OverflowOp, width: int) -> None:
    signed, compute = OVERFLOWS[op]
    for a, b in pairs(width):
        x, y = (value(width, a), value(width, b)) if signed else (a, b)
        wanted = not fits(signed, width, compute(x, y))
        assert semantics.overflow(CONCRETE, op, width, a, b) is wanted, (a, b)


def clamp(signed: bool, width: int, x: int) -> int:
    low = -(1 << (width - 1)) if signed else 0
    return min(max(x, low), low + (1 << width) - 1) % (1 << width)


def text(width: int, a: int) -> str:
    return f"{a:0{width}b}"


def intrinsic(op: BitsOp, width: int, a: int, b: int, c: int) -> int:
    x, y = value(width, a), value(width, b)
    shift = c % width
    doubled = text(width, a) + text(width, b)
    definitions: dict[BitsOp, Callable[[], int]] = {
        BitsOp.CTPOP: lambda: text(width, a).count("1"),
        BitsOp.CTLZ: lambda: (text(width, a) + "1").index("1"),
        BitsOp.CTTZ: lambda: (text(width, a)[::-1] + "1").index("1"),
        BitsOp.BSWAP: lambda: int.from_bytes(a.to_bytes(width // 8, "little"), "big"),
        BitsOp.BITREVERSE: lambda: int(text(width, a)[::-1], 2),
        BitsOp.FSHL: lambda: int(doubled[shift : shift + width], 2),
        BitsOp.FSHR: lambda: int(doubled[width - shift : 2 * width - shift], 2),
        BitsOp.ABS: lambda: abs(x) % 2**width,
        BitsOp.SMAX: lambda: max(x, y) % 2**width,
        BitsOp.SMIN: lambda: min(x, y) % 2**width,
        BitsOp.UMAX: lambda: max(a, b),
        BitsOp.UMIN: lambda: min(a, b),
        BitsOp.SADD_SAT: lambda: clamp(True, width, x + y),
        BitsOp.UADD_SAT: lambda: clamp(False, width, a + b),
        BitsOp.SSUB_SAT: lambda: clamp(True, width, x - y),
        BitsOp.USUB_SAT: lambda: clamp(False, width, a - b),
    }
    return definitions[op]()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", BitsOp)
def test_bits(op: BitsOp, width: int) -> None:
    if op is BitsOp.BSWAP and width % 16:
        pytest.skip("bswap is of whole pairs of bytes")
    rng = random.Random(width)
    linear = op in (BitsOp.CTPOP, BitsOp.CTLZ, BitsOp.CTTZ, BitsOp.BITREVERSE)
    for a, b in itertools.islice(pairs(width), 0, None, 9 if linear and width > 3 else 1):
        c = rng.choice((0, 1, width - 1, width, width + 1, rng.randrange(2**width))) % 2**width
        got = semantics.bits(CONCRETE, op, width, (a, b, c)[: arity(op)])
        assert got == intrinsic(op, width, a, b, c) % 2**width, (a, b, c)


class Checked(Concrete):
    """Refuses what the table promises not to ask for: plain primitives at width 1."""

    def __getattribute__(self, name: str) -> object:
        method = super().__getattribute__(name)
        if name in ("truth", "not_", "both", "either", "iff", "to_bool", "of_bool", "ite"):
            return method
        if name.startswith("_"):
            return method

        def guarded(width: int, *rest: int) -> object:
            assert width >= 2
            if name in ("zext", "sext"):
                assert rest[0] > width
            if name == "trunc":
                assert 2 <= rest[0] < width
            if name == "const":
                assert 0 <= rest[0] < 2**width
            return method(width, *rest)

        return guarded


def test_primitives_are_asked_for_proper_widths_only() -> None:
    algebra: Algebra[int, bool] = Checked()
    for width, a, b in itertools.product((1, 2, 16), (0, 1), (0, 1)):
        for binary in BinaryOp:
            semantics.binary(algebra, binary, width, a, b)
            semantics.defined(algebra, binary, width, a, b)
            for signed in (True, False):
                semantics.wraps(algebra, binary, signed, width, a, b)
        for predicate in Predicate:
            semantics.compare(algebra, predicate, width, a, b)
        for overflow in OverflowOp:
            semantics.overflow(algebra, overflow, width, a, b)
        for op in BitsOp:
            if op is not BitsOp.BSWAP or width == 16:
                semantics.bits(algebra, op, width, (a, b, a)[: arity(op)])
        for to in (1, 2, 16):
            semantics.cast(algebra, CastOp.TRUNC, width, to, a)
            if to >= width:
                semantics.cast(algebra, CastOp.SEXT, width, to, a)
