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
    raise UnsupportedError(f"{written(formula)}: this part of CTL is for Boolean programs")


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
