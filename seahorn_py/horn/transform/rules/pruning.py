"""Rules that no derivation of a query has: what facts cannot reach, and what leads to no query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seahorn_py.horn.system import Atom, Query, Rule


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
