"""Invariants of a Horn system, ever stronger, from child processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from seahorn_py import child
from seahorn_py.child import Deadline
from seahorn_py.errors import InputError
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.wire import model_from_text, model_to_text, system_to_text
from seahorn_py.invariants.spaces import LEVELS

_TARGET = "seahorn_py.invariants.worker:solve"
_GRACE_SECONDS = 0.5

NOTHING = Model({})
"""The model that says nothing."""


@dataclass(frozen=True)
class Started:
    """A level that is being worked on in a child; use the child as a context manager."""

    child: child.Child
    given: Model


def start(
    system: HornSystem, given: Model, level: int, deadline: Deadline, memory_mib: int = 4096
) -> Started:
    """Begin with a level, under invariants that are known."""
    request = {
        "system": system_to_text(system),
        "given": model_to_text(given),
        "level": level,
        "seconds": deadline.remaining,
    }
    limit = Deadline(deadline.at + _GRACE_SECONDS)
    return Started(child.start(_TARGET, json.dumps(request), limit, memory_mib), given)


def finished(started: Started) -> Model:
    """Wait for the end of a level: its invariants, those given when it found none."""
    try:
        found = json.loads(child.result(started.child))["model"]
        return started.given if found is None else model_from_text(found)
    except (child.ChildError, InputError):
        return started.given


def improving(system: HornSystem, deadline: Deadline, memory_mib: int = 4096) -> Iterator[Model]:
    """Invariants, each stronger than the one before, until all levels are done or time is over.

    Each makes all rules valid but the queries, as far as z3 says.
    """
    model = NOTHING
    for level, _ in enumerate(LEVELS):
        if deadline.remaining == 0:
            return
        started = start(system, model, level, deadline, memory_mib)
        with started.child:
            found = finished(started)
        if found is not model:
            model = found
            yield model


def generate(system: HornSystem, deadline: Deadline, memory_mib: int = 4096) -> Model:
    """The strongest invariants found until the deadline; they say nothing when there are none."""
    model = NOTHING
    for found in improving(system, deadline, memory_mib):
        model = found
    return model
