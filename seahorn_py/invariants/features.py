"""Numbers that an analysis looks at, and constraints on them as formulas.

A feature is an integer term, or a bit-vector term read as a number with or without sign.  A linear
term over bit-vectors is written with so many bits that none of its values overflows: it then means
the same as over the integers.  An equation modulo a power of two is written in just its own bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial, reduce
from typing import assert_never, cast

from seahorn_py.base.records import dataclass
from seahorn_py.invariants.domains import AtMost, Congruent, Constraint, Equation, dot
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import NotEvaluable, Value, compile_term
from seahorn_py.logic.terms.linear import Linear
from seahorn_py.logic.terms.terms import Term

Point = tuple[Value, ...]


class NumberKind(Enum):
    """How a term is a number: it is one, or its bits are one without or with sign."""

    INTEGER = "integer"
    UNSIGNED = "unsigned"
    SIGNED = "signed"


@dataclass(frozen=True, slots=True)
class Feature:
    """A term with its kind."""

    term: Term
    kind: NumberKind = NumberKind.INTEGER


def compiled(term: Term, symbols: Sequence[Term]) -> Callable[[Point], Value]:
    """The value of a term at a point."""
    try:
        return compile_term(term, symbols)
    except NotEvaluable as error:
        raise ValueError(f"{term} has no value: {error}") from None


def number(feature: Feature, symbols: Sequence[Term]) -> Callable[[Point], int]:
    """The number that a feature is at a point."""
    value = cast("Callable[[Point], int]", compiled(feature.term, symbols))
    if feature.kind is not NumberKind.SIGNED:
        return value
    half = 1 << terms.bv_width(feature.term) - 1
    return lambda point: (value(point) ^ half) - half


def formula(constraint: Constraint, features: Sequence[Feature]) -> Term:
    """A constraint as a formula, positive terms to the left of the relation."""
    units = {f: c for f, c in zip(features, constraint.coefficients, strict=True) if c}
    if all(f.kind is NumberKind.INTEGER for f in units):
        return _of_integers(constraint, {f.term: c for f, c in units.items()})
    return _of_words(constraint, units)


def constant(value: int, sort: terms.Sort) -> Term:
    """A number of this sort."""
    return terms.bv_const(value, sort.width) if sort.is_bv_type() else terms.int_const(value)


# ---------------------------------------------------------------------------------------- integers


def _of_integers(constraint: Constraint, units: dict[Term, int]) -> Term:
    match constraint:
        case Congruent(_, modulus, remainder):
            value = terms.mod(Linear(units).term(), terms.int_const(modulus))
            return terms.eq(value, terms.int_const(remainder))
        case Equation(_, number):
            return terms.eq(*_sides(units, number))
        case AtMost(_, number):
            return terms.le(*_sides(units, number))
    assert_never(constraint)


def _sides(units: dict[Term, int], number: int) -> tuple[Term, Term]:
    left = Linear({u: c for u, c in units.items() if c > 0}, max(-number, 0))
    right = Linear({u: -c for u, c in units.items() if c < 0}, max(number, 0))
    return left.term(), right.term()


# ------------------------------------------------------------------------------------- bit-vectors

Units = dict[Feature, int]


def _of_words(constraint: Constraint, units: Units) -> Term:
    match constraint:
        case Congruent(_, modulus, remainder):
            if modulus & modulus - 1 == 0:
                return _modulo_bits(units, modulus.bit_length() - 1, remainder)
            return _modulo(units, modulus, remainder)
        case Equation(_, number):
            return _compared(units, number, lambda _, left, right: terms.eq(left, right))
        case AtMost(_, number):
            return _at_most(units, number)
    assert_never(constraint)


def _modulo_bits(units: Units, width: int, remainder: int) -> Term:
    """The equation in the lowest bits."""
    low = {f: terms.bv_extract(f.term, 0, width - 1) for f in units if _width(f) > width}
    if remainder >> width - 1:
        remainder -= 1 << width
    parts = {low.get(f, f.term): c for f, c in units.items()}
    left = _sum({t: c for t, c in parts.items() if c > 0}, max(-remainder, 0), width)
    right = _sum({t: -c for t, c in parts.items() if c < 0}, max(remainder, 0), width)
    return terms.eq(left, right)


def _modulo(units: Units, modulus: int, remainder: int) -> Term:
    """The remainder of the exact value, moved by a multiple of the modulus above 0.

    Of one number with sign it is what the program may have computed.
    """
    if len(units) == 1:
        ((feature, coefficient),) = units.items()
        if coefficient == 1 and feature.kind is NumberKind.SIGNED:
            return _signed_remainder(feature.term, modulus, remainder)
    ranges = [(c * low, c * high) for f, c in units.items() for low, high in [_range(f)]]
    shift = -(sum(map(min, ranges)) // modulus) * modulus
    width = max(_bits(sum(map(max, ranges)) + shift, False), modulus.bit_length())
    value = _sum(_widened(units, width), shift, width)
    left = terms.bv("bvurem", value, terms.bv_const(modulus, width))
    return terms.eq(left, terms.bv_const(remainder, width))


def _signed_remainder(term: Term, modulus: int, remainder: int) -> Term:
    """The remainder is that number, or its residue below 0 where the value is negative."""
    width = terms.bv_width(term)
    if modulus >= 1 << width - 1:
        wide = terms.bv_sext(term, modulus.bit_length())
        return _signed_remainder(wide, modulus, remainder)
    found = terms.bv("bvsrem", term, terms.bv_const(modulus, width))
    numbers = {remainder, remainder - modulus if remainder else 0}
    return terms.or_(terms.eq(found, terms.bv_const(n, width)) for n in sorted(numbers))


def _at_most(units: Units, number: int) -> Term:
    if len(units) == 1:
        ((feature, coefficient),) = units.items()
        if abs(coefficient) == 1:
            return _bound(feature, coefficient > 0, number * coefficient)
    return _compared(units, number, terms.bv)


def _bound(feature: Feature, above: bool, number: int) -> Term:
    """`feature <= number`, or `number <= feature`, in the bits that it has."""
    least, most = _range(feature)
    if (number >= most) if above else (number <= least):
        return terms.TRUE
    if number < least or number > most:
        return terms.FALSE
    bound = terms.bv_const(number, _width(feature))
    operator = "bvsle" if feature.kind is NumberKind.SIGNED else "bvule"
    return terms.bv(operator, *((feature.term, bound) if above else (bound, feature.term)))


def _compared(units: Units, number: int, relate: Callable[[str, Term, Term], Term]) -> Term:
    """Positive terms and negative ones with the number, in the fewest bits in which both fit."""
    left = {f: c for f, c in units.items() if c > 0}
    right = {f: -c for f, c in units.items() if c < 0}
    sides = (left, max(-number, 0)), (right, max(number, 0))
    extremes = [extreme for side in sides for extreme in _extremes(*side)]
    signed = min(extremes) < 0
    width = max(_bits(extreme, signed) for extreme in extremes)
    return relate(
        "bvsle" if signed else "bvule",
        *(_sum(_widened(of, width), constant, width) for of, constant in sides),
    )


def _extremes(units: Units, number: int) -> tuple[int, int]:
    """The least and the greatest value of a sum whose coefficients are positive."""
    least, most = zip(*(_range(f) for f in units), strict=True) if units else ((), ())
    factors = tuple(units.values())
    return number + dot(factors, least), number + dot(factors, most)


def _range(feature: Feature) -> tuple[int, int]:
    """The least and the greatest value."""
    width = terms.bv_width(feature.term)
    if feature.kind is NumberKind.SIGNED:
        return -(1 << width - 1), (1 << width - 1) - 1
    return 0, (1 << width) - 1


def _bits(value: int, signed: bool) -> int:
    """Bits that the value takes, one of them for the sign if there is one."""
    return max(1, (value if value >= 0 else ~value).bit_length() + signed)


def _widened(units: Units, width: int) -> dict[Term, int]:
    extended: dict[Term, int] = {}
    for feature, coefficient in units.items():
        extend = terms.bv_sext if feature.kind is NumberKind.SIGNED else terms.bv_zext
        extended[extend(feature.term, width - _width(feature))] = coefficient
    return extended


def _sum(parts: dict[Term, int], number: int, width: int) -> Term:
    products = [
        term if c == 1 else terms.bv("bvmul", term, terms.bv_const(c, width))
        for term, c in parts.items()
    ]
    if number or not products:
        products.append(terms.bv_const(number, width))
    return reduce(partial(terms.bv, "bvadd"), products)


def _width(feature: Feature) -> int:
    return terms.bv_width(feature.term)
