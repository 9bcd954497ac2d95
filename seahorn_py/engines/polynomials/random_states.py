"""States that random runs of a linear system reach."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from seahorn_py.engines.states.choices import spread
from seahorn_py.engines.states.successors import Successors
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.logic.terms.evaluate import Value
from seahorn_py.processes.deadline import Deadline

LONGEST = 60
"""Steps of a run."""

MOST_RUNS = 1500

KEPT = 8
"""States of one run that count."""

CHOICES = 2
"""Values that are tried for a symbol which nothing gives a value, at each step."""

State = tuple[Value, ...]
States = Mapping[str, list[State]]


def states_of(system: HornSystem, wanted: int, deadline: Deadline) -> States:
    """Different states for each relation, `wanted` of them at most; TooMany as for `Successors`."""
    walk = _Walk(system)
    found: dict[str, dict[State, None]] = {name: {} for name in system.relations}
    for _ in range(MOST_RUNS):
        for relation, state in walk.some_of(list(walk.run())):
            if len(found[relation]) < wanted:
                found[relation][state] = None
        if deadline.remaining <= 0 or all(len(own) >= wanted for own in found.values()):
            break
    return {name: list(own) for name, own in found.items()}


class _Walk:
    """Runs that take any rule at each step."""

    def __init__(self, system: HornSystem) -> None:
        self._random = random.Random(1)
        self._using: dict[str, list[tuple[Rule, Successors]]] = {}
        for rule in system.rules:
            if isinstance(rule.head, Atom):
                start = rule.body[0].relation if rule.body else ""
                compiled = Successors(rule, choosing=spread)
                self._using.setdefault(start, []).append((rule, compiled))

    def run(self) -> Iterator[tuple[str, State]]:
        """The relations and states of one run."""
        relation, state = "", State()
        for _ in range(LONGEST):
            step = self._step(relation, state)
            if step is None:
                return
            relation, state = step
            yield step

    def some_of(self, run: list[tuple[str, State]]) -> list[tuple[str, State]]:
        """A few places of a run, so that many runs count."""
        return self._random.sample(run, min(KEPT, len(run)))

    def _step(self, relation: str, state: State) -> tuple[str, State] | None:
        rules = self._using.get(relation, [])
        for rule, compiled in self._random.sample(rules, len(rules)):
            for head, _ in compiled.of(state, self._taken):
                assert isinstance(rule.head, Atom)
                if None not in head:
                    return rule.head.relation, tuple(v for v in head if v is not None)
        return None

    def _taken(self, choices: tuple[Value, ...]) -> list[Value]:
        return self._random.sample(choices, min(CHOICES, len(choices)))
