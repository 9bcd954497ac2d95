"""The engine `boolean`: Boolean programs, after SLAM and RocketScience.

Ball, Rajamani: The SLAM project, POPL 2002.  Wolff: Building a State-of-the-Art Model Checker,
SKILL 2015.  Gurfinkel, Chechik: Why waste a perfectly good abstraction?, TACAS 2006 (Yasm).

`slam` says which step of the papers is where, `semantics` what unknown means and what follows:

    OVER    not reached: safe;  reached: refined, unless the counterexample is real
    UNDER   reached: unsafe;  not reached: refined as with OVER, never safe
    BELNAP  not reached: safe;  reached: for sure, or refined as with OVER

Whatever an analysis says, a refutation has values that solve its rules, and a proof is a model.

Limitations, the most common first:

1. Rules are abstracted by questions for single cubes: many predicates at one location take the
   time, and from seven on in one cone cubes are short, which may leave no progress.
2. Predicates that differ in numbers only become ever more where loops count; nothing rescues.
3. UNDER proves nothing.
4. What holds of all elements of an array is not found.
5. Diagrams may have no room.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.engines.engine import Budget, working
from seahorn_py.engines.own_process import ask
from seahorn_py.engines.refinement.configuration import Initial
from seahorn_py.horn.system import HornSystem
from seahorn_py.options import Semantics
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class BooleanPrograms:
    """`precision` is a file whose predicates are used at first and which has those of the end.

    `program` is a file to which the last Boolean program is appended, `trace` one to which each
    round is.
    """

    semantics: Semantics = Semantics.OVER
    initial: Initial = Initial.NONE
    precision: Path | None = None
    program: Path | None = None
    trace: Path | None = None

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Abstract, check, refine until an answer or the end of the time."""
        from seahorn_py.engines.boolean.boolean_child import Task, solve  # solvers load slowly

        task = Task(
            self.semantics,
            self.initial,
            self.precision,
            self.program,
            self.trace,
            working(budget.deadline),
            budget.memory_mib,
        )
        return ask("Boolean programs", partial(solve, system, task), budget)
