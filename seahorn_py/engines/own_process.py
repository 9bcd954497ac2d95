"""Where an engine works: in this process if that was made for it, otherwise in a copy."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from seahorn_py.base.errors import InputError, Stage
from seahorn_py.engines.conclusion import packed, unpacked
from seahorn_py.engines.engine import Budget
from seahorn_py.policy.policy import policy
from seahorn_py.processes import child
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import noted_misread
from seahorn_py.result import Unknown, Verdict


def ask(name: str, work: Callable[[], Verdict], budget: Budget) -> Verdict:
    """What the work says, within the budget; reasons of `Unknown` begin with the name.

    A copy hands back text; in this process terms stay what they are.
    """
    began = time.monotonic()
    limit = Deadline(budget.deadline.at + policy().solving.own_process_grace_seconds)
    try:
        if budget.disposable:
            verdict = budget.call(work, limit)
        else:
            verdict = unpacked(budget.call(lambda: packed(work()), limit))
    except InputError as failure:
        noted_misread(failure)
        return Unknown(Stage.SOLVE, f"{name}: {failure}")
    except child.ChildError as failure:
        return Unknown(Stage.SOLVE, f"{name}: {failure}")
    seconds = round(time.monotonic() - began, 3)
    verdict = replace(verdict, statistics={**verdict.statistics, "seconds": seconds})
    if isinstance(verdict, Unknown):
        return replace(verdict, reason=f"{name}: {verdict.reason}")
    return verdict
