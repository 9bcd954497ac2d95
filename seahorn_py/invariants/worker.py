"""Invariant generation in the child process: JSON in, JSON out.

The request is `{"system": TEXT, "given": TEXT, "level": N, "seconds": S}` with a system and a
model of `horn.wire`; the answer `{"model": TEXT}`, `{"model": null}` without one in time, each with
`"statistics"`.
"""

from __future__ import annotations

import json
import time

from seahorn_py.horn.wire import model_from_text, model_to_text, system_from_text
from seahorn_py.invariants.fixpoint import Fixpoint, OutOfTime, conjoined
from seahorn_py.invariants.spaces import LEVELS, spaces

_MARGIN = 0.1


def solve(text: str) -> str:
    """Answer a request."""
    request = json.loads(text)
    began = time.monotonic()
    system = system_from_text(request["system"])
    given = model_from_text(request["given"])
    until = began + request["seconds"] - _MARGIN
    looked_at = spaces(system, LEVELS[request["level"]], given.interpretations)
    fixpoint = Fixpoint(system, looked_at, given.interpretations, until)
    try:
        found = model_to_text(conjoined(system, [given, fixpoint.run()]))
    except OutOfTime:
        found = None
    statistics = {"joins": fixpoint.joins, "seconds": round(time.monotonic() - began, 3)}
    return json.dumps({"model": found, "statistics": statistics})
