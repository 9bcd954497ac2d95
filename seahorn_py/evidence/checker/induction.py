"""Models that hold after k states in a row (Sheeran, Singh, Stalmarck 2000).

A model must hold of the first k states of every run.  It must also hold of the state after any k
states in a row for which it holds (in a simple proof: any k that are pairwise different).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from .clauses import Malformed, Rule, System, all_of, call
from .conditions import Condition, Steps


class Induction(Steps):
    """Base and step, one condition for each clause that a path may end with."""

    def __init__(self, system: System, model: Mapping[str, str], k: int, simple: bool) -> None:
        if k < 1 or any(len(rule.body) > 1 for rule in system.rules):
            raise Malformed("k-induction is for clauses with one premise")
        super().__init__(system, model)
        self._k = k
        self._simple = simple

    def conditions(self) -> Iterator[Condition]:
        """All of them."""
        for rule in self.system.rules:
            for before in range(1, self._k) if rule.body else (0,):
                yield self._condition(rule, before, from_fact=True)
            if rule.body:
                yield self._condition(rule, self._k, from_fact=False)

    def _condition(self, last: Rule, before: int, from_fact: bool) -> Condition:
        layers = self._layers(last, before)
        lines = list(self.definitions)
        for at, layer in enumerate(layers):
            for name in layer:
                lines += self.declared(str(at), name)
                holds = call(name, self.state(str(at), name))
                lines.append(f"(assert (=> {self.mark(str(at), name)} {holds}))")
                if at > 0 or from_fact:
                    self._arrival(at, name, lines)
        if self._simple and not from_fact:
            lines += self._differences(layers)
        self._departure(last, before, lines)
        kind = "from a fact" if from_fact else "in a row"
        return Condition(f"{last.name} after {before} states {kind}", "\n".join(lines))

    def _layers(self, last: Rule, before: int) -> list[list[str]]:
        layers = [[a.relation for a in last.body]] if before else []
        while len(layers) < before:
            into = [r for r in self.system.rules if r.head and r.head.relation in layers[0]]
            layers.insert(0, list(dict.fromkeys(a.relation for r in into for a in r.body)))
        return layers

    def _arrival(self, at: int, name: str, lines: list[str]) -> None:
        """A state was derived by a fact, if it is the first one, else from the state before."""
        ways = []
        for rule in self.system.rules:
            if rule.head and rule.head.relation == name and bool(rule.body) == (at > 0):
                source = [a.relation for a in rule.body]
                ports = [v for r in source for v in self.state(str(at - 1), r)]
                ports += self.state(str(at), name)
                marks = [self.mark(str(at - 1), r) for r in source]
                ways.append(all_of([*marks, self.applied(rule, f"{at}", ports, lines)]))
        lines.append(f"(assert (=> {self.mark(str(at), name)} (or false {' '.join(ways)})))")

    def _differences(self, layers: Sequence[Sequence[str]]) -> Iterator[str]:
        for one, two in combinations(range(len(layers)), 2):
            for name in (n for n in layers[one] if n in layers[two]):
                states = zip(self.state(str(one), name), self.state(str(two), name), strict=True)
                marks = [self.mark(str(one), name), self.mark(str(two), name)]
                yield f"(assert (not {all_of([*marks, *(f'(= {x} {y})' for x, y in states)])}))"

    def _departure(self, last: Rule, before: int, lines: list[str]) -> None:
        """The last clause leads out of the model, or to false."""
        ports = [v for a in last.body for v in self.state(str(before - 1), a.relation)]
        lines.extend(f"(assert {self.mark(str(before - 1), a.relation)})" for a in last.body)
        if last.head is not None:
            derived = self.state(str(before), last.head.relation)
            lines.extend(self.declared(str(before), last.head.relation))
            lines.append(f"(assert (not {call(last.head.relation, derived)}))")
            ports += derived
        lines.append(f"(assert {self.applied(last, 'end', ports, lines)})")
