"""Model checking of linear programs by path edges and summary edges, after eureka.

Armando, Castellini, Mantovani: "Software model checking using linear constraints", ICFEM 2004.
Reps, Horwitz, Sagiv: "Precise interprocedural dataflow analysis via graph reachability", POPL 1995.

Step of the paper -> code:

    abstract disjunctive linear constraints    unions of integer polyhedra: `logic.presburger`
    quantifier elimination, over the reals     projection over the integers, exact
    entailment, conjunction of disjunctions    `is_subset`, `coalesce`
    path edges P, summary edges S, worklist    `linear.edges.Search`
    transition relation tau of a vertex        `horn.transform.transitions.transition` of each rule
    Join, SEJoin                               `join`, `summary_join`
    SelfLoop, Lift                             rules into `f.entry`, where a context stands once,
                                               and into `f.exit`, which has no other local values
    prop                                       `Search.propagate`
    vertex 0 is empty: the program is safe     P and S are the model, `linear_child`
    vertex 0 is not empty                      a refutation, `linear.derivation`

A procedure is entered once for each new context; otherwise its summary edges serve, as in the
paper.  What is added: a vertex that leads to itself is closed at once (`Search.repeat`), and loops
are replaced by their closures before (`horn.transform.acceleration.stages`), so that the time does
not depend on how often they run.  A system outside linear arithmetic over the integers is replaced
by its linear part (`horn.transform.acceleration.linearpart`), or by the linear part of the system
over observed cells (`horn.transform.cells.observation`).  A proof for either is a proof; an error
in either needs a replay.

Limitations, the most common first:

1. Loops without a closure are followed step by step, and nothing is widened: they may not end.
2. Products, divisions by variables and array elements are arbitrary: an error there needs a replay.
3. Relations that need more than `MAX_PIECES` polyhedra are given up.
4. Bit-vectors and reals are declined.
5. A refutation of more than a thousand steps is not written out: its loops are single steps.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Linear:
    """Without `accelerate` loops are only closed where a vertex leads to itself."""

    accelerate: bool = True

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Answer; unknown for what is no linear program, or not finished in time."""
        from seahorn_py.engines.linear.linear_child import solve  # isl loads slowly

        work = partial(solve, system, budget.deadline, accelerating=self.accelerate)
        return ask("linear", work, budget)
