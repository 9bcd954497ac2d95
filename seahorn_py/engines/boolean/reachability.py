"""Reachability in Boolean rules, with summaries, and derivations of what is reached.

Ball, Rajamani: Bebop, a symbolic model checker for Boolean programs, SPIN 2000.  Wolff 2015,
sections 4 and 5.

Step of the papers -> code:

    post of a set of configurations, on a partitioned relation:
    a diagram for each bit that changes, bits quantified early    `transitions.Transition.image`
    path edges and summaries until nothing new is found           `Reachability.run`
    wavefronts: what is new in a round, and from what it came     `Reachability._waves`
    the way back, from wavefront to wavefront                     `Reachability._derivation`

Rounds visit only what is new: a rule with two premises joins what is new at the one with everything
at the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.diagrams import Diagram, Graph, Space
from seahorn_py.engines.boolean.expressions import Expression
from seahorn_py.engines.boolean.rules import BooleanRules
from seahorn_py.engines.boolean.semantics import Meaning
from seahorn_py.engines.boolean.transitions import Transition
from seahorn_py.options import Semantics
from seahorn_py.processes.deadline import OutOfTime

State = tuple[bool, ...]


@dataclass(frozen=True)
class Derived:
    """A step of a derivation: rule and earlier steps by number, and the state."""

    rule: int
    premises: tuple[int, ...]
    state: State


@dataclass(frozen=True)
class Reached:
    """An error is reached; the last step derives it.

    `for_sure`: it is reached in every program of this abstraction.
    """

    steps: tuple[Derived, ...]
    for_sure: bool


@dataclass(frozen=True)
class Unreached:
    """No error is reached; for each location a diagram of the valuations of its bits.

    `proves`: it is reached in no program of this abstraction.
    """

    valuations: Mapping[int, Graph]
    proves: bool


@dataclass(frozen=True)
class Explored:
    """The conclusion, how many states of each location were found, and in how many rounds."""

    conclusion: Reached | Unreached
    states: Mapping[int, int]
    rounds: int


def explore(
    rules: BooleanRules,
    semantics: Semantics = Semantics.OVER,
    is_over: Callable[[], bool] = lambda: False,
) -> Explored:
    """Whether an error is reached; OutOfTime, or MemoryError when the diagrams have no room."""
    return Reachability(rules, semantics, is_over).run()


@dataclass(frozen=True)
class _Wave:
    """States found in a round, and the sets of premises that the rule was applied to."""

    rule: int
    states: Diagram
    premises: tuple[Diagram, ...]


class Reachability:
    """One analysis; its diagrams live as long as it does."""

    def __init__(
        self, rules: BooleanRules, semantics: Semantics, is_over: Callable[[], bool]
    ) -> None:
        self._rules = rules
        self._is_over = is_over
        premises = max((len(rule.body) for rule in rules.rules), default=0)
        most = max((location.bits for location in rules.locations), default=0)
        width = 2 * most + 1 if semantics is Semantics.BELNAP else most
        self._columns = max(1, premises) + 2
        self._space = Space(width, self._columns)
        self._meaning = Meaning(self._space, semantics)
        self._widths = [self._meaning.width(location.bits) for location in rules.locations]
        self._transitions = [
            Transition(self._meaning, rules.locations, rule, self._columns - 2)
            for rule in rules.rules
        ]
        self._enforced = [self._meaning.pair(location.enforce).true for location in rules.locations]
        self._reached = [self._space.false for _ in rules.locations]
        self._waves: list[list[_Wave]] = [[] for _ in rules.locations]

    def run(self) -> Explored:
        """Round after round until an error or nothing new is found."""
        rounds = 0
        fresh = self._round({}, [k for k, r in enumerate(self._rules.rules) if not r.body])
        others = [k for k, r in enumerate(self._rules.rules) if r.body]
        conclusion = self._error()
        while fresh and conclusion is None:
            rounds += 1
            fresh = self._round(fresh, others)
            conclusion = self._error()
        counts = {
            location: self._space.count(states, self._widths[location])
            for location, states in enumerate(self._reached)
        }
        return Explored(conclusion or self._unreached(), counts, rounds)

    # ------------------------------------------------------------------ for questions about cycles

    @property
    def none(self) -> Diagram:
        """No state."""
        return self._space.false

    @property
    def reached(self) -> list[Diagram]:
        """The states of each location that were found."""
        return list(self._reached)

    def where(self, expression: Expression) -> Diagram:
        """The states that an expression over their bits may hold in."""
        return self._meaning.pair(expression).true

    def image(self, rule: int, premises: tuple[Diagram, ...]) -> Diagram:
        """What a rule derives from states of its premises."""
        head = self._rules.rules[rule].head
        if self._is_over():
            raise OutOfTime
        image = self._transitions[rule].image(premises)
        return image if head is None else image & self._enforced[head]

    # -------------------------------------------------------------------------------------- rounds

    def _round(self, fresh: Mapping[int, Diagram], rules: Sequence[int]) -> dict[int, Diagram]:
        """Apply rules to what is new; what is new then."""
        found: dict[int, Diagram] = {}
        before = list(self._reached)
        for number in rules:
            head = self._rules.rules[number].head
            if head is None:
                continue
            for premises in _joined(self._rules.rules[number].body, fresh, before):
                new = self.image(number, premises) & ~self._reached[head]
                if new.satisfiable():
                    self._reached[head] = self._reached[head] | new
                    self._waves[head].append(_Wave(number, new, premises))
                    found[head] = found[head] | new if head in found else new
        return found

    # --------------------------------------------------------------------------------- conclusions

    def _error(self) -> Reached | None:
        """A derivation of an error, one for sure if there is one."""
        found: Reached | None = None
        for number, rule in enumerate(self._rules.rules):
            if rule.head is None:
                premises = tuple(self._reached[location] for location in rule.body)
                for for_sure, where in self._transitions[number].met(premises):
                    if where.satisfiable() and (found is None or for_sure > found.for_sure):
                        found = Reached(self._derivation(number, where), for_sure)
        return found

    def _derivation(self, rule: int, where: Diagram) -> tuple[Derived, ...]:
        """From wavefront to wavefront back to the facts; each state is derived once."""
        steps: dict[tuple[int, State], Derived] = {}
        numbers: dict[tuple[int, State], int] = {}
        root = self._back(rule, where)
        todo: list[tuple[tuple[int, State], list[tuple[int, State]] | None]] = []
        sources = self._sources(rule, root)
        todo += [(source, None) for source in sources]
        while todo:
            key, below = todo.pop()
            if key in numbers:
                continue
            if below is not None:
                wave = self._wave(key)
                numbers[key] = len(numbers)
                steps[key] = Derived(wave.rule, tuple(numbers[b] for b in below), key[1])
                continue
            wave = self._wave(key)
            transition = self._transitions[wave.rule]
            states = self._back(wave.rule, transition.before(wave.premises, key[1]))
            below = self._sources(wave.rule, states)
            todo.append((key, below))
            todo += [(source, None) for source in below]
        last = Derived(rule, tuple(numbers[s] for s in sources), ())
        return (*(steps[key] for key in numbers), last)

    def _back(self, rule: int, where: Diagram) -> list[State]:
        body = self._rules.rules[rule].body
        states = self._space.state(where, [self._widths[location] for location in body])
        assert states is not None
        return states

    def _sources(self, rule: int, states: Sequence[State]) -> list[tuple[int, State]]:
        return list(zip(self._rules.rules[rule].body, states, strict=True))

    def _wave(self, key: tuple[int, State]) -> _Wave:
        """The round in which a state was found."""
        location, state = key
        return next(w for w in self._waves[location] if self._space.holds(w.states, state))

    def _unreached(self) -> Unreached:
        last = self._columns - 1
        belnap = self._meaning.semantics is Semantics.BELNAP
        found = {}
        for location, states in enumerate(self._reached):
            bits = self._rules.locations[location].bits
            graph = self._space.graph(self._meaning.concrete(states, bits, last), last)
            nodes = graph.nodes
            if belnap:
                nodes = tuple((bit // 2, high, low) for bit, high, low in nodes)
            found[location] = Graph(nodes, graph.root)
        return Unreached(found, self._meaning.semantics is not Semantics.UNDER)


def _joined(
    body: Sequence[int], fresh: Mapping[int, Diagram], before: Sequence[Diagram]
) -> Iterator[tuple[Diagram, ...]]:
    """Sets for the premises, one of them new; a rule without premises is applied as it is."""
    if not body:
        yield ()
    for position, location in enumerate(body):
        if location in fresh:
            sets = [before[p] for p in body]
            sets[position] = fresh[location]
            yield tuple(sets)
