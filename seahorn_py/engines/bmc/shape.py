"""The shape of a Horn system: which rules go on, which call, and how its loops nest.

A system that an encoding gives has three kinds of rules with a body: a *step* goes from a relation
to a relation or a query, a *context* enters a function (`f.L -> g.entry`), a *join* goes on after
the call (`f.L, g.exit -> f.M`).  Unwinding lets a join use the summary of the call at hand only.
That loses nothing when the parameters of `g.entry` come first in all relations of `g` and never
change, and the join asks for the summary of exactly the context that it enters; both are verified
here, and a system of another shape is refused.

Loops nest as in the weak topological order of `horn.transform.acceleration.loopnest`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Query, Rule
from seahorn_py.horn.transform.acceleration.loopnest import Address, addresses
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Term


class UnsupportedShape(Exception):
    """A system that cannot be unwound; the text says why."""


@dataclass
class Outgoing:
    """The rules whose first body atom is one relation."""

    steps: list[Rule] = field(default_factory=list)
    queries: list[Rule] = field(default_factory=list)
    contexts: list[Rule] = field(default_factory=list)
    joins: list[Rule] = field(default_factory=list)


@dataclass(frozen=True)
class Shape:
    """The rules of a system by what they do.

    `outgoing[""]` are the rules without a body.  `entries` maps the relations of contexts to those
    of summaries, "" for a function that never returns.
    """

    outgoing: Mapping[str, Outgoing]
    addresses: Mapping[str, Address]
    entries: Mapping[str, str]


def shape_of(system: HornSystem) -> Shape:
    """The shape of a system; UnsupportedShape when it has none that can be unwound."""
    entries = _entries(system)
    outgoing: dict[str, Outgoing] = {name: Outgoing() for name in ("", *system.relations)}
    for rule in system.rules:
        source = rule.body[0].relation if rule.body else ""
        _sort_in(outgoing[source], rule, entries)
    _verify_calls(system, outgoing, entries)
    return Shape(outgoing, addresses(_successors(system, entries)), entries)


def _entries(system: HornSystem) -> dict[str, str]:
    """The entry of each summary that a join uses, by the names that encodings give."""
    found: dict[str, str] = {}
    for rule in system.rules:
        if len(rule.body) > 2:
            raise UnsupportedShape(f"rule {rule.name} has more than two body atoms")
        for atom in rule.body[1:]:
            stem, dot, last = atom.relation.rpartition(".")
            entry = f"{stem}{dot}{last.replace('exit', 'entry')}"
            if entry == atom.relation or entry not in system.relations:
                raise UnsupportedShape(f"{atom.relation} is no summary of a function")
            found[entry] = atom.relation
    return found


def _sort_in(outgoing: Outgoing, rule: Rule, entries: Mapping[str, str]) -> None:
    if isinstance(rule.head, Query):
        if len(rule.body) > 1:
            outgoing.joins.append(rule)
        else:
            outgoing.queries.append(rule)
    elif len(rule.body) > 1:
        if rule.head.relation in entries:
            raise UnsupportedShape(f"rule {rule.name} enters a function with a summary")
        outgoing.joins.append(rule)
    elif rule.body and rule.head.relation in entries:
        outgoing.contexts.append(rule)
    else:
        outgoing.steps.append(rule)


# ----------------------------------------------------------------------------------------- calls


def _verify_calls(
    system: HornSystem, outgoing: Mapping[str, Outgoing], entries: Mapping[str, str]
) -> None:
    for name, rules in outgoing.items():
        if any(_going_on(rules)) and name in entries.values():
            raise UnsupportedShape(f"a rule goes on from the summary {name}")
        if rules.steps and any(isinstance(join.head, Atom) for join in rules.joins):
            raise UnsupportedShape(f"{name} goes on with and without its call")
        if len(rules.contexts) > 1:
            raise UnsupportedShape(f"{name} calls more than one function")
        for join in rules.joins:
            if not rules.contexts or not _same_call(rules.contexts[0], join, entries):
                raise UnsupportedShape(f"rule {join.name} does not use the summary of its call")
    for entry in entries:
        _verify_carried(system, outgoing, entry, entries)


def _same_call(context: Rule, join: Rule, entries: Mapping[str, str]) -> bool:
    """The join uses the summary of the call that the context enters, whenever it enters."""
    assert isinstance(context.head, Atom)
    caller, summary = join.body
    if entries[context.head.relation] != summary.relation:
        return False
    renaming: dict[Term, Term] = {}
    for old, new in zip(context.body[0].arguments, caller.arguments, strict=True):
        if not old.is_symbol() or renaming.setdefault(old, new) is not new:
            return False
    wanted = [terms.substitute(a, renaming) for a in context.head.arguments]
    if wanted != list(summary.arguments[: len(wanted)]):
        return False
    given = set(conjuncts(join.constraint))
    return all(terms.substitute(c, renaming) in given for c in conjuncts(context.constraint))


def _verify_carried(
    system: HornSystem, outgoing: Mapping[str, Outgoing], entry: str, entries: Mapping[str, str]
) -> None:
    """The entry's parameters are the first of every relation of the function, and unchanged."""
    count = len(system.relations[entry].parameters)
    members = {entry}
    todo = [entry]
    while todo:
        for rule in _going_on(outgoing[todo.pop()]):
            assert isinstance(rule.head, Atom)
            if rule.body[0].arguments[:count] != rule.head.arguments[:count]:
                raise UnsupportedShape(f"rule {rule.name} changes the parameters of {entry}")
            if rule.head.relation not in members:
                members.add(rule.head.relation)
                todo.append(rule.head.relation)
    for source, rules in outgoing.items():
        if source not in members:
            for rule in _going_on(rules):
                assert isinstance(rule.head, Atom)
                if rule.head.relation in members and not (not source and _root(rule, entry)):
                    raise UnsupportedShape(f"rule {rule.name} enters {entry} in its middle")


def _root(rule: Rule, entry: str) -> bool:
    """A fact of the entry itself: the function is where everything starts, too."""
    return isinstance(rule.head, Atom) and rule.head.relation == entry


def _going_on(rules: Outgoing) -> Iterator[Rule]:
    """The rules that stay in the function."""
    yield from rules.steps
    yield from (rule for rule in rules.joins if isinstance(rule.head, Atom))


# ----------------------------------------------------------------------------------------- loops


def _successors(system: HornSystem, entries: Mapping[str, str]) -> dict[str, list[str]]:
    edges: dict[str, list[str]] = {name: [] for name in system.relations}
    for rule in system.rules:
        if rule.body and isinstance(rule.head, Atom) and rule.head.relation not in entries:
            edges[rule.body[0].relation].append(rule.head.relation)
    return edges
