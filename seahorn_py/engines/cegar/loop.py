"""`abstract_check_refine`: the loop of Podelski, Rybalchenko (ARMC, PADL 2007), on Horn systems.

Step of the paper -> code:

    post, abstract, concretize, abstract_post          `abstraction.RulePost`
    abstract_fixpoint, abst_parent, subsumption        `reachability.Reachability.run`
    feasible                                           `skeleton.Problem.feasible`
    wp, refine, insert_preds                           `Loop.refine`, `strategies`
    abstract_check_refine                              `skeleton.refine_until_answered`
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from seahorn_py.engines.conclusion import Conclusion, Limit, Proved
from seahorn_py.engines.refinement.abstraction import Posts
from seahorn_py.engines.refinement.configuration import (
    Configuration,
    Domain,
    Pruning,
    Refinement,
)
from seahorn_py.engines.refinement.derivation import Derivation, all_derivations, derivation
from seahorn_py.engines.refinement.diverging import Families
from seahorn_py.engines.refinement.initial import Beginning
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.reachability import Node, Reachability, seen_of
from seahorn_py.engines.refinement.refinement import Lessons, NothingLearnt, Strategy, refined
from seahorn_py.engines.refinement.rounds import Observer, nobody
from seahorn_py.engines.refinement.skeleton import Problem, Progress, refine_until_answered
from seahorn_py.engines.refinement.strategies.needed_values import NeededValues
from seahorn_py.horn.system import Model


class Loop:
    """The loop with its states; `precision` is that of the last round.

    `rescue` is asked once, when predicates diverge or there are no new ones, for others or a
    proof.  The predicates of `reserve` are used where values do not suffice.
    """

    def __init__(
        self,
        problem: Problem,
        configuration: Configuration,
        strategy: Strategy,
        observe: Observer = nobody,
        rescue: Callable[[], Beginning] | None = None,
        reserve: Precision | None = None,
    ) -> None:
        self._problem = problem
        self._deadline = problem.deadline
        self._configuration = configuration
        self._strategy = strategy
        self._rescue = rescue
        self._reserve = reserve or Precision()
        self._families = Families()
        self._posts = Posts(problem.system, problem.solvers, configuration.abstraction)
        self._values = NeededValues(problem.formulas, problem.solvers)
        self._reachability = Reachability(
            problem.system, self._posts, configuration.order, problem.deadline.at
        )
        self.precision = Precision()
        self.progress = Progress(observe)

    def run(self, precision: Precision) -> Conclusion:
        """Abstract, check, refine until an answer."""
        self.precision = precision
        return refine_until_answered(self, self._problem)

    def statistics(self) -> dict[str, int]:
        """Figures about the rounds."""
        return {
            "rounds": self.progress.rounds,
            "predicates": self.precision.size,
            "questions": self._posts.counts.questions,
            "remembered": self._posts.counts.remembered,
        }

    # ----------------------------------------------------------------- what the skeleton asks for

    def explore(self) -> Derivation | None:
        """The abstract fixpoint, as far as the first error."""
        error = self._reachability.run(self.precision)
        return None if error is None else derivation(error)

    def refine(self, counterexample: Derivation) -> Conclusion | None:
        """More values or predicates, from elsewhere if need be; an answer where there are none."""
        failed = self._refined(counterexample)
        if self._rescue is None or not (failed or self._families.diverge):
            return failed
        return self._rescued(self._rescue)

    def proof(self) -> Conclusion:
        """The states are a model."""
        return Proved(Model(self._reachability.invariant()), self._problem.solver)

    def diverging(self) -> str:
        """The largest family of predicates."""
        return self._families.words()

    # ------------------------------------------------------------------------------------ refining

    def _refined(self, counterexample: Derivation) -> Limit | None:
        """More values or predicates, and the states they change taken back; why not, if none."""
        self._deadline.check()
        before = self.precision
        try:
            counterexample, lessons = self._more(counterexample)
        except NothingLearnt as failure:
            self._deadline.check()
            return Limit(f"no refinement: {failure}{self._families.words()}")
        weak = _derived_with_less(counterexample, self.precision)
        if not weak:
            used = [step.node.relation for step in counterexample.steps[-2:-1]]
            about = [p for name in used for p in self.precision.of(name)]
            return Limit(f"refinement without progress{self._families.words(about)}")
        states = self._reachability.states
        kept = self._take_back(weak)
        found = self.precision.beyond(before)
        if lessons:
            self._families.add(found)
        self.progress.refined(counterexample, lessons, found, states, kept)
        return None

    def _more(self, counterexample: Derivation) -> tuple[Derivation, Lessons]:
        """Makes the precision greater; what that rests on, and the derivations that it is about.

        First values, then what was held back, then the strategy; NothingLearnt where there is none.
        """
        for more in (self._with_values, self._with_reserve):
            precision = more(counterexample)
            if precision is not self.precision:
                self.precision = precision
                return counterexample, {}
        if self._configuration.domain is Domain.EXPLICIT:
            raise NothingLearnt("values alone do not exclude an error")
        about, lessons = self._learnt(counterexample)
        self.precision = refined(self.precision, about, lessons, self._configuration.split)
        return about, lessons

    def _learnt(self, counterexample: Derivation) -> tuple[Derivation, Lessons]:
        """What the strategy says of all derivations of the states, if so chosen, or of this one."""
        if self._configuration.refinement is Refinement.DISJUNCTIVE:
            query = counterexample.steps[-1].node
            every = all_derivations(query, self._reachability.alternatives)
            with suppress(NothingLearnt):  # one of them may be real
                return every, self._strategy.learn(every, self._deadline.at)
        return counterexample, self._strategy.learn(counterexample, self._deadline.at)

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

    def _rescued(self, rescue: Callable[[], Beginning]) -> Conclusion | None:
        """Predicates from elsewhere, or a proof."""
        found, self._rescue = rescue(), None
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
