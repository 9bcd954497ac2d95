"""A rule in a solver, with the facts of its body at the blocks that occur in it.

Facts of the body are asserted under labels, one for each fact; facts of the head have names for
their truth.  The blocks of the head's facts are constants: any.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count, islice, product

from seahorn_py.engines.heap.facts import BLOCK, OTHER, Fact, Vocabulary, moved
from seahorn_py.horn.system import Atom, HornSystem, Rule, atoms, symbols_of
from seahorn_py.horn.transform.cells.arrayflow import array_flow, rule_nodes
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import Forms, Linear
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

MOST_INSTANCES = 100
"""How many instances a fact of the body may have; fewer are sound."""

Facts = Mapping[str, Sequence[Fact]]
"""Facts by relation."""

Chosen = Mapping[str, Collection[Fact]]
"""Facts by relation, to look up."""


class Instances:
    """One rule; `candidates` are all facts that will be asked about."""

    def __init__(
        self,
        rule: Rule,
        system: HornSystem,
        known: Mapping[str, Vocabulary],
        candidates: Facts,
        solvers: Solvers,
    ) -> None:
        self.rule = rule
        self._system = system
        self._solver = solvers.backend()
        self._names = {s: f"v!{k}" for k, s in enumerate(symbols_of(rule))}
        self._solver.declare(self._names)
        self._solver.add(self._solver.formula(rule.constraint, self._names))
        starts = enumerate(_starts(rule, system, known))
        self._any = {BLOCK: self._constant("block", BLOCK), OTHER: self._constant("other", OTHER)}
        self._blocks = [
            *self._any.values(),
            *(self._defined(f"at!{k}", BLOCK, start, self._names) for k, start in starts),
        ]
        self._labels: list[dict[Fact, Native]] = []
        self._truths: dict[Fact, tuple[str, Term]] = {}
        self._assume(known, candidates)
        if isinstance(rule.head, Atom):
            self._conclude(rule.head, candidates[rule.head.relation])

    def violated(self, facts: Facts, until: float) -> frozenset[Fact]:
        """Facts of the head that the rule does not keep, if all of `facts` hold before.

        Where the solver does not know of many it is asked about fewer; a single fact of which it
        does not know is one of them.
        """
        head = self.rule.head
        assert isinstance(head, Atom)
        held, todo = {**facts}, [list(facts[head.relation])]
        gone: set[Fact] = set()
        while todo:
            asked = [fact for fact in todo.pop() if fact not in gone]
            match self._false_among(asked, held, until):
                case frozenset() as false:
                    gone |= false
                    todo += [asked] if false else []
                case None if len(asked) > 1 and time.monotonic() < until:
                    half = len(asked) // 2
                    todo += [asked[half:], asked[:half]]
                case None:
                    gone |= set(asked)
            held[head.relation] = [f for f in facts[head.relation] if f not in gone]
        return frozenset(gone)

    def _false_among(
        self, asked: Sequence[Fact], held: Facts, until: float
    ) -> frozenset[Fact] | None:
        """Some of the facts that do not hold after the rule, if any; None if nobody knows."""
        if not asked:
            return frozenset()
        self._solver.push()
        try:
            truths = [self._truth(fact) for fact in asked]
            self._solver.add(self._solver.negation(self._solver.conjunction(truths)))
            match self._ask(self._assumed(held), until):
                case Status.UNSAT:
                    return frozenset()
                case Status.UNKNOWN:
                    return None
            return frozenset(f for f in asked if not self._solver.value(*self._truths[f]))
        finally:
            self._solver.pop()

    def rests_on(
        self, fact: Fact | None, facts: Facts, chosen: Chosen, until: float
    ) -> list[tuple[str, Fact]] | None:
        """The facts of the body on which a fact of the head rests; None if it does not follow.

        Without a fact: those that contradict the rule.  `chosen` hold anyway, so that they are not
        among them, and none of the others can be left out.
        """
        given = [(a.relation, f) for a in self.rule.body for f in facts[a.relation]]
        known = [k for k, (relation, one) in enumerate(given) if one in chosen[relation]]
        self._solver.push()
        try:
            if fact is not None:
                self._solver.add(self._solver.negation(self._truth(fact)))
            labels = self._assumed(facts)
            needed = self._core(labels, known, until)
            if needed is None:
                needed = self._core(labels, range(len(labels)), until)
            if needed is None:
                return None
            return [given[k] for k in self._fewest(labels, known, needed, until)]
        finally:
            self._solver.pop()

    def _core(
        self, labels: Sequence[Native], asked: Sequence[int], until: float
    ) -> list[int] | None:
        """Those of the labels asked about that cannot hold together, or None."""
        assumed = [labels[k] for k in asked]
        if self._ask(assumed, until) is not Status.UNSAT:
            return None
        return [asked[k] for k in self._solver.core(assumed)]

    def _fewest(
        self, labels: Sequence[Native], known: Sequence[int], core: Sequence[int], until: float
    ) -> list[int]:
        """What of the core is needed beside what is known."""
        left = [k for k in core if k not in known]
        for one in tuple(left):
            if one in left and len(left) > 1:
                asked = [*known, *(k for k in left if k != one)]
                found = self._core(labels, asked, until)
                left = left if found is None else [k for k in found if k not in known]
        return left

    # ----------------------------------------------------------------------------------- solver

    def _ask(self, labels: Sequence[Native], until: float) -> Status:
        return self._solver.check(labels, until, policy().heap.question_seconds)

    def _assumed(self, facts: Facts) -> list[Native]:
        pairs = zip(self.rule.body, self._labels, strict=True)
        return [labels[fact] for atom, labels in pairs for fact in facts[atom.relation]]

    def _truth(self, fact: Fact) -> Native:
        name, symbol = self._truths[fact]
        return self._solver.formula(symbol, {symbol: name})

    def _constant(self, name: str, like: Term) -> str:
        self._solver.declare({like: name})
        return name

    def _defined(self, name: str, like: Term, value: Term, names: Mapping[Term, str]) -> str:
        own = terms.symbol(f"heap.defined.{terms.sort_of(like)}", terms.sort_of(like))
        self._solver.define(name, own, value, names)
        return name

    def _ports(self, position: int, atom: Atom) -> dict[Term, str]:
        """Names for what an atom holds."""
        pairs = zip(self._system.relations[atom.relation].symbols, atom.arguments, strict=True)
        return {
            symbol: self._defined(f"a!{position}!{k}", symbol, argument, self._names)
            for k, (symbol, argument) in enumerate(pairs)
        }

    def _assume(self, known: Mapping[str, Vocabulary], candidates: Facts) -> None:
        numbers = count()
        for position, atom in enumerate(self.rule.body):
            ports = self._ports(position, atom)
            led = self._led_to(ports, known[atom.relation], f"next!{position}")
            places = [*self._blocks, *led]
            own = {fact: self._solver.label(next(numbers)) for fact in candidates[atom.relation]}
            self._labels.append(own)
            for fact, label in own.items():
                choices = [places] if len(fact.blocks) == 1 else [self._blocks] * len(fact.blocks)
                instances = [
                    self._solver.formula(
                        fact.body, ports | dict(zip(fact.blocks, values, strict=True))
                    )
                    for values in islice(product(*choices), MOST_INSTANCES)
                ]
                every = self._solver.conjunction(instances)
                self._solver.add(self._solver.implication(label, every))

    def _led_to(self, ports: Mapping[Term, str], known: Vocabulary, prefix: str) -> Iterator[str]:
        """The blocks to which fields of the blocks of the rule lead."""
        pairs = product([c for c in known.columns if c.held.leads], self._blocks)
        for k, (column, block) in enumerate(pairs):
            start = moved(column.of(BLOCK), -column.held.start)
            yield self._defined(f"{prefix}!{k}", BLOCK, start, {**ports, BLOCK: block})

    def _conclude(self, head: Atom, candidates: Sequence[Fact]) -> None:
        names = {**self._ports(len(self.rule.body), head), **self._any}
        for k, fact in enumerate(candidates):
            truth = terms.symbol("heap.holds", terms.BOOL)
            self._truths[fact] = self._constant(f"h!{k}", truth), truth
            named = {**names, truth: f"h!{k}"}
            self._solver.add(self._solver.formula(terms.iff(truth, fact.body), named))


def _starts(rule: Rule, system: HornSystem, known: Mapping[str, Vocabulary]) -> list[Term]:
    """The starts of the blocks that a rule accesses, and of those that its atoms point to."""
    forms, classes = Forms([rule.constraint]), array_flow(rule_nodes(rule)).classes
    found: dict[object, Term] = {}
    distances: dict[Term, set[int]] = {}
    for atom in atoms(rule):
        given = dict(zip(system.relations[atom.relation].symbols, atom.arguments, strict=True))
        for column in known[atom.relation].columns:
            root = classes.find(given[column.array])
            distances.setdefault(root, set()).add(column.distance)
        for scalar in known[atom.relation].scalars:
            if scalar.held.leads:
                start = forms.of(given[scalar.term]).plus(Linear({}, -scalar.held.start))
                found.setdefault(start.key, start.term())
    for node in rule_nodes(rule):
        if node.is_select() or node.is_store():
            for distance in distances.get(classes.find(node.arg(0)), ()):
                start = forms.of(node.arg(1)).plus(Linear({}, -distance))
                found.setdefault(start.key, start.term())
    return list(found.values())
