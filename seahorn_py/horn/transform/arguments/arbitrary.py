"""Parameters that may be anything, whatever the others are, left out of their relations.

A program passes memory from loop to loop even before it is written: an array that only the last
loop fills is a parameter of all loops before.  A parameter is arbitrary if every rule gives it
either a symbol that the rule says nothing about, or an arbitrary parameter of the body.  By
induction over derivations a fact then holds with any other value in its place.  Without the
parameter the relation says the same, and a model of the new system is one of the old.  A refutation
is not carried back: the values that it lacks are chosen by the steps that use a fact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule, atoms
from seahorn_py.horn.transform.transformation import Models, same_model
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

Position = tuple[str, int]
"""A relation and the number of a parameter."""


@dataclass(frozen=True)
class WithoutArbitrary:
    """Arbitrary parameters are left out; a system without any stays what it is."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Models]:
        """The system over what is left, with the same models."""
        return without_arbitrary(system), Models(same_model)


def without_arbitrary(system: HornSystem) -> HornSystem:
    """The system without its arbitrary parameters."""
    left = _arbitrary(system)
    if not left:
        return system
    relations = {
        name: replace(
            relation,
            parameters=tuple(p for k, p in enumerate(relation.parameters) if (name, k) not in left),
        )
        for name, relation in system.relations.items()
    }
    rules = tuple(
        replace(
            rule,
            body=tuple(_without(atom, left) for atom in rule.body),
            head=_without(rule.head, left) if isinstance(rule.head, Atom) else rule.head,
        )
        for rule in system.rules
    )
    return HornSystem(relations, rules, system.ledger)


def _without(atom: Atom, left: Container[Position]) -> Atom:
    kept = (a for k, a in enumerate(atom.arguments) if (atom.relation, k) not in left)
    return Atom(atom.relation, tuple(kept))


def _arbitrary(system: HornSystem) -> set[Position]:
    """All places, less those that some rule says something about, until no rule does."""
    found = {(name, k) for name, r in system.relations.items() for k in range(len(r.parameters))}
    deriving = [(rule, _mentions(rule)) for rule in system.rules if isinstance(rule.head, Atom)]
    before = -1
    while len(found) != before:
        before = len(found)
        for rule, mentions in deriving:
            assert isinstance(rule.head, Atom)
            handed = Counter(
                argument
                for atom in rule.body
                for k, argument in enumerate(atom.arguments)
                if (atom.relation, k) in found
            )
            for k, argument in enumerate(rule.head.arguments):
                others = mentions[argument] - 1 if argument.is_symbol() else None
                if others is None or others > min(1, handed[argument]):
                    found.discard((rule.head.relation, k))
    return found


def _mentions(rule: Rule) -> Counter[Term]:
    """In how many arguments and conditions each symbol occurs."""
    parts = [rule.constraint, *(a for atom in atoms(rule) for a in atom.arguments)]
    return Counter(symbol for part in parts for symbol in terms.free_symbols(part))
