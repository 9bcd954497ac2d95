"""Interpolation-based model checking of linear Horn systems.

McMillan: Interpolation and SAT-based model checking, CAV 2003.
Vizel, Grumberg: Interpolation-sequence based model checking, FMCAD 2009.

Step of the papers -> code:

    states, initial states I, transition relation T, errors F         `imc.steps.Transitions`
    is F reached within k steps?                                      `frames.Base`

    McMillan 2003, `Method.INTERPOLATION`
    PREF, the first step, and SUFF, the others and an error in them   `Search.finite_run`, `suffix`
    the interpolant of both is an image of the states reached so far;
    if the procedure FINITERUN aborts, k grows                        `Search.finite_run`, `run`

    Vizel, Grumberg 2009, `Method.SEQUENCE`
    the interpolation sequence of a run of k steps                    `Search.extend`
    the sets I_j of states, an over-approximation of those at j,
    grow stronger with each k; is one contained in those before it?   `Search.extend`

    interpolants, all of them verified                                `logic.interpolation`

The union of the sets of states is inductive when nothing new comes in, and meets no query: that is
the `Model`.  In contrast to the paper, the run from which a sequence is made begins each step in
the set that is known already.  Integers may have no convergent interpolants; then k grows until the
time is over.

Limitations, the most common first:

1. Over integers interpolants may say ever more about single numbers, and k grows until the end.
2. Systems with a rule of two premises, so all with calls that are left, are refused.
3. All rules are one transition relation with slots for all relations: large programs are slow.
4. Where bits are multiplied its solvers rarely find interpolants.
5. Constraints with quantifiers are refused.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.imc.method import Method
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Unknown, Verdict


@dataclass(frozen=True)
class Imc:
    """`most` is the greatest k, None for no limit."""

    method: Method = Method.INTERPOLATION
    most: int | None = None

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Search for errors and for an invariant with k = 1, 2, ... steps."""
        if not system.linear:
            return Unknown(Stage.SOLVE, "IMC: a rule has two premises, the system is not linear")
        from seahorn_py.engines.imc.imc_child import solve  # solvers load slowly

        until = working(budget.deadline)
        return ask("IMC", partial(solve, system, self.method, self.most, until), budget)
