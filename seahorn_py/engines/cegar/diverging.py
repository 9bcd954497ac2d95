"""Which predicates diverge: those that differ in numbers only, and become ever more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from seahorn_py.engines.cegar.precision import Precision
from seahorn_py.logic.infix import print_infix
from seahorn_py.logic.terms import Term

MANY = 6
"""So many predicates that differ in numbers only are said to diverge."""

MOST_SHOWN = 4

_NUMBER = re.compile(r"(?<![\w.])\d+")


def diverging(precision: Precision, also: Iterable[Term] = ()) -> str:
    """The largest family of such predicates as text, or these others; "" when there are none."""
    families: dict[tuple[str, str], list[str]] = {}
    for name, predicates in precision.predicates.items():
        for predicate in predicates:
            text = print_infix(predicate, {})
            families.setdefault((name, _NUMBER.sub("#", text)), []).append(text)
    largest = max(families.items(), key=lambda item: len(item[1]), default=None)
    if largest is not None and len(largest[1]) >= MANY:
        (name, _), texts = largest
        return f"; these predicates of {name} diverge ({len(texts)}): {_shown(texts)}"
    others = [print_infix(p, {}) for p in also]
    return f"; predicates: {_shown(others)}" if others else ""


def _shown(texts: list[str]) -> str:
    last = texts[-1:] if len(texts) > MOST_SHOWN else []
    return ", ".join(texts[:MOST_SHOWN]) + "".join(f", ..., {text}" for text in last)
