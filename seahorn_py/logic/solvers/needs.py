"""Which premises z3 needs for each of several goals: a hint for whoever proves them.

What is told may be wrong without harm: a goal that another solver derives from some of the premises
follows from all of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from seahorn_py.processes import child
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline

_TARGET = "seahorn_py.logic.solvers.needs_child:answer"

Needs = tuple[int, ...] | None
"""The premises that suffice, by their places; None where z3 does not derive the goal."""


def needs_of(
    common: str,
    premises: Sequence[str],
    goals: Sequence[str],
    deadline: Deadline,
    *,
    seconds_each: float,
    memory_mib: int = 4096,
) -> list[Needs]:
    """What each goal needs of the premises beside `common`, a script that declares and asserts.

    Premises and goals are formulas in SMT-LIB.  Never raises.
    """
    request = {
        "common": common,
        "premises": list(premises),
        "goals": list(goals),
        "seconds": deadline.remaining,
        "each": seconds_each,
    }
    try:
        found = json.loads(child.call(_TARGET, json.dumps(request), deadline, memory_mib))
    except ChildError:
        return [None] * len(goals)
    return [None if places is None else tuple(places) for places in found]
