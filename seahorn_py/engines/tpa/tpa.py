"""Transition power abstraction for linear Horn systems of numbers.

Blicha, Fedyukovich, Hyvarinen, Sharygina: "Transition power abstractions for deep counterexample
detection", TACAS 2022.
Blicha, Fedyukovich, Hyvarinen, Sharygina: "Split transition power abstraction for unbounded
safety", FMCAD 2022.

Step of the papers -> code:

    states, initial states, transition relation Tr     `spaces`, of `imc.steps.Transitions`
    ATr^<=n, what 2^n steps may do                     `powers.Level`
    the main loop: 1, 2, 4, ... steps                  `powers.Search.run`
    IsReachable(n, Source, Target)                     `powers.Search._reached`
    midpoints, a projection                            `logic.solvers.statespace`
    a transition interpolant strengthens ATr^<=n+1     `powers.Search._learn`, `learning`
    ATr^=n and ATr^<n of the split form                `powers.Level`, `splitting.Fewer`
    IsReachable of the split form                      `splitting.SplitSearch`
    what is reached, step by step                      `runs`
    is a power closed under Tr, on the left or on the  `learning.Learning._invariant`
    right?

An interpolant speaks of the literals of a conflict, of which those are left out first that it does
not need.  In contrast to the papers up to 8 steps are asked at once before their halves are, and an
invariant is the part of a power that is closed: what does not stay is dropped, as long as no error
comes in.  z3 eliminates the other end of the power from it.  The second paper also proves by a
transitive ATr^=n, inductively over 2^n steps; that is not done here.

Limitations, the most common first:

1. Powers that say ever more about single numbers grow without end; loops that reset their counters
   do that.
2. Systems with a rule of two premises are refused, so are bit-vectors, arrays and datatypes.
3. All rules are one transition relation with slots for all relations: large programs are slow.
4. Products of variables and divisions by them are rarely projected; then states are one by one.
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
class Tpa:
    """`split`: exactly 2^n steps and fewer than 2^n have powers of their own (the second paper)."""

    split: bool = False

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Search for errors within 1, 2, 4, ... steps and for a power that is closed."""
        if not system.linear:
            return Unknown(Stage.SOLVE, "TPA: a rule has two premises, the system is not linear")
        from seahorn_py.engines.tpa.tpa_child import solve  # solvers load slowly

        until = working(budget.deadline)
        return ask("TPA", partial(solve, system, self.split, until), budget)
