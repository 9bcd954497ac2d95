"""Expressions as terms: what they are worth, and where they have a value at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.rip.syntax import (
    Binary,
    Conditional,
    Expression,
    Literal,
    Name,
    Operator,
    Unary,
    chain,
)

_ZERO = terms.int_const(0)
_ONE = terms.int_const(1)


def value(expression: Expression, known: Mapping[str, Term]) -> Term:
    """The value, where `defined` holds."""
    match expression:
        case Literal(_, constant):
            if isinstance(constant, bool):
                return terms.bool_const(constant)
            return terms.int_const(constant)
        case Name(_, name):
            return known[name]
        case Unary(_, operator, argument):
            inner = value(argument, known)
            return terms.not_(inner) if operator is Operator.NOT else terms.minus(_ZERO, inner)
        case Binary():
            first, rest = chain(expression)
            found = value(first, known)
            for one in rest:
                found = _binary(one.operator, found, value(one.right, known))
            return found
        case Conditional(_, condition, then, otherwise):
            return terms.ite(value(condition, known), value(then, known), value(otherwise, known))
    assert_never(expression)


def defined(expression: Expression, known: Mapping[str, Term]) -> Term:
    """No divisor that is evaluated is 0."""
    match expression:
        case Literal() | Name():
            return terms.TRUE
        case Unary(_, _, argument):
            return defined(argument, known)
        case Binary():
            first, rest = chain(expression)
            conditions, left = [defined(first, known)], value(first, known)
            for one in rest:
                right = value(one.right, known)
                conditions.append(_second(one.operator, left, right, defined(one.right, known)))
                left = _binary(one.operator, left, right)
            return terms.and_(conditions)
        case Conditional(_, condition, then, otherwise):
            chosen = terms.ite(
                value(condition, known), defined(then, known), defined(otherwise, known)
            )
            return terms.and_([defined(condition, known), chosen])
    assert_never(expression)


def _second(operator: Operator, left: Term, right: Term, inner: Term) -> Term:
    """What the evaluation of a second operand asks for, of which `inner` says where it is."""
    match operator:
        case Operator.AND:
            return terms.implies(left, inner)
        case Operator.OR:
            return terms.or_([left, inner])
        case Operator.DIVIDE:
            return terms.and_([inner, terms.not_(terms.eq(right, _ZERO))])
        case _:
            return inner


def _binary(operator: Operator, left: Term, right: Term) -> Term:  # noqa: C901  a flat match
    match operator:
        case Operator.OR:
            return terms.or_([left, right])
        case Operator.AND:
            return terms.and_([left, right])
        case Operator.EQUAL:
            return terms.eq(left, right)
        case Operator.UNEQUAL:
            return terms.not_(terms.eq(left, right))
        case Operator.LESS:
            return terms.lt(left, right)
        case Operator.LESS_EQUAL:
            return terms.le(left, right)
        case Operator.GREATER:
            return terms.lt(right, left)
        case Operator.GREATER_EQUAL:
            return terms.le(right, left)
        case Operator.ADD:
            return terms.plus(left, right)
        case Operator.SUBTRACT:
            return terms.minus(left, right)
        case Operator.MULTIPLY:
            return terms.times(left, right)
        case Operator.DIVIDE:
            return _quotient(left, right)
        case Operator.NOT:
            raise AssertionError("an operator with one operand")
    assert_never(operator)


def _quotient(left: Term, right: Term) -> Term:
    """Towards zero.  Division by 0 is by 1 here, where `defined` does not hold."""
    divisor = right
    if not (right.is_int_constant() and right.constant_value()):
        divisor = terms.ite(terms.eq(right, _ZERO), _ONE, right)
    negated = terms.div(terms.minus(_ZERO, left), divisor)
    return terms.ite(terms.le(_ZERO, left), terms.div(left, divisor), terms.minus(_ZERO, negated))
