"""Invariants by abstract interpretation, with a domain of others beside ours.

What comes out is a model that excludes the queries, or unknown.  A domain that is wrong gives
models that are none, which no checker confirms.
"""

from __future__ import annotations

import time

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.wire import model_from_text
from seahorn_py.invariants import worker
from seahorn_py.invariants.domains import MakesDomain
from seahorn_py.invariants.spaces import levels
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Verdict


@dataclass(frozen=True)
class Abstracted:
    """All levels of the analysis, whose abstract values have a part of this domain."""

    domain: MakesDomain

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Safe if what is invariant excludes the queries."""
        if budget.deadline.remaining <= 0:
            return Unknown(Stage.SOLVE, "time limit")
        found = budget.call(lambda: self._found(system, working(budget.deadline)), budget.deadline)
        if found.proof:
            return Safe(model_from_text(found.proof), found.finder)
        is_late = budget.deadline.remaining <= 0
        return Unknown(Stage.SOLVE, "time limit" if is_late else "the invariants leave a query")

    def _found(self, system: HornSystem, deadline: Deadline) -> worker.Made:
        """What the levels find, one after the other."""
        most = len(levels(system))
        made = worker.work(system, Model({}), 0, most, deadline, (self.domain,))
        while not made.proof and made.level < most and time.monotonic() < deadline.at:
            model = model_from_text(made.model)
            made = worker.work(system, model, made.level, most, deadline, (self.domain,))
        return made
