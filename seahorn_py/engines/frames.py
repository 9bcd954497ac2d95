"""Runs of a linear Horn system as a sequence of frames, for base and step of inductions.

A frame holds one instance for each relation in which a run can be after so many steps.  Its guard
says that the run is there, its state is the case distinction over the ways that lead there; free
Booleans choose between facts, between relations and between rules, so that under each assignment a
run is at one relation.  Constants run through rules as in `bmc.code`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from seahorn_py.base.errors import NOWHERE
from seahorn_py.base.records import dataclass
from seahorn_py.engines.bmc.code import Code, code_of
from seahorn_py.engines.bmc.refutation import Concrete, refutation_of
from seahorn_py.engines.bmc.state import Activation, Edge, Instance, Key, Progress
from seahorn_py.engines.bmc.symbolic import Symbolic, Value, Values
from seahorn_py.engines.conclusion import Conclusion, Limit, Reached
from seahorn_py.horn.system import (
    Atom,
    HornSystem,
    Model,
    Query,
    Relation,
    Rule,
    Vacuity,
)
from seahorn_py.logic.solvers.construction.protocol import Terms
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

Fresh = Callable[[Key, Term], Value]

CHOICE: Term = terms.symbol("kinduction!choice", terms.BOOL)
"""The free symbol that chooses between relations or rules."""

_NOWHERE = Instance("", Activation((), None, {}, Progress()), (), (), (), True, (), [])


@dataclass(frozen=True)
class Frame:
    """Where a run can be after so many steps, and the queries that it can meet from there."""

    instances: tuple[Instance, ...]
    queries: tuple[Edge, ...]


class Frames:
    """The frames of runs from facts, or from any state."""

    def __init__(self, system: HornSystem, values: Values) -> None:
        self.values = values
        self.codes: dict[str, Code] = {rule.name: code_of(rule, values) for rule in system.rules}
        self._relations = system.relations
        self._numbers = {name: number for number, name in enumerate(system.relations)}
        self._leaving: dict[str, list[Rule]] = {name: [] for name in ("", *system.relations)}
        for rule in system.rules:
            self._leaving[rule.body[0].relation if rule.body else ""].append(rule)
        self._variables: dict[tuple[Key, Term], Value] = {}

    @property
    def variables(self) -> Mapping[tuple[Key, Term], Value]:
        """The free symbols of the frames made so far."""
        return self._variables

    def from_facts(self, fresh: Fresh | None = None, *, keep: bool = False) -> Frame:
        """Before any step: at no relation, and the rules without a body lead out of it."""
        return self._frame((_NOWHERE,), fresh or self.fresh, keep)

    def anywhere(self) -> Frame:
        """Some state of some relation from which a rule leads on."""
        left: Value = True
        instances = []
        for name, relation in self._relations.items():
            if self._leaving[name]:
                key = (0, self._numbers[name])
                here = self.fresh(key, CHOICE)
                state = tuple(
                    self.values.variable(f"s{self._numbers[name]}_{k}", p.sort)
                    for k, p in enumerate(relation.parameters)
                )
                guard = self.values.and_(left, here)
                instances.append(_instance(name, key, guard, state, []))
                left = self.values.and_(left, self.values.not_(here))
        return self._frame(tuple(instances), self.fresh, False)

    def after(self, frame: Frame, fresh: Fresh | None = None, *, keep: bool = False) -> Frame:
        """One step further."""
        fresh = fresh or self.fresh
        arriving: dict[str, list[Edge]] = {}
        for instance in frame.instances:
            for edge in self._chosen(instance, fresh, keep):
                assert isinstance(edge.rule.head, Atom)
                arriving.setdefault(edge.rule.head.relation, []).append(edge)
        at = 1 + max((i.key[0] for i in frame.instances if i.key), default=0)
        merged = (self._merged(at, name, edges) for name, edges in arriving.items())
        return self._frame(tuple(merged), fresh, keep)

    def fresh(self, key: Key, symbol: Term) -> Value:
        """The variable of a free symbol at an instance."""
        if (key, symbol) not in self._variables:
            name = f"x{len(self._variables)}"
            self._variables[key, symbol] = self.values.variable(name, terms.sort_of(symbol))
        return self._variables[key, symbol]

    def _frame(self, instances: tuple[Instance, ...], fresh: Fresh, keep: bool) -> Frame:
        queries = [
            edge
            for instance in instances
            for edge in self._edges(instance, fresh, keep)
            if isinstance(edge.rule.head, Query)
        ]
        return Frame(instances, tuple(queries))

    def _chosen(self, instance: Instance, fresh: Fresh, keep: bool) -> list[Edge]:
        """The ways on, at most one of which is taken; a choice belongs to its rule."""
        going_on = [e for e in self._edges(instance, fresh, keep) if isinstance(e.rule.head, Atom)]
        numbers = {r.name: k for k, r in enumerate(self._leaving[instance.relation])}
        left: Value = True
        for edge in going_on[:-1]:
            free = fresh((*instance.key, numbers[edge.rule.name]), CHOICE)
            edge.guard = self.values.and_(edge.guard, self.values.and_(left, free))
            left = self.values.and_(left, self.values.not_(free))
        if going_on:
            going_on[-1].guard = self.values.and_(going_on[-1].guard, left)
        return [edge for edge in going_on if edge.guard is not False]

    def _edges(self, instance: Instance, fresh: Fresh, keep: bool) -> list[Edge]:
        premises = (instance,) if instance.relation else ()
        found = []
        for number, rule in enumerate(self._leaving[instance.relation]):
            code = self.codes[rule.name]
            own = (*instance.key, number)
            ran = code.run([p.state for p in premises], partial(fresh, own), self.values)
            if ran is None:
                continue
            guard = self.values.and_(instance.guard, ran[0])
            if guard is not False:
                slots = ran[1] if keep else []
                found.append(Edge(rule, guard, code.derived(ran[1]), premises, slots, False, True))
        return found

    def _merged(self, at: int, name: str, edges: list[Edge]) -> Instance:
        values = self.values
        *others, last = edges
        state = list(last.state)
        for edge in reversed(others):
            for k, parameter in enumerate(self._relations[name].parameters):
                state[k] = values.ite(edge.guard, edge.state[k], state[k], parameter.sort)
        guard = values.or_([edge.guard for edge in edges])
        return _instance(name, (at, self._numbers[name]), guard, tuple(state), edges)


class Invariants:
    """A model as code: what it says of instances."""

    def __init__(self, relations: Mapping[str, Relation], model: Model, values: Values) -> None:
        self._values = values
        self._codes = {
            name: code_of(_inside(relations[name], formula), values)
            for name, formula in model.interpretations.items()
            if formula is not terms.TRUE
        }

    def of(self, frame: Frame) -> Value:
        """Every instance in which the run is satisfies the model."""
        values = self._values
        parts: Value = True
        for instance in frame.instances:
            if instance.relation in self._codes:
                ran = self._codes[instance.relation].run([instance.state], _no_input, values)
                holds = False if ran is None else ran[0]
                parts = values.and_(parts, values.or_([values.not_(instance.guard), holds]))
        return parts


def met(frame: Frame, values: Values) -> Value:
    """A query is met from the frame."""
    return values.or_([edge.guard for edge in frame.queries])


def different(one: Frame, other: Frame, relations: Mapping[str, Relation], values: Values) -> Value:
    """A run is not in the same state in both frames."""
    reached = {instance.relation: instance for instance in one.instances}
    parts: Value = True
    for instance in other.instances:
        if instance.relation in reached:
            before = reached[instance.relation]
            same = values.and_(before.guard, instance.guard)
            sorts = (p.sort for p in relations[instance.relation].parameters)
            for left, right, sort in zip(before.state, instance.state, sorts, strict=True):
                same = values.and_(same, values.equal(left, right, sort))
            parts = values.and_(parts, values.not_(same))
    return parts


def certain(frame: Frame) -> Edge:
    """The query that a run of constants meets."""
    return next(edge for edge in frame.queries if not isinstance(edge.guard, Symbolic))


def _inside(relation: Relation, formula: Term) -> Rule:
    """A rule that applies to the states of a relation that satisfy a formula."""
    atom = Atom(relation.name, relation.symbols)
    return Rule(
        relation.name,
        (atom,),
        formula,
        Query(relation.name, Vacuity(relation.name)),
        origin=NOWHERE,
    )


def _no_input(symbol: Term) -> Value:
    raise AssertionError(f"{symbol} is no parameter")


def _instance(
    name: str, key: Key, guard: Value, state: Sequence[Value], edges: list[Edge]
) -> Instance:
    return Instance(name, _NOWHERE.activation, key, (), (), guard, tuple(state), edges)


class Base:
    """Whether a query is met after k - 1 steps of a run from a fact."""

    def __init__(self, system: HornSystem, solver: Terms) -> None:
        self._values = Values(solver)
        self._frames = Frames(system, self._values)
        self._frame = self._frames.from_facts()
        self._steps = 0
        self._modelled = False
        self._asked: tuple[Value, ...] = ()
        self._pending = [met(self._frame, self._values)]
        self.deepen()

    def deepen(self) -> None:
        """One step further."""
        self._frame = self._frames.after(self._frame)
        self._steps += 1
        self._pending.append(met(self._frame, self._values))

    def ask(self, until: float) -> Status:
        """Whether one of the queries not yet asked for is met."""
        reached = self._values.or_(self._pending)
        if not isinstance(reached, Symbolic):
            self._modelled = False
            status = Status.SAT if reached else Status.UNSAT
        else:
            self._modelled = True
            status = self._values.solver.check([reached.term], until)
        if status is Status.UNSAT:
            self._pending = []
        return status

    def refuted(self) -> Conclusion:
        """Go again with the values that the solver found: what is left is one derivation."""
        variables = self._frames.variables if self._modelled else {}
        concrete = Concrete(self._values, variables)
        frame = self._frames.from_facts(concrete.fresh, keep=True)
        for _ in range(self._steps + 1):
            if frame.queries:
                return Reached(refutation_of(certain(frame), self._frames.codes))
            frame = self._frames.after(frame, concrete.fresh, keep=True)
        return Limit("the model of a query is no derivation, or divides by 0")
