"""Unwinding a Horn system up to bounds, with one state for each relation and iteration.

An *instance* is a relation at an iteration of each loop around it, in an *activation* of its
function.  Instances are treated in the order in which a run can pass them, so that all ways into
one are known when its turn comes: its guard is their disjunction, its state their case distinction
(the merging of CBMC's symbolic execution, Clarke, Kroening, Lerda 2004, instead of a path each).
With one way in, the state is the arguments of that rule, so that constants run through a loop and
decide its conditions.

Where two rules may both go on from a state, a free Boolean chooses, so that under each assignment
of the free symbols at most one path is taken and cases exclude each other.

What goes beyond a bound is not followed but kept as the *frontier*: when nothing in it can be
reached, the bounds suffice (the unwinding assertion).  An iteration that every run completes and
leaves for the next one does not count against the bound, up to as many times the bound as the
policy says (fewer where it reads inputs).  So a loop with a fixed number of rounds is ended by its
constants and not by the bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from seahorn_py.base.records import dataclass
from seahorn_py.engines.bmc.code import Code
from seahorn_py.engines.bmc.merging import Merger
from seahorn_py.engines.bmc.shape import Shape
from seahorn_py.engines.bmc.state import Activation, Edge, Instance, Key, Limits, Progress
from seahorn_py.engines.bmc.symbolic import Value, Values
from seahorn_py.horn.system import Atom, Relation, Rule
from seahorn_py.horn.transform.acceleration.loopnest import Address
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

Fresh = Callable[[Key, Term], Value]


@dataclass
class _Arrival:
    """An instance whose turn has not come, and the ways into it."""

    relation: str
    activation: Activation
    iterations: Key
    edges: list[Edge] = field(default_factory=list)


@dataclass
class Unwound:
    """What is reached within the bounds: the queries, the frontier, and the most iterations."""

    queries: list[Edge] = field(default_factory=list)
    frontier: list[tuple[str, Value]] = field(default_factory=list)
    deepest: dict[str, int] = field(default_factory=dict)
    instances: int = 0
    steps: int = 0


class Unwinder:
    """Unwinds once.

    `fresh` gives the free symbols of an instance their values; `dead` says whether a guard is known
    to be unsatisfiable; `choices` names the relations whose rules may go on side by side; `tick` is
    called for each instance and may raise.
    """

    def __init__(
        self,
        relations: Mapping[str, Relation],
        shape: Shape,
        codes: Mapping[str, Code],
        values: Values,
        limits: Limits,
        fresh: Fresh,
        *,
        dead: Callable[[Value], bool],
        choices: frozenset[str],
        tick: Callable[[], None],
        keep: bool = False,
    ) -> None:
        self._relations = relations
        self._shape = shape
        self._codes = codes
        self._values = values
        self._limits = limits
        self._fresh = fresh
        self._dead = dead
        self._choices = choices
        self._tick = tick
        self._keep = keep
        self._queue: list[Key] = []
        self._waiting: dict[Key, _Arrival] = {}
        self._found = Unwound()

    def run(self) -> Unwound:
        """Follow everything from the facts on; stop at a query that is certainly reached."""
        start = Activation((), None, {}, Progress(began=True))
        nowhere = Instance("", start, (), (), (), True, (), [])
        self._leave(nowhere, self._shape.outgoing[""].steps)
        self._ask(self._shape.outgoing[""].queries, (nowhere,), nowhere)
        while self._queue and not self._certain():
            self._tick()
            key = heapq.heappop(self._queue)
            instance = self._instance(key, self._waiting.pop(key))
            if instance.guard is not False:
                self._found.instances += 1
                self._expand(instance)
        return self._found

    def _certain(self) -> bool:
        return bool(self._found.queries) and self._found.queries[-1].guard is True

    # ------------------------------------------------------------------------------------ merging

    def _instance(self, key: Key, arrival: _Arrival) -> Instance:
        """All ways into an instance as one."""
        edges = arrival.edges
        guard = self._values.or_([e.guard for e in edges])
        state = edges[0].state if len(edges) == 1 else self._merged(arrival)
        progress = self._progress(key, guard, arrival)
        kept = edges if self._keep else []
        return Instance(
            arrival.relation,
            arrival.activation,
            key,
            arrival.iterations,
            progress,
            guard,
            state,
            kept,
        )

    def _progress(self, key: Key, guard: Value, arrival: _Arrival) -> tuple[Progress, ...]:
        """The progress of the loops around; those that begin here or begin again know it."""
        first, *others = arrival.edges
        progress = first.progress
        for edge in others:
            progress = tuple(map(Progress.joined, progress, edge.progress))
        return tuple(replace(p, began=guard) if p.began is False else p for p in progress)

    def _merged(self, arrival: _Arrival) -> tuple[Value, ...]:
        """The state of the way that is taken; which one counts only where one is."""
        merger = Merger(self._values, [edge.guard for edge in arrival.edges])
        sorts = [p.sort for p in self._relations[arrival.relation].parameters]
        options = zip(*(edge.state for edge in arrival.edges), strict=True)
        return tuple(merger.merged(o, sort) for o, sort in zip(options, sorts, strict=True))

    # ----------------------------------------------------------------------------------- expanding

    def _expand(self, instance: Instance) -> None:
        rules = self._shape.outgoing[instance.relation]
        self._ask(rules.queries, (instance,), instance)
        self._leave(instance, rules.steps)
        for rule in rules.contexts:
            self._enter(instance, rule)
        caller = instance.activation.caller
        if caller is not None and self._returns(instance, caller):
            self._return(caller, instance)

    def _returns(self, instance: Instance, caller: Instance) -> bool:
        (context,) = self._shape.outgoing[caller.relation].contexts
        assert isinstance(context.head, Atom)
        return self._shape.entries[context.head.relation] == instance.relation

    def _return(self, caller: Instance, summary: Instance) -> None:
        """Go on after a call with its summary."""
        joins = self._shape.outgoing[caller.relation].joins
        going_on = [rule for rule in joins if isinstance(rule.head, Atom)]
        premises = (caller, summary)
        self._follow(going_on, premises, summary, caller)
        self._ask([rule for rule in joins if rule not in going_on], premises, summary)

    def _leave(self, instance: Instance, rules: Sequence[Rule]) -> None:
        premises = (instance,) if instance.relation else ()
        self._follow(rules, premises, instance, instance)

    def _follow(
        self,
        rules: Sequence[Rule],
        premises: tuple[Instance, ...],
        latest: Instance,
        source: Instance,
    ) -> None:
        """The rules that go on from the premises; `source` is where they leave in the order."""
        possible = list(self._apply(rules, premises, latest))
        for edge in self._chosen(rules, possible, latest, source):
            self._arrive(source, edge)

    def _chosen(
        self, rules: Sequence[Rule], edges: list[Edge], latest: Instance, source: Instance
    ) -> list[Edge]:
        """At most one of the edges is taken, by free choice where several could be.

        A choice belongs to its rule, so that it means the same when constants rule out others.
        """
        if len(edges) < 2 or source.relation not in self._choices:
            return edges
        numbers = {rule.name: number for number, rule in enumerate(rules)}
        left: Value = True
        for edge in edges[:-1]:
            free = self._fresh((*latest.key, numbers[edge.rule.name]), CHOICE)
            edge.guard = self._values.and_(edge.guard, self._values.and_(left, free))
            left = self._values.and_(left, self._values.not_(free))
        edges[-1].guard = self._values.and_(edges[-1].guard, left)
        return [edge for edge in edges if edge.guard is not False]

    def _apply(
        self, rules: Sequence[Rule], premises: tuple[Instance, ...], latest: Instance
    ) -> Iterator[Edge]:
        """The instances of the rules that are not known to be impossible."""
        values = self._values
        states = [p.state for p in premises]
        own: dict[Term, Value] = {}

        def fresh(symbol: Term) -> Value:
            # rules that leave one state share their symbols: at most one of them is taken
            if symbol not in own:
                own[symbol] = self._fresh(latest.key, symbol)
            return own[symbol]

        for rule in rules:
            code = self._codes[rule.name]
            self._found.steps += 1
            ran = code.run(states, fresh, values)
            if ran is None:
                continue
            condition, slots = ran
            guard = values.and_(latest.guard, condition)
            if guard is False or self._dead(guard):
                continue
            kept = slots if self._keep else []
            if code.reads:
                latest.activation.reads = True
            reads = code.reads or (len(premises) > 1 and latest.activation.reads)
            state = code.derived(slots)
            yield Edge(rule, guard, state, premises, kept, reads, code.conditional)

    def _ask(self, rules: Sequence[Rule], premises: tuple[Instance, ...], latest: Instance) -> None:
        real = premises if latest.relation else ()
        self._found.queries.extend(self._apply(rules, real, latest))

    # ------------------------------------------------------------------------------------ arriving

    def _arrive(self, source: Instance, edge: Edge) -> None:
        """Add a way into the instance that the edge leads to, or to the frontier."""
        assert isinstance(edge.rule.head, Atom)
        target = edge.rule.head.relation
        address = self._shape.addresses[target]
        iterations = self._locate(source, target, address, edge)
        if address.heads and self._beyond(address, iterations, edge.progress):
            self._found.frontier.append((address.heads[-1], edge.guard))
            return
        self._add(source.activation, target, iterations, edge)

    def _locate(self, source: Instance, target: str, address: Address, edge: Edge) -> Key:
        """The iterations of the loops around the target; the edge gets their progress."""
        shared = 0
        if source.relation:
            shared = _shared(self._shape.addresses[source.relation].heads, address.heads)
        iterations = source.iterations[:shared]
        progress = tuple(p.after(edge) for p in source.progress[:shared])
        if shared and address.heads[shared - 1] == target:
            iterations = (*iterations[:-1], iterations[-1] + 1)
            progress = (*progress[:-1], progress[-1].around(edge, conditional=edge.conditional))
        entered = len(address.heads) - shared
        edge.progress = (*progress, *[Progress()] * entered)
        return (*iterations, *[0] * entered)

    def _beyond(self, address: Address, iterations: Key, progress: tuple[Progress, ...]) -> bool:
        triples = zip(address.heads, iterations, progress, strict=True)
        return any(self._limits.exceeded(*triple) for triple in triples)

    def _enter(self, caller: Instance, context: Rule) -> None:
        """Call a function: an activation of its own, one level deeper."""
        assert isinstance(context.head, Atom)
        entry = context.head.relation
        for edge in self._apply([context], (caller,), caller):
            outer = caller.activation
            depths = {**outer.depths, entry: outer.depths.get(entry, -1) + 1}
            progress = outer.progress
            if depths[entry]:
                progress = progress.around(edge, conditional=True)
            if self._limits.exceeded(entry, depths[entry], progress, calls=True):
                self._found.frontier.append((entry, edge.guard))
                return
            self._deepen(entry, depths[entry])
            progress = replace(progress, began=edge.guard)
            activation = Activation((*caller.key, 1), caller, depths, progress)
            heads = self._shape.addresses[entry].heads
            edge.progress = (Progress(),) * len(heads)
            self._add(activation, entry, (0,) * len(heads), edge)

    def _add(self, activation: Activation, target: str, iterations: Key, edge: Edge) -> None:
        address = self._shape.addresses[target]
        key = (*activation.prefix, *_interleaved(address.positions, iterations))
        arrival = self._waiting.get(key)
        if arrival is None:
            arrival = self._waiting[key] = _Arrival(target, activation, iterations)
            heapq.heappush(self._queue, key)
            for head, iteration in zip(address.heads, iterations, strict=True):
                self._deepen(head, iteration)
        arrival.edges.append(edge)

    def _deepen(self, head: str, iteration: int) -> None:
        self._found.deepest[head] = max(iteration, self._found.deepest.get(head, 0))


CHOICE: Term = terms.symbol("bmc!choice", terms.BOOL)
"""The free symbol that chooses between rules."""


def _interleaved(positions: Key, iterations: Key) -> Key:
    key: list[int] = []
    for position, iteration in zip(positions, iterations, strict=False):
        key += (position, iteration)
    return (*key, positions[-1])


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
