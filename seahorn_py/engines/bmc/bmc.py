"""Bounded model checking of Horn systems.

Biere, Cimatti, Clarke, Zhu: Symbolic model checking without BDDs, TACAS 1999.  Clarke, Kroening,
Lerda: A tool for checking ANSI-C programs, TACAS 2004 (CBMC).  Merz, Falke, Sinz: LLBMC, VSTTE
2012.

Step of the papers -> code:

    loops and recursion are unwound up to a bound, states merged     `bmc.unwind.Unwinder`
    one assignment form a rule; constants are propagated             `bmc.code`, `bmc.symbolic`
    the order in which loops nest                                    `bmc.shape` (Bourdoncle 1993)
    is a query reached?  does a run go beyond the bound
    (unwinding assertion)?  deepen                                   `bmc.rounds.Rounds.run`
    the counterexample, here a refutation                            `bmc.refutation`
    the bit-vector and array solver                                  `construction` (bitwuzla, z3)

An answer *safe* says that nothing goes beyond the bounds; a bound that does not suffice is
*unknown* and named.  Systems of bit-vectors, Booleans and arrays of bit-vectors go to bitwuzla,
others to z3.  The solver works in a child process.

Limitations, the most common first:

1. Nothing is proved of a loop or recursion whose end no bound reaches: there are no invariants.
2. Each iteration is formula again, so long loops, and multiplications among them, take the time.
3. Calls nest as in programs: a rule with two premises must use the summary of the call at hand.
4. Constraints with quantifiers are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import partial

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Bmc:
    """`bound` is how often every loop and recursion may go on, None for growing bounds.

    `bounds` gives single loops bounds of their own, by the relation of the loop head or of the
    function's entry.
    """

    bound: int | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Unwind ever deeper until a query is reached, nothing is left, or the end."""
        from seahorn_py.engines.bmc.bmc_child import solve  # solvers load slowly

        until = working(budget.deadline)
        return ask("BMC", partial(solve, system, self.bound, self.bounds, until), budget)

    def formula(self, system: HornSystem, budget: Budget) -> str:
        """The question whether a query is reached within `bound` (1 without), as SMT-LIB text.

        ChildError when it cannot be written in the budget.
        """
        from seahorn_py.engines.bmc.bmc_child import formula  # solvers load slowly

        until = working(budget.deadline)
        work = partial(formula, system, self.bound, self.bounds, until)
        return budget.call(work, budget.deadline)
