"""Which values two or three parameters of a relation have at the same time.

Reps, Sagiv, Yorsh: "Symbolic implementation of the best transformer", VMCAI 2004.
Hoenicke, Majumdar, Podelski: "Thread modularity at many levels", POPL 2017.

A parameter is told apart by the constants that rules derive for it or compare it with; all other
values are one.  A *table* has the tuples of some parameters that occur together, and the states of
a relation are those whose tuples are in all of its tables.  Threads that are proved one by one, or
in pairs, need such invariants: where one thread is tells what a flag is, or where another one is
not.  A table of all parameters would have the product of their values.

Step of the papers -> code:

    what is told apart                                   `tables.features_of`
    an abstract value, and its join                      `tables.Table`
    best transformer: a model outside of what is known   `occurring.Image`
    the least fixpoint                                   `occurring.Search.run`

Pairs are tried first, then triples.

Limitations, the most common first:

1. Errors are no answers.
2. A number that is counted, or compared with another one, is any number.
3. Facts about more than three parameters are not found.
4. Each new tuple is a question to a solver: tables with many thousand tuples are slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from seahorn_py.base.errors import Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.engines.tuples.tables import Feature, features_of
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Unknown, Verdict


@dataclass(frozen=True)
class Tuples:
    """Tables of at most `most` parameters each.

    With `places` only systems are looked at in which two parameters of a relation have that many
    constants or more, as those that say where two threads are.
    """

    most: int = 3
    places: int = 0

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """A model, or unknown where the tables do not exclude the queries."""
        features = features_of(system)
        if self.places and not any(map(self._has_places, features.values())):
            return Unknown(Stage.SOLVE, "tuples: no two parameters have enough constants")
        from seahorn_py.engines.tuples.occurring import solve  # solvers load slowly

        until = working(budget.deadline)
        return ask("tuples", partial(solve, system, features, self.most, until), budget)

    def _has_places(self, features: Sequence[Feature]) -> bool:
        return sum(len(feature.constants) >= self.places for feature in features) > 1
