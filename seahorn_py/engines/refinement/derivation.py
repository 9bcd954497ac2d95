"""Abstract counterexamples: the derivation of a query, and whether it is one of the system.

`feasible` of Podelski, Rybalchenko (ARMC).  A derivation is a tree of rules.  Where the tree would
be too large, the derivation is the graph that the abstract states form; there, a state that is used
twice must be one fact.  In both cases a satisfiable formula is a refutation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.reachability import Edge, Node
from seahorn_py.horn.ruleformula import RuleFormula
from seahorn_py.horn.system import (
    HornSystem,
    Refutation,
    Rule,
    Step,
)
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_sort
from seahorn_py.processes.deadline import Deadline

MOST_STEPS = 400
"""The most steps of a tree; a derivation that would be a larger one is looked at as a graph."""

MOST_CLAUSES = 120
"""With so many nodes and edges no more derivations are looked at together."""


@dataclass(frozen=True)
class DerivationStep:
    """A step of a derivation: its node and the positions of its premises, which come before."""

    node: Node
    premises: tuple[int, ...]

    @property
    def rule(self) -> Rule:
        """The rule that is applied."""
        return self.node.rule


@dataclass(frozen=True)
class Alternative:
    """Another rule that derives the node of a step, from steps that come before it."""

    step: int
    rule: Rule
    premises: tuple[int, ...]


@dataclass(frozen=True)
class Derivation:
    """Steps, premises first; the last derives a query.

    With alternatives the steps are those of many derivations at once.
    """

    steps: tuple[DerivationStep, ...]
    alternatives: tuple[Alternative, ...] = ()

    @property
    def path(self) -> bool:
        """Whether each step is the only premise of the next."""
        return not self.alternatives and all(
            s.premises == ((k - 1,) if k else ()) for k, s in enumerate(self.steps)
        )

    @property
    def tree(self) -> bool:
        """Whether no step is used twice."""
        used = [p for step in self.steps for p in step.premises]
        return not self.alternatives and len(used) == len(set(used))


def derivation(query: Node) -> Derivation:
    """The derivation of a query: a tree, or a graph where that is too large."""
    return _unfolded(query) or _graph(query)


def _unfolded(query: Node) -> Derivation | None:
    steps: list[DerivationStep] = []
    done: list[int] = []
    todo: list[tuple[Node, bool]] = [(query, False)]
    while todo:
        node, is_ready = todo.pop()
        if not is_ready:
            todo.append((node, True))
            todo.extend((p, False) for p in reversed(node.premises))
            if len(steps) + len(todo) > MOST_STEPS:
                return None
            continue
        arity = len(node.premises)
        premises = tuple(done[len(done) - arity :])
        del done[len(done) - arity :]
        done.append(len(steps))
        steps.append(DerivationStep(node, premises))
    return Derivation(tuple(steps))


def _graph(query: Node) -> Derivation:
    return _numbered(_below([query]), ())


def all_derivations(query: Node, edges: Callable[[Node], Iterable[Edge]]) -> Derivation:
    """The graph of a query with other edges to its nodes, and to theirs, as far as they are few.

    An edge from a node that is not older than the one it leads to is left out: no node is derived
    from itself.
    """
    found, todo = _below([query]), deque(_below([query]).values())
    others: list[tuple[Node, Edge]] = []
    while todo:
        node = todo.popleft()
        for edge in edges(node):
            if any(premise.number >= node.number for premise in edge.premises):
                continue
            more = {n: p for n, p in _below(edge.premises).items() if n not in found}
            if len(found) + len(more) + len(others) >= MOST_CLAUSES:
                continue
            found |= more
            todo.extend(more.values())
            others.append((node, edge))
    return _numbered(found, others)


def _below(nodes: Sequence[Node]) -> dict[int, Node]:
    """These nodes and all that they are derived from, by number."""
    found: dict[int, Node] = {}
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if node.number not in found:
            found[node.number] = node
            todo.extend(node.premises)
    return found


def _numbered(found: Mapping[int, Node], others: Sequence[tuple[Node, Edge]]) -> Derivation:
    order = sorted(found)
    position = {number: k for k, number in enumerate(order)}

    def at(premises: Iterable[Node]) -> tuple[int, ...]:
        return tuple(position[p.number] for p in premises)

    steps = tuple(DerivationStep(found[n], at(found[n].premises)) for n in order)
    more = (Alternative(position[n.number], e.rule, at(e.premises)) for n, e in others)
    return Derivation(steps, tuple(more))


# --------------------------------------------------------------------------------------- formulas


class Formulas:
    """The formulas of a system's rules, each made once."""

    def __init__(self, system: HornSystem) -> None:
        self.relations = system.relations
        self._rules: dict[str, RuleFormula] = {}

    def of(self, rule: Rule) -> RuleFormula:
        """The formula of a rule."""
        if rule.name not in self._rules:
            self._rules[rule.name] = RuleFormula(rule, self.relations)
        found = self._rules[rule.name]
        assert found.rule == rule, "two rules share a name"
        return found

    def instances(
        self, steps: Sequence[DerivationStep]
    ) -> list[tuple[RuleFormula, dict[Term, str]]]:
        """The formula of each step, with names for its symbols."""
        found = [(self.of(step.rule), step.premises) for step in steps]
        return [(rule, rule.names(k, premises)) for k, (rule, premises) in enumerate(found)]


# ------------------------------------------------------------------------------------- feasibility


class Feasibility:
    """Asks whether derivations have instances."""

    def __init__(self, formulas: Formulas, solver: Solver, solvers: Solvers | None = None) -> None:
        self._formulas = formulas
        self._solver = solver
        self._solvers = solvers or Solvers(solver)

    def ask(self, of: Derivation, until: float, seconds: float) -> Status:
        """Whether all rules of a derivation can be applied."""
        backend = self._solvers.backend()
        declared: set[str] = set()
        for rule, names in self._formulas.instances(of.steps):
            fresh = {s: name for s, name in names.items() if name not in declared}
            declared.update(fresh.values())
            backend.declare(fresh)
            backend.add(backend.formula(rule.formula, names))
        return backend.check((), until, seconds)

    def refutation(self, of: Derivation, deadline: Deadline) -> Refutation | None:
        """The derivation with values; None where the solver does not give them."""
        instances = self._formulas.instances(of.steps)
        names = {name: s for _, own in instances for s, name in own.items()}
        script = [
            *(f"(declare-const {n} {print_sort(terms.sort_of(s))})" for n, s in names.items()),
            *(f"(assert {rule.text(own)})" for rule, own in instances),
        ]
        wanted = list(names)
        (answer,) = check_scripts(["\n".join(script)], self._solver, deadline, wanted=wanted)
        if answer.status is not Status.SAT:
            return None
        try:
            values = {
                name: parse_term(text, {}, "value")
                for name, text in zip(wanted, answer.values, strict=True)
            }
        except InputError:
            return None
        return Refutation(
            tuple(
                _step(step, rule, own, values)
                for step, (rule, own) in zip(of.steps, instances, strict=True)
            )
        )


def _step(
    step: DerivationStep, rule: RuleFormula, names: Mapping[Term, str], values: Mapping[str, Term]
) -> Step:
    has_fact = len(rule.ports) > len(step.premises)
    arguments = tuple(values[names[p]] for p in rule.ports[-1]) if has_fact else ()
    known = {s: values[names[s]] for s in rule.symbols}
    return Step(step.rule.name, arguments, step.premises, known)
