"""Refinement by one interpolant for each cut of the counterexample.

Henzinger, Jhala, Majumdar, McMillan: Abstractions from proofs, POPL 2004 (BLAST).  Each cut has a
question of its own, so the formulas of neighbouring steps need not follow from each other.
"""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.derivation import Derivation
from seahorn_py.engines.refinement.refinement import Lessons, NothingLearnt
from seahorn_py.engines.refinement.text_interpolants import TextInterpolation
from seahorn_py.policy.policy import policy


@dataclass(frozen=True)
class CutInterpolants:
    """Asks one solver for each cut."""

    solver: TextInterpolation

    def learn(self, of: Derivation, until: float) -> Lessons:
        """An interpolant for each step for which one is found."""
        if not of.tree:
            raise NothingLearnt("the counterexample is too large to be cut")
        lessons, reason = {}, "no step"
        for step in range(len(of.steps) - 1):
            found = self.solver.cut(of, step, until, policy().refinement.cut_seconds)
            if isinstance(found, str):
                reason = found
            else:
                lessons[step] = (found,)
        if not lessons:
            raise NothingLearnt(reason)
        return lessons
