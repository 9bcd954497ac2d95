"""Facts about the elements of arrays: proofs about loops over arrays of any size.

Srivastava, Gulwani: Program verification using templates over predicate abstraction, PLDI 2009.
Flanagan, Leino: Houdini, an annotation assistant for ESC/Java, FME 2001.
Bradley, Manna, Sipma: What's decidable about arrays?, VMCAI 2006.

Step of the papers -> code:

    which cells a rule accesses, by number           `cellnumbers.rule_cells`
    templates: what may hold of an element           `templates.predicates`
    templates: of which elements                     `ranges.ranges`
    instances at the cells that a rule accesses      `questions.Question`
    the largest inductive set of candidates          `largest.Largest.run`
    the part of it that excludes the queries         `largest.Largest.needed`

The papers' templates come from the user.  Here they are read off the rules: a comparison or a store
of one element is asked for all elements of a range, whose limits are counters of loops.

Limitations, the most common first:

1. What holds of an element is a comparison that some rule makes, or what some rule stores; sums
   over elements are beyond it.
2. A range goes from one limit to another without gaps.
3. Integers have invariants of their own, found before; what depends on elements is not among them.
4. There is no refutation: errors are for others.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Elements:
    """Proves, or does not know."""

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """A model of facts about elements, where they exclude the queries."""
        from seahorn_py.engines.elements.largest import solve  # solvers load slowly

        return ask("elements", partial(solve, system, working(budget.deadline)), budget)
