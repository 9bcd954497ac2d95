"""Formulas of CTL, by the operators that the others are made of.

E. A. Emerson, E. M. Clarke: "Using branching time temporal logic to synthesize synchronization
skeletons", SCP 1982.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.expressions import Expression


@dataclass(frozen=True)
class Atom:
    """An expression over the names of `propositions`."""

    expression: Expression


@dataclass(frozen=True)
class Negation:
    """It does not hold."""

    inner: Formula


@dataclass(frozen=True)
class Conjunction:
    """Both hold."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class SomeNext:
    """EX: in some next state."""

    inner: Formula


@dataclass(frozen=True)
class SomeUntil:
    """E U: on some run `right` holds some time, and `left` before."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class SomeAlways:
    """EG: on some run always."""

    inner: Formula


Temporal = SomeNext | SomeUntil | SomeAlways
Formula = Atom | Negation | Conjunction | Temporal


def temporal(formula: Formula) -> Iterator[Temporal]:
    """The temporal parts of a formula, each behind its own parts."""
    match formula:
        case Atom():
            return
        case Negation(inner):
            yield from temporal(inner)
        case Conjunction(left, right):
            yield from temporal(left)
            yield from temporal(right)
        case SomeNext(inner) | SomeAlways(inner):
            yield from temporal(inner)
            yield formula
        case SomeUntil(left, right):
            yield from temporal(left)
            yield from temporal(right)
            yield formula
