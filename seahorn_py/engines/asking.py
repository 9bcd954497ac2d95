"""An engine that works in a child: the question as JSON, the answer read back as a verdict.

The answer is one of

    {"answer": "safe", "proof": TEXT, "finder"}                 of `horn.wire`
    {"answer": "unsafe", "refutation": TEXT, "system": TEXT}    of `horn.wire`; often no system
    {"answer": "unknown", "reason": TEXT}

each with `"statistics"`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from seahorn_py import child
from seahorn_py.engines.engine import Budget
from seahorn_py.errors import InputError, Stage
from seahorn_py.horn.wire import proof_from_text, refutation_from_text, system_from_text
from seahorn_py.internal_errors import noted_misread
from seahorn_py.logic.solvers import Solver
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

_GRACE_SECONDS = 1.0


def ask(name: str, target: str, request: Mapping[str, object], budget: Budget) -> Verdict:
    """What the child says, within the budget; reasons of `Unknown` begin with the name."""
    began = time.monotonic()
    limit = child.Deadline(budget.deadline.at + _GRACE_SECONDS)
    try:
        answer = json.loads(budget.call(target, json.dumps(request), limit))
        seconds = round(time.monotonic() - began, 3)
        statistics = {**answer["statistics"], "seconds": seconds}
        match answer["answer"]:
            case "safe":
                proof = proof_from_text(answer["proof"])
                return Safe(proof, Solver(answer["finder"]), statistics)
            case "unsafe":
                system = system_from_text(answer["system"]) if "system" in answer else None
                refutation = refutation_from_text(answer["refutation"])
                return Unsafe(refutation, statistics, system)
            case _:
                return Unknown(Stage.SOLVE, f"{name}: {answer['reason']}", statistics)
    except InputError as failure:
        noted_misread(failure)
        return Unknown(Stage.SOLVE, f"{name}: {failure}")
    except child.ChildError as failure:
        return Unknown(Stage.SOLVE, f"{name}: {failure}")
