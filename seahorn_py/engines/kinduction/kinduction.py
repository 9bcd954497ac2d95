"""k-induction on linear Horn systems, with lemmas that improve while k grows.

Sheeran, Singh, Stalmarck: Checking safety properties using induction and a SAT-solver, FMCAD
2000.
Beyer, Dangl, Wendler: Boosting k-induction with continuously-refined invariants, CAV 2015.
Gadelha, Ismail, Cordeiro: Handling loops in bounded model checking of C programs via k-induction,
STTT 2017 (ESBMC).

Step of the papers -> code:

    runs of k states, from facts and from any state             `frames.Frames`
    base case, step, k grows                                    `kinduction_child.Induction`
    runs without loops                                          `frames.different`
    the property outright, as a model, where bits multiply      `kinduction_child.Induction`
    lemmas, generated beside and ever stronger                  `invariants.generation.Generator`

A state is a relation with values, a step an instance of a rule.  The proof is `KInductive`, of the
lemmas and the property, or a `Model` of both where one step suffices.  Where the lemmas alone
exclude all queries, they are the model; then the system need not be linear.  Bit-vectors go to
bitwuzla, the rest to z3.

Limitations, the most common first:

1. A property that no few steps imply needs an invariant that the generator does not know: sums,
   facts about elements of arrays, cases that it does not distinguish.
2. Where rules have two premises there is no induction: only invariants that exclude the queries.
3. Base and step are formulas of k copies, so an error behind many steps takes the time.
4. Constraints with quantifiers are refused.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.solvers.solvers import solver_for
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class KInduction:
    """`most` is the greatest k, None for no limit; `invariants` says whether they are generated.

    With `simple` the step is asked for runs without a loop only, whose length is limited where
    states are finitely many; its formula is quadratic in k.
    """

    most: int | None = None
    invariants: bool = True
    simple: bool = False

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Try k = 1, 2, ... until a query is reached, the step holds, or the end."""
        from seahorn_py.engines.kinduction.kinduction_child import (  # solvers load slowly
            Task,
            solve,
        )

        task = Task(
            system,
            solver_for(system.formulas()),
            self.most,
            self.invariants,
            self.simple,
            budget.jobs > 1,
            working(budget.deadline),
            budget.memory_mib,
            budget.pool,
        )
        return ask("k-induction", partial(solve, task), budget)
