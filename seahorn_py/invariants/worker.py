"""Invariant generation in the child process: JSON in, JSON out.

The request is `{"system": TEXT, "given": TEXT, "level": N, "seconds": S}` with a system and a
model of `horn.wire`.  The answer is `{"model": TEXT, "proof": TEXT, "statistics": {...}}`; the
model is null when it was not found in time, the proof when the model does not exclude the queries.
"""

from __future__ import annotations

import json
import time

from seahorn_py.horn.system import Model
from seahorn_py.horn.wire import model_from_text, model_to_text, system_from_text
from seahorn_py.invariants.core import excluding
from seahorn_py.invariants.fixpoint import Fixpoint, OutOfTime, conjoined
from seahorn_py.invariants.spaces import levels, spaces

_MARGIN = 0.1


def solve(text: str) -> str:
    """Answer a request."""
    request = json.loads(text)
    began = time.monotonic()
    system = system_from_text(request["system"])
    given = model_from_text(request["given"])
    until = began + request["seconds"] - _MARGIN
    level = levels(system)[request["level"]]
    fixpoint = Fixpoint(
        system, spaces(system, level, given.interpretations), given.interpretations, until
    )
    model, proof = None, None
    try:
        model = conjoined(system, [given, fixpoint.run()])
        proof = excluding(system, model, until)
    except OutOfTime:
        pass
    statistics = {"joins": fixpoint.joins, "seconds": round(time.monotonic() - began, 3)}
    return json.dumps({"model": _text(model), "proof": _text(proof), "statistics": statistics})


def _text(model: Model | None) -> str | None:
    return None if model is None else model_to_text(model)
