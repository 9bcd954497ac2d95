"""Formulas of branching time (CTL): whether a formula is one, what it is in LTL, and its text.

M. Maidl: "The common fragment of CTL and LTL", FOCS 2000.
"""

from __future__ import annotations

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.frontend.temporal.formula import (
    FALSE,
    TRUE,
    Both,
    Constant,
    Either,
    Formula,
    Literal,
    Next,
    Quantified,
    Release,
    Until,
    negation,
    parts,
)


def check_branching(formula: Formula) -> None:
    """UnsupportedError with a part of it, unless each temporal operator stands behind `A` or `E`.

    What it speaks of are formulas about one state.
    """
    match formula:
        case Both(left, right) | Either(left, right):
            check_branching(left)
            check_branching(right)
        case Quantified(_, Next(inner)):
            check_branching(inner)
        case Quantified(_, Until(left, right) | Release(left, right)):
            check_branching(left)
            check_branching(right)
        case Quantified():
            raise UnsupportedError(f"{written(formula)}: A and E speak of G, F, X, U, R or W")
        case Next() | Until() | Release():
            raise UnsupportedError(f"{written(formula)}: in CTL A or E stands before the operator")
        case Literal() | Constant():
            pass


def linear(formula: Formula) -> Formula:
    """A formula of LTL that all runs fulfil if and only if all first states fulfil that of CTL.

    It is the formula without `A`, which is right where at most one of two alternatives looks into
    the future.  UnsupportedError with a part of any other formula.
    """
    match formula:
        case Both(left, right):
            return Both(linear(left), linear(right))
        case Either(left, right) if _is_of_a_state(left) or _is_of_a_state(right):
            return Either(linear(left), linear(right))
        case Quantified(True, Release(left, right)) if left == FALSE:
            return Release(left, linear(right))
        case Quantified(True, Until(left, right) | Release(left, right) as path):
            if _is_of_a_state(left) and _is_of_a_state(right):
                return path
        case Literal() | Constant():
            return formula
    raise UnsupportedError(f"{written(formula)}: this part is not one of linear time")


def innermost(formula: Formula) -> tuple[Quantified, ...]:
    """The parts `A..` and `E..` that speak of states alone, first those unlike the whole."""
    found = [
        part
        for part in parts(formula)
        if isinstance(part, Quantified) and part != formula and _is_of_states(part.path)
    ]
    outer = isinstance(formula, Quantified) and formula.is_universal
    return tuple(dict.fromkeys(sorted(found, key=lambda part: part.is_universal is outer)))


def put(formula: Formula, part: Formula, condition: Formula) -> Formula:
    """The formula with a condition in the place of a part."""
    if formula == part:
        return condition
    match formula:
        case Both(left, right) | Either(left, right) | Until(left, right) | Release(left, right):
            return type(formula)(put(left, part, condition), put(right, part, condition))
        case Next(inner):
            return Next(put(inner, part, condition))
        case Quantified(is_universal, path):
            return Quantified(is_universal, put(path, part, condition))
        case Literal() | Constant():
            return formula


def simplified(formula: Formula) -> Formula:
    """An equal formula, in which constants are no parts of others where that is seen at once."""
    match formula:
        case Both(left, right):
            return negation(_either(simplified(negation(left)), simplified(negation(right))))
        case Either(left, right):
            return _either(simplified(left), simplified(right))
        case Quantified(_, Until(_, right)) if simplified(right) == TRUE:
            return TRUE
        case Quantified(True, Release(_, right)) if simplified(right) == TRUE:
            return TRUE
        case Quantified(_, Release(_, right)) if simplified(right) == FALSE:
            return FALSE
        case Quantified(False, Until(_, right)) if simplified(right) == FALSE:
            return FALSE
    return formula


def _either(left: Formula, right: Formula) -> Formula:
    if TRUE in (left, right) or left == negation(right):
        return TRUE
    if FALSE in (left, right):
        return right if left == FALSE else left
    return Either(left, right)


def _is_of_states(path: Formula) -> bool:
    match path:
        case Until(left, right) | Release(left, right):
            return _is_of_a_state(left) and _is_of_a_state(right)
    return False


def _is_of_a_state(formula: Formula) -> bool:
    return all(isinstance(part, Literal | Constant | Both | Either) for part in parts(formula))


def written(formula: Formula) -> str:
    """A text of the formula, in negation normal form."""
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Literal(atom, holds):
            return f'{"" if holds else "!"}"{atom}"'
        case Both(left, right):
            return f"({written(left)} && {written(right)})"
        case Either(left, right):
            return f"({written(left)} || {written(right)})"
        case Next(inner):
            return f"X {written(inner)}"
        case Until(left, right):
            return f"F {written(right)}" if left == TRUE else _binary("U", left, right)
        case Release(left, right):
            return f"G {written(right)}" if left == FALSE else _binary("R", left, right)
        case Quantified(is_universal, path):
            return f"{'A' if is_universal else 'E'}{written(path)}"


def _binary(operator: str, left: Formula, right: Formula) -> str:
    return f"[{written(left)} {operator} {written(right)}]"
