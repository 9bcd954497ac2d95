"""The loop of SLAM and RocketScience on one Horn system: abstract, check, validate, refine.

Step of the papers -> code:

    c2bp: program and predicates -> Boolean program     `abstraction.Abstraction.rules`
    Bebop: is an error reached?                         `reachability.explore`
    Newton: is the counterexample one of the program?   `refinement.skeleton.Problem.feasible`
    new predicates, from interpolants                   `Loop.refine`, `refinement.strategies`
    the loop                                            `refinement.skeleton`

A proof is what the reachable valuations of each location say in terms of the predicates.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.engines.boolean.abstraction import Abstraction
from seahorn_py.engines.boolean.diagrams import Graph, OutOfMemory
from seahorn_py.engines.boolean.reachability import Reached, Unreached, explore
from seahorn_py.engines.boolean.rules import BooleanRules
from seahorn_py.engines.boolean.shape import Shape
from seahorn_py.engines.conclusion import Conclusion, Limit, Proved
from seahorn_py.engines.refinement.configuration import Split
from seahorn_py.engines.refinement.derivation import Derivation, derivation
from seahorn_py.engines.refinement.diverging import diverging
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.reachability import Node
from seahorn_py.engines.refinement.refinement import NothingLearnt, Strategy, refined
from seahorn_py.engines.refinement.rounds import Observer, nobody
from seahorn_py.engines.refinement.skeleton import Problem, Progress, refine_until_answered
from seahorn_py.horn.system import Atom, Model
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.options import Semantics


class Loop:
    """The loop with its programs; `precision` and `rules` are those of the last round."""

    def __init__(
        self,
        problem: Problem,
        semantics: Semantics,
        strategy: Strategy,
        observe: Observer = nobody,
    ) -> None:
        self._problem = problem
        self._system = problem.system
        self._deadline = problem.deadline
        self._semantics = semantics
        self._strategy = strategy
        self._shape = Shape(problem.system)
        until, solvers = problem.deadline.at, problem.solvers
        self._abstraction = Abstraction(problem.system, problem.solver, semantics, until, solvers)
        self._states = 0
        self._reachable: Mapping[int, Graph] | None = None
        self.precision = Precision()
        self.rules = BooleanRules((), ())
        self.progress = Progress(observe)

    def run(self, precision: Precision) -> Conclusion:
        """Abstract, check, refine until an answer."""
        self.precision = self._shape.with_entries(precision)
        try:
            return refine_until_answered(self, self._problem)
        except OutOfMemory:
            return Limit(f"no room for more diagrams after {self.progress.rounds} refinements")

    def statistics(self) -> dict[str, int]:
        """Figures about the rounds."""
        return {
            "rounds": self.progress.rounds,
            "predicates": self.precision.size,
            "questions": self._abstraction.asked,
        }

    # ----------------------------------------------------------------- what the skeleton asks for

    def explore(self) -> Derivation | None:
        """The program of the predicates, and a way to an error in it.

        Where its semantics neither reaches an error nor proves, the weakest one may reach one.
        """
        self._deadline.check()
        self.rules = self._abstraction.rules(self.precision)
        found = self._checked(self._semantics)
        if isinstance(found, Unreached) and found.proves:
            self._reachable = found.valuations
            return None
        if isinstance(found, Unreached):
            found = self._checked(Semantics.OVER)
        return derivation(self._nodes(found)) if isinstance(found, Reached) else None

    def refine(self, counterexample: Derivation) -> Limit | None:
        """Atoms of interpolants; where they are known already, the interpolants themselves."""
        try:
            lessons = self._strategy.learn(counterexample, self._deadline.at)
        except NothingLearnt as failure:
            self._deadline.check()
            return Limit(f"no refinement: {failure}{self.diverging()}")
        for split in (Split.ATOMS, Split.WHOLE):
            found = refined(self.precision, counterexample, lessons, split)
            found = self._shape.with_entries(found)
            new = found.beyond(self.precision)
            if new:
                self.precision = found
                self.progress.refined(counterexample, lessons, new, self._states)
                return None
        names = [step.node.relation for step in counterexample.steps[-2:-1]]
        last = [p for name in names for p in self.precision.of(name)]
        return Limit(f"refinement without progress{diverging(self.precision, last)}")

    def proof(self) -> Conclusion:
        """What the reachable valuations say, as a model, where the semantics proves."""
        if self._reachable is not None:
            return Proved(Model(self._invariants(self._reachable)), self._problem.solver)
        return Limit(
            "the under-approximation reaches no error, which proves nothing; the over-approximation"
            " by the same predicates reaches none either"
        )

    def diverging(self) -> str:
        """The largest family of predicates."""
        return diverging(self.precision)

    # ------------------------------------------------------------------------------------ checking

    def _checked(self, semantics: Semantics) -> Reached | Unreached:
        found = explore(self.rules, semantics, lambda: self._deadline.remaining == 0)
        self._states = sum(found.states.values())
        return found.conclusion

    def _nodes(self, found: Reached) -> Node:
        """The derivation as the strategies read it; its last step."""
        nodes: list[Node] = []
        for number, step in enumerate(found.steps):
            rule = self._system.rules[step.rule]
            relation = rule.head.relation if isinstance(rule.head, Atom) else ""
            premises = tuple(nodes[p] for p in step.premises)
            nodes.append(Node(number, relation, frozenset(), rule, premises))
        return nodes[-1]

    def _invariants(self, valuations: Mapping[int, Graph]) -> dict[str, Term]:
        return {
            name: formula(valuations[number], self.precision.of(name))
            for number, name in enumerate(self._system.relations)
        }


def formula(graph: Graph, predicates: tuple[Term, ...]) -> Term:
    """What a diagram over predicates says, as a formula of the size of the diagram."""
    found = [terms.FALSE, terms.TRUE]
    for bit, high, low in graph.nodes:
        found.append(_decided(predicates[bit], found[high], found[low]))
    return found[graph.root]


def _decided(predicate: Term, high: Term, low: Term) -> Term:
    """`predicate ? high : low` with as few connectives as constants allow."""
    if high is terms.FALSE:
        return terms.and_([terms.not_(predicate), low])
    if low is terms.FALSE:
        return terms.and_([predicate, high])
    if high is terms.TRUE:
        return terms.or_([predicate, low])
    if low is terms.TRUE:
        return terms.or_([terms.not_(predicate), high])
    return terms.ite(predicate, high, low)
