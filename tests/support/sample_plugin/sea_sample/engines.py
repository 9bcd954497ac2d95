"""An engine that asks Spacer, one that lies, one that raises."""

from __future__ import annotations

from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer.spacer import GLOBAL, Spacer
from seahorn_py.horn import HornSystem, Model, Refutation, Step
from seahorn_py.result import Safe, Unsafe, Verdict


class Asking:
    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        return Spacer(GLOBAL).solve(system, budget)


class Lying:
    """All programs are safe: whatever holds, holds."""

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        return Safe(Model({}))


class Accusing:
    """All programs are unsafe, by the last rule alone."""

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        return Unsafe(Refutation((Step(system.queries[-1].name, (), ()),)))


class Raising:
    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        raise LookupError("nowhere\nto be found")


NOTHING = 5
