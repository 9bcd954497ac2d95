"""Property-directed reachability for linear Horn systems of numbers, bit-vectors and arrays.

Bradley: "SAT-based model checking without unrolling", VMCAI 2011.
Een, Mishchenko, Brayton: "Efficient implementation of property directed reachability", FMCAD 2011.
Hoder, Bjorner: "Generalized property directed reachability", SAT 2012.
Komuravelli, Gurfinkel, Chaki: "SMT-based model checking for recursive programs", CAV 2014.
Cimatti, Griggio, Mover, Tonetta: "IC3 modulo theories via implicit predicate abstraction",
TACAS 2014.

Step of the papers -> code:

    frames F_0, F_1, ... of clauses                   `levels.Levels`: lemmas, each with its level,
                                                      for each relation; a solver for each rule
    proof obligations, the lowest level first         `blocking.Obligation`, `Search._block`
    predecessors: model-based projection              `logic.solvers.rulespace.Clause.before`
    a cube is unreachable relative to F_k and itself  `Levels.leads_into`
    generalisation: core, then fewer literals         `Core`, `Levels.weaker`
    an obligation goes on to higher levels            `Search._learn`, `Search._later`
    propagation of clauses, the fixpoint              `Levels.push`
    the counterexample                                `refuted.refutation`

A level is the height of a derivation: facts of level 0 need no premise.  A lemma is only kept
where z3 finds that no rule leads into its cube; what is inductive at the end is the model.  In
contrast to the last paper there is no abstraction: literals are those that projections make.

Limitations, the most common first:

1. A lemma has literals that projections make; sums of them that an interpolant would find are not.
2. Systems with a rule of two premises are refused, so are datatypes and quantifiers.
3. Of bit-vectors and arrays little is projected: then values stand in cubes, bit by bit.
4. An error many steps away is found step by step.
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
class Pdr:
    """Frames of lemmas for each relation."""

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Search for errors and for an inductive set of lemmas."""
        if not system.linear:
            return Unknown(Stage.SOLVE, "PDR: a rule has two premises, the system is not linear")
        from seahorn_py.engines.pdr.pdr_child import solve  # solvers load slowly

        return ask("PDR", partial(solve, system, working(budget.deadline)), budget)
