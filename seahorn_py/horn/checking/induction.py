"""The conditions under which a model of a linear system is k-inductive.

Sheeran, Singh, Stalmarck 2000: Checking safety properties using induction and a SAT-solver.  A
state is a relation with values, a step is an instance of a rule, a run begins at a fact.

    base    the first k states of every run satisfy the model, and none of them meets a query
    step    after k states in a row that satisfy the model the next one does, and no query is met

Then every state that can be derived satisfies the model and meets no query.  For a `simple` proof
the step is asked for k states that are pairwise different: of the runs to the first state that is
not in the model, or meets a query, a shortest one goes through no state twice.

One condition ends in one rule; the steps before it are a disjunction over the rules that lead
there, so that the size of a condition is linear in k (with `simple`, quadratic) however many paths
there are.  That the states before the last satisfy the model is assumed in the base too: shorter
conditions have shown it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, KInductive, Rule, atoms, symbols_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text.smtlib import print_sort, print_term, print_variables


@dataclass(frozen=True)
class Condition:
    """A script that must be unsatisfiable, and which rule it ends in after how many states."""

    name: str
    script: str


def conditions(system: HornSystem, proof: KInductive) -> tuple[Condition, ...]:
    """Base and step for every rule of a linear system.

    InputError when a name cannot be written in SMT-LIB.
    """
    unrolled = _Unrolled(system, proof)
    found = []
    for rule in system.rules:
        for before in range(proof.k if rule.body else 1):
            script = unrolled.script(rule, before, from_facts=True)
            if script:
                found.append(Condition(f"{rule.name} after {before} states from a fact", script))
        script = unrolled.script(rule, proof.k, from_facts=False)
        if script:
            found.append(Condition(f"{rule.name} after {proof.k} states", script))
    return tuple(found)


class _Unrolled:
    """Texts of rules (`T!n`) and relations (`R!n`) as predicates, each printed once."""

    def __init__(self, system: HornSystem, proof: KInductive) -> None:
        self._rules = {rule.name: number for number, rule in enumerate(system.rules)}
        self._relations = {name: number for number, name in enumerate(system.relations)}
        self._sorts: dict[str, list[Sort]] = {
            name: [terms.sort_of(s) for s in relation.symbols]
            for name, relation in system.relations.items()
        }
        self._locals = {rule.name: symbols_of(rule) for rule in system.rules}
        self._steps = [rule for rule in system.rules if rule.body and isinstance(rule.head, Atom)]
        self._simple = proof.simple
        self._facts = [r for r in system.rules if not r.body and isinstance(r.head, Atom)]
        self._definitions = {
            f"R!{number}": definition(
                f"R!{number}", system.relations[name].symbols, _formula(proof, name)
            )
            for name, number in self._relations.items()
        }
        for rule in system.rules:
            name = f"T!{self._rules[rule.name]}"
            self._definitions[name] = _transition(name, rule, self._locals[rule.name])

    def script(self, rule: Rule, before: int, *, from_facts: bool) -> str:
        """`rule` leads from `before` states in the model out of it; empty if no rules lead there.

        The first state is derived by a fact, or is any state of the model.
        """
        if bool(rule.body) != bool(before):
            return ""
        layers = self._layers(rule, before)
        entering = [self._entering(layers, at, from_facts) for at in range(before)]
        if any(not rules for rules in entering[0 if from_facts else 1 :]):
            return ""
        lines: list[str] = []
        for at, layer in enumerate(layers):
            lines += self._states(at, layer)
        for at, rules in enumerate(entering):
            if at > 0 or from_facts:
                lines += self._arrivals(at, layers[at], rules)
        if self._simple and not from_facts:
            lines += self._differences(layers)
        lines += self._departure(rule, before)
        words = {
            word for line in lines for word in line.replace("(", " ").replace(")", " ").split()
        }
        used = [text for name, text in self._definitions.items() if name in words]
        return "\n".join([*used, *lines])

    def _layers(self, rule: Rule, before: int) -> list[list[str]]:
        """The relations of the states before `rule`, from the first one on."""
        layers = [[atom.relation for atom in rule.body]] if before else []
        while len(layers) < before:
            sources = (r.body[0].relation for r in self._steps if _head(r) in layers[0])
            layers.insert(0, list(dict.fromkeys(sources)))
        return layers

    def _entering(self, layers: list[list[str]], at: int, from_facts: bool) -> list[Rule]:
        """The rules that derive the states of a layer, the first one's being facts."""
        if at == 0:
            return [r for r in self._facts if _head(r) in layers[0]] if from_facts else []
        return [r for r in self._steps if _head(r) in layers[at]]

    def _states(self, at: int, layer: Iterable[str]) -> Iterator[str]:
        """Values for each relation of a layer, which satisfy the model where the run passes."""
        for name in layer:
            yield from _declarations(zip(self._state(at, name), self._sorts[name], strict=True))
            yield f"(declare-const {self._at(at, name)} Bool)"
            holds = _call(f"R!{self._relations[name]}", self._state(at, name))
            yield f"(assert (=> {self._at(at, name)} {holds}))"

    def _arrivals(self, at: int, layer: Iterable[str], rules: Sequence[Rule]) -> Iterator[str]:
        """Where the run passes it came by one of the rules."""
        for name in layer:
            ways = []
            for rule in rules:
                if _head(rule) == name:
                    yield from self._declared_locals(rule, at)
                    sources = [self._at(at - 1, a.relation) for a in rule.body]
                    applied = self._applied(rule, at, self._state(at, name))
                    ways.append(f"(and true {' '.join(sources)} {applied})")
            yield f"(assert (=> {self._at(at, name)} (or false {' '.join(ways)})))"

    def _differences(self, layers: Sequence[Sequence[str]]) -> Iterator[str]:
        """The run is in no state twice."""
        for earlier, later in combinations(range(len(layers)), 2):
            for name in (n for n in layers[earlier] if n in layers[later]):
                pairs = zip(self._state(earlier, name), self._state(later, name), strict=True)
                same = " ".join(f"(= {one} {other})" for one, other in pairs)
                both = f"{self._at(earlier, name)} {self._at(later, name)}"
                yield f"(assert (not (and {both} {same})))"

    def _departure(self, rule: Rule, at: int) -> Iterator[str]:
        """The last rule is used, and what it derives is not in the model (or is a query)."""
        yield from self._declared_locals(rule, at)
        derived: list[str] = []
        if isinstance(rule.head, Atom):
            name = rule.head.relation
            derived = self._state(at, name)
            yield from _declarations(zip(derived, self._sorts[name], strict=True))
            yield f"(assert (not {_call(f'R!{self._relations[name]}', derived)}))"
        for atom in rule.body:
            yield f"(assert {self._at(at - 1, atom.relation)})"
        yield f"(assert {self._applied(rule, at, derived)})"

    def _declared_locals(self, rule: Rule, at: int) -> Iterator[str]:
        symbols = self._locals[rule.name]
        return _declarations(
            (self._local(rule, at, k), terms.sort_of(s)) for k, s in enumerate(symbols)
        )

    def _applied(self, rule: Rule, at: int, derived: Sequence[str]) -> str:
        """The rule as the step into state `at`."""
        own = [self._local(rule, at, k) for k, _ in enumerate(self._locals[rule.name])]
        source = [v for atom in rule.body for v in self._state(at - 1, atom.relation)]
        return _call(f"T!{self._rules[rule.name]}", [*own, *source, *derived])

    def _local(self, rule: Rule, at: int, index: int) -> str:
        return f"l!{at}!{self._rules[rule.name]}!{index}"

    def _state(self, at: int, relation: str) -> list[str]:
        prefix = f"x!{at}!{self._relations[relation]}"
        return [f"{prefix}!{k}" for k, _ in enumerate(self._sorts[relation])]

    def _at(self, at: int, relation: str) -> str:
        return f"at!{at}!{self._relations[relation]}"


def _head(rule: Rule) -> str:
    return rule.head.relation if isinstance(rule.head, Atom) else ""


def _formula(proof: KInductive, name: str) -> Term:
    return proof.model.interpretations.get(name, terms.TRUE)


def definition(name: str, symbols: Sequence[Term], formula: Term) -> str:
    """The formula as a predicate of that name over the symbols."""
    own = {symbol: f"p!{k}" for k, symbol in enumerate(symbols)}
    return f"(define-fun {name} {print_variables(symbols, own)} Bool {print_term(formula, own)})"


def _transition(name: str, rule: Rule, symbols: Sequence[Term]) -> str:
    """A predicate over the symbols of the rule and ports, which its atoms' arguments equal."""
    own = {symbol: f"p!{k}" for k, symbol in enumerate(symbols)}
    arguments = [argument for atom in atoms(rule) for argument in atom.arguments]
    ports = [f"(q!{k} {print_sort(terms.sort_of(a))})" for k, a in enumerate(arguments)]
    variables = print_variables(symbols, own).removeprefix("(").removesuffix(")")
    equal = [f"(= q!{k} {print_term(a, own)})" for k, a in enumerate(arguments)]
    body = f"(and true {print_term(rule.constraint, own)} {' '.join(equal)})"
    return f"(define-fun {name} ({variables} {' '.join(ports)}) Bool {body})"


def _declarations(constants: Iterable[tuple[str, Sort]]) -> Iterator[str]:
    return (f"(declare-const {name} {print_sort(sort)})" for name, sort in constants)


def _call(name: str, arguments: Sequence[str]) -> str:
    return f"({name} {' '.join(arguments)})" if arguments else name
