"""Expressions of Boolean programs: truth values, one of them unknown.

`Choose(a, b)` is SLAM's: true if `a`, otherwise false if `b`, otherwise unknown (Ball, Rajamani:
Boolean programs, a model and process for software analysis, MSR-TR-2000-14).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from seahorn_py.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Constant:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that the abstraction does not know; each occurrence is another one."""


@dataclass(frozen=True, slots=True)
class Anything:
    """A value that is arbitrary in the program itself: of a variable before any assignment."""


@dataclass(frozen=True, slots=True)
class Name:
    """A variable of a program text."""

    name: str


@dataclass(frozen=True, slots=True)
class Bit:
    """Bit `index` of the state of premise `premise` of a rule."""

    premise: int
    index: int


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    argument: Expression


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction; true without parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction; false without parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Iff:
    """Both or none."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Choose:
    """True if the one, otherwise false if the other, otherwise unknown."""

    true_if: Expression
    false_if: Expression


Expression = Constant | Unknown | Anything | Name | Bit | Not | And | Or | Iff | Choose

TRUE = Constant(True)
FALSE = Constant(False)
UNKNOWN = Unknown()
ANYTHING = Anything()


def negation(expression: Expression) -> Expression:
    """Not the expression; folds constants and double negation."""
    match expression:
        case Constant(value):
            return Constant(not value)
        case Not(argument):
            return argument
        case _:
            return Not(expression)


def conjunction(parts: Iterable[Expression]) -> Expression:
    """All parts; folds constants."""
    kept = tuple(dict.fromkeys(p for p in parts if p != TRUE))
    if FALSE in kept:
        return FALSE
    return TRUE if not kept else kept[0] if len(kept) == 1 else And(kept)


def disjunction(parts: Iterable[Expression]) -> Expression:
    """Some part; folds constants."""
    kept = tuple(dict.fromkeys(p for p in parts if p != FALSE))
    if TRUE in kept:
        return TRUE
    return FALSE if not kept else kept[0] if len(kept) == 1 else Or(kept)


def equivalence(left: Expression, right: Expression) -> Expression:
    """Both or none; folds constants."""
    for one, other in ((left, right), (right, left)):
        if one == TRUE:
            return other
        if one == FALSE:
            return negation(other)
    return Iff(left, right)


def choice(true_if: Expression, false_if: Expression) -> Expression:
    """`Choose`, folded where it says no more than one of its parts."""
    if true_if == TRUE:
        return TRUE
    if true_if == FALSE and false_if == TRUE:
        return FALSE
    if true_if == FALSE == false_if:
        return UNKNOWN
    return true_if if false_if == negation(true_if) else Choose(true_if, false_if)


def leaves(expression: Expression) -> Iterator[Constant | Unknown | Anything | Name | Bit]:
    """The parts of an expression that have no parts."""
    todo = [expression]
    while todo:
        match todo.pop():
            case Not(argument):
                todo.append(argument)
            case And(parts) | Or(parts):
                todo += parts
            case Choose(one, other) | Iff(one, other):
                todo += (one, other)
            case leaf:
                yield leaf


def mapped(expression: Expression, name: Callable[[str], Expression]) -> Expression:
    """The expression with something else for each name."""
    match expression:
        case Name(text):
            return name(text)
        case Not(argument):
            return Not(mapped(argument, name))
        case And(parts):
            return And(tuple(mapped(p, name) for p in parts))
        case Or(parts):
            return Or(tuple(mapped(p, name) for p in parts))
        case Iff(one, other):
            return Iff(mapped(one, name), mapped(other, name))
        case Choose(one, other):
            return Choose(mapped(one, name), mapped(other, name))
        case _:
            return expression
