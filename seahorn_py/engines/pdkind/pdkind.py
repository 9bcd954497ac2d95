"""Property-directed k-induction for linear Horn systems of numbers.

Jovanovic, Dutertre: "Property-directed k-induction", FMCAD 2016.

Step of the paper -> code:

    states, initial states I, transition relation T     `imc.steps.Transitions`, and one more state
                                                        for the error, so that P is a literal
    induction frame F of pairs (F_ABS, F_CEX)           `pushing.Obligation`
    PD-KIND, the main loop                              `pushing.Search`
    PUSH: k-inductive, threatened, weakened, stronger   `pushing.Push`
    REACHABLE(k, F), its frames R_i                     `reaching.Reaching`
    EXPLAIN by an interpolant                           `Reaching`, by a core: see below
    GENERALIZE(m, T^k, F)                               `logic.solvers.statespace`: a projection of
                                                        an implicant, as a model has it

In contrast to the paper what is not reached is explained by an unsatisfiable core of the cube's
literals, of which those are left out that a relatively inductive cube does not need, as in IC3
(Bradley, VMCAI 2011).  And k is 1 unless another number is given: z3 takes longer for each
question over several steps than it saves.

What is inductive at the end is the model.  A refutation is searched for with the length that is
known then, by `frames.Base`.

Limitations, the most common first:

1. A lemma has literals that projections make; sums of them that an interpolant would find are not.
2. Systems with a rule of two premises are refused, so are bit-vectors, arrays and datatypes.
3. All rules are one transition relation with slots for all relations: large programs are slow.
4. Products of variables and divisions by them are rarely projected; then k states are one by one.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Unknown, Verdict


@dataclass(frozen=True)
class PdKind:
    """Induction over at most `deepest` steps."""

    deepest: int = 1

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Search for errors and for an inductive set of lemmas."""
        if not system.linear:
            return Unknown(
                Stage.SOLVE, "PD-KIND: a rule has two premises, the system is not linear"
            )
        from seahorn_py.engines.pdkind.pdkind_child import solve  # solvers load slowly

        until = working(budget.deadline)
        return ask("PD-KIND", partial(solve, system, self.deepest, until), budget)
