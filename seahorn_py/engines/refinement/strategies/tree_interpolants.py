"""Refinement by interpolants: one formula for each step, each following from those before.

Heizmann, Hoenicke, Podelski: Nested interpolants, POPL 2010.  Rummer, Hojjat, Kuncak: Disjunctive
interpolants for Horn-clause verification, CAV 2013.  McMillan: Lazy abstraction with interpolants,
CAV 2006 (sequences).  With alternatives in a derivation the formulas are disjunctive
interpolants: they hold of a fact however it is derived.
"""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.derivation import Derivation
from seahorn_py.engines.refinement.disjunctive import DisjunctiveInterpolation
from seahorn_py.engines.refinement.horn_interpolants import HornInterpolation
from seahorn_py.engines.refinement.refinement import Lessons, NothingLearnt
from seahorn_py.engines.refinement.text_interpolants import TextInterpolation
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy


@dataclass(frozen=True)
class TreeInterpolants:
    """Asks for all steps at once: Spacer, or solvers that are asked in turn before it.

    `others` are asked of trees, `many` of many derivations at once.  With `paths` only derivations
    that are paths are learnt from.
    """

    spacer: HornInterpolation
    others: Sequence[TextInterpolation] = ()
    many: Sequence[DisjunctiveInterpolation] = ()
    paths: bool = False

    def learn(self, of: Derivation, until: float) -> Lessons:
        """An interpolant for each step."""
        if self.paths and not of.path:
            raise NothingLearnt("the counterexample is no path")
        found = self.ask(of, until)
        return {k: (formula,) for k, formula in enumerate(found)}

    def ask(self, of: Derivation, until: float) -> list[Term]:
        """The interpolants; NothingLearnt where no solver finds them."""
        reasons: list[str] = []
        asked: list[HornInterpolation | TextInterpolation | DisjunctiveInterpolation]
        asked = [*self.many] if of.alternatives else [*self.others] if of.tree else []
        for solver in (*asked, self.spacer):
            found = solver.ask(of, until, policy().refinement.tree_seconds)
            if not isinstance(found, str):
                return found
            reasons.append(found)
        raise NothingLearnt("; ".join(reasons))
