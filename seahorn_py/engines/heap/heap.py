"""Facts about all blocks of the heap: proofs about lists of any length.

Lahiri, Bryant: Indexed predicate discovery for unbounded system verification, CAV 2004.
Flanagan, Leino: Houdini, an annotation assistant for ESC/Java, FME 2001.
Bradley, Manna, Sipma: What's decidable about arrays?, VMCAI 2006.

Step of the papers -> code:

    which numbers are places in blocks               `block_places.flow_of`
    candidates, quantified over blocks               `facts.facts`
    instances at the blocks that a rule accesses     `heap_rules.Instances`
    the largest inductive set of candidates          `houdini.Houdini.run`
    the part of it that excludes the queries         `houdini.Houdini.needed`

A program that makes blocks in a loop has no bound on their number, but its rules access few of
them: what holds of every block is kept by a rule if it holds of the blocks that the rule accesses
and of those to which these lead.

Limitations, the most common first:

1. Forms of facts are fixed: trees whose nodes have two pointers, lists whose lengths matter and
   sums over lists are beyond them.
2. Blocks are told apart by an allocator that counts; what is reused is not followed.
3. There is no refutation: errors are for others.
4. Solvers may give up on a rule, which then loses the facts about its head that were asked for.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Heap:
    """Proves, or does not know."""

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """A model of facts about blocks, where they exclude the queries."""
        from seahorn_py.engines.heap.houdini import solve  # solvers load slowly

        return ask("heap", partial(solve, system, working(budget.deadline)), budget)
