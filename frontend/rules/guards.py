"""The guards of transitions."""

from __future__ import annotations

from seahorn_py.frontend.rules.automaton import Transition


def condition(transition: Transition) -> str:
    """When a transition fits, as a C expression over its `self` and what its event binds."""
    states = " || ".join(f"self->state == IN_{state}" for state in transition.sources)
    parts = [f"({states})" if states else "", f"({transition.guard})" if transition.guard else ""]
    return " && ".join(filter(None, parts)) or "1"


def differs(one: Transition, other: Transition) -> bool:
    """Whether both can fit in one state, and it matters which is taken."""
    if one.sources and other.sources and set(one.sources).isdisjoint(other.sources):
        return False
    return (one.actions, one.target, one.blocks) != (other.actions, other.target, other.blocks)
