"""Lazy abstraction with interpolants: expand, refine, cover, close.

McMillan: Lazy abstraction with interpolants, CAV 2006.

Step of the paper -> code:

    the unwinding, labels, the covering relation              `unwinding.Unwinding`
    EXPAND: successors with the label true                    `Unwound.expand`
    REFINE: interpolants of the path to an error              `Unwound.refine`
    COVER, CLOSE: a label that implies another                `Unwound.close`, `Unwinding.close`
    FORCED COVER: the label of another vertex is made         `Unwound.force`
    to follow, by interpolants of the path from the nearest
    vertex that both come from
    UNWIND: while there is an uncovered leaf                  `Unwound.unwind`

Labels are sets of literals, the conjuncts of interpolants.  In contrast to the paper a successor is
made only if the labels of its premises allow the rule, and rules may have any number of premises;
covering is forced in linear systems only.  Obligations, the queries whether an operation wraps,
come when all else is covered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seahorn_py.engines.conclusion import Conclusion, Limit, Proved
from seahorn_py.engines.impact.entailment import Entailment
from seahorn_py.engines.impact.unwinding import Unwinding
from seahorn_py.engines.refinement.abstraction import Posts
from seahorn_py.engines.refinement.configuration import Abstraction
from seahorn_py.engines.refinement.derivation import Derivation, DerivationStep, derivation
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import literals
from seahorn_py.engines.refinement.reachability import Edge, Node
from seahorn_py.engines.refinement.refinement import NothingLearnt
from seahorn_py.engines.refinement.rounds import Observer, nobody
from seahorn_py.engines.refinement.skeleton import Problem, Progress, refine_until_answered
from seahorn_py.engines.refinement.strategies.tree_interpolants import TreeInterpolants
from seahorn_py.horn.system import Atom, Model, Query, Rule, Vacuity, is_obligation
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

_NO_PREDICATES = Precision()


class Unwound:
    """The algorithm with its unwinding."""

    def __init__(
        self,
        problem: Problem,
        strategy: TreeInterpolants,
        observe: Observer = nobody,
        *,
        forced: bool,
    ) -> None:
        self._problem = problem
        self._strategy = strategy
        self._deadline = problem.deadline
        self._forced = forced and problem.system.linear
        self._posts = Posts(problem.system, problem.solvers, Abstraction.CARTESIAN)
        entailment = Entailment(problem.system.relations, problem.solvers)
        self._unwinding = Unwinding(problem.system, entailment, problem.deadline.at)
        self._kept: list[Edge] = []
        self._errors = self.unwind()
        self.progress = Progress(observe)
        self.forced_covers = 0

    def run(self) -> Conclusion:
        """Unwind until there is no vertex that is neither expanded nor covered."""
        return refine_until_answered(self, self._problem)

    def statistics(self) -> dict[str, int]:
        """Figures about the unwinding."""
        return {
            "vertices": len(self._unwinding.vertices),
            "refinements": self.progress.rounds,
            "forced covers": self.forced_covers,
        }

    # ----------------------------------------------------------------- what the skeleton asks for

    def explore(self) -> Derivation | None:
        """Unwind as far as the next error that no label excludes."""
        error = next(self._errors, None)
        return None if error is None else derivation(error)

    def proof(self) -> Conclusion:
        """The labels are a model."""
        return Proved(Model(self._unwinding.invariant()), self._problem.solver)

    def diverging(self) -> str:
        """Nothing is known: labels belong to vertices."""
        return ""

    # ----------------------------------------------------------------------------------- unwinding

    def unwind(self) -> Iterator[Node]:
        """Expand or cover every leaf; gives the errors on the way, each to be refined at once."""
        unwinding = self._unwinding
        yield from self.expand(None, unwinding.facts())
        while True:
            self._deadline.check()
            if unwinding.waiting:
                vertex = unwinding.waiting.pop()
                if unwinding.active(vertex) and not self.close(vertex):
                    yield from self.expand(vertex, unwinding.successors(vertex))
            elif (late := self._late()) is not None:
                yield from self._apply(late)
            else:
                return

    def expand(self, vertex: Node | None, edges: Iterable[Edge]) -> Iterator[Node]:
        """A vertex for whatever can be derived from this one and those expanded before."""
        for edge in edges:
            if is_obligation(edge.rule):
                self._kept.append(edge)
            else:
                yield from self._apply(edge)
            if vertex is not None and not self._unwinding.active(vertex):
                return

    def close(self, vertex: Node) -> bool:
        """Cover a vertex, by force if need be."""
        return self._unwinding.close(vertex) or (self._forced and self.force(vertex))

    def _late(self) -> Edge | None:
        """An edge that was kept and whose premises are not covered."""
        active = self._unwinding.active
        found = next((e for e in self._kept if all(map(active, e.premises))), None)
        if found is not None:
            self._kept.remove(found)
        return found

    def _apply(self, edge: Edge) -> Iterator[Node]:
        """Add what an edge derives, if labels allow it; a query is an error."""
        premises = [p.state for p in edge.premises]
        if self._posts.post(edge.rule, premises, _NO_PREDICATES, self._deadline.at):
            node = self._unwinding.add(edge)
            if not isinstance(edge.rule.head, Atom):
                yield node

    # ------------------------------------------------------------------------------------ refining

    def refine(self, counterexample: Derivation) -> Limit | None:
        """Strengthen the labels on the way to an error until it is excluded."""
        try:
            interpolants = self._strategy.ask(counterexample, self._deadline.at)
        except NothingLearnt as failure:
            self._deadline.check()
            return Limit(f"no refinement: {failure}")
        changed: dict[int, Node] = {}
        new: dict[str, tuple[Term, ...]] = {}
        for step, formula in zip(counterexample.steps[:-1], interpolants, strict=True):
            label = literals(formula)
            if self._unwinding.strengthen(step.node, label):
                changed[step.node.number] = step.node
                new[step.node.relation] = (*new.get(step.node.relation, ()), *label)
        self._unwinding.settle()
        states = len(self._unwinding.vertices)
        lessons = {k: (formula,) for k, formula in enumerate(interpolants)}
        self.progress.refined(counterexample, lessons, new, states, states)
        for node in changed.values():
            if self._unwinding.active(node):
                self._unwinding.close(node)
        return None

    # -------------------------------------------------------------------------------------- forcing

    def force(self, vertex: Node) -> bool:
        """Make the label of an older vertex follow at this one, if it does follow."""
        for tried, other in enumerate(self._unwinding.candidates(vertex)):
            if tried == policy().refinement.most_forced:
                return False
            if other.state and self._forced_by(vertex, other):
                self._unwinding.cover(vertex, other)
                self.forced_covers += 1
                return True
        return False

    def _forced_by(self, vertex: Node, other: Node) -> bool:
        path = _between(_common(vertex, other), vertex)
        found = self._question(path, vertex, other)
        seconds = policy().refinement.forced_seconds
        asked = self._problem.feasibility.ask(found, self._deadline.at, seconds)
        if asked is not Status.UNSAT:
            return False
        try:
            interpolants = self._strategy.ask(found, self._deadline.at)
        except NothingLearnt:
            return False
        # the first step is the label of the common vertex, or a fact
        for step, formula in zip(found.steps[:-1], interpolants, strict=True):
            if step.node in path:
                self._unwinding.strengthen(step.node, literals(formula))
        self._unwinding.strengthen(vertex, other.state)
        self._unwinding.settle()
        return self._unwinding.active(vertex) and self._unwinding.active(other)

    def _question(self, path: list[Node], vertex: Node, other: Node) -> Derivation:
        """A derivation that is impossible if a label follows after a path.

        It begins in the label of the vertex before the path.
        """
        steps: list[DerivationStep] = []
        if path[0].premises:
            steps.append(DerivationStep(self._assumed(path[0].premises[0]), ()))
        for node in path:
            steps.append(DerivationStep(node, (len(steps) - 1,) if steps else ()))
        relation = self._problem.system.relations[vertex.relation]
        atom = Atom(relation.name, relation.symbols)
        missing = terms.not_(terms.and_(other.state))
        name = _name(f"after {relation.name}", missing)
        goal = Rule(name, (atom,), missing, Query("goal", Vacuity("goal")))
        steps.append(DerivationStep(Node(-1, "", frozenset(), goal, (vertex,)), (len(steps) - 1,)))
        return Derivation(tuple(steps))

    def _assumed(self, node: Node) -> Node:
        """A fact that says no more than the label of a vertex."""
        relation = self._problem.system.relations[node.relation]
        label = terms.and_(node.state)
        rule = Rule(_name(relation.name, label), (), label, Atom(relation.name, relation.symbols))
        return Node(-1, relation.name, node.state, rule, ())


def _name(text: str, formula: Term) -> str:
    """One name for one rule; no rule of a program has it."""
    return f"{text} assumes {formula.node_id()}"


def _common(one: Node, other: Node) -> Node | None:
    """The nearest vertex that two of a linear system both come from; premises are older."""
    left: Node | None = one
    right: Node | None = other
    while left is not None and right is not None and left is not right:
        if left.number > right.number:
            left = left.premises[0] if left.premises else None
        else:
            right = right.premises[0] if right.premises else None
    return left if left is right else None


def _between(start: Node | None, end: Node) -> list[Node]:
    """The vertices after one and up to another."""
    path = [end]
    while path[-1].premises and path[-1].premises[0] is not start:
        path.append(path[-1].premises[0])
    return path[::-1]
