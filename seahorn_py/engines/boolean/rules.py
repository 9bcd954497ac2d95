"""Boolean rules: Horn rules over bits, which abstractions and program texts both become.

A location has states of a number of bits.  A rule derives a state of its head from one state of
each premise where its guard is true; with head None it derives an error.  Path edges and summary
edges are states of locations (Reps, Horwitz, Sagiv 1995; Ball, Rajamani: Bebop, SPIN 2000).
"""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.expressions import TRUE, Expression


@dataclass(frozen=True)
class Location:
    """States of some bits; those that `enforce`, over premise 0, excludes stand for nothing."""

    name: str
    bits: int
    enforce: Expression = TRUE


@dataclass(frozen=True)
class BooleanRule:
    """From a state of each location of `body` to one of `head`, which `updates` has each bit of."""

    name: str
    body: tuple[int, ...]
    guard: Expression
    head: int | None
    updates: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class BooleanRules:
    """Places by number, and rules."""

    locations: tuple[Location, ...]
    rules: tuple[BooleanRule, ...]
