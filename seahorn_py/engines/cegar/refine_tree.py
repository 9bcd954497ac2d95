"""Refinement by tree interpolants: one formula for each step, each following from those before.

Heizmann, Hoenicke, Podelski: Nested interpolants, POPL 2010.  Rummer, Hojjat, Kuncak: Disjunctive
interpolants for Horn-clause verification, CAV 2013.
"""

from __future__ import annotations

from dataclasses import dataclass

from seahorn_py.engines.cegar.derivation import Derivation
from seahorn_py.engines.cegar.horn_interpolants import HornInterpolation
from seahorn_py.engines.cegar.refinement import Lessons, NothingLearnt

SECONDS = 10.0


@dataclass(frozen=True)
class TreeInterpolants:
    """Asks Spacer for all steps at once."""

    solver: HornInterpolation

    def learn(self, of: Derivation, until: float) -> Lessons:
        """An interpolant for each step."""
        found = self.solver.ask(of, until, SECONDS)
        if isinstance(found, str):
            raise NothingLearnt(found)
        return {k: (formula,) for k, formula in enumerate(found)}
