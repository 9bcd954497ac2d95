"""The largest inductive set of candidates, and the part of it that excludes the queries.

Flanagan, Leino: Houdini, an annotation assistant for ESC/Java, FME 2001.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from itertools import islice

from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, verdict
from seahorn_py.engines.heap.facts import Fact, Vocabulary, facts, together, vocabularies
from seahorn_py.engines.heap.heap_rules import Facts, Instances
from seahorn_py.horn.system import Atom, HornSystem, Model
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


def solve(system: HornSystem, deadline: Deadline) -> Verdict:
    """What facts about blocks say of the queries."""
    known = vocabularies(system)
    if isinstance(known, str):
        return verdict(Limit(known))
    houdini = Houdini(system, known, deadline.at)
    houdini.run()
    kept = sum(map(len, houdini.facts.values()))
    counted = {"facts": kept, "candidates": houdini.candidates}
    return verdict(_concluded(houdini), counted)


def _concluded(houdini: Houdini) -> Conclusion:
    needed = houdini.needed()
    if isinstance(needed, str):
        return Limit(f"no facts about blocks exclude {needed}")
    return Proved(
        Model({name: together(own) for name, own in needed.items()}),
        Solver.Z3,
    )


class Houdini:
    """`facts` are those that no rule violates so far."""

    def __init__(self, system: HornSystem, known: Mapping[str, Vocabulary], until: float) -> None:
        self._system = system
        self._until = until
        most = policy().heap.most_facts
        self.facts: dict[str, list[Fact]] = {
            name: list(dict.fromkeys(islice(facts(own), most))) for name, own in known.items()
        }
        self.candidates = sum(map(len, self.facts.values()))
        solvers = Solvers(Solver.Z3)
        self._rules = {
            rule.name: Instances(rule, system, known, self.facts, solvers) for rule in system.rules
        }

    def run(self) -> None:
        """Drop facts until every rule keeps those that are left, or the time is over."""
        waiting = dict.fromkeys(r.name for r in self._system.rules if isinstance(r.head, Atom))
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            head = self._rules[name].rule.head
            assert isinstance(head, Atom)
            gone = self._rules[name].violated(self.facts, self._until)
            if gone:
                left = [fact for fact in self.facts[head.relation] if fact not in gone]
                self.facts[head.relation] = left
                waiting |= dict.fromkeys(self._using(head.relation))

    def needed(self) -> Facts | str:
        """Facts that exclude the queries, and those on which they rest; or a query that is left.

        What a fact rests on in a rule is an unsatisfiable core, made as small as it gets.
        """
        found: dict[str, dict[Fact, None]] = {name: {} for name in self.facts}
        asked: deque[tuple[str, Fact | None]] = deque(
            (rule.name, None) for rule in self._system.queries
        )
        while asked:
            name, fact = asked.popleft()
            below = self._rules[name].rests_on(fact, self.facts, found, self._until)
            if below is None:
                return name
            for relation, one in below:
                found[relation][one] = None
                asked += [(deriving, one) for deriving in self._deriving(relation)]
        return {name: list(own) for name, own in found.items()}

    def _using(self, relation: str) -> list[str]:
        return [
            rule.name
            for rule in self._system.rules
            if isinstance(rule.head, Atom) and any(a.relation == relation for a in rule.body)
        ]

    def _deriving(self, relation: str) -> list[str]:
        return [
            rule.name
            for rule in self._system.rules
            if isinstance(rule.head, Atom) and rule.head.relation == relation
        ]
