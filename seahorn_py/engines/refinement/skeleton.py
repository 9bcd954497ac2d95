"""The skeleton of all engines that refine: explore, validate, refine, until an answer.

Clarke, Grumberg, Jha, Lu, Veith: Counterexample-guided abstraction refinement, CAV 2000.

What an engine explores differs: abstract states (`cegar`), an unwinding (`impact`), Boolean
programs (`boolean`).  The rest is here: whether a counterexample is one of the system, what ends
the loop, and what is told of each round.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import Protocol

from seahorn_py.base.records import dataclass
from seahorn_py.engines.conclusion import Conclusion, Limit, Reached
from seahorn_py.engines.refinement.derivation import Derivation, Feasibility, Formulas
from seahorn_py.engines.refinement.predicates import normal
from seahorn_py.engines.refinement.refinement import Lessons, RealCounterexample
from seahorn_py.engines.refinement.rounds import Observer, Round, breaking, nobody
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, solver_for
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import print_infix
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline, OutOfTime


@dataclass(frozen=True)
class Problem:
    """A system to solve until a deadline, with what every part of a loop asks about it."""

    system: HornSystem
    deadline: Deadline

    @cached_property
    def solver(self) -> Solver:
        """The one that knows all sorts of the system, those of relations without a rule too."""
        symbols = (s for relation in self.system.relations.values() for s in relation.symbols)
        return solver_for(chain(self.system.formulas(), symbols))

    @cached_property
    def solvers(self) -> Solvers:
        """Makes solvers of that kind in this process."""
        return Solvers(self.solver)

    @cached_property
    def formulas(self) -> Formulas:
        """The formulas of the rules, each made once."""
        return Formulas(self.system)

    @cached_property
    def feasibility(self) -> Feasibility:
        """Whether derivations have instances."""
        return Feasibility(self.formulas, self.solver, self.solvers)

    def feasible(self, counterexample: Derivation) -> Conclusion | None:
        """The answer where a counterexample is real, or nobody knows whether it is; else None."""
        seconds = policy().refinement.feasibility_seconds
        match self.feasibility.ask(counterexample, self.deadline.at, seconds):
            case Status.UNSAT:
                return None
            case Status.SAT:
                found = self.feasibility.refutation(counterexample, self.deadline)
                return Limit("a counterexample without values") if found is None else Reached(found)
        self.deadline.check()
        return Limit("the solver does not know whether a counterexample is real")


class Progress:
    """Counts the rounds and tells an observer of each."""

    def __init__(self, observe: Observer = nobody) -> None:
        self._observe = observe
        self.rounds = 0

    def refined(
        self,
        counterexample: Derivation,
        lessons: Lessons,
        found: Mapping[str, tuple[Term, ...]],
        states: int,
        kept: int = 0,
    ) -> None:
        """A round has ended; see `Round`."""
        self.rounds += 1
        why = breaking(lessons, counterexample, lambda term: print_infix(normal(term), {}))
        self._observe(Round(self.rounds, counterexample, why, found, states, kept))


class Refining(Protocol):
    """What an engine puts into the skeleton."""

    @property
    def progress(self) -> Progress:
        """How far it has come."""

    def explore(self) -> Derivation | None:
        """The next counterexample of the abstraction; None where it has none (any more)."""

    def refine(self, counterexample: Derivation) -> Conclusion | None:
        """Exclude a spurious counterexample from now on; an answer where that is impossible."""

    def proof(self) -> Conclusion:
        """What follows from an abstraction without a counterexample."""

    def diverging(self) -> str:
        """What is known of a divergence, as the end of a sentence, or ""."""


def refine_until_answered(engine: Refining, problem: Problem) -> Conclusion:
    """The loop."""
    try:
        while (counterexample := engine.explore()) is not None:
            answer = problem.feasible(counterexample) or engine.refine(counterexample)
            if answer is not None:
                return answer
        return engine.proof()
    except RealCounterexample as real:
        return Reached(real.refutation)
    except OutOfTime:
        rounds = engine.progress.rounds
        return Limit(f"time limit after {rounds} refinements{engine.diverging()}")
