"""`abstract_check_refine`: the loop of Podelski, Rybalchenko (ARMC, PADL 2007), on Horn systems.

Step of the paper -> place:

    post, abstract, concretize, abstract_post          `abstraction.RulePost`
    abstract_fixpoint, abst_parent, subsumption        `reachability.Reachability.run`
    feasible                                           `derivation.Feasibility`
    wp, refine, insert_preds                           `refinement`, `refine_*`
    abstract_check_refine                              `Loop.run`
"""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.engines.outcome import Limit, Outcome, Proved, Reached
from seahorn_py.engines.refinement.abstraction import Posts
from seahorn_py.engines.refinement.configuration import Configuration, Domain, Pruning
from seahorn_py.engines.refinement.derivation import Derivation, Feasibility, Formulas, derivation
from seahorn_py.engines.refinement.diverging import Families
from seahorn_py.engines.refinement.initial import Beginning
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import normal
from seahorn_py.engines.refinement.reachability import Node, Reachability, seen_of
from seahorn_py.engines.refinement.refinement import (
    Lessons,
    NothingLearnt,
    RealCounterexample,
    Strategy,
    refined,
)
from seahorn_py.engines.refinement.rounds import Observer, Round, breaking
from seahorn_py.engines.refinement.strategies.needed_values import NeededValues
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.text.infix import print_infix
from seahorn_py.processes.deadline import Deadline, OutOfTime

FEASIBILITY_SECONDS = 5.0


class Loop:
    """The loop with its solvers; `precision` is that of the last round.

    `rescue` is asked once, when predicates diverge or there are no new ones, for others or a
    proof.  The predicates of `reserve` are used where values do not suffice.
    """

    def __init__(
        self,
        system: HornSystem,
        configuration: Configuration,
        solver: Solver,
        strategy: Strategy,
        formulas: Formulas,
        deadline: Deadline,
        observe: Observer,
        rescue: Callable[[], Beginning] | None = None,
        reserve: Precision | None = None,
    ) -> None:
        self._configuration = configuration
        self._solver = solver
        self._strategy = strategy
        self._deadline = deadline
        self._observe = observe
        self._rescue = rescue
        self._reserve = reserve or Precision()
        self._families = Families()
        solvers = Solvers(solver)
        self._posts = Posts(system, solvers, configuration.abstraction)
        self._feasibility = Feasibility(formulas, solver, solvers)
        self._values = NeededValues(formulas, solvers)
        self._reachability = Reachability(system, self._posts, configuration.order, deadline.at)
        self.precision = Precision()
        self.rounds = 0

    def run(self, precision: Precision) -> Outcome:
        """Abstract, check, refine until an answer."""
        self.precision = precision
        try:
            while (error := self._reachability.run(self.precision)) is not None:
                counterexample = derivation(error)
                outcome = self._feasible(counterexample)
                if outcome is None:
                    outcome = self._rescued(self._refine(counterexample))
                if outcome is not None:
                    return outcome
            return Proved(Model(self._reachability.invariant()), self._solver)
        except RealCounterexample as real:
            return Reached(real.refutation)
        except OutOfTime:
            words = self._families.words()
            return Limit(f"time limit after {self.rounds} refinements{words}")

    def statistics(self) -> dict[str, int]:
        """Figures about the rounds."""
        return {
            "rounds": self.rounds,
            "predicates": self.precision.size,
            "questions": self._posts.counts.questions,
            "remembered": self._posts.counts.remembered,
        }

    def _feasible(self, counterexample: Derivation) -> Outcome | None:
        """The answer where the counterexample is real, or nobody knows whether it is."""
        status = self._feasibility.ask(counterexample, self._deadline.at, FEASIBILITY_SECONDS)
        match status:
            case Status.UNSAT:
                return None
            case Status.SAT:
                found = self._feasibility.refutation(counterexample, self._deadline)
                return Limit("a counterexample without values") if found is None else Reached(found)
        self._deadline.check()
        return Limit("the solver does not know whether a counterexample is real")

    def _refine(self, counterexample: Derivation) -> Limit | None:
        """More values or predicates, and the states they change taken back; why not, if none."""
        self._deadline.check()
        before = self.precision
        try:
            self.precision, lessons = self._more(counterexample)
        except NothingLearnt as failure:
            self._deadline.check()
            return Limit(f"no refinement: {failure}{self._families.words()}")
        weak = _derived_with_less(counterexample, self.precision)
        if not weak:
            used = [step.node.relation for step in counterexample.steps[-2:-1]]
            about = [p for name in used for p in self.precision.of(name)]
            return Limit(f"refinement without progress{self._families.words(about)}")
        self.rounds += 1
        states = self._reachability.states
        kept = self._take_back(weak)
        why = breaking(lessons, counterexample, lambda term: print_infix(normal(term), {}))
        found = self.precision.beyond(before)
        if lessons:
            self._families.add(found)
        self._observe(Round(self.rounds, counterexample, why, found, states, kept))
        return None

    def _more(self, counterexample: Derivation) -> tuple[Precision, Lessons]:
        """A greater precision and what it rests on: values, what was held back, then the strategy.

        NothingLearnt where there is none.
        """
        for more in (self._with_values, self._with_reserve):
            precision = more(counterexample)
            if precision is not self.precision:
                return precision, {}
        if self._configuration.domain is Domain.EXPLICIT:
            raise NothingLearnt("values alone do not exclude an error")
        lessons = self._strategy.learn(counterexample, self._deadline.at)
        chosen = self._configuration.split
        return refined(self.precision, counterexample, lessons, chosen), lessons

    def _with_values(self, counterexample: Derivation) -> Precision:
        """The precision, with more parameters followed where their values exclude the error."""
        if self._configuration.domain is Domain.PREDICATES:
            return self.precision
        needed = self._values.ask(counterexample, self.precision, self._deadline.at)
        return self.precision.following(needed) if needed else self.precision

    def _with_reserve(self, counterexample: Derivation) -> Precision:
        """The precision with the predicates that were held back, if the error knows one less."""
        more = self.precision.plus(self._reserve.pairs)
        if not _derived_with_less(counterexample, more):
            return self.precision
        self._reserve = Precision()
        return more

    def _rescued(self, failed: Limit | None) -> Outcome | None:
        """Predicates from elsewhere, or a proof, where a refinement failed or they diverge."""
        if self._rescue is None or not (failed or self._families.diverge):
            return failed
        found, self._rescue = self._rescue(), None
        self._deadline.check()
        if found.proof is not None:
            return Proved(found.proof, found.finder)
        self.precision = self.precision.plus(found.precision.pairs)
        self._reachability.begin()
        return None

    def _take_back(self, weak: list[Node]) -> int:
        """Prune, or begin again; how many states are kept."""
        if self._configuration.pruning is Pruning.FULL:
            self._reachability.begin()
        else:
            self._reachability.prune(weak)
        return self._reachability.states


def _derived_with_less(counterexample: Derivation, precision: Precision) -> list[Node]:
    """The states that were derived when less was known of their relations."""
    nodes = (step.node for step in counterexample.steps)
    return [node for node in nodes if node.seen < seen_of(precision, node.relation)]
