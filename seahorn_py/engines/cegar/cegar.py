"""The engine `cegar`: predicate abstraction with refinement of Horn systems.

Podelski, Rybalchenko: ARMC: the logical choice for software model checking with abstraction
refinement, PADL 2007.  Henzinger, Jhala, Majumdar, Sutre: Lazy abstraction, POPL 2002 (BLAST).
Ball, Rajamani: The SLAM project, POPL 2002.

Relations are the locations of the papers, rules their transitions; a rule with several premises
makes the reachability tree a directed acyclic graph, so calls and recursion need nothing special.
`loop` says which step of ARMC is where, `configuration` what can be chosen, `initial` what the loop
begins with.  Linear arithmetic goes to z3, bit-vectors to bitwuzla.

Limitations, the most common first:

1. Predicates that differ in numbers only become ever more where loops count; a rescue by generated
   invariants is tried once.
2. An error behind many iterations takes a refinement for most of them.
3. Predicates have no quantifiers of ours: what holds of all elements of an array is not found.
4. Arithmetic on bits has interpolants that say little beyond the counterexample at hand.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.engines.refinement.configuration import Configuration
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Cegar:
    """One configuration of the loop.

    `trace` is a file to which each round is appended, `precision` one whose predicates are used
    from the start and which has those of the end.
    """

    configuration: Configuration = field(default_factory=Configuration)
    trace: Path | None = None
    precision: Path | None = None

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Abstract, check, refine until an answer or the end of the time."""
        from seahorn_py.engines.cegar.cegar_child import Task, solve  # solvers load slowly

        until, memory = working(budget.deadline), budget.memory_mib
        task = Task(self.configuration, self.trace, self.precision, until, memory)
        return ask("CEGAR", partial(solve, system, task), budget)
