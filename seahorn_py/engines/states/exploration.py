"""The search through all states, and what it ends with: a model, or the run to a query."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, Reached
from seahorn_py.engines.states.choices import TooMany, drawn, representatives
from seahorn_py.engines.states.successors import Successors
from seahorn_py.horn.system import Atom, HornSystem, Model, Refutation, Rule, Step
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import Value
from seahorn_py.logic.terms.maps import Everywhere, Stored
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.processes.deadline import Deadline

MOST_STATES = 30_000
"""More make a model that is too large to be checked."""


@dataclass(frozen=True, slots=True)
class State:
    """A relation and values of its parameters; None for any value."""

    relation: str
    values: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a state was reached first: a rule, the state before, and the values of the rule."""

    rule: Rule
    before: State | None
    values: Sequence[Value]


class Search:
    """Breadth first, so that the run to a query is a shortest one.

    With `some` only some values are tried.  Rules of two premises are left out then, and nothing
    is proved.
    """

    def __init__(self, system: HornSystem, deadline: Deadline, *, some: bool = False) -> None:
        self._some = some
        self._system = system
        self._deadline = deadline
        self._using: dict[str, list[Rule]] = {}
        for rule in (rule for rule in system.rules if len(rule.body) < 2):
            self._using.setdefault(rule.body[0].relation if rule.body else "", []).append(rule)
        self._compiled: dict[tuple[str, frozenset[int]], Successors] = {}
        self.arrivals: dict[State, Arrival] = {}
        self._waiting: deque[State | None] = deque([None])

    def run(self) -> Conclusion:
        """Follow all rules from all states."""
        try:
            while self._waiting:
                found = self._follow(self._waiting.popleft())
                if found is not None:
                    return self._reached(found)
                if len(self.arrivals) > MOST_STATES:
                    return Limit(f"more than {MOST_STATES} states")
                if self._deadline.remaining <= 0:
                    return Limit(f"time limit after {len(self.arrivals)} states")
        except TooMany as reason:
            return Limit(str(reason))
        if self._some:
            return Limit("no error with the values that are tried")
        return Proved(self._model(), Solver.Z3)

    def _follow(self, state: State | None) -> Arrival | None:
        """The arrival at a query, if a rule derives one from the state; new states wait."""
        values = () if state is None else state.values
        given = [value for value in values if value is not None]
        for rule in self._using.get("" if state is None else state.relation, ()):
            for head, all_values in self._successors(rule, state).of(given):
                arrival = Arrival(rule, state, all_values)
                if not isinstance(rule.head, Atom):
                    return arrival
                reached = State(rule.head.relation, tuple(map(_normal, head)))
                if reached not in self.arrivals:
                    self.arrivals[reached] = arrival
                    self._waiting.append(reached)
        return None

    def _successors(self, rule: Rule, state: State | None) -> Successors:
        values = () if state is None else state.values
        free = frozenset(k for k, value in enumerate(values) if value is None)
        if (rule.name, free) not in self._compiled:
            choosing = drawn if self._some else representatives
            self._compiled[rule.name, free] = Successors(rule, free, choosing)
        return self._compiled[rule.name, free]

    # ------------------------------------------------------------------------------- evidence

    def _reached(self, last: Arrival) -> Conclusion:
        """The run to an arrival, if it says each value."""
        run, before = [(last, State("", ()))], last.before
        while before is not None:
            arrival = self.arrivals[before]
            run.append((arrival, before))
            before = arrival.before
        if any(value is None for _, state in run for value in state.values):
            return Limit("a query is reached with a value that is not known")
        steps = list[Step]()
        for arrival, state in reversed(run):
            premises = (len(steps) - 1,) if steps else ()
            fixed = self._fixed(arrival)
            steps.append(Step(arrival.rule.name, self._terms(state), premises, fixed))
        return Reached(Refutation(tuple(steps)))

    def _fixed(self, arrival: Arrival) -> Mapping[Term, Term]:
        """The values of symbols that were chosen."""
        chosen = self._successors(arrival.rule, arrival.before).chosen
        return {s: _constant(arrival.values[at], terms.sort_of(s)) for s, at in chosen.items()}

    def _terms(self, state: State) -> tuple[Term, ...]:
        """The values as constants, and the parameter itself where it has any value."""
        if not state.relation:
            return ()
        parameters = self._system.relations[state.relation].parameters
        return tuple(
            p.symbol if value is None else _constant(value, p.sort)
            for value, p in zip(state.values, parameters, strict=True)
        )

    def _model(self) -> Model:
        """Each relation holds of the states that were reached."""
        found: dict[str, list[tuple[Term, ...]]] = {name: [] for name in self._system.relations}
        for state in self.arrivals:
            found[state.relation].append(self._terms(state))
        symbols = {name: one.symbols for name, one in self._system.relations.items()}
        return Model({name: _one_of(symbols[name], rows) for name, rows in found.items()})


def _one_of(symbols: Sequence[Term], rows: Iterable[tuple[Term, ...]]) -> Term:
    """That the symbols have the values of a row, case by case over the first symbol."""
    rows = tuple(rows)
    if not symbols or not rows:
        return terms.bool_const(bool(rows))
    by_first: dict[Term, list[tuple[Term, ...]]] = {}
    for row in rows:
        by_first.setdefault(row[0], []).append(row[1:])
    cases = (
        terms.and_((_equal(symbols[0], value), _one_of(symbols[1:], rest)))
        for value, rest in by_first.items()
    )
    return terms.or_(cases)


def _equal(symbol: Term, value: Term) -> Term:
    """That a symbol has a value; of an array, that its elements that were stored have theirs."""
    if not terms.sort_of(symbol).is_array_type():
        return terms.eq(symbol, value)
    parts = list[Term]()
    while value.is_store():
        value, place, element = value.args()
        parts.append(terms.eq(terms.select(symbol, place), element))
    return terms.and_(parts)


def _normal(value: Value | None) -> Value | None:
    """A value that is equal to all that mean the same, and hashable."""
    if isinstance(value, Everywhere | Stored):
        if isinstance(value.rest, Everywhere | Stored):
            raise TooMany("an array of arrays")
        found: Everywhere | Stored = Everywhere(value.rest)
        for place in sorted(set(value.places())):
            if value.read(place) != value.rest:
                found = Stored(found, place, value.read(place))
        return found
    return value


def _constant(value: Value, sort: Sort) -> Term:
    if sort.is_array_type():
        assert isinstance(value, Everywhere | Stored)
        if isinstance(value, Everywhere):
            return terms.const_array(sort.index_type, _constant(value.rest, sort.elem_type))
        below = _constant(value.below, sort)
        at = _constant(value.index, sort.index_type)
        return terms.store(below, at, _constant(value.element, sort.elem_type))
    if sort.is_bv_type():
        assert isinstance(value, int)
        return terms.bv_const(value, sort.width)
    if sort is terms.BOOL:
        return terms.bool_const(bool(value))
    if sort is terms.INT:
        assert isinstance(value, int)
        return terms.int_const(value)
    raise TooMany(f"no constants of sort {sort}")
