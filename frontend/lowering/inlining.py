"""Which functions are inlined: none that can call itself, and no more than a budget of code.

Inlining everything multiplies code without bound, so a threshold on the inlined size of a function
is lowered until the whole program stays within the budget.  A short text that would become a long
one repeats itself by calls, which is what summaries are for: then only the smallest functions are
inlined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import strong_components
from seahorn_py.ir.program import SAME_OBJECT
from seahorn_py.options import Inlining

_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True)
class _Policy:
    """How much code inlining may make, and which thresholds are tried.

    The budget is a number of lines, or a multiple of the length.
    """

    lines: int
    growth: int
    thresholds: tuple[int, ...]


_SHORT_LINES = 2_000
_SHORT = _Policy(1_000, 8, (_ALL, 30, 10))
_LONG = _Policy(40_000, 3, (_ALL, 5_000, 1_000, 300, 100, 30, 10))


@dataclass(frozen=True, slots=True)
class Body:
    """The size of a function in lines, and the functions it calls, once per call."""

    size: int
    callees: tuple[str, ...]


def to_inline(bodies: Mapping[str, Body], entry: str, mode: Inlining) -> frozenset[str]:
    """The functions to mark `alwaysinline`."""
    if mode is Inlining.NONE:
        return frozenset()
    order, recursive = _callees_first(bodies)
    apart = {*recursive, entry, SAME_OBJECT}  # unfolding knows the last one without its body
    candidates = [name for name in order if name not in apart]
    if mode is Inlining.ALL:
        return frozenset(candidates)
    total = sum(body.size for body in bodies.values())
    policy = _SHORT if total <= _SHORT_LINES else _LONG
    budget = max(policy.lines, policy.growth * total)
    for threshold in policy.thresholds:
        chosen, expanded = _choose(bodies, order, frozenset(candidates), threshold)
        if expanded <= budget:
            return chosen
    return frozenset()


def _choose(
    bodies: Mapping[str, Body], order: Sequence[str], candidates: frozenset[str], threshold: int
) -> tuple[frozenset[str], int]:
    """Candidates of at most this inlined size, and the size of what then remains."""
    inlined_size: dict[str, int] = {}
    chosen: set[str] = set()
    for name in order:
        body = bodies[name]
        size = body.size + sum(inlined_size.get(c, 0) for c in body.callees if c in chosen)
        inlined_size[name] = size
        if name in candidates and size <= threshold:
            chosen.add(name)
    remaining = sum(size for name, size in inlined_size.items() if name not in chosen)
    return frozenset(chosen), remaining


def _callees_first(bodies: Mapping[str, Body]) -> tuple[list[str], frozenset[str]]:
    """Functions with callees before callers, and those on a cycle of calls."""
    callees = {
        name: tuple(dict.fromkeys(c for c in body.callees if c in bodies))
        for name, body in bodies.items()
    }
    order: list[str] = []
    recursive: set[str] = set()
    for component in strong_components(callees, callees.__getitem__):
        order.extend(component)
        if len(component) > 1 or component[0] in callees[component[0]]:
            recursive.update(component)
    return order, frozenset(recursive)
