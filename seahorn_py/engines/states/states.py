"""Explicit-state search of a linear Horn system: all states are visited, one by one.

Holzmann: "The model checker SPIN", IEEE TSE 23(5), 1997, without its reductions.

Step of the paper -> code:

    state, transition                                a relation with values; `successors.Successors`
    search of the state space, its state store       `visiting.Search`
    error trail                                      `Search._refutation`

Threads and protocols have many places and few values: there a run through all states takes less
time than to find out why none of them is an error.  The model is the set of states itself, so a
solver checks each rule on them.  To look for errors alone, a few values are tried of what is
arbitrary, and rules of two premises are left out.

Limitations, the most common first:

1. A number that is read and not only compared with constants has too many values.
2. Models of many thousand states take longer to check than to find.
3. Systems with a rule of two premises are refused, and so are real numbers and datatypes.
"""

from __future__ import annotations

from functools import partial

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.conclusion import verdict
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.engines.states.exploration import Search
from seahorn_py.horn.system import HornSystem
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Unknown, Verdict


@dataclass(frozen=True)
class States:
    """With `some` only some values are tried of what is arbitrary, and errors are looked for."""

    some: bool = False

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Visit all states; or some, by the rules of at most one premise."""
        if not system.linear and not self.some:
            return Unknown(Stage.SOLVE, "states: a rule has two premises, the system is not linear")
        return ask("states", partial(self._solved, system, working(budget.deadline)), budget)

    def _solved(self, system: HornSystem, deadline: Deadline) -> Verdict:
        search = Search(system, deadline, some=self.some)
        conclusion = search.run()
        return verdict(conclusion, {"states": len(search.arrivals)})
