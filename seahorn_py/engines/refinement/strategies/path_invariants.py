"""Refinement by invariants of path programs.

Beyer, Henzinger, Majumdar, Rybalchenko: Path invariants, PLDI 2007.

The rules of a counterexample, applied as often as one likes, are its *path program*: where they
make a loop, the path program has infinitely many counterexamples, and each would be excluded by
numbers of its own.  An invariant of the path program excludes them all.  Spacer looks for it, and
is given only these rules and one query.  A path program is looked at once, and only when some rules
make a loop; interpolants teach what is left, and the atoms of a core where there are none.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.refinement.derivation import Derivation
from seahorn_py.engines.refinement.refinement import (
    Lessons,
    NothingLearnt,
    RealCounterexample,
    Strategy,
)
from seahorn_py.engines.spacer.spacer import GLOBAL, PLAIN, Spacer
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.transform.rules.restriction import Restriction
from seahorn_py.logic.terms.terms import TRUE
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe

_SOLVER = Portfolio((Turn("global", Spacer(GLOBAL), 0.5), Turn("plain", Spacer(PLAIN))))
"""The first has better invariants, the second is quicker to find errors."""


@dataclass(eq=False)
class PathInvariants:
    """Asks Spacer, in a child, about path programs, and the others in turn about all else."""

    system: HornSystem
    others: Sequence[Strategy]
    memory_mib: int = 4096
    _solved: dict[frozenset[str], bool] = field(default_factory=dict)

    def learn(self, of: Derivation, until: float) -> Lessons:
        """The invariant of its relation for each step, or what else is learnt."""
        rules = frozenset(step.rule.name for step in of.steps)
        if rules not in self._solved and _has_loop(of):
            path_program, back = Restriction(lambda r: r.name in rules).apply(self.system)
            verdict = _SOLVER.solve(path_program, self._budget(until))
            self._solved[rules] = isinstance(verdict, Safe)
            match verdict:
                case Safe(Model() as model):
                    names = [step.node.relation for step in of.steps[:-1]]
                    return {k: (model.interpretations.get(n, TRUE),) for k, n in enumerate(names)}
                case Unsafe(refutation):
                    raise RealCounterexample(back.refutation(refutation))
        return self._otherwise(of, until)

    def _otherwise(self, of: Derivation, until: float) -> Lessons:
        reasons = []
        for strategy in self.others:
            try:
                return strategy.learn(of, until)
            except NothingLearnt as failure:
                reasons.append(str(failure))
        raise NothingLearnt("; ".join(reasons))

    def _budget(self, until: float) -> Budget:
        failures = sum(not solved for solved in self._solved.values())
        share = policy().refinement.path_program_share * (until - time.monotonic())
        seconds = min(policy().refinement.path_program_seconds, share) / 2**failures
        return Budget(Deadline.after(max(0.0, seconds)), self.memory_mib, jobs=1)


def _has_loop(of: Derivation) -> bool:
    """Whether a fact of some relation is derived from another one of it."""
    found: list[frozenset[str]] = []
    for step in of.steps:
        below = frozenset[str]().union(*(found[p] for p in step.premises))
        if step.node.relation in below:
            return True
        found.append(below | {step.node.relation})
    return False
