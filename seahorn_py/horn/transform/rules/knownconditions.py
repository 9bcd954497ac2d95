"""Conditions that all facts of a premise fulfil are left out, where that may free an argument.

A part of the condition of a rule that speaks of one premise alone is known if every rule that
derives facts of its relation has it as a part for them, given that the facts which the rule uses
fulfil what is known of them: the greatest such set, as Houdini finds it (Flanagan, Leino, FME
2001), but conditions are compared as they are written.  Only conditions of arguments that no other
part looks at are tried.

A model of the new system holds of the old one together with what is known.  A refutation is one of
the old system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Rule
from seahorn_py.horn.transform.transformation import Both, same_refutation
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term

MOST_COMPARED = 20_000
"""Nothing is tried where so many conditions would be looked for in rules."""

Condition: TypeAlias = frozenset[Term]
"""A disjunction, as the set of what it is of."""

Conditions: TypeAlias = Mapping[str, set[Condition]]
"""What is said of facts, over the parameters of their relation."""


@dataclass(frozen=True)
class KnownConditions:
    """Without conditions that hold of all facts that a rule uses."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system with the same relations and rules, of which some have a smaller condition."""
        known = _known(system)
        rules = tuple(_without(system, rule, known) for rule in system.rules)
        return replace(system, rules=rules), Both(
            lambda model: _together(model, known), same_refutation
        )


def _disjuncts(part: Term) -> Condition:
    return frozenset(part.args()) if part.is_or() else frozenset((part,))


def _parts(rule: Rule) -> set[Condition]:
    return {_disjuncts(part) for part in conjuncts(rule.constraint)}


def _known(system: HornSystem) -> Conditions:
    """What all facts fulfil, of what is tried."""
    found = {name: set[Condition]() for name in system.relations}
    for name, condition in _tried(system):
        found[name].add(condition)
    deriving = [rule for rule in system.rules if isinstance(rule.head, Atom)]
    if (
        sum(len(found[r.head.relation]) for r in deriving if isinstance(r.head, Atom))
        > MOST_COMPARED
    ):
        return {name: set() for name in system.relations}
    parts = {rule.name: _parts(rule) for rule in deriving}
    while any([_withdrawn(system, rule, parts[rule.name], found) for rule in deriving]):
        pass
    return found


def _withdrawn(
    system: HornSystem, rule: Rule, parts: set[Condition], found: Conditions
) -> set[Condition]:
    """What is not known of the facts that a rule derives is taken back."""
    assert isinstance(rule.head, Atom)
    tried = found[rule.head.relation]
    given = parts.union(*(_of(system, atom, found).keys() for atom in rule.body)) if tried else ()
    claimed = _of(system, rule.head, {rule.head.relation: tried}) if tried else {}
    failing = {old for new, olds in claimed.items() if not _follows(new, given) for old in olds}
    tried -= failing
    return failing


def _follows(claimed: Condition, given: Iterable[Condition]) -> bool:
    return terms.TRUE in claimed or claimed in given or any(one <= claimed for one in given)


def _of(system: HornSystem, atom: Atom, found: Conditions) -> Mapping[Condition, list[Condition]]:
    """The conditions of a relation, of the arguments of an atom, with what each was."""
    own = system.relations[atom.relation].symbols
    values = dict(zip(own, atom.arguments, strict=True))
    made: dict[Condition, list[Condition]] = {}
    for condition in found[atom.relation]:
        parts = frozenset(folded(one, values) for one in condition) - {terms.FALSE}
        made.setdefault(parts, []).append(condition)
    return made


def _without(system: HornSystem, rule: Rule, known: Conditions) -> Rule:
    """The rule without what is known of its premises."""
    superfluous = set[Condition]().union(*(_of(system, atom, known).keys() for atom in rule.body))
    if not superfluous:
        return rule
    left = (p for p in conjuncts(rule.constraint) if _disjuncts(p) not in superfluous)
    return replace(rule, constraint=terms.and_(left))


def _together(model: Model, known: Conditions) -> Model:
    """The model and what is known."""
    said = {
        name: terms.and_([model.interpretations.get(name, terms.TRUE), *map(_written, found)])
        for name, found in known.items()
    }
    return Model(said)


def _written(condition: Condition) -> Term:
    return terms.or_(sorted(condition, key=str))


# ----------------------------------------------------------------------------------- what is tried


def _tried(system: HornSystem) -> Iterator[tuple[str, Condition]]:
    """Conditions of one premise, of an argument that nothing else looks at, over its relation."""
    found = [one for rule in system.rules for one in _of_one_premise(rule)]
    looked_at = {
        (atom.relation, place) for rule in system.rules for atom, place in _looked_at(rule)
    }
    for atom, part in found:
        places = {argument: place for place, argument in enumerate(atom.arguments)}
        free = terms.free_symbols(part)
        if any((atom.relation, places[symbol]) not in looked_at for symbol in free):
            own = system.relations[atom.relation].symbols
            values = dict(zip(atom.arguments, own, strict=True))
            yield atom.relation, frozenset(folded(one, values) for one in _disjuncts(part))


def _of_one_premise(rule: Rule) -> Iterator[tuple[Atom, Term]]:
    """The parts of a condition that speak of the arguments of one premise alone."""
    for atom in rule.body:
        arguments = set(atom.arguments)
        if len(arguments) == len(atom.arguments) and all(a.is_symbol() for a in arguments):
            for part in conjuncts(rule.constraint):
                free = terms.free_symbols(part)
                if free and free <= arguments and not terms.is_quantified(part):
                    yield atom, part


def _looked_at(rule: Rule) -> Iterator[tuple[Atom, int]]:
    """The arguments of premises of which more is said than such a part."""
    own = {part for _, part in _of_one_premise(rule)}
    others = [part for part in conjuncts(rule.constraint) if part not in own]
    seen: set[Term] = set().union(*map(terms.free_symbols, others))
    for number, atom in enumerate(rule.body):
        elsewhere = (a for k, other in enumerate(rule.body) if k != number for a in other.arguments)
        shared = seen.union(*map(terms.free_symbols, elsewhere))
        for place, argument in enumerate(atom.arguments):
            if not argument.is_symbol() or argument in shared:
                yield atom, place
