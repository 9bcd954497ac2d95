"""Boolean rules: Horn rules over bits, which abstractions and program texts both become.

A place has states of a number of bits.  A rule derives a state of its head from one state of each
premise where its guard is true; with head None it derives an error.  Path edges and summaries are
states of places (Reps, Horwitz, Sagiv 1995; Ball, Rajamani: Bebop, SPIN 2000).
"""

from __future__ import annotations

from dataclasses import dataclass

from seahorn_py.engines.boolean.expressions import TRUE, Expression


@dataclass(frozen=True)
class Place:
    """States of some bits; those that `enforce`, over premise 0, excludes stand for nothing."""

    name: str
    bits: int
    enforce: Expression = TRUE


@dataclass(frozen=True)
class BooleanRule:
    """Premises and head are numbers of places; `updates` has an expression for each bit of it."""

    name: str
    body: tuple[int, ...]
    guard: Expression
    head: int | None
    updates: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class BooleanRules:
    """Places by number, and rules."""

    places: tuple[Place, ...]
    rules: tuple[BooleanRule, ...]
