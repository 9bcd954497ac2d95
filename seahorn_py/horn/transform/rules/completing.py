"""What a model says of relations that were resolved away, found one step back at a time.

Relations go one after the other (`horn.transform.rules.unfolding`).  The last ones come back first:
then all others that their rules speak of, as these were when the relations went, are known.  What
is left is a small system of a few relations that do not repeat.  Its solution is an interpolant
between what defines a relation and what uses it.  It exists, for each definition with each use is
a rule that the model makes valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    Model,
    Query,
    Relation,
    Rule,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

AT_ONCE = 12
"""So many relations come back together.  A call has a price, and so has each step of a chain."""

Complete = Callable[[HornSystem], Model | None]


@dataclass(frozen=True)
class Removal:
    """A relation that went, the rules that spoke of it, and those in their place."""

    name: str
    old: tuple[Rule, ...]
    new: tuple[Rule, ...]


def completed(
    relations: Mapping[str, Relation],
    rules: Iterable[Rule],
    removals: Sequence[Removal],
    said: Mapping[str, Term],
    complete: Complete,
) -> Mapping[str, Term] | None:
    """What is said of all relations; `rules` are those after all removals.

    None where `complete` does not find a part.
    """
    current, known = {rule.name: rule for rule in rules}, dict(said)
    left = list(removals)
    while left:
        group, left = left[-AT_ONCE:], left[:-AT_ONCE]
        for removal in reversed(group):
            for rule in removal.new:
                del current[rule.name]
            current |= {rule.name: rule for rule in removal.old}
        names = {removal.name: relations[removal.name] for removal in group}
        found = complete(_between(relations, names, current.values(), known))
        if found is None:
            return None
        known |= {name: found.interpretations.get(name, terms.TRUE) for name in names}
    return known


def _between(
    relations: Mapping[str, Relation],
    open_: Mapping[str, Relation],
    rules: Iterable[Rule],
    known: Mapping[str, Term],
) -> HornSystem:
    """The rules that have relations which are open, with the others as they are known.

    A fact that a rule derives beyond what is known is a query.
    """
    found: list[Rule] = []
    for rule in rules:
        heads = (rule.head,) if isinstance(rule.head, Atom) else ()
        if not any(atom.relation in open_ for atom in (*rule.body, *heads)):
            continue
        body = tuple(atom for atom in rule.body if atom.relation in open_)
        parts = [at(relations, known, atom) for atom in rule.body if atom.relation not in open_]
        head = rule.head
        if isinstance(head, Atom) and head.relation not in open_:
            parts.append(terms.not_(at(relations, known, head)))
            head = Query(rule.name, Check(CheckId("chc", rule.name, rule.origin), len(found)))
        constraint = terms.and_([rule.constraint, *parts])
        if constraint is not terms.FALSE:
            found.append(replace(rule, body=body, constraint=constraint, head=head))
    return HornSystem(open_, tuple(found))


def at(relations: Mapping[str, Relation], said: Mapping[str, Term], atom: Atom) -> Term:
    """What is said of a relation, at the arguments of an atom."""
    places = relations[atom.relation].symbols
    return terms.substitute(said[atom.relation], dict(zip(places, atom.arguments, strict=True)))
