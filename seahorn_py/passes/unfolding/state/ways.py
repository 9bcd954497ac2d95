"""Which ways into a block a run can have taken, and what that tells of the phis of the block.

All phis of a block take their values from the same edge.  If one of them cannot have the value that
it has on some edge, the others do not have theirs either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seahorn_py.ir.program import Operand, Register
from seahorn_py.passes.ranges.conditions import learn
from seahorn_py.passes.ranges.intervals import Range, meet
from seahorn_py.passes.unfolding.code.code import Code, Facts
from seahorn_py.passes.unfolding.code.drafts import Draft

MOST_STEPS = 64
"""The most phis whose blocks are looked at for one condition."""

MOST_VALUES = 10_000
"""The most values of phis of a block that are looked at."""


def learned(code: Code, condition: Operand, truth: bool) -> dict[Register, Range] | None:
    """The facts of the present run where the condition is `truth`; None if it cannot be."""
    found = learn(condition, truth, code.range, code.definitions)
    if found is None:
        return None
    facts = {**code.facts, **found}
    pending, steps = [r for r in found if r in code.phis], 0
    while pending and steps < MOST_STEPS:
        steps += 1
        more = _of_phis(code, code.phis[pending.pop()][0], facts)
        if more is None:
            return None
        for register in more:
            if register in code.phis and register not in pending:
                pending.append(register)
        facts.update(more)
        found.update(more)
    return found


def _of_phis(code: Code, home: Draft, facts: Facts) -> dict[Register, Range] | None:
    """What the ways into a block that are left tell of its phis; None if no way is left.

    A phi that has the same value on each of them is equal to it.
    """
    phis = [phi.result for phi in home.phis]
    if len(phis) * len(home.edges) > MOST_VALUES:
        return {}
    known = [(code.phis[phi][1], facts[phi]) for phi in phis if phi in facts]
    ways = [way for way in range(len(home.edges)) if _fits(code, known, way)]
    if not ways:
        return None
    if len(ways) == len(home.edges):
        return {}
    found: dict[Register, Range] = {}
    for register in phis:
        incoming = code.phis[register][1]
        values = {incoming[way] for way in ways}
        only = values.pop() if len(values) == 1 else None
        known_here = code.range(only, facts) if only is not None else _joined(code, values)
        before = code.range(register, facts)
        now = None if known_here is None or before is None else meet(known_here, before)
        if now is None:
            continue
        if now != before:
            found[register] = now
        if isinstance(only, Register) and now != known_here:
            found[only] = now
    return found


def _joined(code: Code, values: Iterable[Operand]) -> Range | None:
    return code.joined([(value, {}) for value in values])


def _fits(code: Code, known: Sequence[tuple[Sequence[Operand], Range]], way: int) -> bool:
    """Whether each phi, by its values on all edges and its range, can have the value of an edge."""
    for incoming, range_ in known:
        value = code.range(incoming[way], {})
        if value is not None and meet(value, range_) is None:
            return False
    return True
