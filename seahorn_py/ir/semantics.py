"""What each integer operation means: one table over an abstract algebra of machine integers.

Meanings are LLVM's (LangRef, "Binary Operations", "Bitwise Binary Operations", "Conversion
Operations", the integer intrinsics) without poison; where LLVM has undefined behaviour, `defined`
is false.  The interpreter, both encoders and the value ranges instantiate `ir.algebra.Algebra`.

To use it: write a class with the methods of `Algebra`, then call `binary(algebra, op, width, a,
b)`, `compare`, `cast`, `bits`, `overflow` with values in a canonical form of your own; `width` is
always that of the operands.  Comparisons give a B; `algebra.of_bool` makes the i1 register of it.
Guard `binary` with `defined`: where that is false the value is arbitrary (`partial` says which
operations need it).  `wraps` tells whether an operation leaves its range; it computes in a wider
width, where the result is exact, so that over unbounded integers it is a plain range test.
"""

from __future__ import annotations

from typing import TypeVar, assert_never

from seahorn_py.base.errors import InternalError
from seahorn_py.ir.algebra import Algebra
from seahorn_py.ir.intrinsics import bits as bits
from seahorn_py.ir.program import BinaryOp, CastOp, OverflowOp, Predicate

V = TypeVar("V")
B = TypeVar("B")

# ---------------------------------------------------------------------------- binary operations


def binary(  # noqa: C901 - a flat match
    algebra: Algebra[V, B], op: BinaryOp, width: int, a: V, b: V
) -> V:
    """`a op b`; arbitrary where `defined` is false."""
    if width == 1:
        return _binary_bit(algebra, op, a, b)
    match op:
        case BinaryOp.ADD:
            return algebra.add(width, a, b)
        case BinaryOp.SUB:
            return algebra.sub(width, a, b)
        case BinaryOp.MUL:
            return algebra.mul(width, a, b)
        case BinaryOp.UDIV:
            return algebra.udiv(width, a, b)
        case BinaryOp.SDIV:
            return algebra.sdiv(width, a, b)
        case BinaryOp.UREM:
            return algebra.urem(width, a, b)
        case BinaryOp.SREM:
            return algebra.srem(width, a, b)
        case BinaryOp.SHL:
            return algebra.shl(width, a, b)
        case BinaryOp.LSHR:
            return algebra.lshr(width, a, b)
        case BinaryOp.ASHR:
            return algebra.ashr(width, a, b)
        case BinaryOp.AND:
            return algebra.and_(width, a, b)
        case BinaryOp.OR:
            return algebra.or_(width, a, b)
        case BinaryOp.XOR:
            return algebra.xor(width, a, b)
        case _:
            assert_never(op)


def _binary_bit(algebra: Algebra[V, B], op: BinaryOp, a: V, b: V) -> V:
    """Width 1, where the defined divisors are 1 (unsigned) and -1 (signed, dividend 0 only)."""
    p, q = algebra.to_bool(a), algebra.to_bool(b)
    match op:
        case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.XOR:
            return algebra.of_bool(algebra.not_(algebra.iff(p, q)))
        case BinaryOp.MUL | BinaryOp.AND:
            return algebra.of_bool(algebra.both(p, q))
        case BinaryOp.OR:
            return algebra.of_bool(algebra.either(p, q))
        case BinaryOp.UREM | BinaryOp.SREM:
            return algebra.of_bool(algebra.truth(False))
        case BinaryOp.UDIV | BinaryOp.SDIV | BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR:
            return a
        case _:
            assert_never(op)


def defined(algebra: Algebra[V, B], op: BinaryOp, width: int, a: V, b: V) -> B:
    """The operation has a value; if not, the run ends.

    Undefined are divisions by 0, INT_MIN / -1 and INT_MIN % -1, shifts by the width or more.
    """
    match op:
        case BinaryOp.UDIV | BinaryOp.UREM:
            return algebra.not_(_is(algebra, width, b, 0))
        case BinaryOp.SDIV | BinaryOp.SREM:
            least = _is(algebra, width, a, 1 << width - 1)
            overflows = algebra.both(least, _is(algebra, width, b, (1 << width) - 1))
            return algebra.not_(algebra.either(_is(algebra, width, b, 0), overflows))
        case BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR:
            if width == 1:
                return algebra.not_(algebra.to_bool(b))
            return algebra.ult(width, b, algebra.const(width, width))
        case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL:
            return algebra.truth(True)
        case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
            return algebra.truth(True)
        case _:
            assert_never(op)


def partial(op: BinaryOp) -> bool:
    """Whether there are operands on which the operation is not defined."""
    match op:
        case BinaryOp.UDIV | BinaryOp.UREM | BinaryOp.SDIV | BinaryOp.SREM:
            return True
        case BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR:
            return True
        case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL:
            return False
        case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
            return False
        case _:
            assert_never(op)


# ------------------------------------------------------------------------ comparisons and casts


def compare(  # noqa: C901 - a flat match
    algebra: Algebra[V, B], predicate: Predicate, width: int, a: V, b: V
) -> B:
    """`a predicate b`."""
    match predicate:
        case Predicate.EQ:
            return _equal(algebra, width, a, b)
        case Predicate.NE:
            return algebra.not_(_equal(algebra, width, a, b))
        case Predicate.ULT:
            return _less(algebra, width, a, b)
        case Predicate.UGT:
            return _less(algebra, width, b, a)
        case Predicate.ULE:
            return _at_most(algebra, width, a, b)
        case Predicate.UGE:
            return _at_most(algebra, width, b, a)
        case Predicate.SLT:
            # the only negative i1 is 1, so its signed order is the unsigned one turned round
            return _less(algebra, 1, b, a) if width == 1 else algebra.slt(width, a, b)
        case Predicate.SGT:
            return compare(algebra, Predicate.SLT, width, b, a)
        case Predicate.SLE:
            return _at_most(algebra, 1, b, a) if width == 1 else algebra.sle(width, a, b)
        case Predicate.SGE:
            return compare(algebra, Predicate.SLE, width, b, a)
        case _:
            assert_never(predicate)


def _equal(algebra: Algebra[V, B], width: int, a: V, b: V) -> B:
    if width == 1:
        return algebra.iff(algebra.to_bool(a), algebra.to_bool(b))
    return algebra.eq(width, a, b)


def _less(algebra: Algebra[V, B], width: int, a: V, b: V) -> B:
    if width == 1:
        return algebra.both(algebra.not_(algebra.to_bool(a)), algebra.to_bool(b))
    return algebra.ult(width, a, b)


def _at_most(algebra: Algebra[V, B], width: int, a: V, b: V) -> B:
    if width == 1:
        return algebra.either(algebra.not_(algebra.to_bool(a)), algebra.to_bool(b))
    return algebra.ule(width, a, b)


def _is(algebra: Algebra[V, B], width: int, a: V, value: int) -> B:
    if width == 1:
        bit = algebra.to_bool(a)
        return bit if value else algebra.not_(bit)
    return algebra.eq(width, a, algebra.const(width, value))


def constant(algebra: Algebra[V, B], width: int, value: int) -> V:
    """A constant of any width, `0 <= value < 2**width`."""
    if width == 1:
        return algebra.of_bool(algebra.truth(bool(value)))
    return algebra.const(width, value)


def cast(algebra: Algebra[V, B], op: CastOp, width: int, to: int, a: V) -> V:
    """Convert between integers and pointers; InternalError for a conversion of floats.

    A pointer is an integer of the pointer's width; LLVM extends it with zeros or cuts it.
    """
    match op:
        case CastOp.SEXT:
            return _extend(algebra, True, width, to, a)
        case CastOp.ZEXT | CastOp.TRUNC | CastOp.PTRTOINT | CastOp.INTTOPTR | CastOp.BITCAST:
            if to < width:
                return _cut(algebra, width, to, a)
            return _extend(algebra, False, width, to, a)
        case CastOp.FPEXT | CastOp.FPTRUNC | CastOp.SITOFP | CastOp.UITOFP:
            raise InternalError(f"{op.value} is no conversion of integers")
        case CastOp.FPTOSI | CastOp.FPTOUI | CastOp.FPTOSI_SAT | CastOp.FPTOUI_SAT:
            raise InternalError(f"{op.value} is no conversion of integers")
        case _:
            assert_never(op)


def _extend(algebra: Algebra[V, B], signed: bool, width: int, to: int, a: V) -> V:
    if to == width:
        return a
    if width == 1:
        set_bits = algebra.const(to, (1 << to) - 1 if signed else 1)
        return algebra.ite(to, algebra.to_bool(a), set_bits, algebra.const(to, 0))
    return algebra.sext(width, to, a) if signed else algebra.zext(width, to, a)


def _cut(algebra: Algebra[V, B], width: int, to: int, a: V) -> V:
    if to == 1:
        return algebra.of_bool(algebra.odd(width, a))
    return algebra.trunc(width, to, a)


# ------------------------------------------------------------------------------------- wrapping


def wraps(algebra: Algebra[V, B], op: BinaryOp, signed: bool, width: int, a: V, b: V) -> B:
    """The exact result on the signed or unsigned operands does not fit the width.

    For a left shift the exact result is `a * 2**b`, and `b < width` is taken for granted.
    Operations that cannot leave their range give false; so does a division by 0.
    """
    match op:
        case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL:
            return _outside(algebra, op, signed, width, a, b)
        case BinaryOp.SHL:
            back = BinaryOp.ASHR if signed else BinaryOp.LSHR
            shifted = binary(algebra, BinaryOp.SHL, width, a, b)
            restored = binary(algebra, back, width, shifted, b)
            return algebra.not_(_equal(algebra, width, restored, a))
        case BinaryOp.SDIV:
            least = _is(algebra, width, a, 1 << width - 1)
            return algebra.both(least, _is(algebra, width, b, (1 << width) - 1))
        case BinaryOp.UDIV | BinaryOp.UREM | BinaryOp.SREM | BinaryOp.LSHR | BinaryOp.ASHR:
            return algebra.truth(False)
        case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
            return algebra.truth(False)
        case _:
            assert_never(op)


def _outside(algebra: Algebra[V, B], op: BinaryOp, signed: bool, width: int, a: V, b: V) -> B:
    """The result of ADD, SUB or MUL, computed where it is exact, is out of the range."""
    wide = 2 * width if op is BinaryOp.MUL else width + 1
    left = _extend(algebra, signed, width, wide, a)
    right = _extend(algebra, signed, width, wide, b)
    exact = binary(algebra, op, wide, left, right)
    if not signed and op is BinaryOp.SUB:
        return algebra.slt(wide, exact, algebra.const(wide, 0))
    if not signed:
        return algebra.ult(wide, algebra.const(wide, (1 << width) - 1), exact)
    half = 1 << width - 1
    below = algebra.slt(wide, exact, algebra.const(wide, (1 << wide) - half))
    return algebra.either(below, algebra.slt(wide, algebra.const(wide, half - 1), exact))


def overflow(algebra: Algebra[V, B], op: OverflowOp, width: int, a: V, b: V) -> B:
    """The overflow bit of `llvm.*.with.overflow`."""
    match op:
        case OverflowOp.SADD:
            return wraps(algebra, BinaryOp.ADD, True, width, a, b)
        case OverflowOp.UADD:
            return wraps(algebra, BinaryOp.ADD, False, width, a, b)
        case OverflowOp.SSUB:
            return wraps(algebra, BinaryOp.SUB, True, width, a, b)
        case OverflowOp.USUB:
            return wraps(algebra, BinaryOp.SUB, False, width, a, b)
        case OverflowOp.SMUL:
            return wraps(algebra, BinaryOp.MUL, True, width, a, b)
        case OverflowOp.UMUL:
            return wraps(algebra, BinaryOp.MUL, False, width, a, b)
        case _:
            assert_never(op)
