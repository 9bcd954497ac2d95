"""The loop of SLAM and RocketScience on one Horn system: abstract, check, validate, refine.

Step of the papers -> place:

    c2bp: program and predicates -> Boolean program     `abstraction.Abstraction.rules`
    Bebop: is an error reached?                         `reachability.explore`
    Newton: is the counterexample one of the program?   `refinement.derivation.Feasibility`
    new predicates, from interpolants                   `refinement.refinement`, with its strategies

A proof is what the reachable valuations of each place say in terms of the predicates.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.engines.boolean.abstraction import Abstraction
from seahorn_py.engines.boolean.diagrams import Graph, OutOfMemory
from seahorn_py.engines.boolean.reachability import Explored, Reached, explore
from seahorn_py.engines.boolean.rules import BooleanRules
from seahorn_py.engines.boolean.shape import Shape
from seahorn_py.engines.outcome import Limit, Outcome, Proved
from seahorn_py.engines.outcome import Reached as Refuted
from seahorn_py.engines.refinement.configuration import Split
from seahorn_py.engines.refinement.derivation import Derivation, Feasibility, Formulas, derivation
from seahorn_py.engines.refinement.diverging import diverging
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.reachability import Node
from seahorn_py.engines.refinement.refinement import (
    NothingLearnt,
    RealCounterexample,
    Strategy,
    refined,
)
from seahorn_py.engines.refinement.rounds import Observer, Round, breaking, nobody
from seahorn_py.horn.system import Atom, HornSystem, Model
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import print_infix
from seahorn_py.options import Semantics
from seahorn_py.processes.deadline import Deadline, OutOfTime

FEASIBILITY_SECONDS = 5.0


class Loop:
    """The loop with its solvers; `precision` and `rules` are those of the last round."""

    def __init__(
        self,
        system: HornSystem,
        semantics: Semantics,
        solver: Solver,
        strategy: Strategy,
        formulas: Formulas,
        deadline: Deadline,
        observe: Observer = nobody,
    ) -> None:
        self._system = system
        self._shape = Shape(system)
        self._semantics = semantics
        self._solver = solver
        self._strategy = strategy
        self._deadline = deadline
        self._observe = observe
        solvers = Solvers(solver)
        self._abstraction = Abstraction(system, solver, semantics, deadline.at, solvers)
        self._feasibility = Feasibility(formulas, solver, solvers)
        self.precision = Precision()
        self.rules = BooleanRules((), ())
        self.rounds = 0
        self._states = 0

    def run(self, precision: Precision) -> Outcome:
        """Abstract, check, refine until an answer."""
        self.precision = self._shape.with_entries(precision)
        try:
            outcome: Outcome | None = None
            while outcome is None:
                self._deadline.check()
                self.rules = self._abstraction.rules(self.precision)
                outcome = self._checked(self._explored(self._semantics))
            return outcome
        except RealCounterexample as real:
            return Refuted(real.refutation)
        except OutOfTime:
            return Limit(f"time limit after {self.rounds} refinements{diverging(self.precision)}")
        except OutOfMemory:
            return Limit(f"no room for more diagrams after {self.rounds} refinements")

    def statistics(self) -> dict[str, int]:
        """Figures about the rounds."""
        return {
            "rounds": self.rounds,
            "predicates": self.precision.size,
            "questions": self._abstraction.asked,
        }

    def _explored(self, semantics: Semantics) -> Explored:
        found = explore(self.rules, semantics, lambda: self._deadline.remaining == 0)
        self._states = sum(found.states.values())
        return found

    def _checked(self, explored: Explored) -> Outcome | None:
        """The answer, or None after a refinement."""
        found = explored.outcome
        if isinstance(found, Reached):
            return self._validated(derivation(self._nodes(found)))
        if found.proves:
            return Proved(Model(self._invariants(found.valuations)), self._solver)
        beyond = self._explored(Semantics.OVER).outcome
        if isinstance(beyond, Reached):
            return self._validated(derivation(self._nodes(beyond)))
        return Limit(
            "the under-approximation reaches no error, which proves nothing; the over-approximation"
            " by the same predicates reaches none either"
        )

    # ---------------------------------------------------------------------------- counterexamples

    def _nodes(self, found: Reached) -> Node:
        """The derivation as the strategies read it; its last step."""
        nodes: list[Node] = []
        for number, step in enumerate(found.steps):
            rule = self._system.rules[step.rule]
            relation = rule.head.relation if isinstance(rule.head, Atom) else ""
            premises = tuple(nodes[p] for p in step.premises)
            nodes.append(Node(number, relation, frozenset(), rule, premises))
        return nodes[-1]

    def _validated(self, counterexample: Derivation) -> Outcome | None:
        """The refutation that it is, or None after a refinement."""
        status = self._feasibility.ask(counterexample, self._deadline.at, FEASIBILITY_SECONDS)
        match status:
            case Status.UNSAT:
                return self._refined(counterexample)
            case Status.SAT:
                found = self._feasibility.refutation(counterexample, self._deadline)
                return Limit("a counterexample without values") if found is None else Refuted(found)
        self._deadline.check()
        return Limit("the solver does not know whether a counterexample is real")

    def _refined(self, counterexample: Derivation) -> Outcome | None:
        """Atoms of interpolants; where they are known already, the interpolants themselves."""
        try:
            lessons = self._strategy.learn(counterexample, self._deadline.at)
        except NothingLearnt as failure:
            self._deadline.check()
            return Limit(f"no refinement: {failure}{diverging(self.precision)}")
        for split in (Split.ATOMS, Split.WHOLE):
            found = refined(self.precision, counterexample, lessons, split)
            found = self._shape.with_entries(found)
            new = found.beyond(self.precision)
            if new:
                self.precision = found
                self.rounds += 1
                why = breaking(lessons, counterexample, lambda term: print_infix(term, {}))
                self._observe(Round(self.rounds, counterexample, why, new, self._states, 0))
                return None
        names = [step.node.relation for step in counterexample.steps[-2:-1]]
        last = [p for name in names for p in self.precision.of(name)]
        return Limit(f"refinement without progress{diverging(self.precision, last)}")

    # ------------------------------------------------------------------------------------- proofs

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
