"""Sets of isl as formulas: a disjunction of conjunctions of linear constraints over `div`."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


def formula_of(found: isl.Set, symbols: Sequence[Term]) -> Term:
    """The formula over the symbols, one a coordinate."""
    explicit = found.compute_divs().coalesce().remove_redundancies()
    return terms.or_(_conjunction(piece, symbols) for piece in explicit.get_basic_sets())


def _conjunction(piece: isl.BasicSet, symbols: Sequence[Term]) -> Term:
    divisions = _divisions(piece, symbols)
    parts = []
    for constraint in piece.get_constraints():
        parts.append(_constraint(constraint, symbols, divisions))
    return terms.and_(parts)


def _divisions(piece: isl.BasicSet, symbols: Sequence[Term]) -> list[Term]:
    """The integer divisions of a piece, each over the earlier ones."""
    found: list[Term] = []
    local = piece.get_local_space()
    for number in range(piece.dim(isl.dim_type.div)):
        function = local.get_div(number)
        size = _integer(function.get_denominator_val())
        coefficients = [
            (_scaled(function.get_coefficient_val(isl.dim_type.in_, k), size), symbol)
            for k, symbol in enumerate(symbols)
        ]
        constant = _scaled(function.get_constant_val(), size)
        total = [(c, _as_number(s)) for c, s in coefficients]
        total += [
            (_scaled(function.get_coefficient_val(isl.dim_type.div, k), size), term)
            for k, term in enumerate(found)
        ]
        found.append(terms.div(_sum(total, constant), terms.int_const(size)))
    return found


def _constraint(
    constraint: isl.Constraint, symbols: Sequence[Term], divisions: Sequence[Term]
) -> Term:
    """`sum = 0` or `sum >= 0`, written without subtraction; a Boolean alone as itself."""
    over = [
        (_integer(constraint.get_coefficient_val(isl.dim_type.set, k)), symbol)
        for k, symbol in enumerate(symbols)
    ]
    parts = [(c, s) for c, s in over if c]
    rest = [
        (_integer(constraint.get_coefficient_val(isl.dim_type.div, k)), division)
        for k, division in enumerate(divisions)
    ]
    rest = [(c, d) for c, d in rest if c]
    constant = _integer(constraint.get_constant_val())
    equality = constraint.is_equality()
    if not rest and len(parts) == 1 and terms.sort_of(parts[0][1]) is terms.BOOL:
        return _boolean(*parts[0], constant, equality)
    found = [(c, _as_number(s)) for c, s in parts] + rest
    left = _sum([(c, t) for c, t in found if c > 0], max(constant, 0))
    right = _sum([(-c, t) for c, t in found if c < 0], max(-constant, 0))
    return terms.eq(left, right) if equality else terms.le(right, left)


def _boolean(coefficient: int, symbol: Term, constant: int, equality: bool) -> Term:
    """A constraint on one Boolean, by the two values it may have."""

    def holds(value: int) -> bool:
        total = coefficient * value + constant
        return total == 0 if equality else total >= 0

    when_true, when_false = holds(1), holds(0)
    if when_true and when_false:
        return terms.TRUE
    if when_true:
        return symbol
    return terms.not_(symbol) if when_false else terms.FALSE


def _as_number(symbol: Term) -> Term:
    if terms.sort_of(symbol) is terms.INT:
        return symbol
    return terms.ite(symbol, terms.int_const(1), terms.int_const(0))


def _sum(parts: Sequence[tuple[int, Term]], constant: int) -> Term:
    summands = [terms.times(terms.int_const(c), t) for c, t in parts if c]
    return terms.plus(*summands, terms.int_const(constant))


def _scaled(value: isl.Val, by: int) -> int:
    return _integer(value.mul(isl.Val.read_from_str(value.get_ctx(), str(by))))


def _integer(value: isl.Val) -> int:
    return int(value.to_str())
