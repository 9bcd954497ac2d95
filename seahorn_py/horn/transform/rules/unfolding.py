"""Relations that no rule derives from themselves are resolved away: chains of rules become one.

What Horn solvers do before all else (as Eldarica: Hojjat, Ruemmer, FMCAD 2018): each rule that uses
a fact of such a relation becomes a rule for each rule that derives it, as long as the system does
not grow.  Rules that facts cannot reach, and those from which no query can be reached, go too.

A refutation goes back step by step: the step of a rule that was put together is one of the use and
one of the definition.  A model says nothing of the relations that are gone.  They are found by
`complete` (`horn.transform.rules.completing`); without it, or where it finds none, they are what
their definitions derive, with quantifiers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import inf

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import (
    Atom,
    HornSystem,
    Model,
    Refutation,
    Relation,
    Rule,
    Step,
)
from seahorn_py.horn.transform.composition import matched, substituted, symbols
from seahorn_py.horn.transform.rules.completing import Complete, Removal, at, completed
from seahorn_py.horn.transform.rules.pruning import pruned
from seahorn_py.horn.transform.transformation import Both, NotCarried
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.constants import any_value, known_value
from seahorn_py.logic.terms.terms import Term

MORE_RULES = 2
"""A relation stays if without it there would be so many rules more."""

MOST_PREMISES = 6
"""A rule that is put together has no more premises."""

MOST_NODES = 20_000
"""The constraints from which a rule is put together have no more nodes."""


@dataclass(frozen=True)
class Unfolding:
    """Relations are resolved away; `complete` solves what is left between them."""

    complete: Complete | None = None

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The smaller system; one that stays as it is has the same models and refutations."""
        unfolded = _Unfolded(system)
        unfolded.run()
        return unfolded.system(), Both(
            lambda model: _read_model(unfolded, model, self.complete),
            lambda refutation: _read_refutation(unfolded, refutation),
        )


@dataclass(frozen=True)
class _Resolution:
    """How a rule was put together: `fresh` renames the definition, `values` match the use."""

    use: _Clause
    position: int
    definition: _Clause
    fresh: Mapping[Term, Term]
    values: Mapping[Term, Term]


@dataclass(frozen=True)
class _Clause:
    """A rule, how many nodes its constraint has at most, and what it was put together from."""

    rule: Rule
    size: int
    made: _Resolution | None = None


class _Unfolded:
    """A system while relations are resolved away, and which are."""

    def __init__(self, system: HornSystem) -> None:
        self.original = system
        self.gone: dict[str, Removal] = {}
        self.underivable, self.useless, rules = pruned(system.relations, system.rules)
        self.clauses: dict[str, _Clause] = {}
        self._deriving: dict[str, dict[str, _Clause]] = {name: {} for name in system.relations}
        self._using: dict[str, dict[str, _Clause]] = {name: {} for name in system.relations}
        self._names = {rule.name for rule in system.rules}
        for rule in rules:
            self._add(_Clause(rule, sum(1 for _ in nodes(rule.constraint))))

    def system(self) -> HornSystem:
        """What is left."""
        left = {
            name: relation
            for name, relation in self.original.relations.items()
            if name not in {*self.gone, *self.underivable, *self.useless}
        }
        rules = tuple(clause.rule for clause in self.clauses.values())
        return HornSystem(left, rules, self.original.ledger)

    def run(self) -> None:
        """Resolve relations away, those first that leave the fewest rules, until all are dear."""
        waiting = [n for n in self.original.relations if n not in self.underivable | self.useless]
        costs = {name: self._cost(name) for name in waiting}
        while costs:
            name = min(costs, key=lambda name: costs[name])
            if costs[name] > MORE_RULES:
                return
            del costs[name]
            for other in self._resolve(name) & costs.keys():
                costs[other] = self._cost(other)

    def _add(self, clause: _Clause) -> None:
        self.clauses[clause.rule.name] = clause
        for name, index in self._indices(clause):
            index[name][clause.rule.name] = clause

    def _remove(self, clause: _Clause) -> None:
        del self.clauses[clause.rule.name]
        for name, index in self._indices(clause):
            del index[name][clause.rule.name]

    def _indices(self, clause: _Clause) -> Iterator[tuple[str, dict[str, dict[str, _Clause]]]]:
        for name in {atom.relation for atom in clause.rule.body}:
            yield name, self._using
        for atom in _heads(clause.rule):
            yield atom.relation, self._deriving

    def _cost(self, name: str) -> float:
        """How many rules more there would be without a relation; infinite where it has to stay."""
        uses, definitions = self._using[name].values(), self._deriving[name].values()
        if self._using[name].keys() & self._deriving[name].keys():
            return inf
        made = 0
        for use in uses:
            times, premises = _count(use.rule, name), len(use.rule.body)
            most = max((len(one.rule.body) for one in definitions), default=0)
            size = use.size + times * max((one.size for one in definitions), default=0)
            if size > MOST_NODES or premises + times * (most - 1) > max(MOST_PREMISES, premises):
                return inf
            made += int(len(definitions) ** times)
        return made - len(uses) - len(definitions)

    def _resolve(self, name: str) -> set[str]:
        """Resolve a relation away; the relations whose rules have changed."""
        uses, definitions = list(self._using[name].values()), list(self._deriving[name].values())
        made = [one for use in uses for one in self._without(use, name, definitions)]
        for clause in (*uses, *definitions):
            self._remove(clause)
        for new in made:
            self._add(new)
        old = tuple(clause.rule for clause in (*uses, *definitions))
        self.gone[name] = Removal(name, old, tuple(clause.rule for clause in made))
        changed = (clause.rule for clause in (*uses, *definitions, *made))
        return {atom.relation for rule in changed for atom in (*rule.body, *_heads(rule))}

    def _without(
        self, use: _Clause, name: str, definitions: Sequence[_Clause]
    ) -> Iterator[_Clause]:
        """The use with each atom of the relation replaced by a definition, in all ways."""
        todo = [use]
        while todo:
            clause = todo.pop()
            if not _count(clause.rule, name):
                yield clause
                continue
            found = (self._resolved(clause, name, one) for one in reversed(definitions))
            todo.extend(one for one in found if one.rule.constraint is not terms.FALSE)

    def _resolved(self, use: _Clause, name: str, definition: _Clause) -> _Clause:
        position = next(k for k, a in enumerate(use.rule.body) if a.relation == name)
        fresh = {symbol: terms.fresh_like(symbol) for symbol in symbols(definition.rule)}
        first = substituted(definition.rule, fresh)
        assert isinstance(first.head, Atom)
        equal, values = matched(use.rule, first.head.arguments, use.rule.body[position].arguments)
        second = substituted(use.rule, values)
        body = (*second.body[:position], *first.body, *second.body[position + 1 :])
        constraint = terms.and_([first.constraint, equal, second.constraint])
        named = self._name(f"{definition.rule.name}; {use.rule.name}")
        rule = replace(second, name=named, body=body, constraint=constraint)
        made = _Resolution(use, position, definition, fresh, values)
        return _Clause(rule, use.size + definition.size, made)

    def _name(self, wanted: str) -> str:
        name, count = wanted[:80], 1
        while name in self._names:
            count += 1
            name = f"{wanted[:80]}.{count}"
        self._names.add(name)
        return name


def _derives(rule: Rule, name: str) -> bool:
    return isinstance(rule.head, Atom) and rule.head.relation == name


def _count(rule: Rule, name: str) -> int:
    return sum(atom.relation == name for atom in rule.body)


# -------------------------------------------------------------------------------------- refutations


@dataclass
class _Steps:
    """The steps of the original system, as far as they are made."""

    relations: Mapping[str, Relation]
    steps: list[Step] = field(default_factory=list)

    def add(self, clause: _Clause, values: Mapping[Term, Term], premises: Sequence[int]) -> int:
        """The steps of an instance of a clause from these premises; the number of the last one."""
        made = clause.made
        if made is None:
            return self._step(clause.rule, values, premises)
        count = len(made.definition.rule.body)
        place = made.position
        own = {s: values[new] for s, new in made.fresh.items() if new in values}
        inner = self.add(
            made.definition, _completed(made.definition, own), premises[place:][:count]
        )
        used = {
            s: terms.substitute(made.values.get(s, s), _default(made.values.get(s, s), values))
            for s in symbols(made.use.rule)
        }
        rest = (*premises[:place], inner, *premises[place + count :])
        return self.add(made.use, used, rest)

    def _step(self, rule: Rule, values: Mapping[Term, Term], premises: Sequence[int]) -> int:
        arguments = rule.head.arguments if isinstance(rule.head, Atom) else ()
        fact = tuple(known_value(terms.substitute(a, _default(a, values))) for a in arguments)
        known = {symbol: known_value(value) for symbol, value in values.items()}
        self.steps.append(Step(rule.name, fact, tuple(premises), known))
        return len(self.steps) - 1


def _completed(clause: _Clause, values: Mapping[Term, Term]) -> Mapping[Term, Term]:
    """Values for all symbols of a clause; what has none may have any, for no rule says anything."""
    return {s: values.get(s) or any_value(terms.sort_of(s)) for s in symbols(clause.rule)}


def _default(term: Term, values: Mapping[Term, Term]) -> Mapping[Term, Term]:
    """The values, and one for each other symbol of the term."""
    free = terms.free_symbols(term)
    return {s: values.get(s) or any_value(terms.sort_of(s)) for s in free}


def _read_refutation(unfolded: _Unfolded, refutation: Refutation) -> Refutation:
    """The refutation of the original system; NotCarried where values of a step are not given."""
    made = _Steps(unfolded.original.relations)
    places: list[int] = []
    clauses = unfolded.clauses
    for step in refutation.steps:
        clause = clauses[step.rule]
        premises = [places[premise] for premise in step.premises]
        if clause.made is None:
            made.steps.append(replace(step, premises=tuple(premises)))
            places.append(len(made.steps) - 1)
            continue
        if any(symbol not in step.values for symbol in symbols(clause.rule)):
            raise NotCarried("values of a step are not given")
        places.append(made.add(clause, step.values, premises))
    return Refutation(tuple(made.steps))


# ------------------------------------------------------------------------------------------- models


def _read_model(unfolded: _Unfolded, model: Model, complete: Complete | None) -> Model:
    """The model of the original system."""
    said = {name: terms.FALSE for name in unfolded.underivable}
    said |= {name: terms.TRUE for name in unfolded.useless}
    said |= {
        name: model.interpretations.get(name, terms.TRUE)
        for name in unfolded.original.relations
        if name not in said and name not in unfolded.gone
    }
    rules = [clause.rule for clause in unfolded.clauses.values()]
    gone, relations = tuple(unfolded.gone.values()), unfolded.original.relations
    found = complete and completed(relations, rules, gone, said, complete)
    return Model(_derived(unfolded, said) if found is None else found)


def _heads(rule: Rule) -> tuple[Atom, ...]:
    return (rule.head,) if isinstance(rule.head, Atom) else ()


def _derived(unfolded: _Unfolded, said: Mapping[str, Term]) -> Mapping[str, Term]:
    """Each relation that is gone as what its rules derive, the last one that went first."""
    system, known = unfolded.original, dict(said)
    todo = list(unfolded.gone)
    while todo:
        name = next((n for n in todo if _is_ready(system, n, known)), None)
        if name is None:  # of rules that repeat some went, for they derive nothing
            raise NotCarried("what is gone rests on itself in rules that derive nothing")
        todo.remove(name)
        known[name] = terms.or_(
            _fact(system, known, rule) for rule in system.rules if _derives(rule, name)
        )
    return known


def _is_ready(system: HornSystem, name: str, known: Mapping[str, Term]) -> bool:
    rules = [rule for rule in system.rules if _derives(rule, name)]
    return all(atom.relation in known for rule in rules for atom in rule.body)


def _fact(system: HornSystem, known: Mapping[str, Term], rule: Rule) -> Term:
    """What a rule derives, over the parameters of its head."""
    assert isinstance(rule.head, Atom)
    own = {symbol: terms.fresh_like(symbol) for symbol in symbols(rule)}
    renamed = substituted(rule, own)
    assert isinstance(renamed.head, Atom)
    places = system.relations[rule.head.relation].symbols
    equal = [terms.eq(p, a) for p, a in zip(places, renamed.head.arguments, strict=True)]
    body = [at(system.relations, known, atom) for atom in renamed.body]
    parts = [renamed.constraint, *body, *equal]
    return terms.exists(terms.by_name(own.values()), terms.and_(parts))
