"""In the child: a Horn system unrolled along bounds, as one formula, with cvc5's terms.

Each relation is visited in the order of `nesting.order_of`; all rule instances that have arrived
there become one relation instance.  With one way in, its guard and its arguments are those of that
rule instance; with more, a free Boolean selects each of them: `selected -> guard`, the instance is
reached if one is selected, and its arguments are those of the selected one.  A derivation picks one
way into each instance that it passes, so it satisfies the formula, and nothing is lost.

The result is the script in lines, and the conditions of which none can hold: to reach a query, or
to go beyond a bound.  Nothing is left to be reached where there is no condition.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from cvc5 import Kind

from seahorn_py.base.records import dataclass
from seahorn_py.horn.checking.nesting import Begin, End, Instruction, Visit, order_of
from seahorn_py.horn.checking.unrolling_rules import Formula, Plan, Value
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import Expected

MAX_INSTANCES = 200_000


class TooMuch(Expected):
    """More instances or more time than allowed."""


def script(
    system: HornSystem, calls: Mapping[str, str], bounds: Mapping[str, int], deadline: Deadline
) -> tuple[list[str], list[str]]:
    """Lines of a script, which no condition satisfies exactly when the bounds suffice; TooMuch."""
    order = order_of(system, calls, bounds)
    return _Unrolling(system, calls, order, bounds, deadline.at).script()


# -------------------------------------------------------------------------------------- unrolling


@dataclass(frozen=True)
class _Arrival:
    """A way into an instance."""

    guard: Value
    state: list[Value]


@dataclass(frozen=True)
class _Instance:
    relation: str
    guard: Value
    state: list[Value]


@dataclass
class _Activation:
    """A call in progress: where in the program it is, and what has arrived at each relation."""

    caller: _Instance | None
    exit: str
    depths: Mapping[str, int]
    position: int = 0
    arrived: dict[str, list[_Arrival]] = field(default_factory=dict)
    rounds: list[int] = field(default_factory=list)
    summary: _Instance | None = None


class _Unrolling:
    def __init__(
        self,
        system: HornSystem,
        calls: Mapping[str, str],
        order: Sequence[Instruction],
        bounds: Mapping[str, int],
        until: float,
    ) -> None:
        self._system = system
        self._calls = calls
        self._order = order
        self._bounds = bounds
        self._until = until
        self._formula = Formula()
        self._plans = {rule.name: Plan(rule, self._formula) for rule in system.rules}
        self._leaving: dict[str, list[Rule]] = {}
        for rule in system.rules:
            self._leaving.setdefault(rule.body[0].relation if rule.body else "", []).append(rule)
        self._reached: list[Value] = []
        self._instances = 0

    def script(self) -> tuple[list[str], list[str]]:
        start = _Activation(None, "", {})
        nowhere = _Instance("", self._formula.true, [])
        free: dict[Term, Value] = {}
        for rule in self._leaving.get("", ()):
            self._follow(rule, [], nowhere, start, free)
        stack = [start]
        while stack:
            self._step(stack)
        return self._formula.lines, list(dict.fromkeys(str(v.term) for v in self._reached))

    def _step(self, stack: list[_Activation]) -> None:
        """One instruction of the innermost activation."""
        activation = stack[-1]
        if activation.position == len(self._order):
            stack.pop()
            for arrivals in activation.arrived.values():  # none, where the order is right
                self._reached.extend(a.guard for a in arrivals)
            self._return(activation, stack)
            return
        instruction = self._order[activation.position]
        activation.position += 1
        match instruction:
            case Visit(relation):
                arrivals = activation.arrived.pop(relation, [])
                if arrivals:
                    stack.extend(self._visit(relation, arrivals, activation))
            case Begin():
                activation.rounds.append(0)
            case End(head, begin):
                self._end(activation, head, begin)

    def _end(self, activation: _Activation, head: str, begin: int) -> None:
        """Another round if something came back to the head and the bound allows it."""
        back = activation.arrived.get(head)
        if back and activation.rounds[-1] < self._bounds[head]:
            activation.rounds[-1] += 1
            activation.position = begin + 1
            return
        activation.rounds.pop()
        if back:
            self._reached.extend(a.guard for a in activation.arrived.pop(head))

    def _visit(
        self, relation: str, arrivals: list[_Arrival], activation: _Activation
    ) -> Iterator[_Activation]:
        """Follow the rules that leave an instance; the activations of the calls that it makes."""
        self._instances += 1
        if self._instances > MAX_INSTANCES or time.monotonic() > self._until:
            raise TooMuch("more instances or time than allowed")
        instance = self._instance(relation, arrivals)
        if activation.caller is not None and relation == activation.exit:
            activation.summary = instance
        free: dict[Term, Value] = {}
        for rule in self._leaving.get(relation, ()):
            if rule.name in self._calls:
                yield from self._call(rule, instance, activation)
            elif len(rule.body) == 1:
                self._follow(rule, [instance.state], instance, activation, free)

    def _instance(self, relation: str, arrivals: list[_Arrival]) -> _Instance:
        if len(arrivals) == 1:
            return _Instance(relation, arrivals[0].guard, arrivals[0].state)
        formula = self._formula
        selectors = [formula.selected(a.guard) for a in arrivals]
        sorts = [p.sort for p in self._system.relations[relation].parameters]
        state = [
            formula.choice(selectors, [a.state[k] for a in arrivals], sort)
            for k, sort in enumerate(sorts)
        ]
        return _Instance(relation, formula.joined(Kind.OR, selectors), state)

    def _follow(
        self,
        rule: Rule,
        states: Sequence[Sequence[Value]],
        latest: _Instance,
        activation: _Activation,
        free: dict[Term, Value],
    ) -> None:
        arrival = self._applied(rule, states, latest, free)
        if arrival is None:
            return
        if isinstance(rule.head, Atom):
            activation.arrived.setdefault(rule.head.relation, []).append(arrival)
        else:
            self._reached.append(arrival.guard)

    def _applied(
        self,
        rule: Rule,
        states: Sequence[Sequence[Value]],
        latest: _Instance,
        free: dict[Term, Value],
    ) -> _Arrival | None:
        found = self._plans[rule.name].instance(states, free)
        if found is None:
            return None
        condition, state = found
        if condition.term.isBooleanValue():
            return _Arrival(latest.guard, state)
        if latest.guard.term.isBooleanValue():
            return _Arrival(condition, state)
        return _Arrival(self._formula.joined(Kind.AND, [latest.guard, condition]), state)

    def _call(
        self, rule: Rule, caller: _Instance, activation: _Activation
    ) -> Iterator[_Activation]:
        assert isinstance(rule.head, Atom)
        entry = rule.head.relation
        arrival = self._applied(rule, [caller.state], caller, {})
        if arrival is None:
            return
        depth = activation.depths.get(entry, -1) + 1
        if depth > self._bounds.get(entry, 0):
            self._reached.append(arrival.guard)
            return
        depths = {**activation.depths, entry: depth}
        called = _Activation(caller, self._calls[rule.name], depths)
        called.arrived[entry] = [arrival]
        yield called

    def _return(self, activation: _Activation, stack: list[_Activation]) -> None:
        """Go on after a call, with its summary."""
        caller, summary = activation.caller, activation.summary
        if caller is None or summary is None:
            return
        free: dict[Term, Value] = {}
        for rule in self._leaving[caller.relation]:
            if len(rule.body) == 2:
                self._follow(rule, [caller.state, summary.state], summary, stack[-1], free)
