"""Spacer in one of several configurations, in a child process.

Komuravelli, Gurfinkel, Chaki: SMT-based model checking for recursive programs, CAV 2014.  The
implementation is Z3's.  It runs in a child, because Z3 is known to crash and to overrun its limits.

Step -> code:

    what is asked about                      `horn.transform.order`
    the system as text, and the way back     `spacer.border`
    the query                                `logic.solvers.spacer.spacer_child`
    the model                                `logic.solvers.spacer.model`
    the refutation                           `logic.solvers.spacer.proof`

Global guidance is that of Krishnan, Chen, Shoham, Gurfinkel (CAV 2020).
Systems over arrays are also solved with one or two observed cells in place of each array
(`horn.transform.cells.observation`), and with quantified lemmas (Gurfinkel, Shoham, Vizel:
"Quantifiers on demand", ATVA 2018).

What Spacer returns is re-proved like every proof: Z3 has returned wrong models.

Limitations, the most common first:

1. Where lemmas do not generalise (sums, remainders, phases of loops) the time passes, and nothing
   of what was learnt comes back.
2. Errors behind many steps are reached one step at a time; `DEEP` begins later.
3. Of bit-vectors it learns bit by bit, so wide words with arithmetic are mostly beyond it.
4. Over observed cells an error is no answer, and facts about more than two cells are not found.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from seahorn_py.base.errors import InputError, Stage
from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer.border import print_system, problem, read_model, read_refutation
from seahorn_py.engines.wrappers.transformed import carried
from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.transform.arguments.symbolicsize import SymbolicSize
from seahorn_py.horn.transform.cells.observation import Observation
from seahorn_py.horn.transform.order import observing, transformed
from seahorn_py.horn.transform.transformation import Inapplicable, Transformation
from seahorn_py.processes import child
from seahorn_py.result import Safe, Statistics, Unknown, Unsafe, Verdict

if TYPE_CHECKING:
    from seahorn_py.logic.solvers.spacer.messages import Answer


@dataclass(frozen=True)
class Configuration:
    """Options of Z3's fixedpoint engine, which take precedence over those that keep our rules.

    What is solved is the system that `transformations` make.  `arrays` says on how many array
    parameters of one relation the configuration rests.
    """

    name: str
    options: Mapping[str, bool | int] = field(default_factory=dict)
    transformations: tuple[Transformation, ...] = ()
    arrays: int = 0


PLAIN = Configuration("plain")
GLOBAL = Configuration("global", {"spacer.global": True})
DEEP = Configuration("deep", {"spacer.min_level": 100})
"""Begins with refutations of a hundred steps, which the others reach one by one."""

REWRITING = Configuration(
    "rewriting",
    {
        "xform.slice": True,
        "xform.inline_linear": True,
        "xform.inline_eager": True,
        "xform.subsumption_checker": True,
    },
)
"""Z3 rewrites the rules first.  Its models often hold of the rules as they were."""

ONE, TWO = observing(Observation(1)), observing(Observation(2))
ANY_TWO, OWN = observing(Observation(2, mixed=True)), observing(Observation(1, shared=False))
SIZE = (SymbolicSize(),)

SYMBOLIC = replace(GLOBAL, name="symbolic", transformations=SIZE)
CELL = replace(GLOBAL, name="cell", transformations=ONE, arrays=1)
TWO_CELLS = replace(CELL, name="two cells", transformations=TWO)
ANY_CELLS = replace(CELL, name="any two cells", transformations=ANY_TWO)
OWN_CELLS = replace(CELL, name="own cells", transformations=OWN, arrays=2)
SYMBOLIC_CELL = replace(CELL, name="symbolic cell", transformations=ONE + SIZE)
SYMBOLIC_CELLS = replace(CELL, name="symbolic two cells", transformations=TWO + SIZE)
QUANTIFIED = Configuration(
    "quantified", {"spacer.q3.use_qgen": True, "spacer.ground_pobs": False}, arrays=1
)

CONFIGURATIONS = (
    *(PLAIN, CELL, SYMBOLIC_CELL, TWO_CELLS, SYMBOLIC_CELLS, ANY_CELLS, OWN_CELLS, QUANTIFIED),
    *(GLOBAL, SYMBOLIC, DEEP, REWRITING),
)

_ON_ARRAYS: Mapping[str, bool | int] = {"spacer.weak_abs": False}
"""With its weak abstraction Spacer does not find shallow refutations over arrays."""


@dataclass(frozen=True)
class Spacer:
    """One configuration.

    `rlimit` is Z3's own count of work, 0 for no limit: with it a result does not depend on how fast
    the machine is.  Models that are not `checked` by z3 itself are for a caller whose own model is
    confirmed as a whole.
    """

    configuration: Configuration = PLAIN
    rlimit: int = 0
    checked: bool = True

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """What Z3 answers; unknown where the configuration has nothing to work on."""
        began, chosen = time.monotonic(), self.configuration
        if chosen.arrays > _most_arrays(system):
            return self._unknown("nothing to work on")
        try:
            changed, ways = transformed(system, chosen.transformations)
        except Inapplicable:
            return self._unknown("nothing to work on")
        verdict = carried(self._found(changed, budget), changed, ways)
        if isinstance(verdict, Unknown):
            return self._unknown(verdict.reason)
        seconds = round(time.monotonic() - began, 3)
        about: Statistics = {"configuration": chosen.name, "seconds": seconds}
        return replace(verdict, statistics={**verdict.statistics, **about})

    def _found(self, system: HornSystem, budget: Budget) -> Verdict:
        """What Z3 answers about the system as it is."""
        from seahorn_py.logic.solvers.spacer.spacer_child import solve  # z3 loads slowly

        options = self._options(system, budget)
        request = problem(system, print_system(system), options, self.checked)
        try:
            answer = budget.call(partial(solve, request), budget.deadline)
            return _verdict(system, json.loads(answer))
        except child.ChildError as failure:
            return Unknown(Stage.SOLVE, str(failure))
        except InputError as failure:
            return Unknown(Stage.SOLVE, f"answer could not be read: {failure}")

    def _options(self, system: HornSystem, budget: Budget) -> dict[str, bool | int]:
        options = {**(_ON_ARRAYS if _most_arrays(system) else {}), **self.configuration.options}
        if budget.disposable:  # nobody ends it but itself, or its owner a little later
            options["timeout"] = round(1000 * budget.deadline.remaining) or 1
        if self.rlimit:
            options["rlimit"] = self.rlimit
        return options

    def _unknown(self, reason: str) -> Unknown:
        return Unknown(Stage.SOLVE, f"Spacer, {self.configuration.name}: {reason}")


def _verdict(system: HornSystem, answer: Answer) -> Verdict:
    """The answer of the child, read back into our terms."""
    statistics: dict[str, float | int | str] = {
        "relations": len(system.relations),
        "rules": len(system.rules),
    }
    if answer["answer"] == "safe":
        return Safe(read_model(system, answer["model"]), statistics=statistics)
    if answer["answer"] == "unsafe":
        statistics["steps"] = len(answer["steps"])
        return Unsafe(read_refutation(system, answer["steps"]), statistics)
    return Unknown(Stage.SOLVE, answer["reason"])


def _most_arrays(system: HornSystem) -> int:
    """The greatest number of array parameters of a relation."""
    return max(
        (sum(p.sort.is_array_type() for p in r.parameters) for r in system.relations.values()),
        default=0,
    )
