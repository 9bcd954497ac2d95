"""Rules that no derivation of a query has: what facts cannot reach, and what leads to no query.

In a model of the rest what facts cannot reach is false, and what leads to no query is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Query, Rule
from seahorn_py.horn.transform.transformation import Both, same_refutation
from seahorn_py.logic.terms import terms


@dataclass(frozen=True)
class Pruning:
    """Without relations and rules that no derivation of a query has."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The rest of the system, which may be all of it."""
        underivable, useless, rules = pruned(system.relations, system.rules)
        said = dict.fromkeys(underivable, terms.FALSE) | dict.fromkeys(useless, terms.TRUE)
        left = {name: one for name, one in system.relations.items() if name not in said}

        def model(found: Model) -> Model:
            return Model({**found.interpretations, **said})

        return HornSystem(left, tuple(rules), system.ledger), Both(model, same_refutation)


def pruned(
    relations: Iterable[str], rules: Sequence[Rule]
) -> tuple[frozenset[str], frozenset[str], list[Rule]]:
    """Relations of which no fact is derived, those of the others that no query needs, and the rest
    of the rules.  Constraints are not looked at.
    """
    names = set(relations)
    derived: set[str] = set()
    while found := {_head(r) for r in rules if _rests_on(r, derived)} - derived - {""}:
        derived |= found
    left = [rule for rule in rules if _rests_on(rule, derived)]
    needed: set[str] = set()
    while found := {a.relation for r in left if _is_needed(r, needed) for a in r.body} - needed:
        needed |= found
    left = [rule for rule in left if _is_needed(rule, needed)]
    return frozenset(names - derived), frozenset(derived - needed), left


def _head(rule: Rule) -> str:
    return rule.head.relation if isinstance(rule.head, Atom) else ""


def _rests_on(rule: Rule, derived: set[str]) -> bool:
    return all(atom.relation in derived for atom in rule.body)


def _is_needed(rule: Rule, needed: set[str]) -> bool:
    return isinstance(rule.head, Query) or rule.head.relation in needed
