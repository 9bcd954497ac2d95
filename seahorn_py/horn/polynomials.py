"""stand-in"""
from __future__ import annotations
from collections.abc import Sequence
from seahorn_py.horn.composition import Closure
from seahorn_py.horn.system import Rule
from seahorn_py.logic.terms import Term


def polynomial_closure(rule: Rule, before: Sequence[Term], after: Sequence[Term]) -> Closure | None:
    """Not yet."""
    return None
