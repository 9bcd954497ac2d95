"""In the child: unsatisfiable cores of z3, for one goal after the other (Een, Sorensson 2003)."""

from __future__ import annotations

import json
import time
from functools import partial

_MARGIN = 0.1


def answer(text: str) -> str:
    """For each goal the places of the premises in a core; see `logic.solvers.needs`."""
    import z3

    request, end = json.loads(text), time.monotonic()
    end += request["seconds"]
    context = z3.Context()
    labels = [f"needed!{place}" for place in range(len(request["premises"]))]
    lines = ["(set-option :produce-unsat-cores true)", request["common"]]
    for label, premise in zip(labels, request["premises"], strict=True):
        lines.append(f"(declare-const {label} Bool)\n(assert (=> {label} {premise}))")
    said = partial(z3.Z3_eval_smtlib2_string, context.ref())
    said("\n".join(lines))
    found: list[list[int] | None] = []
    for goal in request["goals"]:
        left = min(request["each"], end - _MARGIN - time.monotonic())
        if left <= 0 or (found and found[-1] is None):
            found.append(None)
            continue
        asked = f"(push)\n(assert (not {goal}))\n(set-option :timeout {max(1, int(left * 1000))})"
        status = said(f"{asked}\n(check-sat-assuming ({' '.join(labels)}))").strip()
        core = said("(get-unsat-core)").strip().strip("()").split() if status == "unsat" else None
        found.append(None if core is None else [labels.index(label) for label in core])
        said("(pop)")
    return json.dumps(found)
