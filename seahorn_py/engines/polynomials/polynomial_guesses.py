"""Invariants guessed from runs: equations between polynomials, and bounds.

Sharma, Gupta, Hariharan, Aiken, Liang, Nori: A data driven approach for algebraic loop invariants,
ESOP 2013; Garg, Loeding, Madhusudan, Neider: ICE, CAV 2014; Buchberger, Moeller: The construction
of multivariate polynomials with preassigned zeros, EUROCAM 1982.

Step of the papers -> code:

    states of random runs                            `random_states.states_of`
    polynomials that vanish at them                  `vanishing.vanishing`
    bounds that they have                            `guesses.facts_of`
    the same modulo powers of two                    `guesses.congruences_of`
    ways through a rule, with equations solved       `logic.terms.branches`
    the largest inductive set of guesses             `inductive.Houdini.run`
    the part of it that excludes the queries         `inductive.Houdini.needed`

A way through a rule has no disjunctions, and its equations are solved.  So a guess is kept by a
way if a conjunction of comparisons of polynomials is unsatisfiable, which often is so since an
equation became `0 = 0`.

Limitations, the most common first:

1. Linear systems over integers or bit-vectors; other parameters are not looked at.
2. Bounds are near 0, of parameters, of two of them, or of what rules compare; of bit-vectors
   there are none, only equations.
3. Rules with many ways are left out, as a check of many paths in one step has them.
4. There is no refutation, and what a guess breaks on is not learnt from.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Polynomials:
    """Proves, or does not know."""

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """A model of equations and bounds, where they exclude the queries."""
        from seahorn_py.engines.polynomials.guessing import solve  # solvers load slowly

        return ask("polynomials", partial(solve, system, working(budget.deadline)), budget)
