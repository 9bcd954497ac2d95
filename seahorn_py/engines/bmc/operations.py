"""Operations of the solvers' theories computed on Python values, for constant propagation.

The meaning is that of SMT-LIB, division of bit-vectors by 0 included; division of integers and
reals by 0 has no value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor, prod

from pysmt import operators as op

from seahorn_py.logic.solvers.construction.protocol import Constant, UnsupportedTerm
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import payload
from seahorn_py.logic.terms.terms import Term

Fold = Callable[..., Constant | None]


def folding(node: Term) -> Fold:
    """The function at the top of `node`; its result is None where it has no value."""
    kind = node.node_type()
    if node.is_function_application():
        name = node.function_name().symbol_name()
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        raise UnsupportedTerm(name)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in _INDEXED:
        return _INDEXED[kind](terms.bv_width(node.arg(0)), *payload(node))
    if kind == op.BV_CONCAT:
        low = terms.bv_width(node.arg(1))
        return lambda a, b: a << low | b
    if kind in _BITS:
        return _BITS[kind](terms.bv_width(node.arg(0)))
    raise UnsupportedTerm(op.op_to_str(kind))


def _quotient(a: int, b: int) -> int | None:
    """Euclidean: the remainder lies in `[0, |b|)`."""
    if b == 0:
        return None
    return a // b if b > 0 else -(a // -b)


def _mask(width: int) -> int:
    return (1 << width) - 1


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _udiv(width: int) -> Fold:
    return lambda a, b: a // b if b else _mask(width)


def _sdiv(width: int) -> Fold:
    def divide(a: int, b: int) -> int:
        x, y = _signed(a, width), _signed(b, width)
        size = abs(x) // abs(y) if y else _mask(width)
        return (-size if (x < 0) != (y < 0) else size) & _mask(width)

    return divide


def _srem(width: int) -> Fold:
    def remainder(a: int, b: int) -> int:
        x, y = _signed(a, width), _signed(b, width)
        size = abs(x) % abs(y) if y else abs(x)
        return (-size if x < 0 else size) & _mask(width)

    return remainder


def _rotated(width: int, by: int) -> Fold:
    return lambda a: (a << by | a >> (width - by)) & _mask(width)


_PLAIN: dict[int, Fold] = {
    op.PLUS: lambda *a: sum(a),
    op.TIMES: lambda *a: prod(a),
    op.MINUS: lambda a, b: a - b,
    op.LE: lambda a, b: a <= b,
    op.LT: lambda a, b: a < b,
    op.DIV: lambda a, b: Fraction(a) / b if b else None,
    op.TOREAL: lambda a: a,
    op.BV_TONATURAL: lambda a: a,
    op.BV_ULE: lambda a, b: a <= b,
    op.BV_ULT: lambda a, b: a < b,
    op.BV_AND: lambda a, b: a & b,
    op.BV_OR: lambda a, b: a | b,
    op.BV_XOR: lambda a, b: a ^ b,
    op.BV_UREM: lambda a, b: a % b if b else a,
    op.BV_LSHR: lambda a, b: a >> b,
    op.BV_COMP: lambda a, b: int(a == b),
}
_FUNCTIONS: dict[str, Fold] = {
    "div": _quotient,
    "mod": lambda a, b: a % abs(b) if b else None,
    "to_int": floor,
}
_BITS: dict[int, Callable[[int], Fold]] = {
    op.BV_NOT: lambda w: lambda a: a ^ _mask(w),
    op.BV_NEG: lambda w: lambda a: -a & _mask(w),
    op.BV_ADD: lambda w: lambda a, b: a + b & _mask(w),
    op.BV_SUB: lambda w: lambda a, b: a - b & _mask(w),
    op.BV_MUL: lambda w: lambda a, b: a * b & _mask(w),
    op.BV_UDIV: _udiv,
    op.BV_SDIV: _sdiv,
    op.BV_SREM: _srem,
    op.BV_LSHL: lambda w: lambda a, b: a << b & _mask(w) if b < w else 0,
    op.BV_ASHR: lambda w: lambda a, b: _signed(a, w) >> b & _mask(w),
    op.BV_SLE: lambda w: lambda a, b: _signed(a, w) <= _signed(b, w),
    op.BV_SLT: lambda w: lambda a, b: _signed(a, w) < _signed(b, w),
}
_INDEXED: dict[int, Callable[..., Fold]] = {
    op.BV_EXTRACT: lambda w, size, low, high: lambda a: a >> low & _mask(size),
    op.BV_ZEXT: lambda w, wide, by: lambda a: a,
    op.BV_SEXT: lambda w, wide, by: lambda a: _signed(a, w) & _mask(wide),
    op.BV_ROL: lambda w, size, by: _rotated(w, by),
    op.BV_ROR: lambda w, size, by: _rotated(w, (w - by) % w),
}
"""By the width of the argument and pySMT's payload."""
