"""The Horn engine of z3, set up so that its answers are about the rules that it was given."""

from __future__ import annotations

from collections.abc import Mapping

import z3

FAITHFUL: Mapping[str, bool] = {
    "xform.slice": False,
    "xform.inline_linear": False,
    "xform.inline_eager": False,
}
"""Options under which every relation and every premise of ours is still there in the answer."""


def fixedpoint(context: z3.Context | None, milliseconds: int) -> z3.Fixedpoint:
    """Spacer with a limit on its time; it rewrites no rules."""
    engine = z3.Fixedpoint(ctx=context)
    engine.set("engine", "spacer", "timeout", milliseconds)
    for name, value in FAITHFUL.items():
        engine.set(name, value)
    return engine
