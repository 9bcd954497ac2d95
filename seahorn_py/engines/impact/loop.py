"""Lazy abstraction with interpolants: expand, refine, cover, close.

McMillan: Lazy abstraction with interpolants, CAV 2006.

Step of the paper -> place:

    the unwinding, labels, the covering relation              `unwinding.Unwinding`
    EXPAND: successors with the label true                    `Unwound.expand`
    REFINE: interpolants of the path to an error              `Unwound.refine`
    COVER, CLOSE: a label that implies another                `Unwinding.close`
    FORCED COVER: the label of another vertex is made         `Unwound.force`
    to follow, by interpolants of the path from the nearest
    vertex that both come from
    UNWIND: while there is an uncovered leaf                  `Unwound.run`, `_unwind`

Labels are sets of literals, the conjuncts of interpolants.  In contrast to the paper a successor is
made only if the labels of its premises allow the rule, and rules may have any number of premises;
covering is forced in linear systems only.  Whether an operation wraps is asked when all else is
covered.
"""

from __future__ import annotations

from seahorn_py.engines.cegar.loop import FEASIBILITY_SECONDS
from seahorn_py.engines.impact.entailment import Entailment
from seahorn_py.engines.impact.unwinding import Unwinding
from seahorn_py.engines.outcome import Limit, Outcome, Proved, Reached
from seahorn_py.engines.refinement.abstraction import Posts
from seahorn_py.engines.refinement.configuration import Abstraction
from seahorn_py.engines.refinement.derivation import (
    Derivation,
    Feasibility,
    Formulas,
    Place,
    derivation,
)
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import literals, normal
from seahorn_py.engines.refinement.reachability import Edge, Node
from seahorn_py.engines.refinement.refinement import NothingLearnt
from seahorn_py.engines.refinement.rounds import Observer, Round, breaking
from seahorn_py.engines.refinement.strategies.tree_interpolants import TreeInterpolants
from seahorn_py.horn.system import Atom, HornSystem, Model, Query, Rule, Vacuity, is_obligation
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import print_infix
from seahorn_py.processes.deadline import Deadline, OutOfTime

MOST_FORCED = 3
"""How many vertices are tried for covering another by force."""

FORCED_SECONDS = 1.0

_NO_PREDICATES = Precision()


class Answered(Exception):
    """There is an answer."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class Unwound:
    """The algorithm with its solvers."""

    def __init__(
        self,
        system: HornSystem,
        solver: Solver,
        strategy: TreeInterpolants,
        formulas: Formulas,
        deadline: Deadline,
        observe: Observer,
        *,
        forced: bool,
    ) -> None:
        self._system = system
        self._solver = solver
        self._strategy = strategy
        self._deadline = deadline
        self._observe = observe
        self._forced = forced and system.linear
        solvers = Solvers(solver)
        self._posts = Posts(system, solvers, Abstraction.CARTESIAN)
        self._feasibility = Feasibility(formulas, solver, solvers)
        entailment = Entailment(system.relations, solvers)
        self._unwinding = Unwinding(system, entailment, deadline.at)
        self._formulas = formulas
        self._kept: list[Edge] = []
        self.refinements = 0
        self.forced_covers = 0

    def run(self) -> Outcome:
        """Unwind until there is no vertex that is neither expanded nor covered."""
        unwinding = self._unwinding
        try:
            for fact in unwinding.facts():
                self._follow(fact)
            while self._unwind():
                self._deadline.check()
            return Proved(Model(unwinding.invariant()), self._solver)
        except Answered as answer:
            return answer.outcome
        except OutOfTime:
            return Limit(f"time limit after {self.refinements} refinements")
        except NothingLearnt as failure:
            return Limit(f"no refinement: {failure}")

    def _unwind(self) -> bool:
        """Close or expand a vertex, or apply an edge that was kept; False if there is none."""
        if self._unwinding.waiting:
            vertex = self._unwinding.waiting.pop()
            if self._unwinding.active(vertex) and not self._closed(vertex):
                self.expand(vertex)
            return True
        late = self._late()
        if late is not None:
            self._apply(late)
        return late is not None

    def statistics(self) -> dict[str, int]:
        """Figures about the unwinding."""
        return {
            "vertices": len(self._unwinding.vertices),
            "refinements": self.refinements,
            "forced covers": self.forced_covers,
        }

    def expand(self, vertex: Node) -> None:
        """A vertex for whatever can be derived from this one and those expanded before."""
        for edge in self._unwinding.successors(vertex):
            self._follow(edge)
            if not self._unwinding.active(vertex):
                return

    def _follow(self, edge: Edge) -> None:
        """Apply an edge, or keep it for later."""
        if is_obligation(edge.rule):
            self._kept.append(edge)
        else:
            self._apply(edge)

    def _late(self) -> Edge | None:
        """An edge that was kept and whose premises are not covered."""
        active = self._unwinding.active
        found = next((e for e in self._kept if all(map(active, e.premises))), None)
        if found is not None:
            self._kept.remove(found)
        return found

    def _apply(self, edge: Edge) -> None:
        """Add what an edge derives; for a query refine until the labels exclude it."""
        premises = [p.state for p in edge.premises]
        if not self._posts.post(edge.rule, premises, _NO_PREDICATES, self._deadline.at):
            return
        node = self._unwinding.add(edge)
        if not isinstance(edge.rule.head, Atom):
            self.refine(node)

    def _closed(self, vertex: Node) -> bool:
        return self._unwinding.close(vertex) or (self._forced and self.force(vertex))

    # ------------------------------------------------------------------------------------ refining

    def refine(self, query: Node) -> None:
        """Strengthen the labels on the way to a query until it is excluded, or answer."""
        found = derivation(query)
        match self._feasibility.ask(found, self._deadline.at, FEASIBILITY_SECONDS):
            case Status.SAT:
                refutation = self._feasibility.refutation(found, self._deadline)
                no_values = Limit("a counterexample without values")
                raise Answered(no_values if refutation is None else Reached(refutation))
            case Status.UNKNOWN:
                self._deadline.check()
                raise Answered(Limit("the solver does not know whether a counterexample is real"))
        self._learn(found)
        self.refinements += 1

    def _learn(self, found: Derivation) -> None:
        interpolants = self._strategy.ask(found, self._deadline.at)
        changed: dict[int, Node] = {}
        new: dict[str, tuple[Term, ...]] = {}
        for step, formula in zip(found.steps[:-1], interpolants, strict=True):
            label = literals(formula)
            if self._unwinding.strengthen(step.node, label):
                changed[step.node.number] = step.node
                new[step.node.relation] = (*new.get(step.node.relation, ()), *label)
        self._unwinding.settle()
        states = len(self._unwinding.vertices)
        lessons = {k: (formula,) for k, formula in enumerate(interpolants)}
        why = breaking(lessons, found, lambda term: print_infix(normal(term), {}))
        self._observe(Round(self.refinements + 1, found, why, new, states, states))
        for node in changed.values():
            if self._unwinding.active(node):
                self._unwinding.close(node)

    # -------------------------------------------------------------------------------------- forcing

    def force(self, vertex: Node) -> bool:
        """Make the label of an older vertex follow at this one, if it does follow."""
        for tried, other in enumerate(self._unwinding.candidates(vertex)):
            if tried == MOST_FORCED:
                return False
            if other.state and self._forced_by(vertex, other):
                self._unwinding.cover(vertex, other)
                self.forced_covers += 1
                return True
        return False

    def _forced_by(self, vertex: Node, other: Node) -> bool:
        path = _between(_common(vertex, other), vertex)
        found = self._question(path, vertex, other)
        asked = self._feasibility.ask(found, self._deadline.at, FORCED_SECONDS)
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
        steps: list[Place] = []
        if path[0].premises:
            steps.append(Place(self._assumed(path[0].premises[0]), ()))
        for node in path:
            steps.append(Place(node, (len(steps) - 1,) if steps else ()))
        relation = self._system.relations[vertex.relation]
        atom = Atom(relation.name, relation.symbols)
        missing = terms.not_(terms.and_(other.state))
        name = _name(f"after {relation.name}", missing)
        goal = Rule(name, (atom,), missing, Query("goal", Vacuity("goal")))
        steps.append(Place(Node(-1, "", frozenset(), goal, (vertex,)), (len(steps) - 1,)))
        return Derivation(tuple(steps))

    def _assumed(self, node: Node) -> Node:
        """A fact that says no more than the label of a vertex."""
        relation = self._system.relations[node.relation]
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
